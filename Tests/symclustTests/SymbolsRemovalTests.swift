import JSON
import TestSupport
import Testing

/// What becomes of diagnostics, and of what doctor says, when symbols go: on purpose, and behind the program's back.
@Suite("symbols that go", .enabled(if: programIsBuilt, programAbsence))
struct SymbolsRemovalTests {
  private let store: Store
  private let kit = Sample.kitID.lowercased().filter { $0 != "-" }
  private let everything = ["symbols", "gc", "--keep-builds", "0", "--keep-days", "0"]

  init() throws {
    store = try Store()
  }

  /// Symbols of no build, whose names diagnostics have.
  private func fill() {
    store.uploadSamples()
    #expect([0, 3].contains(store.run("cluster", Sample.diagnostics).code))
  }

  private func run(_ arguments: [String], _ more: String...) -> Tool.Outcome {
    symclust(arguments + more + ["--store", store.path])
  }

  private func ids(_ document: JSONValue, _ list: String) -> [String] {
    (document[list]?.array ?? []).compactMap { $0["debug_id"]?.string }
  }

  private func bash(_ script: String, _ arguments: String...) -> String {
    let outcome = Tool.run("/bin/bash", ["-euc", script, "bash"] + arguments)
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return outcome.text
  }

  private func doctor(code: Int32) throws -> [String] {
    let outcome = store.run("doctor", "--json")
    #expect(outcome.code == code)
    #expect(try outcome.json()["damaged"]?.bool == (code == 5))
    return try (outcome.json()["findings"]?.array ?? []).map { finding in
      ["severity", "place", "problem", "advice"].compactMap { finding[$0]?.string }.joined(separator: " ")
    }
  }

  @Test("gc says which names 'reprocess --all' will not find again; these it lists, and an upload brings them back")
  func lostNames() throws {
    fill()
    let before = try store.run("signatures", "list", "--json").json()
    let plan = run(everything, "--dry-run")
    #expect(plan.text.contains("would remove  LumenKit  \(Sample.kitID)"))
    #expect(plan.text.contains("named frames of recorded diagnostics"))
    #expect(plan.text.contains("lost_images"))
    let done = try run(everything, "--json").json()
    let named = (done["removed"]?.array ?? []).filter { $0["named_frames"]?.bool == true }
    #expect(named.contains { $0["debug_id"]?.string == kit })
    // On purpose: no damage, and no count or name has moved.
    #expect(try doctor(code: 0) == [])
    #expect(try text(store.run("signatures", "list", "--json").json()) == text(before))
    #expect(store.run("symbols", "show", kit).errorText.contains("nothing of image"))
    let dry = store.run("reprocess", "--all", "--dry-run", "--json")
    #expect(dry.code == 3)
    #expect(
      try Set((dry.json()["lost_images"]?.array ?? []).compactMap { $0.string?.lowercased().filter { $0 != "-" } })
        == Set(named.compactMap { $0["debug_id"]?.string }))
    store.uploadSamples()
    #expect(store.run("reprocess", "--all", "--dry-run", "--json").code == 0)
  }

  @Test("R-04 with a retention of one day, an image that diagnostics name daily stays, and one unused since goes")
  func dailyUse() throws {
    store.uploadSamples()
    // Half a day old, in the form that devices write.
    let file = bash(
      """
      now=$(date -u -d '12 hours ago' '+%Y-%m-%d %H:%M:%S +0000')
      file=$(grep -l '"appBuildVersion" *: *"120"' "$1"/single/*.json | head -n 1)
      sed -E "s/(\\"timeStamp(Begin|End)\\" *: *\\")[^\\"]*/\\\\1$now/" "$file" > "$2/today.json"
      echo -n "$2/today.json"
      """, Sample.diagnostics, store.folder.path)
    #expect([0, 3].contains(store.run("cluster", file).code))
    _ = bash("find \"$1\"/symbols -type f -exec touch -d '9 days ago' {} +", store.path)
    let plan = try run(["symbols", "gc", "--keep-builds", "0", "--keep-days", "1", "--dry-run", "--json"]).json()
    let seen = (plan["kept"]?.array ?? []).filter { $0["reason"]?.string == "seen" }
    #expect(!seen.isEmpty && seen.count == plan["kept"]?.array?.count)
    let removed = Set(ids(plan, "removed"))
    #expect(removed.count + seen.count == 6 && !removed.isEmpty)
    // Two days later nobody has named it.
    _ = bash(
      "sed -E -i \"s/(\\\"timeStamp(Begin|End)\\\" *: *\\\")[^\\\"]*/\\\\12020-01-01 00:00:00 +0000/\" \"$1\"", file)
    let other = try Store()
    other.uploadSamples()
    _ = other.run("cluster", file)
    _ = bash("find \"$1\"/symbols -type f -exec touch -d '9 days ago' {} +", other.path)
    #expect(
      try ids(
        symclust([
          "symbols", "gc", "--keep-builds", "0", "--keep-days", "1", "--dry-run", "--json", "--store", other.path,
        ])
        .json(), "removed"
      ).count == 6)
  }

  @Test("R-05 an image that named frames and is gone behind the program's back is told, though no build declares it")
  func onceCovered() throws {
    fill()
    #expect(try doctor(code: 0) == [])
    _ = bash(
      "rm \"$1\"/symbols/images/${2:0:2}/$2.json \"$1\"/symbols/index/${2:0:2}/$2.scx", store.path, kit)
    let findings = try doctor(code: 5)
    #expect(findings.contains { $0.contains(Sample.kitID) && $0.contains("named frames of recorded diagnostics") })
    #expect(findings.contains { $0.hasPrefix("leftover") && $0.contains("symbols/sources") })
    // Each finding is a line that says what to do.
    let lines = store.run("doctor").text.split(separator: "\n")
    #expect(lines.count == findings.count)
    #expect(lines.contains { $0.hasPrefix("damage  ") && $0.contains("upload its symbols again") })
  }

  @Test(
    "R-05 an index that is missing, or of other files than those retained, is told; the upload that is advised mends it"
  )
  func foreignIndex() throws {
    store.uploadSamples()
    let index = "\(store.path)/symbols/index/\(kit.prefix(2))/\(kit).scx"
    _ = bash("rm \"$1\"", index)
    #expect(try doctor(code: 5).contains { $0.contains("the index is missing") && $0.contains("LumenKit") })
    store.uploadSamples()
    #expect(try doctor(code: 0) == [])
  }

  @Test("doctor misses what is pinned")
  func pinned() throws {
    store.uploadSamples()
    #expect(store.run("symbols", "pin", kit).code == 0)
    _ = bash("rm \"$1\"/symbols/images/${2:0:2}/$2.json", store.path, kit)
    #expect(try doctor(code: 5).contains { $0.contains("is pinned, and nothing of it is retained") })
    #expect(store.run("symbols", "unpin", kit).code == 0)
    #expect(store.run("symbols", "gc").code == 0)
    #expect(try doctor(code: 0) == [])
  }

  @Test("doctor holds kept payloads against their digests and against the counts")
  func payloads() throws {
    #expect([0, 3].contains(store.run("cluster", "--keep-raw", Sample.diagnostics).code))
    #expect(try doctor(code: 0) == [])
    let file = try #require(files(below: store.path + "/raw").first)
    _ = bash("cp \"$1\" \"$2\"; printf x >> \"$1\"", store.path + "/raw/" + file, store.folder.entry("whole"))
    #expect(try doctor(code: 5).contains { $0.contains(file) })
    _ = bash(
      "cp \"$2\" \"$1\"; rm \"$3\"*", store.path + "/raw/" + file, store.folder.entry("whole"),
      store.path + "/symclust.sqlite")
    #expect(store.run("cluster", Sample.diagnostics + "/single").code != 5)
    let findings = try doctor(code: 0)
    #expect(!findings.isEmpty && findings.allSatisfy { $0.hasPrefix("leftover") && $0.contains("is counted") })
  }
}
