import Bytes
import SymbolIndex
import TestSupport
import Testing

/// B.24 to B.30: which line an address has.
@Suite struct LineTraps {
  /// The index of `one` [1000, 1040) and `two` [1040, 1080) with these rows.
  private func functions(
    version: UInt16 = 5, folder: String = "/src", files: [String] = ["a.swift", "<compiler-generated>"],
    _ steps: [LineStep]
  ) throws -> SymbolIndex {
    let made = unit(version: version) { unit in
      unit.function("one", 0x1000, 0x1040)
      unit.function("two", 0x1040, 0x1080)
    }
    return try index(
      DebugFileBuilder(made, lines: lineTable(version: version, folder: folder, files: files, steps: steps)))
  }

  @Test func `B.24 an address at or behind the end of a sequence has no row`() throws {
    let index = try functions([.row(0x1000, line: 1), .end(0x1020), .row(0x1060, line: 2), .end(0x1080)])
    #expect(index.lookup(0x101f).lines == ["one /src/a.swift:1"])
    #expect(index.lookup(0x1020).lines == ["one ?:0"])
    #expect(index.lookup(0x105f).lines == ["two ?:0"])
  }

  @Test func `B.24 sequences may stand in any order`() throws {
    let index = try functions([.row(0x1040, line: 2), .end(0x1080), .row(0x1000, line: 1), .end(0x1040)])
    #expect(index.lookup(0x1000).lines == ["one /src/a.swift:1"])
    #expect(index.lookup(0x1040).lines == ["two /src/a.swift:2"])
  }

  @Test func `B.24 the rows of a unit do not leak into the functions of another`() throws {
    let first = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 1), .end(0x1080)])
    let second = lineTable(files: ["b.swift"], steps: [.row(0x1040, line: 2), .end(0x1080)])
    let index = try index(
      debugFile(
        [
          unit { $0.function("one", 0x1000, 0x1040) },
          unit(lines: UInt64(first.count)) { $0.function("two", 0x1040, 0x1080) },
        ], lines: first + second))
    #expect(index.lookup(0x103f).lines == ["one /src/a.swift:1"])
    #expect(index.lookup(0x1040).lines == ["two /src/b.swift:2"])
  }

  @Test func `B.24 of folded functions the name and the line are of the same one`() throws {
    for names in [["first", "second"], ["second", "first"]] {
      let made = unit { unit in
        for name in names {
          unit.entry(
            DW.function,
            [
              (DW.name, .string(name)), (DW.declFile, .data1(1)), (DW.declLine, .data1(name == "first" ? 10 : 20)),
            ] + unit.code(0x1000, 0x1020))
        }
      }
      let lines = lineTable(
        files: ["a.swift"],
        steps: [
          .row(0x1000, line: 10), .row(0x1010, line: 11), .end(0x1020), .row(0x1000, line: 20), .row(0x1010, line: 21),
          .end(0x1020),
        ])
      for name in names {
        var file = DebugFileBuilder(made, lines: lines)
        file.symbols = [(name, 0x1000, 0x20)]
        let index = try index(file)
        let line = name == "first" ? 10 : 20
        #expect(index.lookup(0x1000).lines == ["\(name) /src/a.swift:\(line)"])
        #expect(index.lookup(0x101f).lines == ["\(name) /src/a.swift:\(line + 1)"])
      }
    }
  }

  @Test func `B.25 of several rows at one address the last counts, and one that goes back is left out`() throws {
    let index = try functions([
      .row(0x1000, line: 1), .row(0x1000, line: 2), .row(0x1010, line: 3), .row(0x1008, line: 4), .row(0x1020, line: 5),
      .end(0x1040),
    ])
    #expect(
      [0x1000, 0x1008, 0x1010, 0x1020].map { index.lookup($0).frames[0].line } == [2, 2, 3, 5])
  }

  @Test func `B.26 a row that began before an inlined call goes on inside it, and behind it`() throws {
    let made = unit { unit in
      unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.entry(
        DW.inlined,
        [(DW.origin, .label("leaf")), (DW.callFile, .data1(1)), (DW.callLine, .data1(50))] + unit.code(0x1010, 0x1020))
    }
    let index = try index(
      DebugFileBuilder(
        made,
        lines: lineTable(
          files: ["a.swift"],
          steps: [.row(0x1000, line: 1), .row(0x1018, line: 2), .row(0x1028, line: 3), .end(0x1040)]))
    )
    #expect(index.lookup(0x1010).lines == ["leaf /src/a.swift:1 inlined", "outer /src/a.swift:50"])
    #expect(index.lookup(0x1020).lines == ["outer /src/a.swift:2"])
    #expect(index.lookup(0x1028).lines == ["outer /src/a.swift:3"])
  }

  @Test func `B.27 line 0 shows the nearest line before it in the same function, marked, and never one after it`()
    throws
  {
    let index = try functions([
      .row(0x1000, line: 0), .row(0x1010, line: 7), .row(0x1020, line: 0), .row(0x1040, line: 0), .row(0x1050, line: 9),
      .end(0x1080),
    ])
    #expect(index.lookup(0x1000).lines == ["one /src/a.swift:0"])
    #expect(index.lookup(0x1020).lines == ["one /src/a.swift:7 approximate"])
    #expect(index.lookup(0x1040).lines == ["two /src/a.swift:0"])
  }

  @Test(arguments: [(1, "leaf /src/a.swift:30 inlined approximate"), (2, "leaf /src/a.swift:0 inlined")])
  func `B.27 line 0 without a line before it shows where the function is declared, when that is the same file`(
    file: UInt8, expected: String
  ) throws {
    let made = unit { unit in
      unit.entry(
        DW.function, [(DW.name, .string("leaf")), (DW.declFile, .data1(file)), (DW.declLine, .data1(30))],
        label: "leaf")
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.entry(
        DW.inlined,
        [(DW.origin, .label("leaf")), (DW.callFile, .data1(1)), (DW.callLine, .data1(50))] + unit.code(0x1010, 0x1030))
    }
    let lines = lineTable(
      files: ["a.swift", "b.swift"],
      steps: [.row(0x1000, line: 49), .row(0x1010, line: 0), .row(0x1020, line: 31), .end(0x1040)])
    let index = try index(DebugFileBuilder(made, lines: lines))
    #expect(index.lookup(0x1010).lines == [expected, "outer /src/a.swift:50"])
    #expect(index.lookup(0x1020).lines == ["leaf /src/a.swift:31 inlined", "outer /src/a.swift:50"])
  }

  @Test(arguments: [(4, "one ?:1"), (5, "one /src/a.swift:1")] as [(UInt16, String)])
  func `B.28 file 0 is none up to DWARF 4 and the primary file from DWARF 5 on, for rows`(version: UInt16, line: String)
    throws
  {
    let index = try functions(version: version, [.row(0x1000, file: 0, line: 1), .end(0x1040)])
    #expect(index.lookup(0x1000).lines == [line])
  }

  @Test(arguments: [(3, "?"), (4, "?"), (5, "/src/a.swift")] as [(UInt16, String)])
  func `B.28 file 0 is none up to DWARF 4 and the primary file from DWARF 5 on, for calls`(
    version: UInt16, file: String
  )
    throws
  {
    let made = unit(version: version) { unit in
      unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.entry(
        DW.inlined,
        [(DW.origin, .label("leaf")), (DW.callFile, .data1(0)), (DW.callLine, .data1(5))] + unit.code(0x1000, 0x1040))
    }
    let lines = lineTable(
      version: version, files: ["a.swift", "b.swift"], steps: [.row(0x1000, line: 1), .end(0x1040)])
    #expect(try index(DebugFileBuilder(made, lines: lines)).lookup(0x1000).lines[1] == "outer \(file):5")
  }

  @Test(arguments: [
    ("/abs/a.swift", "/lib", "/abs/a.swift"), ("a.swift", "/lib", "/lib/a.swift"),
    ("a.swift", "lib", "/src/lib/a.swift"),
    ("C:\\b\\a.swift", "/lib", "C:\\b\\a.swift"), ("<compiler-generated>", "/", "<compiler-generated>"),
    ("<stdin>", "lib", "<stdin>"),
  ])
  func `B.29 a path is joined as far as it is relative, and a pseudo-file not at all`(
    name: String, folder: String, path: String
  ) throws {
    for version: UInt16 in [2, 3, 4, 5] {
      let index = try functions(
        version: version, folder: folder, files: [name], [.row(0x1000, file: 1, line: 1), .end(0x1040)])
      #expect(index.lookup(0x1000).frames[0].file == path)
    }
  }

  @Test func `B.30 a call without a line keeps its frame`() throws {
    let made = unit { unit in
      for name in ["inner", "leaf"] { unit.entry(DW.function, [(DW.name, .string(name))], label: name) }
      unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
      unit.begin(DW.inlined, [(DW.origin, .label("inner"))] + unit.code(0x1000, 0x1040))
      unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(0))] + unit.code(0x1000, 0x1040))
    }
    let frames = try index(DebugFileBuilder(made)).lookup(0x1000).frames
    #expect(frames.map(\.function) == ["leaf", "inner", "outer"])
    #expect(frames.map(\.line) == [nil, nil, nil])
  }
}
