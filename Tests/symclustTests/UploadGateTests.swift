import JSON
import TestSupport
import Testing

/// What a release job asks: would it work, is all there, and where does it come from?
@Suite("upload-symbols for a release", .enabled(if: programIsBuilt, programAbsence))
struct UploadGateTests {
  private let unknown = "00112233-4455-6677-8899-AABBCCDDEEFF"
  private let store: Store

  init() throws { store = try Store() }

  /// A binary without debug information, under `uuid`.
  private func binary(_ uuid: UInt8) -> [UInt8] {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.uuid = [UInt8](repeating: uuid, count: 16)
    builder.text = (0x1000, 0x1000)
    builder.sections = [.code(at: 0x1000, size: 0x1000)]
    builder.symbols = [.init("_main", 0x1100)]
    return builder.build()
  }

  private func statuses(_ outcome: Tool.Outcome) throws -> [String] {
    try (outcome.json()["gates"]?["images"]?.array ?? []).compactMap { $0["status"]?.string }
  }

  private func verdicts(_ outcome: Tool.Outcome) throws -> [String] {
    try (outcome.json()["slices"]?.array ?? []).compactMap { $0["verdict"]?.string }
  }

  @Test("--dry-run gives the verdicts, gates and exit code of the real run, and writes nothing")
  func dryRun() throws {
    let junk = store.folder.write(Array("junk".utf8), to: "junk")
    let options = [
      "upload-symbols", "--json", "--store", store.path, "--require", Sample.kitID, "--require", unknown,
      Sample.symbols + "/1.0-101", Sample.kit, Sample.kit, junk,
    ]
    // On no store, and on one that holds a part.
    for round in 0..<2 {
      let before = Tool.run("/usr/bin/find", [store.folder.path, "-printf", "%p %T@ %s\n"]).text
      let rehearsal = symclust(options + ["--dry-run"])
      let after = Tool.run("/usr/bin/find", [store.folder.path, "-printf", "%p %T@ %s\n"]).text
      #expect(before == after, "round \(round)")
      if round == 0 { #expect(store.run("upload-symbols", Sample.symbols + "/1.0-101").code == 0) }
      let real = round == 0 ? nil : symclust(options)
      #expect(rehearsal.code == 3)
      #expect(try statuses(rehearsal) == ["met", "missing"])
      guard let real else { continue }
      #expect(try verdicts(rehearsal) == verdicts(real))
      #expect(try verdicts(real).contains("already_present"))
      #expect(try text(rehearsal.json().without("dry_run")) == text(real.json().without("dry_run")))
      #expect(real.code == rehearsal.code)
    }
  }

  @Test("U-19, A-57 each wanted image is told: satisfied or not, with what to do, and an unmet one ends with 3")
  func require() throws {
    let good = store.run("upload-symbols", Sample.kit, "--require", Sample.kitID)
    #expect(good.code == 0)
    #expect(good.text.contains("  met  \(Sample.kitID)"))
    // The state of the store counts, not what this run brought.
    let bad = store.run("upload-symbols", Sample.kit, "--require", unknown, "--require", Sample.kitID)
    #expect(bad.code == 3)
    #expect(bad.text.contains("  missing  \(unknown)\n      nothing of it is retained: upload the dSYM"))
    #expect(bad.text.contains("Gates: 1 of 2 images pass"))
    #expect(
      store.run("upload-symbols", Sample.kit, "--require", unknown, "--allow-missing", unknown.lowercased()).code == 0)
    #expect(store.run("upload-symbols", Sample.kit, "--require", "x").code == 64)
  }

  @Test("U-20, U-23 an app asks for each of its images: code of another build, and vendors', are told by name")
  func requireApp() throws {
    store.folder.write(binary(1), to: "My App.app/My App")
    store.folder.write(binary(2), to: "My App.app/Frameworks/Vendor.framework/Vendor")
    store.folder.write(Array("<plist/>".utf8), to: "My App.app/Info.plist")
    let app = store.folder.entry("My App.app")
    func upload(_ options: String...) -> Tool.Outcome {
      symclust(["upload-symbols", "--json", "--store", store.path, Sample.kit, "--require-app", app] + options)
    }
    #expect(try statuses(upload()) == ["missing", "missing"])
    #expect(upload().code == 3)
    #expect(store.run("upload-symbols", app).code == 0)
    // A binary names its functions; a release wants lines.
    #expect(try statuses(upload()) == ["low_coverage", "low_coverage"])
    #expect(try statuses(upload("--allow-missing", "Vend*")) == ["allowed", "low_coverage"])
    let enough = upload("--min-coverage", "0")
    #expect(try Set(statuses(enough)) == ["met"])
    #expect(enough.code == 0)
    let empty = store.folder.write(Array("x".utf8), to: "Empty.app/readme")
    #expect(store.run("upload-symbols", Sample.kit, "--require-app", store.folder.entry("Empty.app")).code == 3)
    #expect(store.run("upload-symbols", Sample.kit, "--require-app", empty).code == 3)
  }

  @Test("U-22 other code under the identifier of an image of the app does not satisfy the gate")
  func conflict() throws {
    var other = MachOBuilder()
    other.fileType = 2
    other.uuid = [UInt8](repeating: 1, count: 16)
    other.sections = [.code(at: 0x1_0000_0000, size: 0x500)]
    let app = store.folder.write(binary(1), to: "App.app/App")
    #expect(store.run("upload-symbols", app).code == 0)
    let impostor = store.folder.write(other.build(), to: "Other.app/App")
    let outcome = store.run("upload-symbols", app, "--json", "--require-app", impostor)
    #expect(outcome.code == 3)
    #expect(try statuses(outcome) == ["conflict"])
  }

  @Test("--min-coverage holds each image of the run against the share of its code with debug information")
  func coverage() throws {
    #expect(store.run("upload-symbols", Sample.kit, "--min-coverage", "0.9").code == 0)
    let poor = store.run("upload-symbols", Sample.kit, "--min-coverage", "0.99", "--json")
    #expect(poor.code == 3)
    #expect(try statuses(poor) == ["low_coverage"])
    let coverage = try poor.json()["gates"]?["images"]?[0]?["coverage"]?.double ?? 0
    #expect(coverage > 0.9 && coverage < 0.99)
    #expect(store.run("upload-symbols", Sample.kit, "--min-coverage", "0.99", "--allow-missing", "LumenKit").code == 0)
  }

  @Test("paths come from standard input, by lines or by NUL bytes, with - in their place")
  func list() throws {
    let name = store.folder.write(binary(1), to: "a (1) é.o")
    for list in ["\(name)\n\n\(Sample.kit)", "\(name)\u{0}\(Sample.kit)\u{0}"] {
      let outcome = symclust(["check", "--json", "-"], input: Array(list.utf8))
      #expect(try verdicts(outcome) == ["stored", "stored"])
      #expect(outcome.code == 0)
    }
    #expect(symclust(["check", "-"]).code == 1)
    #expect(symclust(["check", "-"], input: Array("/absent\n".utf8)).text.hasPrefix("unreadable  /absent\n"))
  }

  @Test("provenance is kept with the build, each origin once, and no later one hides an earlier")
  func provenance() throws {
    let build = ["--json", "--app", "a", "--version", "1", "--build", "2"]
    func upload(_ commit: String) throws -> [String] {
      let outcome = symclust(
        ["upload-symbols", Sample.kit, "--store", store.path, "--commit", commit, "--uploader", "ci"] + build)
      #expect(outcome.code == 0)
      return try (outcome.json()["build"]?["provenance"]?.array ?? []).map { try text($0) }
    }
    #expect(try upload("c0ffee") == [#"{"commit":"c0ffee","uploader":"ci"}"#])
    let before = snapshot(of: store.path)
    #expect(try upload("c0ffee").count == 1)
    #expect(snapshot(of: store.path) == before)
    #expect(try upload("beef").count == 2)
    #expect(store.run("upload-symbols", Sample.kit, "--commit", "x").code == 64)
  }

  @Test("U-18 a file that is shorter than its headers say is incomplete, not malformed")
  func halfWritten() throws {
    let bytes = try #require(contents(of: Sample.kitFile))
    for share in [20, 60, 90] {
      let cut = store.folder.write(Array(bytes[..<(bytes.count * share / 100)]), to: "cut")
      let outcome = store.run("upload-symbols", "--json", cut)
      #expect(try verdicts(outcome) == ["incomplete"], "\(share) %")
      #expect(outcome.code == 1)
    }
    #expect(!files(below: store.path).contains { $0.hasPrefix("symbols/") })
  }

  @Test("U-05, U-27 what is no symbol file never ends with 0")
  func nothing() throws {
    store.folder.write([], to: "empty/.keep")
    #expect(store.run("upload-symbols", store.folder.entry("empty")).code == 1)
    let zeros = store.folder.write([UInt8](repeating: 0, count: 5_000), to: "zeros")
    let page = store.folder.write(Array("<!DOCTYPE html><html></html>".utf8), to: "page.dSYM")
    let outcome = store.run("upload-symbols", "--json", zeros, page)
    #expect(outcome.code == 1)
    #expect(try verdicts(outcome) == ["unsupported", "unsupported"])
  }

  @Test("U-12 names are any Unicode, with spaces and parentheses, in both forms side by side")
  func names() throws {
    let bytes = try #require(contents(of: Sample.kitFile))
    for form in ["\u{d1}and\u{fa}", "N\u{303}andu\u{301}"] {
      store.folder.write(bytes, to: "in/\(form) (352.0) β.app.dSYM/Contents/Resources/DWARF/\(form) β")
    }
    let outcome = store.run("upload-symbols", "--json", store.folder.entry("in"))
    #expect(outcome.code == 0)
    #expect(try verdicts(outcome) == ["stored", "already_present"])
  }
}
