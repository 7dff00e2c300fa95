import Bytes
import Demangling
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

/// What symbol tables alone can name.
@Suite struct SymbolNames {
  private func machOIndex(_ change: (inout MachOBuilder) -> Void) throws -> SymbolIndex {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.text = (0, 0x4000)
    builder.sections = [.code(at: 0x1000, size: 0x100)]
    change(&builder)
    return try SymbolIndex(ByteView(product(sources(builder.build())).bytes))
  }

  @Test func `without a size the code ends at the next symbol or the end of the section`() throws {
    let index = try machOIndex { $0.symbols = [.init("_a", 0x1000), .init("_b", 0x1040)] }
    #expect(index.lookup(0x103f).lines == ["a ?:0"])
    #expect(index.lookup(0x1040).lines == ["b ?:0"])
    #expect(index.lookup(0x10ff).lines == ["b ?:0"])
    #expect(index.lookup(0x1100).lines == ["hole"])
    #expect(index.lookup(0xfff).lines == ["hole"])
  }

  @Test func `a function start whose name is gone is not credited to the function before it`() throws {
    let index = try machOIndex {
      $0.symbols = [.init("_a", 0x1000), .init("_b", 0x1080)]
      $0.functionStarts = [0x80, 0x20, 0x40, 0x40, 0]
    }
    #expect(index.lookup(0x103f).lines == ["a ?:0"])
    #expect(index.lookup(0x1040).lines == ["hole"])
    #expect(index.lookup(0x107f).lines == ["hole"])
    #expect(index.lookup(0x1080).lines == ["b ?:0"])
  }

  @Test func `a stub is named by what it jumps to`() throws {
    let index = try machOIndex {
      $0.sections.append(.init("__TEXT", "__stubs", at: 0x1100, size: 24, flags: 0x8000_0408, reserved: (0, 12)))
      $0.symbols = [
        .init("_a", 0x1000), .init("_puts", 0, type: 1, section: 0), .init("_free", 0, type: 1, section: 0),
      ]
      $0.indirectSymbols = [1, 2]
    }
    #expect(index.lookup(0x1100).frames.map(\.function) == ["puts"])
    #expect(index.lookup(0x110c).frames.map(\.function) == ["free"])
    #expect(index.lookup(0x110c).frames.map(\.source) == [.stub])
  }

  @Test(arguments: [false, true]) func `of several names at one address the best is chosen, whatever their order`(
    isReversed: Bool
  ) throws {
    let symbols = [
      MachOBuilder.Symbol("_zz", 0x1000), .init("_b_longer", 0x1000), .init("_a", 0x1000, type: 0x0e),
      .init("_w", 0x1000, description: 0x80), .init("_aa", 0x1000),
    ]
    let index = try machOIndex { $0.symbols = isReversed ? symbols.reversed() : symbols }
    let frame = try #require(index.lookup(0x1000).frames.first)
    #expect(frame.function == "aa")
    #expect(frame.traits.contains(.ambiguous))
  }

  @Test func `a symbol with a stated size ends there, but not behind its section`() throws {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x1000, size: 0x100)]
    elf.segments = [.init(at: 0, size: 0x4000)]
    elf.symbols = [.init("sized", 0x1000, size: 0x20), .init("long", 0x1080, size: .max)]
    let index = try SymbolIndex(ByteView(product(sources(elf.build())).bytes))
    #expect(index.lookup(0x101f).lines == ["sized ?:0"])
    #expect(index.lookup(0x1020).lines == ["hole"])
    #expect(index.lookup(0x10ff).lines == ["long ?:0"])
    #expect(index.lookup(0x1100).lines == ["hole"])
  }

  @Test func `a function of the debug information wins over symbols, and padding behind it is a hole`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("known"))] + unit.code(0x1000, 0x1038))
    var file = DebugFileBuilder(unit, code: 0x1000..<0x1100)
    file.isMachO = true
    file.symbols = [("known", 0x1000, 0), ("asm", 0x1040, 0)]
    let index = try index(file)
    #expect(index.lookup(0x37).frames.map(\.function) == ["known"])
    #expect(index.lookup(0x38).lines == ["hole"])
    #expect(index.lookup(0x40).frames.map(\.source) == [.symbolTable])
  }

  @Test func `a short name of the debug information takes the symbol table's full one`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("run"))] + unit.code(0x1000, 0x1038))
    var file = DebugFileBuilder(unit)
    file.symbols = [("_ZN3app3runEv", 0x1000, 0x38)]
    let frame = try #require(try index(file).lookup(0x1000).frames.first)
    #expect(frame.mangled == "_ZN3app3runEv")
    #expect(frame.function == "app::run")
    #expect(frame.source == .dwarf)
  }

  @Test func `lines without a function belong to the symbol around them`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    var file = DebugFileBuilder(
      unit, lines: lineTable(files: ["asm.s"], steps: [.row(0x1000, line: 5), .row(0x1008, line: 6), .end(0x1010)]))
    file.symbols = [("routine", 0x1000, 0x20)]
    let index = try index(file)
    #expect(index.lookup(0x1000).lines == ["routine /src/asm.s:5"])
    #expect(index.lookup(0x1008).lines == ["routine /src/asm.s:6"])
    #expect(index.lookup(0x1010).lines == ["routine ?:0"])
    #expect(index.lookup(0x1020).lines == ["hole"])
  }

  @Test func `folded functions are one, named as the symbol table does, and marked`() throws {
    for names in [["one", "two"], ["two", "one"]] {
      var unit = DWARFUnitBuilder()
      unit.begin(DW.unit, [(DW.lowPC, .address(0))])
      for name in names { unit.entry(DW.function, [(DW.name, .string(name))] + unit.code(0x1000, 0x1010)) }
      var file = DebugFileBuilder(unit)
      file.symbols = [("two", 0x1000, 0x10)]
      let frame = try #require(try index(file).lookup(0x1000).frames.first)
      #expect(frame.function == "two")
      #expect(frame.traits.contains(.ambiguous))
    }
  }

  @Test func `symbols and lines of files with different bases meet at their offsets`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("known"))] + unit.code(0x1_0000_1000, 0x1_0000_1010))
    var dsym = DebugFileBuilder(unit, code: 0x1_0000_1000..<0x1_0000_1100)
    dsym.isMachO = true
    var binary = MachOBuilder()
    binary.fileType = 2
    binary.text = (0x4000, 0x2000)
    binary.sections = [.code(at: 0x4000, size: 0x100)]
    binary.symbols = [.init("_known", 0x4000), .init("_other", 0x4040)]
    let both = try sources(dsym.build()) + sources(binary.build())
    let index = try SymbolIndex(ByteView(product(both).bytes))
    #expect(index.lookup(0).frames.map(\.source) == [.dwarf])
    #expect(index.lookup(0x40).frames.map(\.function) == ["other"])
  }

  @Test func `where nothing names the code the index is empty; without a file there is none`() throws {
    var builder = MachOBuilder()
    builder.sections = [.code(at: 0x1_0000_1000, size: 0x100)]
    let file = builder.build()
    let empty = try product(sources(file))
    #expect(empty.summary.functionCount == 0)
    #expect(try SymbolIndex(ByteView(empty.bytes)).lookup(0x1000).lines == ["hole"])
    #expect(throws: IndexError.self) { try product([]) }
  }
}
