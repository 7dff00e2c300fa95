import Bytes
import Glibc
import Identity
import IndexWorker
import ObjectFiles
import Pipeline
import SymbolIndex
import SymbolStore
import Symbolication
import TestSupport
import Testing

/// B.54 to B.57: what a store is handed, and what it says of it.
@Suite struct StoreTraps {
  @Test func `B.54 the share of the code that debug information covers is told for each slice`() throws {
    let lines = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 7), .end(0x1020)])
    var file = DebugFileBuilder(unit { $0.function("known", 0x1000, 0x1040) }, lines: lines, code: 0x1000..<0x1100)
    file.isMachO = true
    file.symbols = [("known", 0x1000, 0), ("skipped", 0x1080, 0)]
    let report = try #require(try TestStore().upload(file.build(), as: "App").first)
    let summary = try #require(report.summary)
    #expect(summary.coverage == 0.25)
    #expect([summary.codeBytes, summary.debugInfoBytes, summary.lineBytes] == [0x100, 0x40, 0x20])
  }

  @Test func `B.55 a name that bitcode hid is never shown for the symbol that has the real one`() throws {
    var file = DebugFileBuilder(unit { $0.function("__hidden#7_", 0x1000, 0x1010) })
    file.symbols = [("$s4Shop4CartV5applyyyF", 0x1000, 0x10)]
    #expect(try index(file).lookup(0x1000).frames.map(\.function) == ["Cart.apply()"])
  }

  @Test func `B.55 a file of hidden names says how many there are, and a map beside it gives them back`() throws {
    let file = image {
      $0.uuid = uuid(1)
      $0.symbols = [.init("__hidden#0_", 0x1000), .init("__hidden#1_", 0x1010), .init("_known", 0x1020)]
    }
    let hidden = try TestStore()
    let reasons = try #require(hidden.upload(file, as: "App").first).reasons
    #expect(reasons.contains("2 names are placeholders that bitcode left (__hidden#); the BCSymbolMap has them"))
    let test = try TestStore()
    let name = try #require(DebugID(bytes: uuid(1))).description
    test.folder.write(Array("BCSymbolMap Version: 2.0\n_first\n-[Cart apply:]\n".utf8), to: "in/\(name).bcsymbolmap")
    test.folder.write(file, to: "in/App")
    try test.upload(test.folder.entry("in"))
    #expect(
      try [0x1000, 0x1010, 0x1020].map { try test.lookup(uuid(1), $0) }
        == [["first ?:0"], ["-[Cart apply:] ?:0"], ["known ?:0"]])
  }

  @Test func `B.56 another build of the same name is never used`() throws {
    let test = try TestStore()
    try test.upload(
      image {
        $0.uuid = uuid(1)
        $0.symbols = [.init("_wrong", 0x1000)]
      }, as: "App")
    let crash = try diagnostic(frame(0x1000, address: 0x1_0000_1000, id: uuid(2), name: "App"))
    let symbolicator = Symbolicator(source: { id in
      (try? test.store.index(of: id)).flatMap { $0 }.map(IndexAvailability.available) ?? .missing
    })
    #expect(symbolicator.resolve([crash])[0].resolutions[0] == [Resolution(status: .missingImage)])
    #expect(try test.lookup(uuid(1), 0x1000) == ["wrong ?:0"])
    // That it is there is said beside the missing one.
    #expect(try test.store.imageNames() == ["App": 1])
  }

  @Test func `B.57 an empty dSYM, a loop of links and what Finder leaves cost no other file`() throws {
    let test = try TestStore()
    let folder = test.folder
    folder.write([], to: "in/Empty.dSYM")
    folder.write([], to: "in/A.dSYM/Contents/Resources/DWARF/Empty")
    folder.write([1, 2, 3], to: "in/A.dSYM/Contents/Resources/DWARF/._App")
    folder.write([1, 2, 3], to: "in/__MACOSX/App")
    folder.write(image { $0.symbols = [.init("_known", 0x1000)] }, to: "in/A.dSYM/Contents/Resources/DWARF/App")
    symlink("..", folder.entry("in/A.dSYM/loop"))
    let reports = try test.upload(folder.entry("in"))
    #expect(
      reports.map { "\($0.verdict) \($0.path.dropFirst(folder.path.count + 4))" } == [
        "stored A.dSYM/Contents/Resources/DWARF/App", "malformed A.dSYM/Contents/Resources/DWARF/Empty",
        "malformed Empty.dSYM",
      ])
    #expect(reports[1].reasons == ["empty file"])
  }

  @Test func `B.57 a path that is not there and a link to nothing have verdicts`() throws {
    let folder = try TestStore.folder("absent")
    symlink("nowhere", folder.entry("link"))
    let reports = try verdicts(folder.entry("absent"), folder.entry("link"))
    #expect(reports.map(\.verdict) == [.unreadable, .unreadable])
    #expect(reports[0].reasons == ["cannot open: No such file or directory"])
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
  func `B.57 a folder that cannot be read has a verdict of its own`() throws {
    let folder = try TestStore.folder("closed")
    folder.write([], to: "in/closed/App")
    folder.write(image { $0.symbols = [.init("_known", 0x1000)] }, to: "in/open/App")
    chmod(folder.entry("in/closed"), 0)
    let reports = try verdicts(folder.entry("in"))
    #expect(reports.map(\.verdict) == [.unreadable, .stored])
  }

  @Test(.enabled(if: Tool.symclust != nil, "the program was not built"))
  func `B.57 a file that breaks off anywhere has a verdict, in a process of its own as well`() throws {
    let folder = try TestStore.folder("cut")
    let program = try #require(Tool.symclust)
    let whole = image { $0.symbols = [.init("_known", 0x1000)] }
    let path = folder.write(whole, to: "App")
    let builder = IsolatedIndexBuilder(program: program, temporaryFolder: folder.path)
    var source = try #require(sources(whole).first)
    source.path = path
    #expect(try SymbolIndex(ByteView(builder.build([source]).bytes)).lookup(0x1000).names == ["known"])
    for length in stride(from: 0, to: whole.count, by: 97) {
      folder.write(Array(whole[..<length]), to: "Cut")
      let report = try #require(verdicts(folder.entry("Cut")).first)
      #expect(!report.reasons.isEmpty)
    }
  }
}
