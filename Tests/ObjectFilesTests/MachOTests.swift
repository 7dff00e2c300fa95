import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

@Suite struct MachOFiles {
  @Test func `the header tables say what the file is`() throws {
    var builder = Sample.machO()
    let file = try object(builder.build())
    #expect(file.format == .machO)
    #expect(file.kind == .executable)
    #expect(file.architecture.name == "arm64")
    #expect(file.debugID == DebugID(bytes: (1...16).map { UInt8($0) }))
    #expect(file.imageBase == 0x1_0000_0000)
    #expect(file.imageSize == 0x4000)
    #expect(file.codeRanges == [0x1_0000_1000..<0x1_0000_1118])
    #expect(file.sections.map(\.name) == ["__text", "__stubs", "__data", "__debug_str_offs"])
    #expect(file.sections[2].data == ByteView([1, 2, 3, 4]))
  }

  @Test(arguments: [true, false], [ByteOrder.little, .big])
  func `both widths and both byte orders read alike`(is64Bit: Bool, order: ByteOrder) throws {
    var builder = Sample.machO {
      $0.is64Bit = is64Bit
      $0.order = order
      $0.cpu = is64Bit ? (0x0100_0012, 0) : (18, 0)
      $0.text = (0x1000, 0x4000)
      for index in $0.sections.indices { $0.sections[index].address -= 0xffff_f000 }
      for index in $0.symbols.indices where $0.symbols[index].value != 0 { $0.symbols[index].value -= 0xffff_f000 }
    }
    let file = try object(builder.build())
    #expect(file.pointerSize == (is64Bit ? 8 : 4))
    #expect(file.byteOrder == order)
    #expect(file.architecture.name == (is64Bit ? "ppc64" : "ppc"))
    #expect(
      file.codeSymbols().map { "\($0.address.hex) \($0.name.text) \($0.source)" } == [
        "0x2000 main symbolTable", "0x2000 main exportTrie", "0x2040 helper symbolTable", "0x2100 puts stub",
        "0x210c malloc stub",
      ])
    #expect(file.functionStarts() == [0x2000, 0x2040, 0x2060])
  }

  @Test(
    arguments: [
      (0x0100_000c, 0, "arm64"), (0x0100_000c, 2, "arm64e"), (0x0100_000c, 0x8000_0002, "arm64e"),
      (0x0200_000c, 1, "arm64_32"), (0x0100_0007, 3, "x86_64"), (0x0100_0007, 0x8000_0003, "x86_64"),
      (0x0100_0007, 8, "x86_64h"), (7, 3, "i386"), (12, 9, "armv7"), (12, 11, "armv7s"), (12, 12, "armv7k"),
      (12, 6, "armv6"), (18, 0, "ppc"),
    ] as [(UInt32, UInt32, String)])
  func `processors have the names of Apple's tools, whatever their capability bits`(
    type: UInt32, subtype: UInt32, name: String
  ) throws {
    var builder = Sample.machO { $0.cpu = (type, subtype) }
    #expect(try object(builder.build()).architecture.name == name)
  }

  @Test(arguments: [nil, [UInt8](repeating: 0, count: 16)] as [[UInt8]?])
  func `a file without UUID, or with one of zeros only, has no debug identifier`(uuid: [UInt8]?) throws {
    var builder = Sample.machO { $0.uuid = uuid }
    #expect(try object(builder.build()).debugID == nil)
  }

  @Test func `a dSYM's sections of code have addresses and no bytes`() throws {
    var builder = Sample.machO { $0.fileType = 10 }
    let file = try object(builder.build())
    #expect(file.kind == .debugCompanion)
    #expect(file.codeRanges == [0x1_0000_1000..<0x1_0000_1118])
    #expect(file.sections.filter { $0.data != nil }.map(\.name) == ["__debug_str_offs"])
    #expect(file.sections.allSatisfy { !$0.isTruncated })
  }

  @Test func `section names that Mach-O cuts off get their full ELF names back`() throws {
    var builder = Sample.machO()
    let file = try object(builder.build())
    #expect(file.dwarfSection(".debug_str_offsets")?.data == ByteView([9, 9]))
    #expect(file.dwarfSection(".debug_info") == nil)
    #expect(!file.hasDWARF)
  }

  @Test func `a section whose bytes lie past the end is told as cut off`() throws {
    var builder = Sample.machO { $0.sections[3].size = 1 << 40 }
    let section = try #require(try object(builder.build()).sections.last)
    #expect(section.data == nil)
    #expect(section.isTruncated)
  }

  @Test func `a section that would wrap around the address space holds no code`() throws {
    var builder = Sample.machO { $0.sections[0].address = .max - 8 }
    #expect(try object(builder.build()).codeRanges == [0x1_0000_1100..<0x1_0000_1118])
  }

  @Test(arguments: [0, 1, 7, 8, 0xffff_ffff] as [UInt32])
  func `a load command of a size that cannot be ends in an error with its number`(size: UInt32) throws {
    var builder = Sample.machO()
    var file = builder.build()
    let field = try #require(builder.fields.first { $0.name == "LC_UUID cmdsize" })
    file = field.setting(UInt64(size), in: file, order: .little)
    let error = try #require(refusal(file))
    #expect(error.code == .malformed)
    #expect(error.description.contains("load command 0"))
  }
}

@Suite struct LiveCode {
  /// Code at [0x1000, 0x1100) and [0x1100, 0x1118): one run.
  private let file: ObjectFile

  init() throws {
    var builder = Sample.machO {
      $0.text = (0x1000, 0x4000)
      for index in $0.sections.indices { $0.sections[index].address -= 0x1_0000_0000 }
    }
    file = try object(builder.build())
  }

  @Test(
    arguments: [
      (0x1000, 0x1001, true), (0x1000, 0x1118, true), (0x10ff, 0x1101, true), (0x1117, 0x1118, true),
      (0x1000, 0x1000, false), (0xfff, 0x1001, false), (0x1117, 0x1119, false), (0x1118, 0x1119, false),
      (0, 1, false), (1, 2, false), (0, 0x40, false), (UInt64.max - 2, UInt64.max - 1, false),
    ] as [(UInt64, UInt64, Bool)])
  func `a range is live only inside instructions, which drops what linkers leave of dropped functions`(
    start: UInt64, end: UInt64, isLive: Bool
  ) {
    #expect(file.isCode(start..<end) == isLive)
  }

  @Test func `an address behind the last instruction is in no code range`() {
    #expect(file.codeRange(containing: 0x1117) == 0x1000..<0x1118)
    #expect(file.codeRange(containing: 0x1118) == nil)
    #expect(file.codeRange(containing: 0xfff) == nil)
    #expect(file.codeRange(containing: .max) == nil)
  }
}
