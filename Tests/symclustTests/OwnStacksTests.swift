import JSON
import TestSupport
import Testing

/// The example in the README.
enum OwnStacks {
  /// Its lines, as they stand there.
  static func text() throws -> String {
    let readme = String(decoding: contents(of: Corpus.repository + "/README.md") ?? [], as: UTF8.self)
    let lines = readme.split(separator: "\n").filter { $0.hasPrefix(#"{"schema":"symclust.stack/1""#) }
    try #require(lines.count == 3)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Its lines as documents.
  static func example() throws -> [JSONValue] { try jsonLinesIn(Array(text().utf8)) }
}

@Suite("Stacks of one's own", .enabled(if: programIsBuilt, programAbsence))
struct OwnStacksTests {
  @Test("are grouped and counted as the README shows")
  func example() throws {
    let store = try Store()
    let path = store.folder.write(Array(try OwnStacks.text().utf8), to: "stacks.jsonl")
    let report = try store.report([path])
    #expect(report["run"]?.count("accepted_payloads") == 3)
    let clusters = try #require(report["clusters"]?.array)
    #expect(clusters.map { $0["kind"]?.string } == ["crash", "hang"])
    let readme = String(decoding: contents(of: Corpus.repository + "/README.md") ?? [], as: UTF8.self)
    let shown = store.run("cluster", path).text
    let first = try #require(shown.firstRange(of: "1.  crash bad-access  2 diagnostics"))
    let end = try #require(shown[first.lowerBound...].firstRange(of: "\n\n"))
    #expect(readme.contains(shown[first.lowerBound..<end.lowerBound]))
  }

  @Test("name and counts do not depend on lines, ids or spaces between keys")
  func equality() throws {
    let store = try Store()
    let one =
      #"{"schema":"symclust.stack/1","kind":"crash","threads":[{"frames":[{"function":"f()"},{"function":"g()"}]}]}"#
    let two = one.replacing(#""kind""#, with: #""id": "x", "kind""#).replacing(#""f()""#, with: #""f()", "line": 7"#)
    let path = store.folder.write(Array("\(one)\n\(two)\n\(one)\n".utf8), to: "s.jsonl")
    let report = try store.report([path])
    #expect(report["clusters"]?.array?.count == 1)
    // The same line again is the same payload, whatever its id; a line with an id is another.
    #expect(report["run"]?.count("accepted_payloads") == 2)
    #expect(report["run"]?.count("duplicate_payloads") == 1)
  }

  @Test("with offsets are looked up in retained symbols")
  func offsets() throws {
    let store = try Store()
    store.uploadSamples()
    let line =
      #"{"schema":"symclust.stack/1","kind":"crash","app":"com.example.lumen","threads":[{"frames":[{"debug_id":"4C4C44F8-5555-3144-A176-265CE8BD98E8","offset":"0x45c0","function":"wrong"}]}]}"#
    let path = store.folder.write(Array(line.utf8), to: "s.jsonl")
    let text = store.run("symbolicate", path).text
    #expect(text.contains("SyncEngine.deinit"))
    #expect(!text.contains("wrong"))
  }
}
