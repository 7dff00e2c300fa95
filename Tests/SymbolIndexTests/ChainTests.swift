import Bytes
import Demangling
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

/// Which frames an offset has.
@Suite struct Chains {
  /// `outer` [1000, 1100) calls `middle` [1010, 1050), which calls `leaf` [1020, 1030).
  private func chain(
    steps: [LineStep] = [
      .row(0x1000, line: 10), .row(0x1018, line: 20, column: 5), .row(0x1028, line: 30), .row(0x1060, line: 11),
      .end(0x1100),
    ],
    files: [String] = ["a.swift", "<compiler-generated>"],
    change: (inout DWARFUnitBuilder) -> Void = { _ in }
  ) -> DebugFileBuilder {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("middle"))], label: "middle")
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1100))
    unit.begin(
      DW.inlined,
      [(DW.origin, .label("middle")), (DW.callFile, .data1(1)), (DW.callLine, .data1(12)), (DW.callColumn, .data1(3))]
        + unit.code(0x1010, 0x1050))
    unit.entry(
      DW.inlined,
      [(DW.origin, .label("leaf")), (DW.callFile, .data1(1)), (DW.callLine, .data1(22)), (DW.callColumn, .data1(4))]
        + unit.code(0x1020, 0x1030))
    unit.end()
    unit.end()
    change(&unit)
    return DebugFileBuilder(unit, lines: lineTable(files: files, steps: steps))
  }

  @Test(
    arguments: [
      (0x1000, ["outer /src/a.swift:10"]), (0x100f, ["outer /src/a.swift:10"]),
      (0x1010, ["middle /src/a.swift:10 inlined", "outer /src/a.swift:12:3"]),
      (0x1018, ["middle /src/a.swift:20:5 inlined", "outer /src/a.swift:12:3"]),
      (0x1020, ["leaf /src/a.swift:20:5 inlined", "middle /src/a.swift:22:4 inlined", "outer /src/a.swift:12:3"]),
      (0x1028, ["leaf /src/a.swift:30 inlined", "middle /src/a.swift:22:4 inlined", "outer /src/a.swift:12:3"]),
      (0x1030, ["middle /src/a.swift:30 inlined", "outer /src/a.swift:12:3"]),
      (0x1050, ["outer /src/a.swift:30"]), (0x1060, ["outer /src/a.swift:11"]), (0x10ff, ["outer /src/a.swift:11"]),
      (0x1100, ["hole"]), (0xfff, ["hole"]), (0x2000, ["outside"]), (0xffff_ffff_ffff_ffff, ["outside"]),
    ] as [(UInt64, [String])])
  func `the leaf has the row's line, each caller the call site of the call below it`(offset: UInt64, lines: [String])
    throws
  {
    #expect(try index(chain()).lookup(offset).lines == lines)
  }

  @Test func `a return address names the call before it`() throws {
    let index = try index(chain())
    #expect(index.lookup(0x1020, isReturnAddress: true) == index.lookup(0x101f))
    #expect(index.lookup(0x1100, isReturnAddress: true).lines == ["outer /src/a.swift:11"])
    #expect(index.lookup(0x1000, isReturnAddress: true).lines == ["hole"])
    #expect(index.lookup(0, isReturnAddress: true).lines == ["hole"])
    #expect(index.lookup(0x2000, isReturnAddress: true).lines == ["hole"])
    #expect(index.lookup(0x2001, isReturnAddress: true).lines == ["outside"])
  }

  @Test func `line 0 shows the nearest line before it in the same call, and says so`() throws {
    let index = try index(
      chain(steps: [
        .row(0x1000, line: 10), .row(0x1010, line: 0), .row(0x1018, line: 20), .row(0x101c, line: 0),
        .row(0x1020, line: 0), .row(0x1030, line: 0), .row(0x1060, line: 0), .end(0x1100),
      ]))
    // No line of `middle` came before.
    #expect(index.lookup(0x1010).lines == ["middle /src/a.swift:0 inlined", "outer /src/a.swift:12:3"])
    #expect(index.lookup(0x101c).lines[0] == "middle /src/a.swift:20 inlined approximate")
    #expect(index.lookup(0x1020).lines[0] == "leaf /src/a.swift:0 inlined")
    #expect(index.lookup(0x1030).lines[0] == "middle /src/a.swift:20 inlined approximate")
    #expect(index.lookup(0x1060).lines == ["outer /src/a.swift:10 approximate"])
  }

  @Test func `code of a pseudo-file is synthetic and takes no line from elsewhere`() throws {
    let index = try index(
      chain(steps: [.row(0x1000, line: 10), .row(0x1008, file: 2, line: 0), .row(0x1060, line: 11), .end(0x1100)]))
    let frame = try #require(index.lookup(0x1008).frames.first)
    #expect(frame.file == "<compiler-generated>")
    #expect(frame.line == nil)
    #expect(frame.traits.contains(.synthetic))
    #expect(!frame.isApproximate)
  }

  @Test func `behind the end of a sequence the function has no line`() throws {
    let index = try index(chain(steps: [.row(0x1000, line: 10), .end(0x1008), .row(0x1060, line: 11), .end(0x1100)]))
    #expect(index.lookup(0x1007).lines == ["outer /src/a.swift:10"])
    #expect(index.lookup(0x1008).lines == ["outer ?:0"])
    #expect(index.lookup(0x1060).lines == ["outer /src/a.swift:11"])
  }

  /// Strict DWARF 2 states one range of several, so a call can lie outside the one that its parent states; the nesting
  /// is what the compiler knows. Only the function bounds it.
  @Test(
    arguments: [
      (0x1014, 0x1080, [1, 1, 2, 3, 3, 3]), (0x1008, 0x1018, [3, 3, 3, 2, 1, 1]),
    ] as [(UInt64, UInt64, [Int])])
  func `an inlined call that reaches out of its parent keeps it in its chain`(
    start: UInt64, end: UInt64, depths: [Int]
  ) throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    unit.begin(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(1))] + unit.code(0x1010, 0x1020))
    unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(2))] + unit.code(start, end))
    let index = try index(DebugFileBuilder(unit))
    func depth(_ offset: UInt64) -> Int { index.lookup(offset).frames.count }
    #expect([0x1008, 0x100f, 0x1010, 0x101f, 0x1020, 0x103f].map(depth) == depths)
    #expect(index.lookup(0x1040).lines == ["hole"])
  }

  @Test func `calls of equal range nest in the order they stand`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    for name in ["a", "b", "c"] { unit.entry(DW.function, [(DW.name, .string(name))], label: name) }
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    for name in ["a", "b", "c"] { unit.begin(DW.inlined, [(DW.origin, .label(name))] + unit.code(0x1010, 0x1020)) }
    let index = try index(DebugFileBuilder(unit))
    #expect(index.lookup(0x1010).frames.map(\.function) == ["c", "b", "a", "outer"])
    #expect(index.lookup(0x1020).frames.map(\.function) == ["outer"])
  }

  @Test func `a call in several ranges is the same call in each`() throws {
    var ranges = ByteWriter()
    for value: UInt64 in [0x1010, 0x1014, 0x1020, 0x1024, 0, 0] { ranges.append(value) }
    var unit = DWARFUnitBuilder(version: 4)
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(9)), (DW.ranges, .sectionOffset(0))])
    var file = DebugFileBuilder(unit)
    file.sections.append(("debug_ranges", ranges.bytes))
    let index = try index(file)
    #expect(
      [0x100f, 0x1010, 0x1013, 0x1014, 0x1020, 0x1024].map { index.lookup($0).frames.count } == [1, 2, 2, 1, 2, 1])
    #expect(index.lookup(0x1010) == index.lookup(0x1020))
  }

  @Test func `the deepest chain is shown whole`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    for line in 0..<300 {
      unit.begin(
        DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data2(UInt16(line + 1)))] + unit.code(0x1000, 0x1040))
    }
    let file = DebugFileBuilder(unit)
    #expect(try index(file).lookup(0x1000).frames.count == 257)
    #expect(try product(sources(file.build())).summary.cutInlines == 1)
  }
}

/// An async function's parts are entered, not returned to.
@Suite struct AsyncResumePoints {
  private func index() throws -> SymbolIndex {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    for (name, start) in [
      ("$s4main3fooyyYaF", 0x1000), ("$s4main3fooyyYaFTQ0_", 0x1040), ("$s4main3fooyyYaFTY1_", 0x1080),
      ("$s4main3baryyF", 0x10c0),
    ] as [(String, UInt64)] {
      unit.entry(DW.function, [(DW.linkageName, .string(name))] + unit.code(start, start + 0x40))
    }
    return try SymbolIndexTests.index(DebugFileBuilder(unit))
  }

  @Test(
    arguments: [
      (0x1040, "$s4main3fooyyYaFTQ0_"), (0x1080, "$s4main3fooyyYaFTY1_"), (0x1041, "$s4main3fooyyYaFTQ0_"),
      (0x1044, "$s4main3fooyyYaFTQ0_"), (0x10c0, "$s4main3fooyyYaFTY1_"), (0x1100, "$s4main3baryyF"),
    ] as [(UInt64, String)])
  func `the very entry of a part is taken as it is, any other address as a return address`(
    offset: UInt64, name: String
  ) throws {
    #expect(try index().lookup(offset, isReturnAddress: true).frames.map(\.mangled) == [name])
  }
}
