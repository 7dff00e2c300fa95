import Bytes
import Demangling
import SymbolIndex
import TestSupport
import Testing

/// B.39 to B.44: which code a symbol names, and which of several names it has.
@Suite struct SymbolTraps {
  @Test func `B.39 a symbol ends at the next one, at the next function start, or with its section`() throws {
    let index = try index(
      image {
        $0.sections.append(.code(at: 0x1100, size: 0x100, name: "__other"))
        $0.symbols = [.init("_one", 0x1000), .init("_two", 0x1020), .init("_last", 0x1080)]
        $0.functionStarts = [0x80, 0x20, 0x20, 0x20, 0x40, 0]
      })
    #expect(
      [0x101f, 0x1020, 0x103f, 0x1040, 0x107f, 0x1080, 0x10ff, 0x1100].map { index.lookup($0).lines[0] }
        == ["one ?:0", "two ?:0", "two ?:0", "hole", "hole", "last ?:0", "last ?:0", "hole"])
  }

  @Test func `B.39 a symbol ends at the next entry of the unwind table`() throws {
    var table = ByteWriter()
    // Version 1, no common encodings or personalities; an index with one page and its end.
    for value in [1, 28, 0, 28, 0, 28, 2, 0x1000, 52, 0, 0x1100, 0, 0] as [UInt32] { table.append(value) }
    // A regular page with two functions.
    table.append(UInt32(2))
    table.append(UInt16(8))
    table.append(UInt16(2))
    for value in [0x1000, 0, 0x1040, 0] as [UInt32] { table.append(value) }
    let index = try index(
      image {
        $0.sections.append(.init("__TEXT", "__unwind_info", at: 0x2000, data: table.bytes))
        $0.symbols = [.init("_one", 0x1000)]
      })
    #expect(index.lookup(0x103f).names == ["one"])
    #expect(index.lookup(0x1040).lines == ["hole"])
  }

  @Test func `B.39 where nothing records function starts, a symbol reaches 64 KiB and no further`() throws {
    func reach(_ starts: [UInt8]?) throws -> [String] {
      let index = try index(
        image {
          $0.text = (0, 0x40000)
          $0.sections = [.code(at: 0x1000, size: 0x30000)]
          $0.symbols = [.init("_only", 0x1000)]
          $0.functionStarts = starts
        })
      return [0x10fff, 0x11000, 0x30fff].map { index.lookup($0).lines[0] }
    }
    #expect(try reach(nil) == ["only ?:0", "hole", "hole"])
    #expect(try reach([0x80, 0x20, 0]) == ["only ?:0", "only ?:0", "only ?:0"])
  }

  @Test(arguments: [false, true]) func `B.40 of the names of one address the same is chosen in any order`(
    isReversed: Bool
  ) throws {
    let symbols = [
      MachOBuilder.Symbol("_local", 0x1000, type: 0x0e), .init("_weak", 0x1000, description: 0x80),
      .init("_global_b", 0x1000), .init("_global_a", 0x1000), .init("_global_longer", 0x1000),
    ]
    let index = try index(image { $0.symbols = isReversed ? symbols.reversed() : symbols })
    #expect(index.lookup(0x1000).names == ["global_a"])
    #expect(index.lookup(0x1000).frames[0].traits.contains(.ambiguous))
  }

  @Test func `B.40 a part of a function has its own symbol, wherever the same line occurs in both`() throws {
    // The cold part lies first; both parts hold the same row and the same inlined call.
    var ranges = ByteWriter()
    for value: UInt64 in [0x1040, 0x1060, 0x1000, 0x1020, 0, 0, 0x1050, 0x1060, 0x1010, 0x1020, 0, 0] {
      ranges.append(value)
    }
    let made = unit(version: 4) { unit in
      unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
      unit.begin(DW.function, [(DW.name, .string("f")), (DW.ranges, .sectionOffset(0))])
      unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(9)), (DW.ranges, .sectionOffset(48))])
    }
    var file = DebugFileBuilder(
      made, lines: lineTable(version: 4, files: ["a.c"], steps: [.row(0x1000, line: 7), .end(0x1060)]))
    file.sections.append(("debug_ranges", ranges.bytes))
    file.symbols = [("f", 0x1040, 0x20), ("f.cold", 0x1000, 0x20)]
    let index = try index(file)
    #expect([0x1000, 0x1010].map { index.lookup($0).frames.last?.mangled } == ["f.cold", "f.cold"])
    #expect([0x1040, 0x1050].map { index.lookup($0).frames.last?.mangled } == ["f", "f"])
    #expect([0x1010, 0x1050].map { index.lookup($0).frames.first?.function } == ["leaf", "leaf"])
  }

  @Test func `B.40 the debug information says which of several names is meant`() throws {
    var file = DebugFileBuilder(unit { $0.function("weaker", 0x1000, 0x1010) })
    file.symbols = [("a", 0x1000, 0x10), ("weaker", 0x1000, 0x10)]
    #expect(try index(file).lookup(0x1000).names == ["weaker"])
  }

  @Test func `B.40 a function is a better name than a thunk, though that be shorter`() throws {
    // A protocol witness and the method that it leads to, folded.
    let names = ["_$s4Shop4CartV5applyyyF", "_$s4Shop4CartVAA1PAaDP1fyyFTW"]
    for order in [names, names.reversed()] {
      let index = try index(image { $0.symbols = order.map { .init($0, 0x1000) } })
      #expect(index.lookup(0x1000).frames.map(\.mangled) == ["$s4Shop4CartV5applyyyF"])
    }
    let short = try index(
      image { $0.symbols = [.init("_$s1A1BV1cyyFTj", 0x1000), .init("_$s4Shop4CartV5applyyyF", 0x1000)] })
    #expect(short.lookup(0x1000).frames.map(\.mangled) == ["$s4Shop4CartV5applyyyF"])
  }

  @Test func `B.41 assembler temporaries name nothing`() throws {
    let index = try index(
      image {
        $0.symbols = [
          .init("_one", 0x1000), .init("ltmp0", 0x1010, type: 0x0e), .init("LBB0_1", 0x1018, type: 0x0e),
          .init("l_switch", 0x1020, type: 0x0e), .init("_OUTLINED_FUNCTION_3", 0x1040, type: 0x0e),
        ]
      })
    #expect(index.lookup(0x1030).names == ["one"])
    let outlined = index.lookup(0x1040).frames[0]
    #expect(outlined.token == "OUTLINED_FUNCTION")
    #expect(outlined.traits.contains(.outlined))
  }

  @Test func `B.10 what a linker marks the borders of sections with names no code`() throws {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x1000, size: 0x200)]
    elf.segments = [.init(at: 0, size: 0x4000)]
    elf.symbols = [
      .init("_ftext", 0x1000, info: 0x10), .init("Region$$Table$$Base", 0x1080, info: 0x10),
      // A function may be called so all the same.
      .init("end", 0x1100, size: 0x10),
    ]
    let index = try index(elf.build())
    #expect([0x1000, 0x1080, 0x1100].map { index.lookup($0).lines[0] } == ["hole", "hole", "end ?:0"])
  }

  @Test func `B.41 mapping symbols, sections, files and labels inside a sized function name nothing in ELF`() throws {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x1000, size: 0x200)]
    elf.segments = [.init(at: 0, size: 0x4000)]
    elf.symbols = [
      .init("sized", 0x1000, size: 0x100), .init("$x", 0x1010, info: 0x00), .init("$d.1", 0x1020, info: 0x00),
      .init(".text", 0x1030, info: 0x03), .init("a.c", 0x1040, info: 0x04, section: 0xfff1),
      .init("label", 0x1050, info: 0x10), .init("routine", 0x1100, info: 0x10),
    ]
    let index = try index(elf.build())
    #expect(
      [0x1000, 0x1018, 0x1028, 0x1038, 0x1048, 0x1060, 0x10ff, 0x1100].map { index.lookup($0).names }
        == Array(repeating: ["sized"], count: 7) + [["routine"]])
  }

  @Test func `B.41a a stub is named by what it jumps to, and is no part of the function before it`() throws {
    let index = try index(
      image {
        $0.sections.append(.init("__TEXT", "__stubs", at: 0x1100, size: 36, flags: 0x8000_0408, reserved: (0, 12)))
        $0.symbols = [
          .init("_last", 0x10c0), .init("_puts", 0, type: 1, section: 0), .init("_free", 0, type: 1, section: 0),
        ]
        // The third stub has no symbol.
        $0.indirectSymbols = [1, 2, 0x8000_0000]
      })
    #expect(
      [0x10ff, 0x1100, 0x110b, 0x110c, 0x1118].map { index.lookup($0).lines[0] }
        == ["last ?:0", "puts ?:0", "puts ?:0", "free ?:0", "hole"])
    #expect(index.lookup(0x1100).frames.map(\.source) == [.stub])
  }

  @Test func `B.42 folded functions are one range with one name, chosen alike in any order, and marked`() throws {
    func folded(_ names: [String]) throws -> [Frame] {
      var file = DebugFileBuilder(unit { unit in for name in names { unit.function(name, 0x1000, 0x1010) } })
      file.symbols = [("second", 0x1000, 0x10)]
      return try index(file).lookup(0x1008).frames
    }
    let frames = try folded(["first", "second", "third"])
    #expect(frames.map(\.function) == ["second"])
    #expect(frames[0].traits.contains(.ambiguous))
    #expect(try folded(["third", "second", "first"]) == frames)
  }

  @Test func `B.42 without a symbol table the name of folded functions does not depend on their order`() throws {
    func folded(_ names: [String]) throws -> [String] {
      try index(DebugFileBuilder(unit { unit in for name in names { unit.function(name, 0x1000, 0x1010) } }))
        .lookup(0x1008).names
    }
    #expect(try folded(["b", "a", "c"]) == folded(["c", "a", "b"]))
  }

  @Test func `B.42 builds that fold differently give one signature`() throws {
    func token(_ names: [String], symbol: String) throws -> String {
      var file = DebugFileBuilder(unit { unit in for name in names { unit.function(name, 0x1000, 0x1010) } })
      file.symbols = [(symbol, 0x1000, 0x10)]
      return try #require(try index(file).lookup(0x1008).frames.first).token
    }
    let alone = try token(["first"], symbol: "first")
    #expect(alone == "first")
    // Whatever the linker put in the symbol table, and whatever is shown.
    #expect(try token(["first", "second"], symbol: "first") == alone)
    #expect(try token(["second", "first"], symbol: "second") == alone)
    #expect(try token(["second", "third", "first"], symbol: "third") == alone)
  }

  @Test func `B.43 a merged function is its own name, marked`() throws {
    let frame = try #require(
      try index(DebugFileBuilder(unit { $0.function("$s4Shop4CartV5applyyyFTm", 0x1000, 0x1010) })).lookup(0x1000)
        .frames
        .first)
    #expect(frame.token == "Shop.Cart.apply()")
    #expect(frame.traits.contains(.merged))
  }

  @Test func `B.44 a function inside another wins there, and what no function covers is a hole`() throws {
    let index = try index(
      DebugFileBuilder(
        unit { unit in
          unit.function("around", 0x1000, 0x1100)
          unit.function("within", 0x1040, 0x1060)
          unit.function("shorter", 0x1000, 0x1010)
          unit.function("behind", 0x1180, 0x1190)
        }))
    #expect(
      [0x1000, 0x1010, 0x103f, 0x1040, 0x105f, 0x1060, 0x10ff, 0x1100, 0x117f, 0x1190].map { index.lookup($0).lines[0] }
        == [
          "shorter ?:0", "around ?:0", "around ?:0", "within ?:0", "within ?:0", "around ?:0", "around ?:0", "hole",
          "hole", "hole",
        ])
  }
}
