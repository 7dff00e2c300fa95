import Glibc
import JSON
import TestSupport
import Testing

/// Folders of symbols that other tools keep, for one test.
struct SourceFolders {
  let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("sources")) }

  var gnu: String { folder.entry("gnu") }
  var lldb: String { folder.entry("lldb") }
  var sentry: String { folder.entry("sentry") }

  /// The identifiers of the sample images, by their DWARF file.
  private static func ids() throws -> [(path: String, id: String)] {
    try SampleSymbols.all.map { file in
      let slices = try symclust(["check", "--json", file.path]).json()["slices"]
      return (file.path, try #require(slices?[0]?["debug_id"]?.string))
    }
  }

  /// A tree of links to the sample dSYMs, as LLDB reads it. With `bundles` they lead to the bundles.
  func makeLLDB(bundles: Bool = false) throws {
    for (path, id) in try Self.ids() {
      let hex = id.filter { $0 != "-" }.uppercased()
      let parts = (0..<5).map { String(hex.dropFirst($0 * 4).prefix(4)) } + [String(hex.dropFirst(20))]
      let name = "lldb/" + parts.joined(separator: "/")
      folder.makeFolders(above: name)
      let target = bundles ? String(path.prefix(upTo: try #require(path.firstRange(of: "/Contents")).lowerBound)) : path
      #expect(symlink(target, folder.entry(name)) == 0)
    }
  }

  /// The sample images as `symsorter` writes them, with or without compression.
  func makeSentry(compressed: Bool = false) throws {
    for (path, id) in try Self.ids() {
      let hex = id.filter { $0 != "-" }.lowercased()
      let place = "sentry/\(hex.prefix(2))/\(hex.dropFirst(2))"
      let file = folder.write(try #require(contents(of: path)), to: "\(place)/debuginfo")
      folder.write(
        Array(#"{"name":"\#(path.split(separator: "/").last ?? "")","arch":"arm64"}"#.utf8), to: "\(place)/meta")
      if compressed { #expect(bash("gzip $1 && mv $1.gz $1", [file]).code == 0) }
    }
  }
}

@Suite("Folders beyond the store", .enabled(if: programIsBuilt, programAbsence))
struct SymbolSourceTests {
  private let store: Store
  private let sources: SourceFolders
  private let offsets = (0..<100).map { "0x" + String(0x3ff8 + $0 * 16, radix: 16) }
  private let plainID = Sample.kitID.lowercased().filter { $0 != "-" }

  init() throws {
    store = try Store()
    sources = try SourceFolders()
  }

  private func lookup(_ options: [String], id: String = Sample.kitID) -> Tool.Outcome {
    symclust(["lookup", "--image", id, "--json", "--store", store.path] + options + offsets)
  }

  private var truth: [UInt8] { symclust(["lookup", "--object", Sample.kitFile, "--json"] + offsets).output }

  private func names(_ ending: String) -> [String] { files(below: store.path).filter { $0.hasSuffix(ending) } }

  @Test(
    "name what the files in them name; they are not changed, and later commands need them no more",
    arguments: ["lldb", "lldb bundles", "lldb said", "sentry", "sentry gzip", "sentry said"])
  func layouts(form: String) throws {
    let isLLDB = form.hasPrefix("lldb")
    if isLLDB {
      try sources.makeLLDB(bundles: form.hasSuffix("bundles"))
    } else {
      try sources.makeSentry(compressed: form.hasSuffix("gzip"))
    }
    let path = isLLDB ? sources.lldb : sources.sentry
    let before = Tool.run("/usr/bin/find", [path, "-printf", "%p %y %s %T@ %l\n"]).text
    let said = form.hasSuffix("said") ? "\(isLLDB ? "lldb" : "sentry"):\(path)" : path
    let found = lookup(["--symbols-from", said])
    #expect(found.output == truth)
    #expect(Tool.run("/usr/bin/find", [path, "-printf", "%p %y %s %T@ %l\n"]).text == before)
    // Nothing but the index was kept, and it has the name that people know.
    #expect(names(".zst").isEmpty && names(".scx").count == 1)
    let listed = try store.run("symbols", "list", "--json").json()["images"]?[0]
    #expect(listed?["name"]?.string == "LumenKit" && listed?.count("files") == 0)
    #expect(listed?["borrowed_from"]?.string == path)
    #expect(lookup([]).output == truth)
    #expect(store.run("doctor").text == "all is well\n")
    // It waits for nobody to index it.
    #expect(store.run("symbols", "index").code == 0)
  }

  @Test(
    "may be a .build-id tree, or the folder it stands in, with a debug file or the binary",
    .enabled(if: ELFSample.canBeMade, Comment(rawValue: ELFSample.absence)),
    arguments: ["debug file", "binary", "both", "tree", "said"])
  func buildID(form: String) throws {
    let id = "c0ffee00112233445566778899aabbccddeeff01"
    let sample = try #require(ELFSample(sources.folder, "bin/sample", id: id))
    if form != "binary" { _ = try #require(sample.debugFile(sources.folder, "gnu/" + sample.buildIDName)) }
    if form == "binary" || form == "both" {
      let name = "gnu/.build-id/c0/" + id.dropFirst(2)
      sources.folder.makeFolders(above: name)
      #expect(symlink(sample.path, sources.folder.entry(name)) == 0)
    }
    let path = form == "tree" ? sources.gnu + "/.build-id" : form == "said" ? "gnu:" + sources.gnu : sources.gnu
    let outcome = store.run("lookup", "--image", id, "--symbols-from", path, sample.offset)
    #expect(outcome.code == 0 && outcome.text.contains("outer (sample.c:2"), "\(outcome.errorText)")
    if form == "binary" { #expect(store.run("symbols", "list").text.contains("sample  ")) }
  }

  @Test(
    "give the file that dwz moved shared entries to, when an image needs it",
    .enabled(
      if: ELFSample.canBeMade && Tool.run("/usr/bin/dwz", ["--version"]).code == 0, "dwz is absent (apt install dwz)"))
  func dwz() throws {
    let ids = ["c0ffee00112233445566778899aabbccddeeff01", "c0ffee00112233445566778899aabbccddeeff02"]
    let samples = try ids.map { try #require(ELFSample(sources.folder, "bin/\($0.suffix(2))", id: $0, dwarf: 4)) }
    let debugFiles = try samples.map { try #require($0.debugFile(sources.folder, "gnu/" + $0.buildIDName)) }
    let common = sources.folder.entry("common.debug")
    let moved = Tool.run(
      "/usr/bin/dwz", ["-m", common, "-M", "/nowhere/common.debug"] + debugFiles)
    #expect(moved.code == 0, "\(moved.errorText)")
    let before = store.run("lookup", "--image", ids[0], "--symbols-from", sources.gnu, samples[0].offset)
    let notes = Tool.run("/usr/bin/readelf", ["-n", common]).text
    let line = try #require(notes.split(separator: "\n").first { $0.contains("Build ID") })
    let commonID = String(try #require(line.split(separator: " ").last))
    sources.folder.write(
      try #require(contents(of: common)), to: "gnu/.build-id/\(commonID.prefix(2))/\(commonID.dropFirst(2)).debug")
    let after = store.run("lookup", "--image", ids[1], "--symbols-from", sources.gnu, samples[1].offset)
    #expect(after.code == 0 && after.text.contains("outer (sample.c:2"), "\(after.errorText)")
    #expect(try store.run("symbols", "show", ids[1], "--json").json()["companions"]?.array?.count == 1)
    // Without it something is missing, and that is told.
    #expect(before.code == 0)
    #expect(try store.run("symbols", "show", ids[0], "--json").json()["problems"]?.array?.isEmpty == false)
  }

  @Test("are looked into: a file of another image is refused by name, and the next folder is asked")
  func wrongFile() throws {
    try sources.makeSentry()
    let wrong = "wrong/\(plainID.prefix(2))/\(plainID.dropFirst(2))/debuginfo"
    let file = sources.folder.write(try #require(contents(of: SampleSymbols.rich.path)), to: wrong)
    let folder = sources.folder.entry("wrong")
    let alone = lookup(["--symbols-from", folder])
    #expect(alone.code == 1 && alone.errorText.contains("\(file): not used: it is of image"))
    #expect(names(".scx").isEmpty)
    let both = lookup(["--symbols-from", folder, "--symbols-from", sources.sentry])
    #expect(both.output == truth && both.errorText.contains("\(file): not used"))
  }

  @Test(
    "may hold garbage, cut files and pipes: each costs itself", arguments: ["garbage", "cut", "empty", "pipe", "dwarf"])
  func hostile(form: String) throws {
    try sources.makeSentry()
    let whole = try #require(contents(of: Sample.kitFile))
    let name = "bad/\(plainID.prefix(2))/\(plainID.dropFirst(2))/debuginfo"
    sources.folder.makeFolders(above: name)
    switch form {
    case "garbage": sources.folder.write(Array("<html>".utf8), to: name)
    case "cut": sources.folder.write(Array(whole.prefix(whole.count / 2)), to: name)
    case "empty": sources.folder.write([], to: name)
    case "pipe": #expect(mkfifo(sources.folder.entry(name), 0o600) == 0)
    default:
      var bytes = whole
      let at = try #require(bytes.firstRange(of: Array("__debug_abbrev".utf8))).lowerBound
      let size = (0..<8).reduce(0) { $0 | Int(whole[at + 40 + $1]) << ($1 * 8) }
      let offset = (0..<4).reduce(0) { $0 | Int(whole[at + 48 + $1]) << ($1 * 8) }
      for place in offset..<offset + size { bytes[place] = 0xff }
      sources.folder.write(bytes, to: name)
    }
    let bad = "sentry:" + sources.folder.entry("bad")
    let outcome = lookup(["--symbols-from", bad, "--symbols-from", sources.sentry])
    #expect(outcome.ended && outcome.output == truth)
    #expect(outcome.errorText.contains(": not used: "))
  }

  @Test("of no shape that is known are refused before any work, unless the layout is said")
  func unknownShape() throws {
    let folder = sources.folder.entry("plain")
    sources.folder.write([1], to: "plain/readme")
    let outcome = lookup(["--symbols-from", folder])
    #expect(outcome.code == 64 && outcome.errorText.contains("no layout of symbols is recognised"))
    #expect(lookup(["--symbols-from", "gnu:" + folder]).code == 1)
    #expect(lookup(["--symbols-from", folder + "/absent"]).code == 64)
    #expect(store.run("cluster", "--retain", Sample.diagnostics).code == 64)
  }

  private func report(_ store: Store, _ options: [String] = []) throws -> JSONValue {
    let report = try store.report([Sample.diagnostics], options)
    #expect(try SchemaChecker(named: "cluster-report").problems(report) == [])
    return report
  }

  /// What does not tell how it came about.
  private func content(_ report: JSONValue) throws -> String {
    try text(report.without("run").without("missing_images"))
  }

  @Test("make the same clusters as an upload, at once or later, and nothing waits for the app's images then")
  func clusters() throws {
    try sources.makeLLDB()
    let uploaded = try Store()
    uploaded.uploadSamples()
    let wanted = try report(uploaded)
    let found = try report(store, ["--symbols-from", sources.lldb])
    #expect(try content(found) == content(wanted))
    let source = try #require(found["run"]?["symbol_sources"]?[0])
    #expect(source["name"]?.string == sources.lldb && source["kind"]?.string == "folder")
    #expect(source["found"]?.array?.count == 6 && source["refused"]?.array?.isEmpty == true)
    // Nothing is due, with the folder and without.
    for options in [[], ["--symbols-from", sources.lldb]] {
      let again = try symclust(["reprocess", "--json", "--store", store.path] + options).json()
      #expect(again.count("derived_stacks") == 0)
    }

    let late = try Store()
    _ = try report(late)
    let missing = try late.run("symbols", "missing", "--json", "--symbols-from", sources.lldb).json()
    #expect(missing["images"]?.array?.isEmpty == false)
    let told = (missing["images"]?.array ?? []).filter { $0["advice"]?.string?.hasPrefix(sources.lldb) == true }
    #expect(told.count == 6)
    let outcome = late.run("reprocess", "--json", "--symbols-from", sources.lldb)
    #expect(try outcome.json()["changes"]?.count("settled_diagnostics") ?? 0 > 0)
    #expect(try SchemaChecker(named: "reprocess").problems(outcome.json()) == [])
    #expect(late.run("symbols", "missing").text == uploaded.run("symbols", "missing").text)
    let after = try late.run("signatures", "list", "--json").json()["clusters"]?.array?.compactMap { $0["signatures"] }
    let before = try store.run("signatures", "list", "--json").json()["clusters"]?.array?.compactMap {
      $0["signatures"]
    }
    #expect(after?.count == before?.count)
  }

  @Test("give way to an upload of the same files, and no diagnostic moves")
  func upload() throws {
    try sources.makeLLDB()
    _ = try report(store, ["--symbols-from", sources.lldb])
    #expect(names(".scx").allSatisfy { $0.hasPrefix("symbols/borrowed/") })
    let rehearsed = snapshot(of: store.path)
    #expect(store.run("upload-symbols", Sample.symbols, "--dry-run").code == 0)
    let isSame =
      snapshot(of: store.path).filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
      == rehearsed.filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
    #expect(isSame)
    let outcome = try store.run("upload-symbols", Sample.symbols, "--json").json()
    #expect(outcome["diagnostics"]?["changes"]?.count("stacks") ?? 0 <= 0)
    #expect(names(".scx").allSatisfy { $0.hasPrefix("symbols/index/") })
    #expect(store.run("doctor").text == "all is well\n")
  }

  @Test(
    "are copied into the store with --retain, which an upload then finds already present", arguments: [false, true])
  func retaining(isBorrowed: Bool) throws {
    try sources.makeLLDB()
    if isBorrowed { _ = try report(store, ["--symbols-from", sources.lldb]) }
    _ = try report(store, ["--symbols-from", sources.lldb, "--retain"])
    #expect(names(".scx").allSatisfy { $0.hasPrefix("symbols/index/") } && names(".zst").count == 6)
    #expect(store.run("doctor").text == "all is well\n")
    let slices = try store.run("upload-symbols", Sample.symbols, "--json").json()["slices"]?.array
    #expect(slices?.allSatisfy { $0["verdict"]?.string == "already_present" } == true)
  }

  @Test("gc removes borrowed indexes that nobody needs, 'reprocess --all' tells the loss, and the folder mends it")
  func garbage() throws {
    try sources.makeLLDB()
    _ = try report(store, ["--symbols-from", sources.lldb])
    let kept = try store.run("symbols", "gc", "--json").json()
    #expect(kept["removed"]?.array?.isEmpty == true && kept["kept"]?.array?.count == 6)
    let removed = try store.run("symbols", "gc", "--keep-days", "0", "--json").json()
    #expect(removed["removed"]?.array?.count == 6 && removed["orphans"]?.array?.isEmpty == true)
    #expect(names(".scx").isEmpty && names("borrowed").isEmpty)
    #expect(store.run("doctor").text == "all is well\n")
    let all = try store.run("reprocess", "--all", "--dry-run", "--json").json()
    #expect(all["lost_images"]?.array?.count == 6)
    let mended = try store.run("reprocess", "--all", "--json", "--symbols-from", sources.lldb).json()
    #expect(mended["lost_images"]?.array?.isEmpty == true && mended["changes"]?.count("stacks") == 0)
  }

  @Test("mend a damaged index of theirs; without them the damage is told")
  func damage() throws {
    try sources.makeSentry()
    #expect(lookup(["--symbols-from", sources.sentry]).output == truth)
    let index = store.path + "/" + (try #require(names(".scx").first))
    var bytes = try #require(contents(of: index))
    bytes[bytes.count / 2] ^= 0xff
    store.folder.write(bytes, to: String(index.dropFirst(store.folder.path.count + 1)))
    #expect(store.run("doctor").code == 5)
    let alone = lookup([])
    #expect(alone.code == 5 && alone.errorText.contains("name its source again (\(sources.sentry))"))
    #expect(lookup(["--symbols-from", sources.sentry]).output == truth)
    #expect(store.run("doctor").text == "all is well\n")
  }

  @Test("answer symbols find and verify, too")
  func questions() throws {
    try sources.makeSentry()
    let unknown = "00112233445566778899aabbccddeeff"
    let options = ["--symbols-from", sources.sentry, "--store", store.path]
    #expect(symclust(["symbols", "find", unknown] + options).code == 1)
    #expect(symclust(["symbols", "find", Sample.kitID] + options).text.contains("borrowed"))
    let verify = ["symbols", "verify", "--payload", Sample.diagnostics + "/single", "--json"]
    let before = try symclust(verify + ["--store", store.path]).json()
    let after = try symclust(verify + options).json()
    let uploaded = try Store()
    uploaded.uploadSamples()
    #expect(after.count("gaps") == (try symclust(verify + ["--store", uploaded.path]).json().count("gaps")))
    #expect(before.count("gaps") > after.count("gaps"))
    #expect(try SchemaChecker(named: "verification").problems(after) == [])
    #expect(
      after["images"]?.array?.contains { $0["reason"]?.string?.hasPrefix("borrowed from") == true } == true)
  }

  @Test("U-26 a tree of symbols that another service left is read where it is, or imported by one command")
  func importing() throws {
    try sources.makeSentry(compressed: true)
    #expect(
      store.run("symbolicate", "--symbols-from", sources.sentry, Sample.diagnostics + "/single").text.contains(
        ".swift:"))
    let slices = try store.run("upload-symbols", sources.sentry, "--json").json()["slices"]?.array
    #expect(slices?.count == 6 && slices?.allSatisfy { $0["verdict"]?.string == "stored" } == true)
    #expect(lookup([]).output == truth)
  }
}
