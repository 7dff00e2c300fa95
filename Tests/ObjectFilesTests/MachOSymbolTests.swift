import Bytes
import ObjectFiles
import TestSupport
import Testing

@Suite struct MachOSymbols {
  private func names(_ symbols: [MachOBuilder.Symbol], cpu: UInt32 = 0x0100_000c) throws -> [String] {
    var builder = MachOBuilder()
    builder.cpu = (cpu, 9)
    builder.sections = [
      .code(at: 0x1_0000_1000, size: 0x100), .init("__TEXT", "__const", at: 0x1_0000_1100, size: 0x100),
      .code(at: 0x1_0000_1200, size: 0x100, name: "__textcoal_nt"),
    ]
    builder.symbols = symbols
    return try object(builder.build()).codeSymbols().map { "\($0.name.text)@\($0.address.hex)" }
  }

  @Test(arguments: [
    ("_f", "f"), ("__Zf", "_Zf"), ("_$s1a", "$s1a"), ("$s1a", "$s1a"), ("-[A b:]", "-[A b:]"),
    ("__hidden#12_", "__hidden#12_"),
    ("_", ""),
  ]) func `exactly one underscore is taken off`(name: String, shown: String) throws {
    #expect(try names([.init(name, 0x1_0000_1000)]) == ["\(shown)@0x100001000"])
  }

  @Test(arguments: [
    ("debugger entry", MachOBuilder.Symbol("_f", 0x1_0000_1000, type: 0x24)),
    ("undefined", .init("_f", 0, type: 0x01, section: 0)), ("absolute", .init("_f", 0x1_0000_1000, type: 0x03)),
    ("indirect", .init("_f", 0x1_0000_1000, type: 0x0b)), ("in no section", .init("_f", 0x1_0000_1000, section: 0)),
    ("in a section that is not there", .init("_f", 0x1_0000_1000, section: 9)),
    ("in a section of data", .init("_f", 0x1_0000_1100, section: 2)),
    ("assembler temporary", .init("ltmp0", 0x1_0000_1000, type: 0x0e)),
    ("assembler temporary", .init("Lfoo", 0x1_0000_1000, type: 0x0e)),
    ("exception table", .init("GCC_except_table6", 0x1_0000_1000, type: 0x0e)),
    ("nameless", .init("", 0x1_0000_1000)),
  ]) func `what names no code is passed over`(what: String, symbol: MachOBuilder.Symbol) throws {
    #expect(try names([symbol, .init("_kept", 0x1_0000_1010)]) == ["kept@0x100001010"], "\(what)")
  }

  @Test func `a symbol in any section of instructions counts, not in __text alone`() throws {
    #expect(try names([.init("_f", 0x1_0000_1200, section: 3)]) == ["f@0x100001200"])
  }

  @Test func `Thumb functions lose bit 0, and only they`() throws {
    let symbols = [
      MachOBuilder.Symbol("_thumb", 0x1_0000_1001, description: 8), .init("_arm", 0x1_0000_1010),
    ]
    #expect(try names(symbols, cpu: 12) == ["thumb@0x100001000", "arm@0x100001010"])
    #expect(try names(symbols) == ["thumb@0x100001001", "arm@0x100001010"])
  }

  @Test func `ranks tell local, weak and global apart`() throws {
    var builder = MachOBuilder()
    builder.sections = [.code(at: 0x1_0000_1000, size: 0x100)]
    builder.symbols = [
      .init("_local", 0x1_0000_1000, type: 0x0e), .init("_weak", 0x1_0000_1001, description: 0x80),
      .init("_global", 0x1_0000_1002), .init("_hidden", 0x1_0000_1003, type: 0x1f),
    ]
    #expect(try object(builder.build()).codeSymbols().map(\.rank) == [.local, .weak, .global, .global])
  }

  @Test func `a symbol count beyond the file gives the symbols that are there`() throws {
    var builder = Sample.machO()
    let file = builder.build()
    let field = try #require(builder.fields.first { $0.name == "nsyms" })
    let symbols = try object(field.setting(0xffff_ffff, in: file, order: .little)).codeSymbols()
    #expect(symbols.contains { $0.name.text == "main" })
    #expect(symbols.count < file.count)
  }
}

@Suite struct FunctionStarts {
  private func starts(_ bytes: [UInt8]) throws -> [UInt64] {
    var builder = Sample.machO { $0.functionStarts = bytes }
    return try object(builder.build()).functionStarts().map { $0 - 0x1_0000_0000 }
  }

  @Test func `deltas add up from the image base and end at a zero`() throws {
    #expect(try starts([0x10, 0x80, 0x01, 0x04, 0, 0x44]) == [0x10, 0x90, 0x94])
  }

  @Test(
    arguments: [
      ([], []), ([0], []), ([0x10, 0x80], [0x10]), ([0x10] + [UInt8](repeating: 0xff, count: 12), [0x10]),
    ] as [([UInt8], [UInt64])])
  func `an empty, cut or endless table gives what stands before the damage`(bytes: [UInt8], wanted: [UInt64]) throws {
    #expect(try starts(bytes) == wanted)
  }

  @Test func `an address that would wrap ends the table`() throws {
    var table = ByteWriter()
    table.uleb(0x10)
    table.uleb(.max)
    table.uleb(0x10)
    #expect(try starts(table.bytes) == [0x10])
  }
}

@Suite struct ExportTries {
  private func exports(_ trie: [UInt8]) throws -> [String] {
    var builder = Sample.machO {
      $0.exportTrie = trie
      $0.symbols = []
      $0.indirectSymbols = []
    }
    return try object(builder.build()).codeSymbols().filter { $0.source == .exportTrie }
      .map { "\($0.name.text)@\($0.address.hex)" }
  }

  @Test func `names along the edges lead to offsets from the image base`() throws {
    #expect(
      try exports(Sample.trie([("_main", 0x1000), ("_other", 0x1010)])) == ["main@0x100001000", "other@0x100001010"])
  }

  @Test func `data, addresses outside code and re-exports are passed over`() throws {
    #expect(try exports(Sample.trie([("_data", 0x4000), ("_far", .max - 4)])) == [])
    #expect(try exports(Sample.trie([("_again", 0x1000)], flags: 8)) == [])
    #expect(try exports(Sample.trie([("_absolute", 0x1000)], flags: 2)) == [])
    #expect(try exports(Sample.trie([("_weak", 0x1000)], flags: 4)) == ["weak@0x100001000"])
  }

  @Test(
    arguments: [
      ("to itself", [0, 1, 0x61, 0, 0]), ("a pair", [0, 1, 0x61, 0, 5, 0, 1, 0x62, 0, 0]),
      ("outside", [0, 1, 0x61, 0, 0xff, 0x7f]), ("no end of the edge", [0, 1, 0x61, 0x61]),
      ("more children than bytes", [0, 255, 0x61, 0, 5]), ("endless number", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      ("empty", []), ("terminal past the end", [0x40, 0]),
    ] as [(String, [UInt8])])
  func `cycles and damage end`(what: String, trie: [UInt8]) throws {
    #expect(try exports(trie) == [], "\(what)")
  }

  @Test func `shared nodes do not unfold into gigabytes of names`() throws {
    // Each node has 200 edges to the next one: spelled out, 200^40 names.
    var trie = ByteWriter()
    for level in 0..<40 {
      let size = 2 + 200 * 5
      trie.append([0, 200])
      for edge in 0..<200 {
        trie.append([0x61, UInt8(0x61 + edge % 20), 0])
        let next = (level + 1) * size
        trie.append([UInt8(next & 0x7f) | 0x80, UInt8(next >> 7 & 0x7f) | 0x80, UInt8(next >> 14)])
      }
    }
    #expect(try exports(trie.bytes).count < 1000)
  }
}
