import Diagnostics
import JSON
import TestSupport
import Testing

@Suite("Limits of reading", .enabled(if: programIsBuilt, programAbsence))
struct ConfigTests {
  private let sample = Sample.diagnostics + "/compact/payload-0019.json"

  @Test("are listed, each with its value and what it bounds")
  func list() throws {
    let text = symclust(["config"])
    #expect(text.code == 0)
    for limit in ReadingLimits.all { #expect(text.text.contains(limit.name) && text.text.contains(limit.help)) }
    let limits = try #require(try symclust(["config", "--json"]).json()["limits"])
    #expect(limits.members?.map(\.name) == ReadingLimits.all.map(\.name))
    #expect(limits.count("frames") == ReadingLimits().frames)
  }

  @Test("every one of them is of the value that it says, and stays in its range")
  func names() {
    #expect(Set(ReadingLimits.all.map(\.name)).count == ReadingLimits.all.count)
    #expect(Set(ReadingLimits.all.map { $0.place }).count == ReadingLimits.all.count)
    // No stored limit is left out.
    #expect(Mirror(reflecting: ReadingLimits()).children.count == ReadingLimits.all.count)
    for limit in ReadingLimits.all { #expect(limit.range.contains(ReadingLimits()[keyPath: limit.place])) }
  }

  @Test("can be set, and what they cut is counted")
  func set() throws {
    #expect(try symclust(["config", "--json", "--limit", "frames=5"]).json()["limits"]?.count("frames") == 5)
    let store = try Store()
    let run = try store.report([sample], ["--limit", "frames=5", "--limit=stacks=1"])["run"]
    #expect(run?.count("accepted_payloads") == 1)
    #expect(run?["notes"]?["frames_cut"] != nil && run?["notes"]?["stacks_cut"] != nil)
    let refused = store.run("cluster", sample, "--limit", "input-bytes=100", "--json")
    #expect(try refused.json()["run"]?.count("rejected") == 1)
    let shown = store.run("symbolicate", sample, "--limit", "frames=1")
    #expect(shown.lines.count { $0.hasPrefix("0   ") } == 1)
  }

  @Test(
    "that do not exist, or make no sense, are wrong usage",
    arguments: [
      "frames", "frames=", "frames=x", "frames=0", "frames=-1", "fames=5", "=5", "frames=99999999999999999999",
    ])
  func wrong(word: String) {
    let outcome = symclust(["config", "--limit", word])
    #expect(outcome.code == 64)
    #expect(outcome.errorText.contains("--limit \(word): "))
  }
}
