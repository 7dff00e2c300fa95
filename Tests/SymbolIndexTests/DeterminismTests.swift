import Bytes
import DebugInfo
import Identity
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing
import Workers

/// The same sources give the same bytes.
@Suite struct Determinism {
  @Test(arguments: SampleSymbols.all) func `any number of workers gives the same bytes`(file: SampleSymbols.File) throws
  {
    let sources = try sources(path: file.path)
    let one = try product(sources, workers: 1)
    #expect(try product(sources, workers: 2).bytes == one.bytes)
    #expect(try product(sources, workers: 7).bytes == one.bytes)
  }

  /// A dSYM, its binary with symbols, and a stripped copy: all of one image.
  private func variants() throws -> [IndexSource] {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("known"))] + unit.code(0x1000, 0x1010))
    var dsym = DebugFileBuilder(unit)
    dsym.isMachO = true
    func binary(_ symbols: [MachOBuilder.Symbol]) -> [UInt8] {
      var builder = MachOBuilder()
      builder.fileType = 2
      builder.text = (0x1000, 0x1000)
      builder.sections = [.code(at: 0x1000, size: 0x1000)]
      builder.symbols = symbols
      return builder.build()
    }
    return try [
      dsym.build(), binary([.init("_other", 0x1040), .init("_alias", 0x1040)]), binary([.init("_more", 0x1080)]),
    ].flatMap { try sources($0) }
  }

  @Test func `any order of the sources gives the same bytes`() throws {
    let sources = try variants()
    let wanted = try product(sources).bytes
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      #expect(try product(order.map { sources[$0] }).bytes == wanted, "\(order)")
    }
    let index = try SymbolIndex(ByteView(wanted))
    #expect([0, 0x40, 0x80].map { index.lookup($0).frames.first?.function } == ["known", "alias", "more"])
  }

  @Test func `a limit bites alike for any number of workers`() throws {
    // Eight units of 100 functions: with one worker one reader reads them all, with eight each reads one.
    var info: [UInt8] = []
    var abbreviations: [UInt8] = []
    for unitNumber: UInt64 in 0..<8 {
      var unit = DWARFUnitBuilder()
      unit.begin(DW.unit, [(DW.lowPC, .address(0))])
      for number: UInt64 in 0..<100 {
        let start = 0x1000 + unitNumber * 0x200 + number * 4
        unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(start, start + 4))
      }
      let (bytes, table) = unit.finish()
      info += bytes
      abbreviations = table
    }
    var file = DebugFileBuilder()
    file.code = 0x1000..<0x2000
    file.sections = [("debug_info", info), ("debug_abbrev", abbreviations)]
    file.symbols = [("symbol", 0x1000, 0x1000)]
    let sources = try sources(file.build())
    for steps in [50, 120, 300, 500, 900, 2_000] {
      func build(_ workers: Int) throws -> [UInt8] {
        var builder = IndexBuilder()
        builder.workers = Workers(workers)
        builder.limits.fixedSteps = steps
        builder.limits.stepsPerByte = 0
        return try builder.build(sources).bytes
      }
      let one = try build(1)
      for workers in [2, 3, 8] { #expect(try build(workers) == one, "\(steps) steps, \(workers) workers") }
    }
  }

  @Test func `a problem in the debug information is told, and names still count`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    for number: UInt64 in 0..<100 { unit.entry(DW.function, unit.code(0x1000 + number, 0x1001 + number)) }
    var file = DebugFileBuilder(unit)
    file.symbols = [("symbol", 0x1000, 0x1000)]
    var builder = IndexBuilder()
    builder.limits.fixedSteps = 10
    builder.limits.stepsPerByte = 0
    let product = try builder.build(sources(file.build()))
    #expect(product.summary.problems.count == 1)
    #expect(product.summary.unitCount == 0)
    #expect(try SymbolIndex(ByteView(product.bytes)).lookup(0x1000).frames.map(\.function) == ["symbol"])
  }
}
