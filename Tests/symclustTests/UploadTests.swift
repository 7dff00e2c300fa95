import Bytes
import JSON
import TestSupport
import Testing

@Suite("upload-symbols", .enabled(if: programIsBuilt, programAbsence))
struct UploadTests {
  private func verdicts(_ outcome: Tool.Outcome) throws -> [String] {
    try (outcome.json()["slices"]?.array ?? []).compactMap { $0["verdict"]?.string }
  }

  @Test("tells by its verdicts and its exit code what became of the files")
  func table() throws {
    let store = try Store()
    let folder = store.folder
    folder.write(Array("readme".utf8), to: "nothing/readme.txt")
    let junk = folder.write(Array("junk".utf8), to: "junk")
    let empty = folder.write([], to: "empty")
    let kit = try #require(contents(of: Sample.kitFile))
    let cut = folder.write(Array(kit[..<2000]), to: "cut")
    folder.write(Array("junk".utf8), to: "Bad.dSYM/Contents/Resources/DWARF/Bad")
    let cases: [(paths: [String], code: Int32, verdicts: [String])] = [
      ([folder.entry("nothing")], 1, []),
      ([junk], 1, ["unsupported"]),
      ([empty], 1, ["malformed"]),
      ([cut], 1, ["incomplete"]),
      ([folder.entry("absent")], 1, ["unreadable"]),
      ([folder.entry("Bad.dSYM")], 1, ["unsupported"]),
      ([junk, Sample.kit], 3, ["unsupported", "stored"]),
      ([Sample.kit], 0, ["already_present"]),
      ([Sample.kitFile, Sample.kit], 0, ["already_present", "already_present"]),
      ([folder.entry("absent"), Sample.kit], 3, ["unreadable", "already_present"]),
      ([Sample.symbols], 0, Array(repeating: "stored", count: 5) + ["already_present"]),
      ([Sample.symbols], 0, Array(repeating: "already_present", count: 6)),
    ]
    for (paths, code, expected) in cases {
      // What check says first does not depend on a store, and makes none.
      let checked = symclust(["check", "--json"] + paths)
      #expect(checked.code == code, "check \(paths)")
      #expect(
        try verdicts(checked) == expected.map { $0 == "already_present" ? "stored" : $0 }, "check \(paths)")
      let outcome = symclust(["upload-symbols", "--json", "--store", store.path] + paths)
      #expect(outcome.code == code, "\(paths): \(outcome.errorText)")
      #expect(try verdicts(outcome).sorted() == expected.sorted(), "\(paths)")
      let summary = try #require(try outcome.json()["summary"])
      #expect(summary.count("slices") == expected.count)
      for verdict in Set(expected) { #expect(summary.count(verdict) == expected.count { $0 == verdict }) }
      for slice in try outcome.json()["slices"]?.array ?? [] where slice["level"]?.string == nil {
        #expect(slice["reasons"]?.array?.isEmpty == false, "a refusal without a reason: \(paths)")
      }
    }
  }

  @Test("says nothing is to do the second time, and changes nothing")
  func again() throws {
    let store = try Store()
    let first = store.run("upload-symbols", Sample.kit, "--app", "a", "--version", "1", "--build", "2")
    #expect(first.errorText == "symclust: made a new store in \(store.path)\n")
    #expect(first.text.hasPrefix("stored  \(Sample.kitID)  arm64  \(Sample.kitFile)  (lines, "))
    #expect(first.text.hasSuffix("\n1 stored\n"))
    let before = snapshot(of: store.path)
    let second = store.run("upload-symbols", Sample.kit, "--app", "a", "--version", "1", "--build", "2")
    #expect(second.code == 0)
    #expect(second.text.contains("Nothing to do"))
    #expect(second.errorText.isEmpty)
    #expect(snapshot(of: store.path) == before)
    // A build that is new to known files gets its manifest, and is declared.
    #expect(store.run("upload-symbols", Sample.kit, "--app", "a", "--version", "1", "--build", "3").code == 0)
    #expect(snapshot(of: store.path).count == before.count + 2)
  }

  @Test(
    "wants all three parts of a build's name, or none",
    arguments: [
      ["--app", "a"], ["--version", "1"], ["--build", "2"], ["--app", "a", "--version", "1"],
      ["--app", "a", "--build", "2"], ["--version", "1", "--build", "2"],
    ])
  func buildName(options: [String]) throws {
    let store = try Store()
    let outcome = symclust(["upload-symbols", Sample.kit, "--store", store.path] + options)
    #expect(outcome.code == 64)
    #expect(outcome.errorText.contains("--app, --version and --build go together"))
    #expect(files(below: store.folder.path).isEmpty)
  }

  /// The sample framework of another build under the identifier of this one.
  private func impostor(_ store: Store) throws -> String {
    let old = Sample.symbols + "/1.0-101/LumenKit.framework.dSYM/Contents/Resources/DWARF/LumenKit"
    var bytes = try #require(contents(of: old))
    let before = try #require([UInt8](hex: "4C4C445555553144A1187CD91EC4F46F"))
    let after = try #require([UInt8](hex: Sample.kitID.filter { $0 != "-" }))
    let range = try #require(bytes.firstRange(of: before))
    bytes.replaceSubrange(range, with: after)
    return store.folder.write(bytes, to: "Impostor")
  }

  @Test("keeps and shows other code under a known identifier, every time, and does not use it")
  func conflict() throws {
    let store = try Store()
    let bad = try impostor(store)
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    let offsets = (0..<200).map { String(0x4000 + $0 * 8, radix: 16) }
    let before = symclust(["lookup", "--image", Sample.kitID, "--store", store.path] + offsets).text
    for round in 1...2 {
      let outcome = store.run(
        "upload-symbols", bad, "--json", "--app", "a", "--version", "1", "--build", "\(round)")
      #expect(outcome.code == 3, "round \(round)")
      #expect(try verdicts(outcome) == ["conflict"], "round \(round)")
      #expect(try outcome.json()["slices"]?[0]?["reasons"]?[0]?.string?.contains("taken") == true)
      let after = symclust(["lookup", "--image", Sample.kitID, "--store", store.path] + offsets).text
      #expect(after == before)
      // It belongs to no build.
      #expect(!snapshot(of: store.path + "/symbols").keys.contains { $0.hasPrefix("builds/") })
    }
    #expect(files(below: store.path + "/symbols/sources").count == 2)
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
  }

  @Test("passes over links in folders, so that none leads out or round in a circle")
  func links() throws {
    let store = try Store()
    let script = #"mkdir "$1/in" && ln -s . "$1/in/round" && ln -s "$2" "$1/in/out" && mkfifo "$1/in/pipe""#
    #expect(bash(script, [store.folder.path, Sample.kit]).code == 0)
    let outcome = store.run("upload-symbols", store.folder.entry("in"))
    #expect(outcome.code == 1)
    #expect(outcome.text == "Found no symbol files.\n")
    #expect(store.run("upload-symbols", store.folder.entry("in/out")).code == 0)
  }
}
