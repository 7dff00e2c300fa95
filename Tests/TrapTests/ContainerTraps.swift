import Bytes
import DebugInfo
import Glibc
import Identity
import ObjectFiles
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

/// B.11 to B.16: which slice of which file is meant, and whether there is one.
@Suite struct ContainerTraps {
  /// A slice whose only function is `name`, as a binary with a symbol table.
  private func slice(_ name: String, id: [UInt8]?, cpu: (UInt32, UInt32) = (0x0100_000c, 0)) -> [UInt8] {
    image {
      $0.cpu = cpu
      $0.uuid = id
      $0.symbols = [.init("_" + name, 0x1000)]
    }
  }

  @Test(arguments: [false, true]) func `B.11 a slice is chosen by its identifier, in either kind of fat file`(
    is64Bit: Bool
  ) throws {
    let test = try TestStore()
    let reports = try test.upload(
      fatFile(
        [
          slice("intel", id: uuid(1), cpu: (0x0100_0007, 3)), slice("plain", id: uuid(2)),
          slice("signed", id: uuid(3), cpu: (0x0100_000c, 0x8000_0002)),
        ], is64Bit: is64Bit), as: "App")
    #expect(reports.map(\.verdict) == [.stored, .stored, .stored])
    #expect(reports.map(\.architecture) == ["x86_64", "arm64", "arm64e"])
    #expect(try [1, 2, 3].map { try test.lookup(uuid($0), 0x1000) } == [["intel ?:0"], ["plain ?:0"], ["signed ?:0"]])
  }

  @Test func `B.11 a slice that the file has lost is incomplete and does not cost the others`() throws {
    let test = try TestStore()
    let file = fatFile([slice("kept", id: uuid(1)), slice("cut", id: uuid(2))])
    let reports = try test.upload(Array(file.dropLast(1)), as: "App")
    #expect(reports.map(\.verdict) == [.stored, .incomplete])
    #expect(reports[1].reasons[0].contains("slice 1 ends past the end of the file"))
    #expect(try test.lookup(uuid(1), 0x1000) == ["kept ?:0"])
  }

  @Test func `B.11 a Java class is no fat file`() throws {
    let test = try TestStore()
    let reports = try test.upload(
      [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52] + [UInt8](repeating: 7, count: 64), as: "A.class")
    #expect(reports.map(\.verdict) == [.unsupported])
  }

  /// A dSYM whose `.debug_str` is mostly a hole in a sparse file, so that what follows lies behind 4 GiB.
  private func huge(in folder: TemporaryFolder, gibibytes sizes: (UInt64, UInt64) = (3, 3)) throws -> String {
    let made = unit(lines: 0) { $0.function("far", 0x1000, 0x1020) }
    let (info, abbreviations) = made.finish()
    let lines = lineTable(files: ["far.swift"], steps: [.row(0x1000, line: 7), .end(0x1020)])
    let big = (sizes.0 << 30, sizes.1 << 30)
    var builder = MachOBuilder()
    builder.text = (0, 0x4000)
    builder.sections = [.code(at: 0x1000, size: 0x100)]
    for name in ["__debug_str", "__debug_line_str", "__debug_info", "__debug_abbrev", "__debug_line"] {
      builder.sections.append(.init("__DWARF", name, at: 0x10_0000, size: 1))
    }
    var head = builder.build()
    func set(_ field: String, _ value: UInt64) throws {
      head = try #require(builder.fields.first { $0.name == field }).setting(value, in: head, order: .little)
    }
    var place: UInt64 = 0x4000
    let file = folder.write(head, to: "App")
    for (name, size) in [
      ("__debug_str", big.0), ("__debug_line_str", big.1), ("__debug_info", UInt64(info.count)),
      ("__debug_abbrev", UInt64(abbreviations.count)), ("__debug_line", UInt64(lines.count)),
    ] {
      try set(name + " offset", place & 0xffff_ffff)
      try set(name + " size", size)
      place += size
    }
    try set("__DWARF fileoff", 0x4000)
    try set("__DWARF filesize", place - 0x4000)
    let descriptor = open(file, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    func write(_ bytes: [UInt8], _ at: UInt64) {
      _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(at)) }
    }
    write(head, 0)
    write(info, 0x4000 + big.0 + big.1)
    write(abbreviations, 0x4000 + big.0 + big.1 + UInt64(info.count))
    write(lines, place - UInt64(lines.count))
    return file
  }

  @Test(arguments: [(3, 3), (5, 1), (9, 0)] as [(UInt64, UInt64)])
  func `B.12 sections behind 4 GiB are found although their offsets have 32 bits`(_ sizes: (UInt64, UInt64)) throws {
    let folder = try TestStore.folder("huge")
    let path = try huge(in: folder, gibibytes: sizes)
    let object = try #require(try Container(ByteView.mapping(path: path)).objects.first)
    // A digest of 6 GiB of nothing would take long.
    let made = try product([IndexSource(object: object, digest: ContentDigest(of: []))])
    #expect(made.summary.problems == [])
    #expect(try SymbolIndex(ByteView(made.bytes)).lookup(0x1000).lines == ["far /src/far.swift:7"])
  }

  @Test func `B.12 a file cut off before such a section says so and does not crash`() throws {
    let folder = try TestStore.folder("huge")
    let path = try huge(in: folder)
    truncate(path, 5 << 30)
    let object = try #require(try Container(ByteView.mapping(path: path)).objects.first)
    let made = try product([IndexSource(object: object, digest: ContentDigest(of: []))])
    #expect(made.summary.debugInfoFailure == .malformed)
    #expect(made.summary.problems.contains { $0.contains("past the end of the file") })
  }

  @Test func `B.12 a slice of a 32-bit fat file may end behind 4 GiB`() throws {
    let folder = try TestStore.folder("fat")
    var file = fatFile([slice("far", id: uuid(1))], alignment: 0x4000)
    for (at, byte) in [(20, 0xff), (21, 0xff), (22, 0xff), (23, 0xff)] as [(Int, UInt8)] { file[at] = byte }
    let path = folder.write(file, to: "App")
    truncate(path, (1 << 32) + 0x4000)
    let slices = try Container(ByteView.mapping(path: path)).slices
    #expect(slices.map { (try? $0.get())?.codeSymbols().map(\.name.text) } == [["far"]])
  }

  @Test func `B.13 every file of a bundle counts, each with its own identifier`() throws {
    let test = try TestStore()
    let bundle = "App.app.dSYM/Contents/Resources/DWARF/"
    let made = unit { $0.function("real", 0x1000, 0x1020) }
    var full = DebugFileBuilder(made)
    full.isMachO = true
    test.folder.write(slice("stub", id: uuid(1)), to: bundle + "App")
    test.folder.write(full.build(), to: bundle + "App.debug.dylib")
    let reports = try test.upload(test.folder.entry("App.app.dSYM"))
    #expect(reports.map(\.verdict) == [.stored, .stored])
    #expect(reports.map(\.level) == [.names, .names])
    #expect(try test.lookup(uuid(1), 0x1000) == ["stub ?:0"])
    #expect(try test.lookup(uuid(16), 0) == ["real ?:0"])
  }

  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
  func `B.14 a poorer file of the same identifier never takes anything away`(order: [Int]) throws {
    let lines = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 7), .end(0x1020)])
    var full = DebugFileBuilder(unit { $0.function("known", 0x1000, 0x1020) }, lines: lines, code: 0x1000..<0x1100)
    full.isMachO = true
    func binary(_ symbols: [MachOBuilder.Symbol]) -> [UInt8] {
      image {
        $0.uuid = uuid(16)
        $0.text = (0x1000, 0x1100)
        $0.symbols = symbols
      }
    }
    let files = [
      full.build(), binary([.init("_known", 0x1000), .init("_static", 0x1040)]), binary([]),
      binary([.init("_known", 0x1000)]),
    ]
    let test = try TestStore()
    for number in order { try test.upload(files[number], as: "App\(number)") }
    #expect(try test.lookup(uuid(16), 0) == ["known /src/a.swift:7"])
    #expect(try test.lookup(uuid(16), 0x40) == ["static ?:0"])
  }

  @Test(arguments: [nil, [UInt8](repeating: 0, count: 16)] as [[UInt8]?])
  func `B.15 a file without an identifier is refused with the reason`(id: [UInt8]?) throws {
    let test = try TestStore()
    let report = try #require(test.upload(slice("lost", id: id), as: "App").first)
    #expect(report.verdict == .noDebugID)
    #expect(report.reasons == ["it has no LC_UUID, so no frame can refer to it"])
  }

  @Test func `B.16 the skeleton of a compiled module is not split debug information that is missing`() throws {
    let dwoName = 0x76
    func skeleton(_ name: String) -> DWARFUnitBuilder {
      var skeleton = DWARFUnitBuilder()
      skeleton.entry(DW.unit, [(DW.compDir, .string("/src")), (dwoName, .string(name))])
      return skeleton
    }
    let code = unit { $0.function("known", 0x1000, 0x1020) }
    #expect(try summary(debugFile([code, skeleton("/cache/Foundation-1A2B.pcm")])).problems == [])
    #expect(try summary(debugFile([code, skeleton("part.dwo")])).problems.contains { $0.contains("part.dwo") })
  }
}
