import Bytes
import Files
import Identity
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

@Suite struct Uploads {
  private let test: TestStore
  private let build = BuildName(app: "com.example.app", version: "1.0", build: "7")

  init() throws { test = try TestStore() }

  private func functions(_ offsets: UInt64...) throws -> [String?] {
    let index = try #require(try test.store().index(of: Sample.id))
    return offsets.map { offset in
      if case .frames(let frames) = index.lookup(offset) { return frames[0].function }
      return nil
    }
  }

  @Test func `a first upload is stored, indexed and answers`() throws {
    let report = try #require(test.upload(Sample.dsym(), build: build).first)
    #expect(report.verdict == .stored)
    #expect(report.debugID == Sample.id)
    #expect(report.architecture == "arm64")
    #expect(report.digest == ContentDigest(of: Sample.dsym()))
    #expect(report.level == .lines)
    #expect(report.reasons == [])
    #expect(try functions(0, 0x70, 0x80) == ["known0", "known7", nil])
    let manifest = try #require(try test.store().manifest(of: build))
    #expect(manifest.images.map(\.debugID) == [Sample.id])
    #expect(manifest.images.map(\.name) == ["App"])
  }

  @Test func `the same files a second time change not one byte`() throws {
    try test.upload(Sample.dsym(), build: build)
    try test.upload(Sample.symbols("a"), build: build)
    let before = test.files
    #expect(try test.upload(Sample.dsym(), build: build).map(\.verdict) == [.alreadyPresent])
    #expect(try test.upload(Sample.symbols("a"), build: build).map(\.verdict) == [.alreadyPresent])
    #expect(test.files == before)
  }

  @Test func `two stores of the same uploads are the same, byte for byte`() throws {
    let other = try TestStore()
    for store in [test, other] { try store.upload(Sample.dsym(), build: build) }
    #expect(test.files == other.files)
  }

  @Test func `a poorer file never replaces a richer one, in whatever order they come`() throws {
    let other = try TestStore()
    let rich = Sample.dsym(functions: 8)
    let poor = Sample.dsym(functions: 2)
    #expect(try test.upload(rich, build: build).map(\.verdict) == [.stored])
    #expect(try test.upload(poor, build: build).map(\.verdict) == [.poorerVariant])
    #expect(try functions(0x70) == ["known7"])
    #expect(try other.upload(poor, build: build).map(\.verdict) == [.stored])
    #expect(try other.upload(rich, build: build).map(\.verdict) == [.addedVariant])
    #expect(test.files == other.files)
  }

  @Test func `lines come from the richest file and names from all`() throws {
    let files = [Sample.dsym(), Sample.symbols("a"), Sample.symbols("a", "b", "c")]
    var stores: [[String: [UInt8]]] = []
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
      let store = try TestStore()
      for index in order { try store.upload(files[index], as: "App") }
      stores.append(store.files)
    }
    for store in stores { #expect(store == stores[0]) }
    for file in files { try test.upload(file) }
    #expect(try functions(0, 0x100, 0x120) == ["known0", "a", "c"])
  }

  @Test func `a file that names nothing is not retained, whether or not something else is there`() throws {
    #expect(try test.upload(Sample.stripped).map(\.verdict) == [.noSymbols])
    #expect(test.files.keys.sorted() == ["format", "lock"])
    try test.upload(Sample.dsym())
    let before = test.files
    #expect(try test.upload(Sample.stripped).map(\.verdict) == [.noSymbols])
    #expect(test.files == before)
  }

  @Test func `other code under one identifier is a conflict: kept, shown, not used`() throws {
    try test.upload(Sample.dsym(functions: 2))
    let report = try #require(test.upload(Sample.otherCode, as: "Other").first)
    #expect(report.verdict == .conflict)
    #expect(report.reasons.first?.contains("identifier") == true)
    #expect(try functions(0x10, 0x70) == ["known1", nil])
    let record = try #require(try test.store().record(of: Sample.id))
    #expect(record.sources.count == 2)
    #expect(record.sources.filter(\.isConflicting).map(\.name) == ["Other"])
    #expect(test.files.keys.filter { $0.hasSuffix(".zst") }.count == 2)
    // And again changes nothing.
    let before = test.files
    #expect(try test.upload(Sample.otherCode, as: "Other").map(\.verdict).count == 1)
    #expect(test.files == before)
  }

  @Test func `each slice of a fat file is retained on its own, and a bad one fails alone`() throws {
    var fat = fatFile([Sample.dsym(), Sample.dsym(uuid: 2), Sample.dsym(uuid: 3)])
    fat.removeLast(20)
    #expect(try test.upload(fat).map(\.verdict) == [.stored, .stored, .incomplete])
    #expect(try test.upload(Sample.dsym(uuid: 2)).map(\.verdict) == [.alreadyPresent])
  }

  @Test func `a sibling slice does not change what is stored of a slice`() throws {
    let other = try TestStore()
    try test.upload(fatFile([Sample.dsym(), Sample.dsym(uuid: 2)]))
    try other.upload(Sample.dsym())
    let names = other.files.keys.filter { $0 != "lock" && $0 != "format" }
    #expect(names.count == 3)
    for name in names { #expect(test.files[name] == other.files[name], "\(name)") }
  }

  @Test func `builds that share an image each list it`() throws {
    let next = BuildName(app: "com.example.app", version: "1.0", build: "8")
    try test.upload(Sample.dsym(), build: build)
    #expect(try test.upload(Sample.dsym(), build: next).map(\.verdict) == [.alreadyPresent])
    for name in [build, next] { #expect(try test.store().manifest(of: name)?.images.count == 1) }
    #expect(try test.store().manifest(of: BuildName(app: "x", version: "y", build: "z")) == nil)
  }

  @Test(arguments: ["../../etc/passwd", "a/b", "C:\\x", "\u{0}", "..", ".", "é", String(repeating: "x", count: 4_000)])
  func `names from outside never become paths`(text: String) throws {
    try test.upload(Sample.dsym(), build: BuildName(app: text, version: text, build: text))
    let names = TestSupport.files(below: test.folder.path)
    let shapes = names.filter { $0.hasPrefix("store/symbols/") }.map { name in
      name.split(separator: "/").map { $0.split(separator: ".").last ?? "" }.count
    }
    #expect(names.allSatisfy { $0.hasPrefix("store/") || $0.hasPrefix("in/") })
    #expect(shapes.allSatisfy { $0 == 4 || $0 == 5 })
    let build = BuildName(app: text, version: text, build: text)
    #expect(try test.store().manifest(of: build)?.images.count == 1)
  }
}

/// What every kind of file is told.
@Suite struct Verdicts {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("verdicts")) }

  private func check(_ paths: [String]) throws -> (reports: [SliceReport], others: Int) {
    var intake = SymbolIntake(checkingWith: IndexBuilder())
    try intake.take(paths)
    return (intake.reports, intake.otherFiles)
  }

  static let inDSYM = "App.dSYM/Contents/Resources/DWARF/App"

  @Test(
    arguments: [
      ("empty", [], Verdict.malformed, "empty"), ("text", Array("hello, world".utf8), .unsupported, "neither"),
      ("AppleDouble", [0, 5, 0x16, 7, 0, 2, 0, 0, 0, 0], .unsupported, "neither"),
      ("a Java class", [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 0], .unsupported, "Java"),
      ("a truncated fat file", [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2, 0, 0], .incomplete, "fat header"),
      ("a fat file without slices", [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0], .malformed, "no slices"),
      (
        "no UUID",
        {
          var builder = MachOBuilder(); builder.uuid = nil; return builder.build()
        }(), .noDebugID, "LC_UUID"
      ),
      ("nothing named", Sample.stripped, .noSymbols, "nothing"),
      ("cut off", Array(Sample.dsym().prefix(60)), .incomplete, "load command"),
      ("good", Sample.dsym(), .stored, ""), ("names only", Sample.symbols("a"), .stored, "no debug information"),
    ] as [(String, [UInt8], Verdict, String)])
  func `a file where symbols belong is never passed over in silence`(
    what: String, bytes: [UInt8], verdict: Verdict, reason: String
  ) throws {
    folder.write(bytes, to: Self.inDSYM)
    for path in [folder.path, folder.entry(Self.inDSYM)] {
      let (reports, others) = try check([path])
      #expect(reports.map(\.verdict) == [verdict], "\(what)")
      #expect(others == 0)
      #expect(reason.isEmpty || reports.first?.reasons.first?.contains(reason) == true, "\(what): \(reports)")
    }
  }

  @Test func `files of other kinds inside a bundle are counted, not judged`() throws {
    folder.write(Sample.dsym(), to: Self.inDSYM)
    folder.write(Array("<plist/>".utf8), to: "App.dSYM/Contents/Info.plist")
    folder.write(Sample.dsym(), to: "App.dSYM/Contents/Resources/DWARF/._App")
    let (reports, others) = try check([folder.path])
    #expect(reports.map(\.verdict) == [.stored])
    #expect(others == 1)
  }

  @Test func `every DWARF file of a bundle is taken, not only the first`() throws {
    folder.write(Sample.dsym(), to: Self.inDSYM)
    folder.write(Sample.dsym(uuid: 2), to: "App.dSYM/Contents/Resources/DWARF/App.debug.dylib")
    #expect(try check([folder.path]).reports.map(\.debugID?.bytes.first) == [1, 2])
  }

  @Test func `a path that is not there, and a .dSYM that is a file, are told`() throws {
    folder.write([], to: "Empty.dSYM")
    let reports = try check([folder.entry("missing"), folder.entry("Empty.dSYM")]).reports
    #expect(reports.map(\.verdict) == [.unreadable, .malformed])
  }

  @Test func `a static library inside a fat file is not called damaged`() throws {
    let archive = Array("!<arch>\n".utf8) + [UInt8](repeating: 0, count: 64)
    let path = folder.write(fatFile([archive]), to: "libx.a")
    #expect(try check([path]).reports.map(\.verdict) == [.unsupported])
  }

  @Test func `one bad file never fails another`() throws {
    folder.write([0xcf, 0xfa, 0xed, 0xfe], to: "a")
    folder.write(Sample.dsym(), to: "b")
    folder.write(Array(Sample.dsym(uuid: 2).prefix(100)), to: "c")
    folder.write(Sample.dsym(uuid: 3), to: "d")
    #expect(try check([folder.path]).reports.map(\.verdict) == [.incomplete, .stored, .incomplete, .stored])
  }
}
