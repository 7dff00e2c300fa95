import SymbolIndex
import TestSupport
import Testing

/// Functions that the debug information does not name.
@Suite struct NamelessFunctions {
  private func unit(_ names: [String?]) -> DWARFUnitBuilder {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    for name in names {
      unit.entry(DW.function, (name.map { [(DW.name, .string($0))] } ?? []) + unit.code(0x1000, 0x1010))
    }
    return unit
  }

  @Test(arguments: [["named", nil], [nil, "named"], ["named", ""]] as [[String?]])
  func `of two functions of one range the named one is meant`(names: [String?]) throws {
    #expect(try index(DebugFileBuilder(unit(names))).lookup(0x1000).lines == ["named ?:0"])
  }

  @Test(arguments: [nil, ""] as [String?]) func `a function without a name is a hole`(name: String?) throws {
    let built = try product(sources(DebugFileBuilder(unit([name])).build()))
    #expect(built.summary.problems.contains { $0.contains("without a name") })
    #expect(built.summary.debugInfoBytes == 0)
    #expect(try index(DebugFileBuilder(unit([name]))).lookup(0x1000).lines == ["hole"])
  }

  @Test func `a symbol names it`() throws {
    var file = DebugFileBuilder(unit([nil]))
    file.symbols = [("known", 0x1000, 0x10)]
    #expect(try index(file).lookup(0x1008).lines == ["known ?:0"])
  }

  @Test func `an inlined call without a name keeps its place in the chain: its line is known`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [], label: "nameless")
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    unit.begin(
      DW.inlined, [(DW.origin, .label("nameless")), (DW.callLine, .data1(7))] + unit.code(0x1010, 0x1030))
    unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(9))] + unit.code(0x1010, 0x1020))
    unit.end()
    let index = try index(DebugFileBuilder(unit))
    #expect(index.lookup(0x1018).lines == ["leaf ?:0 inlined", " ?:9 inlined", "outer ?:7"])
    #expect(index.lookup(0x1028).lines == [" ?:0 inlined", "outer ?:7"])
  }
}
