import Bytes
import ObjectFiles
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

/// B.17 to B.23: which code belongs to which function.
@Suite struct RangeTraps {
  @Test func `B.17 a function outside the ranges that its unit claims is found`() throws {
    var made = DWARFUnitBuilder()
    made.begin(DW.unit, made.code(0x1000, 0x1004))
    made.function("far", 0x1800, 0x1840)
    #expect(try index(DebugFileBuilder(made)).lookup(0x1800).names == ["far"])
  }

  @Test(arguments: [0, 1, .max, .max - 1, 0xffff_ffff, 0x20, .max - 0x10] as [UInt64])
  func `B.18 what a linker left of a dropped function covers nothing`(tombstone: UInt64) throws {
    let made = unit { unit in
      unit.function("dead", tombstone, tombstone &+ 0x1010)
      unit.function("live", 0x1000, 0x1020)
      unit.function("bare", 0x1020, 0x1040)
    }
    let lines = lineTable(
      files: ["a.swift"],
      steps: [
        .row(tombstone, line: 99), .row(tombstone &+ 0x1008, line: 98), .end(tombstone &+ 0x1030),
        .row(0x1000, line: 7),
        .end(0x1020),
      ])
    let index = try index(DebugFileBuilder(made, lines: lines))
    #expect(index.lookup(0x1000).lines == ["live /src/a.swift:7"])
    #expect(index.lookup(0x1010).lines == ["live /src/a.swift:7"])
    #expect(index.lookup(0x1028).lines == ["bare ?:0"])
    #expect(index.lookup(tombstone & 0x7ff).lines == ["hole"])
  }

  @Test func `B.18 a row that sets a lower address inside a sequence ends its live part`() throws {
    let made = unit { $0.function("live", 0x1000, 0x1040) }
    let lines = lineTable(
      files: ["a.swift"],
      steps: [
        .row(0x1000, line: 7), .row(0x1008, line: 8), .row(0x1010, line: 9), .row(0, line: 98), .row(8, line: 99),
        .end(0x10),
      ])
    let index = try index(DebugFileBuilder(made, lines: lines))
    #expect(index.lookup(0x1000).lines == ["live /src/a.swift:7"])
    #expect(index.lookup(0x1008).lines == ["live /src/a.swift:8"])
    #expect(index.lookup(0x1020).lines == ["live ?:0"])
  }

  @Test func `B.19 the end is a length or an address by its form, and a bad one costs its own function only`() throws {
    let made = unit { unit in
      func function(_ name: String, _ low: UInt64, _ high: DWARFValue) {
        unit.entry(DW.function, [(DW.name, .string(name)), (DW.lowPC, .address(low)), (DW.highPC, high)])
      }
      function("length", 0x1000, .udata(0x10))
      function("address", 0x1010, .address(0x1020))
      function("empty", 0x1020, .data4(0))
      function("wrapped", 0x1030, .data8(.max))
      function("inverted", 0x1040, .address(0x1000))
      function("good", 0x1050, .data1(0x10))
    }
    let index = try index(DebugFileBuilder(made))
    #expect(
      [0x100f, 0x1010, 0x101f, 0x1020, 0x1030, 0x1040, 0x1050].map { index.lookup($0).lines[0] }
        == ["length ?:0", "address ?:0", "address ?:0", "hole", "hole", "hole", "good ?:0"])
  }

  @Test func `B.20 a range list counts from its unit, or from the base that it selects`() throws {
    let base: UInt64 = 0x1_0000_0000
    var ranges = ByteWriter()
    // From the unit: with an entry of no length, which does not end the list. Then from a base of its own.
    for value in [0x1000, 0x1010, 0x1018, 0x1018, 0x1020, 0x1030, 0, 0] as [UInt64] { ranges.append(value) }
    let second = UInt64(ranges.count)
    for value in [.max, base + 0x1100, 0, 0x10, 0, 0] as [UInt64] { ranges.append(value) }
    let made = unit(version: 4, lowPC: base) { unit in
      unit.entry(DW.function, [(DW.name, .string("split")), (DW.ranges, .sectionOffset(0))])
      unit.entry(DW.function, [(DW.name, .string("based")), (DW.ranges, .sectionOffset(second))])
    }
    var file = DebugFileBuilder(made, code: base + 0x1000..<base + 0x2000)
    file.isMachO = true
    file.sections.append(("debug_ranges", ranges.bytes))
    let index = try index(file)
    #expect(
      [0, 0x10, 0x20, 0x30, 0x100, 0x110].map { index.lookup($0).lines[0] }
        == ["split ?:0", "hole", "split ?:0", "hole", "based ?:0", "hole"])
  }

  @Test(arguments: [DW.namespace, DW.module, DW.structure])
  func `B.21 a function inside a namespace, module or type keeps its inlined calls, without .debug_aranges`(
    container: Int
  ) throws {
    let made = unit { unit in
      unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
      unit.begin(container, [(DW.name, .string("Outer"))])
      unit.begin(container, [(DW.name, .string("Inner"))])
      unit.begin(DW.function, [(DW.name, .string("method"))] + unit.code(0x1000, 0x1040))
      unit.begin(DW.block, unit.code(0x1008, 0x1030))
      unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(5))] + unit.code(0x1010, 0x1020))
    }
    #expect(try index(DebugFileBuilder(made)).lookup(0x1010).names == ["leaf", "method"])
  }

  @Test func `B.22 a partial unit has no code of its own and lends its names`() throws {
    var partial = DWARFUnitBuilder()
    partial.begin(DW.partialUnit)
    let shared = partial.position
    partial.entry(DW.function, [(DW.name, .string("shared"))])
    partial.function("nobody", 0x1000, 0x1040)
    let made = unit { unit in
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.entry(
        DW.inlined, [(DW.origin, .data4(UInt32(shared))), (DW.callLine, .data1(5))] + unit.code(0x1010, 0x1020))
    }
    #expect(try index(debugFile([partial, made])).lookup(0x1010).names == ["shared", "outer"])
  }

  @Test func `B.23 a call file is numbered by the unit that holds the call, not by that of the function called`() throws
  {
    let tables = ["callee.swift", "caller.swift"].map { name in
      lineTable(files: [name], steps: name == "caller.swift" ? [.row(0x1000, line: 1), .end(0x1040)] : [])
    }
    var position = 0
    let callee = unit { unit in
      position = unit.position
      unit.entry(DW.function, [(DW.name, .string("callee"))])
    }
    let caller = unit(lines: UInt64(tables[0].count)) { unit in
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.entry(
        DW.inlined,
        [(DW.origin, .data4(UInt32(position))), (DW.callFile, .data1(1)), (DW.callLine, .data1(5))]
          + unit.code(0x1010, 0x1020))
    }
    let index = try index(debugFile([callee, caller], lines: tables[0] + tables[1]))
    #expect(index.lookup(0x1010).lines == ["callee /src/caller.swift:1 inlined", "outer /src/caller.swift:5"])
  }

  @Test func `B.23 a dSYM whose debug sections are empty is told to give names only`() throws {
    let test = try TestStore()
    let report = try #require(
      test.upload(
        image {
          $0.fileType = 10
          $0.sections.append(.init("__DWARF", "__debug_info", at: 0x8000))
          $0.symbols = [.init("_known", 0x1000)]
        }, as: "App"
      ).first)
    #expect(report.verdict == .stored)
    #expect(report.level == .names)
    #expect(report.reasons.contains { $0.hasPrefix("no debug information") })
    #expect(report.summary?.coverage == 0)
  }
}
