import Bytes
import DebugInfo
import TestSupport
import Testing

/// Which functions a unit has, and where.
@Suite struct Functions {
  struct Dialect: Sendable, CustomStringConvertible {
    var version: UInt16
    var is64BitFormat = false
    var order = ByteOrder.little
    var is64Bit = true
    var isMachO = false

    var description: String {
      "DWARF \(version)\(is64BitFormat ? " 64-bit format" : "") \(order) \(is64Bit ? 64 : 32) bit \(isMachO ? "Mach-O" : "ELF")"
    }
  }

  static let dialects: [Dialect] =
    (2...5).map { Dialect(version: $0) } + [
      Dialect(version: 3, is64BitFormat: true), Dialect(version: 4, is64BitFormat: true),
      Dialect(version: 5, is64BitFormat: true), Dialect(version: 2, order: .big, is64Bit: false),
      Dialect(version: 4, order: .big), Dialect(version: 5, order: .big), Dialect(version: 5, is64Bit: false),
      Dialect(version: 4, isMachO: true), Dialect(version: 5, isMachO: true),
      Dialect(version: 4, is64Bit: false, isMachO: true),
      Dialect(version: 2, order: .big, is64Bit: false, isMachO: true),
    ]

  @Test(arguments: dialects) func `every version, width and byte order reads alike`(dialect: Dialect) throws {
    let addressSize = dialect.is64Bit ? 8 : 4
    var unit = builder(
      version: dialect.version, is64BitFormat: dialect.is64BitFormat, addressSize: addressSize, order: dialect.order)
    unit.entry(DW.function, [(DW.name, .string("leaf")), (DW.linkageName, .string("_leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    unit.entry(
      DW.inlined,
      [
        (DW.origin, .label("leaf")), (DW.callFile, .data1(1)), (DW.callLine, .data1(7)), (DW.callColumn, .data1(3)),
      ] + unit.code(0x1010, 0x1020))
    unit.end()
    var file = DebugFileBuilder(
      unit,
      lines: lineTable(
        version: dialect.version, is64BitFormat: dialect.is64BitFormat, addressSize: addressSize, order: dialect.order,
        files: ["a.swift"],
        steps: [.row(0x1000, line: 5), .row(0x1010, line: 70_000, column: 9), .row(0x1020, line: 8), .end(0x1040)]))
    file.order = dialect.order
    file.is64Bit = dialect.is64Bit
    file.isMachO = dialect.isMachO
    let read = try units(file.build())
    try #require(read.count == 1)
    #expect(read[0].unit.version == dialect.version)
    #expect(read[0].unit.damage == nil)
    #expect(read[0].functions == ["outer 1000-1040"])
    #expect(read[0].inlines(of: 0) == ["1 _leaf 1010-1020 /src/a.swift:7:3"])
    #expect(
      read[0].rows == [
        "1000 /src/a.swift:5:0", "1010 /src/a.swift:70000:9", "1020 /src/a.swift:8:0", "1040 end",
      ])
  }

  @Test(
    arguments: [
      ("0", 0, 0x40), ("1", 1, 0x41), ("all ones", UInt64.max, 0x3f), ("all ones but one", .max - 1, 0x3e),
      ("all ones of four bytes", 0xffff_ffff, 0x1_0000_003f), ("with an addend", 0x30, 0x70),
      ("half outside", 0x1ff0, 0x2010), ("before", 0xff0, 0x1010), ("empty", 0x1000, 0x1000),
      ("backwards", 0x1040, 0x1000),
    ] as [(String, UInt64, UInt64)])
  func `a dropped function, whatever its linker wrote for it, is not there`(what: String, low: UInt64, high: UInt64)
    throws
  {
    var unit = builder(hasLines: false)
    unit.begin(DW.function, [(DW.name, .string("dropped"))] + unit.code(low, high))
    unit.begin(DW.function, [(DW.name, .string("inside"))] + unit.code(low, high))
    unit.end()
    unit.end()
    unit.entry(DW.function, [(DW.name, .string("kept"))] + unit.code(0x1000, 0x1010))
    #expect(try DebugInfoTests.unit(DebugFileBuilder(unit).build()).functions == ["kept 1000-1010"], "\(what)")
  }

  @Test func `functions are found below namespaces, modules and types, and inside functions`() throws {
    var unit = builder(hasLines: false)
    for (number, tag) in [DW.namespace, DW.module, DW.structure].enumerated() {
      unit.begin(tag, [(DW.name, .string("scope"))])
      let start = 0x1000 + UInt64(number) * 0x10
      unit.entry(DW.function, [(DW.name, .string("f\(number)"))] + unit.code(start, start + 0x10))
    }
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1100, 0x1200))
    unit.begin(DW.block, unit.code(0x1110, 0x1150))
    unit.entry(DW.function, [(DW.name, .string("nested"))] + unit.code(0x1300, 0x1340))
    unit.end()
    unit.end()
    // A declaration has no code; what is defined inside it has.
    unit.begin(DW.function, [(DW.name, .string("declared"))])
    unit.entry(DW.function, [(DW.name, .string("inner"))] + unit.code(0x1400, 0x1410))
    unit.end()
    #expect(
      try DebugInfoTests.unit(DebugFileBuilder(unit).build()).functions == [
        "f0 1000-1010", "f1 1010-1020", "f2 1020-1030", "outer 1100-1200", "nested 1300-1340", "inner 1400-1410",
      ])
  }

  @Test func `inlined calls of nested functions stay with their own function`() throws {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    func call(_ start: UInt64, _ line: UInt8) -> [(Int, DWARFValue)] {
      [(DW.origin, .label("leaf")), (DW.callLine, .data1(line))] + unit.code(start, start + 4)
    }
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1100))
    unit.entry(DW.inlined, call(0x1010, 1))
    unit.begin(DW.function, [(DW.name, .string("nested"))] + unit.code(0x1200, 0x1300))
    unit.entry(DW.inlined, call(0x1210, 2))
    unit.end()
    unit.begin(DW.inlined, call(0x1020, 3))
    unit.entry(DW.inlined, call(0x1020, 4))
    unit.end()
    unit.end()
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build())
    #expect(
      read.inlines(of: 0) == [
        "1 leaf 1010-1014 ?:1:0", "1 leaf 1020-1024 ?:3:0", "2 leaf 1020-1024 ?:4:0 in 1",
      ])
    #expect(read.inlines(of: 1) == ["1 leaf 1210-1214 ?:2:0"])
  }

  @Test func `an inlined call without code of its own stays a link of its children's chains`() throws {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1100))
    unit.begin(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(1))])
    unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(2))] + unit.code(0x1010, 0x1020))
    unit.end()
    unit.end()
    #expect(
      try DebugInfoTests.unit(DebugFileBuilder(unit).build()).inlines(of: 0) == [
        "1 leaf  ?:1:0", "2 leaf 1010-1020 ?:2:0 in 0",
      ])
  }

  @Test func `a call without line keeps its place in the chain`() throws {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1100))
    unit.entry(DW.inlined, [(DW.origin, .label("leaf"))] + unit.code(0x1010, 0x1020))
    unit.end()
    #expect(try DebugInfoTests.unit(DebugFileBuilder(unit).build()).inlines(of: 0) == ["1 leaf 1010-1020 ?:0:0"])
  }

  @Test func `partial units hold no code but may be referred to`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.partialUnit, [(DW.name, .string("common"))])
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1010))
    #expect(try units(DebugFileBuilder(unit).build()).isEmpty)
  }
}

@Suite struct Names {
  @Test func `linkage and short names come through origins and specifications`() throws {
    var unit = builder(hasLines: false)
    unit.entry(
      DW.function,
      [(DW.name, .string("short")), (DW.linkageName, .string("$s4long")), (DW.declarationLine, .data1(12))],
      label: "declaration")
    unit.entry(DW.function, [(DW.specification, .label("declaration"))], label: "abstract")
    unit.entry(DW.function, [(DW.origin, .label("abstract"))] + unit.code(0x1000, 0x1010))
    unit.entry(DW.function, [(DW.specification, .label("declaration"))] + unit.code(0x1010, 0x1020))
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build())
    #expect(read.functions == ["$s4long 1000-1010", "$s4long 1010-1020"])
    // Copies of one function are one identity.
    #expect(read.unit.functions.map(\.identity) == [0, 0])
    #expect(read.identities == [FunctionIdentity(linkageName: "$s4long", name: "short", language: 0x1e)])
  }

  @Test(arguments: ["self", "pair", "outside"]) func `references that go in circles end`(kind: String) throws {
    var unit = builder(hasLines: false)
    switch kind {
    case "self": unit.entry(DW.function, [(DW.origin, .label("a"))] + unit.code(0x1000, 0x1010), label: "a")
    case "pair":
      unit.entry(DW.function, [(DW.origin, .label("b"))] + unit.code(0x1000, 0x1010), label: "a")
      unit.entry(DW.function, [(DW.specification, .label("a"))], label: "b")
    default: unit.entry(DW.function, [(DW.origin, .reference(0x7fff_ffff))] + unit.code(0x1000, 0x1010))
    }
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build())
    #expect(read.functions == [" 1000-1010"])
  }

  @Test func `a chain of references is followed as far as the limit and no further`() throws {
    for hops in [14, 15, 16, 17, 60] {
      var unit = builder(hasLines: false)
      unit.entry(DW.function, [(DW.name, .string("end")), (DW.linkageName, .string("_end"))], label: "0")
      for number in 1...hops {
        unit.entry(DW.function, [(DW.origin, .label("\(number - 1)"))], label: "\(number)")
      }
      unit.entry(DW.function, [(DW.origin, .label("\(hops)"))] + unit.code(0x1000, 0x1010))
      let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build())
      #expect(read.functions == [hops <= 16 ? "_end 1000-1010" : " 1000-1010"], "\(hops) hops")
    }
  }

  @Test func `names that are no UTF-8 are read`() throws {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .strp(0))] + unit.code(0x1000, 0x1010))
    var file = DebugFileBuilder(unit)
    file.sections.append(("debug_str", [0x66, 0xff, 0xc3, 0]))
    #expect(try DebugInfoTests.unit(file.build()).functions == ["f\u{fffd}\u{fffd} 1000-1010"])
  }

  @Test func `a name outside its section is none`() throws {
    for text: [UInt8] in [[], Array("no end".utf8)] {
      var unit = builder(hasLines: false)
      unit.entry(DW.function, [(DW.name, .strp(text.isEmpty ? 0xffff : 0))] + unit.code(0x1000, 0x1010))
      var file = DebugFileBuilder(unit)
      file.sections.append(("debug_str", text + (text.isEmpty ? [0] : [])))
      #expect(try DebugInfoTests.unit(file.build()).functions == [" 1000-1010"], "\(text)")
    }
  }
}
