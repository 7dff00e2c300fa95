import Bytes
import SymbolIndex
import TestSupport
import Testing

/// B.31 to B.38: which calls were inlined, and what they are called.
@Suite struct ChainTraps {
  /// `outer` [1000, 1100) with what `body` puts into it; the functions `names` can be called.
  private func outer(_ names: [String], _ body: (inout DWARFUnitBuilder) -> Void) throws -> SymbolIndex {
    try index(outerFile(names, body))
  }

  private func outerFile(_ names: [String], _ body: (inout DWARFUnitBuilder) -> Void) -> DebugFileBuilder {
    let made = unit { unit in
      for name in names { unit.entry(DW.function, [(DW.name, .string(name))], label: name) }
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1100))
      body(&unit)
    }
    return DebugFileBuilder(
      made, lines: lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 1), .row(0x1020, line: 2), .end(0x1100)]))
  }

  private func call(_ name: String, line: UInt8) -> [(Int, DWARFValue)] {
    [(DW.origin, .label(name)), (DW.callFile, .data1(1)), (DW.callLine, .data1(line))]
  }

  @Test func `B.31 the innermost frame has the row's line, each caller the site of the call below it`() throws {
    let index = try outer(["middle", "leaf"]) { unit in
      unit.begin(DW.inlined, call("middle", line: 12) + unit.code(0x1010, 0x1050))
      unit.entry(DW.inlined, call("leaf", line: 22) + unit.code(0x1020, 0x1030))
    }
    #expect(
      index.lookup(0x1020).lines
        == ["leaf /src/a.swift:2 inlined", "middle /src/a.swift:22 inlined", "outer /src/a.swift:12"])
    #expect(index.lookup(0x1030).lines == ["middle /src/a.swift:2 inlined", "outer /src/a.swift:12"])
  }

  /// The reference names two answers: a call without ranges is left out, or is a link of the chain. It is a link:
  /// strict DWARF 2 cannot state several ranges, and llvm-symbolizer and addr2line follow the nesting as well.
  @Test
  func `B.32 an inlined call without ranges covers nothing itself and stays in the chains of the calls inside it`()
    throws
  {
    let index = try outer(["hollow", "leaf"]) { unit in
      unit.begin(DW.inlined, call("hollow", line: 12))
      unit.entry(DW.inlined, call("leaf", line: 22) + unit.code(0x1020, 0x1030))
    }
    #expect(index.lookup(0x1010).names == ["outer"])
    #expect(index.lookup(0x1020).names == ["leaf", "hollow", "outer"])
  }

  @Test func `B.32 an inlined call is clipped to its function, and a dropped function's calls are nowhere`() throws {
    let index = try outer(["leaf"]) { unit in
      unit.entry(DW.inlined, call("leaf", line: 12) + unit.code(0x10f0, 0x1200))
      unit.end()
      unit.begin(DW.function, [(DW.name, .string("dead"))] + unit.code(0, 0x40))
      unit.entry(DW.inlined, call("leaf", line: 13) + unit.code(0x1040, 0x1050))
    }
    #expect(index.lookup(0x10f0).names == ["leaf", "outer"])
    #expect(index.lookup(0x1100).lines == ["hole"])
    #expect(index.lookup(0x1040).names == ["outer"])
  }

  @Test func `B.33 calls of equal range nest as they stand, at most 256 deep, and what is cut is counted`() throws {
    func nest(_ depth: Int) -> DebugFileBuilder {
      outerFile(["a", "b"]) { unit in
        for number in 0..<depth {
          unit.begin(DW.inlined, call(number % 2 == 0 ? "a" : "b", line: 9) + unit.code(0x1010, 0x1020))
        }
      }
    }
    #expect(try index(nest(3)).lookup(0x1010).names == ["a", "b", "a", "outer"])
    #expect(try index(nest(400)).lookup(0x1010).names.count == 257)
    #expect(try summary(nest(400)).cutInlines > 0)
    #expect(try summary(nest(256)).cutInlines == 0)
  }

  @Test func `B.34 a linkage name is found through the chain, then at the symbol of the same start`() throws {
    let made = unit { unit in
      unit.entry(
        DW.function, [(DW.name, .string("run")), (DW.linkageName, .string("_ZN3app3runEv"))], label: "declared")
      unit.entry(DW.function, [(DW.specification, .label("declared"))], label: "abstract")
      unit.begin(DW.function, [(DW.origin, .label("abstract"))] + unit.code(0x1000, 0x1020))
      unit.end()
      unit.function("short", 0x1020, 0x1040)
      unit.function("inside", 0x1040, 0x1060)
    }
    var file = DebugFileBuilder(made)
    file.symbols = [("_ZN3app5shortEi", 0x1020, 0x20), ("_ZN3app5otherEv", 0x1030, 0x40)]
    let index = try index(file)
    #expect(index.lookup(0x1000).frames.map(\.function) == ["app::run"])
    #expect(index.lookup(0x1020).frames.map(\.mangled) == ["_ZN3app5shortEi"])
    #expect(index.lookup(0x1040).frames.map(\.mangled) == ["inside"])
    #expect(index.lookup(0x1020).frames.map(\.source) == [.dwarf])
  }

  @Test func `B.34 a copy's own symbol is kept as the linker's name and the token is that of the function`() throws {
    let made = unit { $0.function("helper", 0x1000, 0x1020) }
    var file = DebugFileBuilder(made)
    file.symbols = [("_ZL6helperi.constprop.0", 0x1000, 0x20)]
    let frame = try #require(try index(file).lookup(0x1000).frames.first)
    #expect(frame.mangled == "_ZL6helperi.constprop.0")
    #expect(frame.token == "helper")
  }

  @Test func `B.35 references in a circle end with whatever name there is`() throws {
    let made = unit { unit in
      unit.begin(DW.function, [(DW.origin, .label("self"))] + unit.code(0x1000, 0x1010), label: "self")
      unit.end()
      unit.entry(DW.function, [(DW.origin, .label("b"))], label: "a")
      unit.entry(DW.function, [(DW.name, .string("circle")), (DW.origin, .label("a"))], label: "b")
      unit.entry(DW.function, [(DW.origin, .label("a"))] + unit.code(0x1010, 0x1020))
    }
    var file = DebugFileBuilder(made)
    #expect(try index(file).lookup(0x1010).names == ["circle"])
    // Where the circle holds no name at all, the code has none, or that of its symbol.
    #expect(try index(file).lookup(0x1000).lines == ["hole"])
    file.symbols = [("known", 0x1000, 0x10)]
    #expect(try index(file).lookup(0x1000).names == ["known"])
  }

  @Test func `B.36 nesting without end costs neither the stack nor what stands behind it`() throws {
    let made = unit { unit in
      for _ in 0..<50_000 { unit.begin(DW.block) }
      for _ in 0..<50_000 { unit.end() }
      unit.function("behind", 0x1000, 0x1020)
    }
    #expect(try index(DebugFileBuilder(made)).lookup(0x1000).names == ["behind"])
  }

  @Test(arguments: [
    ("$s4Shop4CartV5applyyyF", "Cart.apply()"), ("$e4Shop4CartV5applyyyF", "Cart.apply()"),
    ("_ZN4Shop4Cart5applyEv", "Shop::Cart::apply"), ("_RNvC4shop5apply", "shop::apply"), ("_Tiled", "_Tiled"),
    ("main", "main"), ("-[Cart apply:]", "-[Cart apply:]"),
  ])
  func `B.37 the prefix of a name says its language, and a name without one stays`(mangled: String, shown: String)
    throws
  {
    let frame = try #require(
      try index(DebugFileBuilder(unit { $0.function(mangled, 0x1000, 0x1010) })).lookup(0x1000).frames.first)
    #expect(frame.function == shown)
  }

  @Test(arguments: [
    ("_main", "main"), ("__ZN4Shop4Cart5applyEv", "_ZN4Shop4Cart5applyEv"),
    ("_$s4Shop4CartV5applyyyF", "$s4Shop4CartV5applyyyF"),
    ("-[Cart apply:]", "-[Cart apply:]"), ("+[Cart shared]", "+[Cart shared]"),
    ("___Block_byref", "__Block_byref"), ("__hidden#7_", "__hidden#7_"),
  ])
  func `B.38 a Mach-O symbol loses exactly one underscore, a method and a hidden name none`(
    symbol: String, name: String
  )
    throws
  {
    let index = try index(image { $0.symbols = [.init(symbol, 0x1000)] })
    #expect(index.lookup(0x1000).names == [name])
  }

  @Test func `B.38 a name of the debug information loses none`() throws {
    #expect(
      try index(DebugFileBuilder(unit { $0.function("_start", 0x1000, 0x1010) })).lookup(0x1000).names == ["_start"])
  }
}
