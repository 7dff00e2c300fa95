import JSON
import TestSupport
import Testing

/// The requirements by their numbers: symbols that come after the diagnostics that need them.
@Suite("Symbols after the crash", .enabled(if: programIsBuilt, programAbsence))
struct ReprocessTests {
  private static let kitOfFirstBuild = Sample.symbols + "/1.0-101/LumenKit.framework.dSYM"

  /// Where every sample diagnostic is now.
  private func assignments(_ store: Store) throws -> [JSONValue] {
    let file = store.folder.entry("assignments.jsonl")
    _ = try store.report([Sample.diagnostics], ["--assignments", file])
    return try jsonLinesIn(contents(of: file) ?? [])
  }

  private func clusters(_ store: Store) throws -> [JSONValue] {
    try store.run("signatures", "list", "--top", "1000", "--json").json()["clusters"]?.array ?? []
  }

  private func upload(_ build: String, _ store: Store, _ options: String...) throws -> JSONValue {
    let outcome = symclust(["upload-symbols", "\(Sample.symbols)/\(build)", "--json", "--store", store.path] + options)
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return try outcome.json()
  }

  private func reprocess(_ store: Store, _ options: String..., code: Int32 = 0) throws -> JSONValue {
    let outcome = symclust(["reprocess", "--json", "--store", store.path] + options)
    #expect(outcome.code == code, "\(outcome.errorText)")
    return try outcome.json()
  }

  @Test("U-19 an upload says which of the wanted images it brought and which are still missing: A is wanted, B comes")
  func wanted() throws {
    let store = try Store()
    let crash = store.folder.write(try crashInFirstKit(), to: "crash.jsonl")
    _ = try store.report([crash])
    let other = try upload("1.2-120", store)["diagnostics"]
    #expect(other?["satisfied"]?.array?.isEmpty == true)
    #expect(
      other?["still_missing"]?.array?.contains { $0["name"]?.string == "LumenKit" && $0["system"]?.bool == false }
        == true)
    #expect(other?["changes"]?.count("stacks") == 0)
    let told = store.run("upload-symbols", Self.kitOfFirstBuild)
    #expect(told.text.contains("Diagnostics waited for 1 image that has symbols now"), "\(told.text)")
    #expect(
      told.text.contains("  found  4C4C4455-5555-3144-A118-7CD91EC4F46F  LumenKit  (1 diagnostic)\n"), "\(told.text)")
    #expect(
      told.text.contains("Changed: 1 diagnostic of 1 stack; ") && told.text.contains("  build 101 ("), "\(told.text)")
    // What a store without diagnostics has to say of them is nothing.
    let empty = try Store()
    let silent = empty.run("upload-symbols", Self.kitOfFirstBuild)
    #expect(silent.code == 0 && !silent.text.contains("iagnostics"), "\(silent.text)")
    #expect(try upload("1.2-120", empty)["diagnostics"] == .null)
  }

  /// A diagnostic of build 101 with a frame in its LumenKit.
  private func crashInFirstKit() throws -> [UInt8] {
    let lines = contents(of: Sample.diagnostics + "/lines/lumen-1.0-101.jsonl") ?? []
    let wanted = Array("4C4C4455-5555-3144-A118-7CD91EC4F46F".utf8)
    return Array(try #require(lines.split(separator: 0x0a).first { $0.firstRange(of: wanted) != nil }))
  }

  @Test("R-01 and A-58 give diagnostics that were grouped provisionally their signature at once; each count moves once")
  func automatic() throws {
    let early = try Store()
    early.uploadSamples()
    let wanted = try assignments(early)
    let late = try Store()
    let before = try assignments(late)
    #expect(before.contains { $0["provisional"]?.bool == true })
    var diagnostics = 0
    var settled = 0
    for build in Sample.builds {
      let changes = try upload(build.folder, late)["diagnostics"]?["changes"]
      diagnostics += changes?.count("diagnostics") ?? 0
      settled += changes?.count("settled_diagnostics") ?? 0
      // Only the build whose symbols came changes.
      #expect(changes?["builds"]?.array?.compactMap { $0["build"]?.string } == [build.build])
      let renamed = changes?["signatures"]?.count("renamed") ?? 0
      #expect(changes?["aliases"]?.array?.count { $0["kind"]?.string == "renamed" } == renamed)
    }
    // No run of cluster was needed: what is shown is provisional only where a framework is that nobody has.
    let shown = try clusters(late)
    #expect(!shown.contains { $0["title"]?.string?.contains("Lumen!?") == true })
    #expect(shown.map { $0.count("diagnostics") }.reduce(0, +) == wanted.count)
    let after = try assignments(late)
    #expect(after.map { $0["signature"] } == wanted.map { $0["signature"] })
    #expect(zip(before, after).count { $0["signature"] != $1["signature"] } <= diagnostics)
    #expect(zip(before, after).count { $0["provisional"]?.bool == true && $1["provisional"]?.bool == false } == settled)
    #expect(try reprocess(late)["changes"]?.count("stacks") == 0)
    // Every id that was told leads somewhere still.
    var known: Set<String> = []
    for cluster in try late.report([Sample.diagnostics])["clusters"]?.array ?? [] {
      known.formUnion([cluster["id"]?.string].compactMap(\.self))
      for list in ["signatures", "aliases"] { known.formUnion((cluster[list]?.array ?? []).compactMap(\.string)) }
    }
    let told = Set(before.compactMap { $0["signature"]?.string })
    #expect(!told.isEmpty && told.isSubset(of: known))
  }

  @Test("R-02 no memory of a miss hides what was uploaded just now")
  func noMissMemory() throws {
    let store = try Store()
    let miss = store.run("lookup", "--image", Sample.kitID, "0x1000", "--json")
    _ = try upload("1.0-101", store)
    #expect(miss.code != 0)
    let offsets = (0..<200).map { "0x" + String(0x4000 + $0 * 16, radix: 16) }
    func names() throws -> Int {
      let outcome = symclust(["lookup", "--image", Sample.kitID, "--json", "--store", store.path] + offsets)
      return outcome.code == 1 ? 0 : try outcome.jsonLines().count { $0["frames"]?.array?.isEmpty == false }
    }
    #expect(try names() == 0)
    _ = try upload("1.2-120", store)
    #expect(try names() > 0)
  }

  @Test(
    "R-03 reprocess --build, --image and --signature change what they name and nothing else, and nothing the second time"
  )
  func scopes() throws {
    let store = try Store()
    _ = try assignments(store)
    for build in Sample.builds { #expect(try upload(build.folder, store, "--no-reprocess")["diagnostics"] == .null) }
    let untouched = try store.dump()
    let rehearsal = try reprocess(store, "--build", "112", "--dry-run")
    #expect(try store.dump() == untouched)
    let done = try reprocess(store, "--build", "112")
    #expect(try text(done["changes"]) == text(rehearsal["changes"]))
    #expect(done["changes"]?["builds"]?.array?.compactMap { $0["build"]?.string } == ["112"])
    #expect(try reprocess(store, "--build", "112")["changes"]?.count("stacks") == 0)
    let provisional = try clusters(store).filter { $0["provisional"]?.bool == true }
    #expect(!provisional.isEmpty)

    let image = try reprocess(store, "--image", Sample.kitID)
    #expect(image.count("derived_stacks") == 4 && image["changes"]?.count("stacks") ?? 0 > 0)
    #expect(try reprocess(store, "--image", Sample.kitID)["changes"]?.count("stacks") == 0)

    let id = try #require(provisional.last?["id"]?.string)
    let one = try reprocess(store, "--signature", id)
    #expect(one["scope"]?["id"]?.string == id && one.count("derived_stacks") > 0)
    #expect(one.count("derived_stacks") < 20)

    #expect(try reprocess(store)["changes"]?.count("stacks") ?? 0 > 0)
    #expect(try reprocess(store)["changes"]?.count("stacks") == 0)
    for wrong in [
      ["--build", "7"], ["--image", "00112233445566778899AABBCCDDEEFF"], ["--signature", "sig-0000000000000000"],
    ] {
      #expect(symclust(["reprocess", "--store", store.path] + wrong).code == 1, "\(wrong)")
    }
    for wrong in [["--build", "7", "--all"], ["--image", "kit"]] {
      #expect(symclust(["reprocess", "--store", store.path] + wrong).code == 64, "\(wrong)")
    }
    #expect(symclust(["reprocess", "--store", store.folder.entry("none")]).code == 1)
  }

  @Test("R-08 keep every occurrence and every sample, and not only the first of a signature")
  func occurrences() throws {
    let early = try Store()
    early.uploadSamples()
    _ = try assignments(early)
    _ = try reprocess(early, "--all")
    let late = try Store()
    _ = try assignments(late)
    late.uploadSamples()
    _ = try reprocess(late, "--all")
    func counted(_ store: Store) throws -> String {
      let report = try store.report([Sample.diagnostics])
      return try (report["clusters"]?.array ?? []).map { try text($0.without("aliases")) }.joined(separator: "\n")
        + text(report["denominators"])
    }
    #expect(try counted(late) == counted(early))
  }

  @Test("A-02 and A-16: whatever is derived can be deleted; reprocess makes the same of raw stacks, byte for byte")
  func fromRaw() throws {
    let store = try Store()
    store.uploadSamples()
    _ = try assignments(store)
    _ = try reprocess(store, "--all")
    let wanted = try store.dump()
    let report = try text(store.report([Sample.diagnostics]).without("run"))
    try store.execute(Store.derivedTables.map { "DELETE FROM \($0);" }.joined())
    #expect(try store.dump() != wanted)
    // Diagnostics files are not needed: what the store keeps is enough.
    let done = try reprocess(store, "--all", "--jobs", "3")
    #expect(
      done["changes"]?.count("diagnostics") == Int(wanted.split(separator: "\n").count { $0.hasPrefix("diagnostics ") })
    )
    #expect(try store.dump() == wanted)
    #expect(try text(store.report([Sample.diagnostics]).without("run")) == report)
    #expect(try reprocess(store, "--all", "--jobs", "1")["changes"]?.count("stacks") == 0)
    #expect(try store.dump() == wanted)
  }

  @Test(
    "a run that is killed at any moment leaves the store as it was, or as it becomes", arguments: [5, 20, 40, 80, 160])
  func killed(milliseconds: Int) throws {
    let store = try Store()
    _ = try store.report([Sample.diagnostics + "/single"])
    _ = symclust(["upload-symbols", Sample.symbols, "--no-reprocess", "--store", store.path])
    let before = try store.dump()
    let whole = try store.copy()
    _ = try reprocess(whole, "--all")
    let after = try whole.dump()
    #expect(before != after)
    _ = bash(
      #"timeout -s KILL "0.$(printf %03d "$1")" "$symclust" reprocess --all --store "$2""#,
      [String(milliseconds), store.path])
    #expect(try [before, after].contains(store.dump()))
    _ = try reprocess(store, "--all")
    #expect(try store.dump() == after)
  }

  @Test("new rules are applied by reprocess --rules; a part of a store is never derived by others than the rest")
  func rules() throws {
    let store = try Store()
    let rules = store.folder.write(Array(lumenRules.utf8), to: "lumen.rules")
    _ = try assignments(store)
    let applied = try reprocess(store, "--rules", rules)
    #expect(applied["rules"]?.string == "lumen@1" && applied.count("derived_stacks") > 0)
    #expect(try reprocess(store, "--rules", rules)["changes"]?.count("stacks") == 0)
    let refused = store.run("reprocess", "--build", "120")
    #expect(
      refused.code == 1 && refused.errorText.contains("by other rules than apple-default@2"), "\(refused.errorText)")
    // An upload that does not know the rules leaves the diagnostics alone, and says so.
    let before = try store.dump()
    let told = try upload("1.2-120", store)["diagnostics"]
    #expect(told?["skipped"]?.string == "other-rules" && told?["changes"] == .null)
    #expect(told?["satisfied"]?.array?.count == 2)
    #expect(try store.dump() == before)
    let again = try upload("1.2-120", store, "--rules", rules)["diagnostics"]
    #expect(again?["skipped"] == .null && again?["changes"]?.count("settled_diagnostics") ?? 0 > 0)
  }

  @Test("what people decided goes on through --all, and can be taken back after it")
  func facts() throws {
    let store = try Store()
    _ = try assignments(store)
    let old = try clusters(store).filter { $0["kind"]?.string == "crash" && $0["provisional"]?.bool == true }
      .compactMap { $0["id"]?.string }
    #expect(store.run("signatures", "merge", old[0], old[1]).code == 0)
    #expect(store.run("signatures", "alias", "BUG-1", old[2]).code == 0)
    store.uploadSamples()
    _ = try reprocess(store, "--all")
    func cluster(_ id: String) throws -> String? {
      try store.run("signatures", "show", id, "--json").json()["id"]?.string
    }
    #expect(try cluster(old[0]) == cluster(old[1]))
    #expect(try cluster("BUG-1") == cluster(old[2]))
    let merged = try store.dump()
    _ = try reprocess(store, "--all")
    #expect(try store.dump() == merged)
    #expect(store.run("signatures", "undo", "1").code == 0)
    _ = try reprocess(store, "--all")
    #expect(try cluster(old[0]) != cluster(old[1]))
    // With no fact in force it is what nobody ever decided about.
    let plain = try Store()
    plain.uploadSamples()
    _ = try assignments(plain)
    let isFact = { (line: Substring) in line.hasPrefix("facts ") }
    let wanted = try plain.dump().split(separator: "\n").filter { !isFact($0) }
    #expect(try store.dump().split(separator: "\n").filter { !isFact($0) } == wanted)
  }
}
