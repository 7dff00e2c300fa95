import Bytes
import DebugInfo
import TestSupport
import Testing

/// What becomes of line programs.
@Suite struct LineRows {
  private func rows(
    _ steps: [LineStep], files: [String] = ["a.swift"], version: UInt16 = 5, folder: String = "/src",
    change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> [String] {
    var unit = builder(version: version)
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1100))
    var table = lineTable(version: version, folder: folder, files: files, steps: steps)
    change(&table)
    return try DebugInfoTests.unit(DebugFileBuilder(unit, lines: table).build()).rows
  }

  @Test func `of several rows at one address the last one stands`() throws {
    #expect(
      try rows([.row(0x1000, line: 1), .row(0x1000, line: 2), .row(0x1000, line: 3), .end(0x1010)]) == [
        "1000 /src/a.swift:3:0", "1010 end",
      ])
  }

  @Test func `a sequence that begins where another ends goes on`() throws {
    #expect(
      try rows([.row(0x1000, line: 1), .end(0x1010), .row(0x1010, line: 2), .end(0x1020)]) == [
        "1000 /src/a.swift:1:0", "1010 /src/a.swift:2:0", "1020 end",
      ])
  }

  @Test func `sequences may stand in any order; between them nothing is known`() throws {
    #expect(
      try rows([.row(0x1080, line: 9), .end(0x1090), .row(0x1000, line: 1), .end(0x1010)]) == [
        "1000 /src/a.swift:1:0", "1010 end", "1080 /src/a.swift:9:0", "1090 end",
      ])
  }

  @Test(arguments: [0, 1, 0x30, 0xffff_ffff, 0x8000_0000_0000_0000] as [UInt64])
  func `the sequence of a dropped function is dropped`(start: UInt64) throws {
    #expect(
      try rows([.row(start, line: 9), .end(start + 0x10), .row(0x1000, line: 1), .end(0x1010)]) == [
        "1000 /src/a.swift:1:0", "1010 end",
      ])
  }

  @Test func `a dropped sequence that is long enough to reach into live code does not cover it`() throws {
    let found = try rows([
      .row(0, line: 9), .row(0x1004, line: 10), .end(0x1010), .row(0x1000, line: 1), .end(0x1010),
    ])
    #expect(found == ["1000 /src/a.swift:1:0", "1010 end"])
  }

  @Test func `a row that covers nothing leaves only the end of its sequence`() throws {
    let found = try rows([
      .row(0x1000, line: 1), .row(0x1010, line: 2), .end(0x1010), .row(0x1020, line: 3), .end(0x1020),
    ])
    #expect(found == ["1000 /src/a.swift:1:0", "1010 end"])
  }

  @Test func `paths join the folders they name, and pseudo-files stand alone`() throws {
    let files = ["a.swift", "/abs/b.swift", "<compiler-generated>", "sub/c.h"]
    let steps: [LineStep] =
      (1...4).map { .row(0x1000 + UInt64($0), file: UInt64($0), line: Int64($0)) } + [.end(0x1010)]
    for version: UInt16 in [4, 5] {
      #expect(
        try rows(steps, files: files, version: version) == [
          "1001 /src/a.swift:1:0", "1002 /abs/b.swift:2:0", "1003 <compiler-generated>:3:0", "1004 /src/sub/c.h:4:0",
          "1010 end",
        ])
    }
  }

  @Test func `line 0 is kept: that no line has the code is an answer`() throws {
    #expect(
      try rows([.row(0x1000, line: 5), .row(0x1004, line: 0), .end(0x1010)]) == [
        "1000 /src/a.swift:5:0", "1004 /src/a.swift:0:0", "1010 end",
      ])
  }

  @Test func `a file number beyond the table is no file`() throws {
    #expect(try rows([.row(0x1000, file: 99, line: 5), .end(0x1010)]).first != "1000 /src/a.swift:5:0")
  }

  @Test(arguments: [("line range", 16), ("instruction length", 12), ("opcode base", 17)])
  func `zeros in the header that a program would divide by or count with end it, not us`(what: String, at: Int) throws {
    // In DWARF 5: length 4, version 2, address and segment size 2, header length 4, then instruction length,
    // operations, default, line base, line range, opcode base.
    _ = try rows([.row(0x1000, line: 5), .row(0x1004, line: 6), .end(0x1010)]) { $0[at] = 0 }
  }

  @Test func `a program cut off at every byte ends, and leaves the functions`() throws {
    let table = lineTable(
      files: ["a.swift", "b.swift"],
      steps: [.row(0x1000, line: 5), .row(0x1004, file: 2, line: 600, column: 7), .end(0x1010)])
    for length in 0..<table.count {
      var unit = builder()
      unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1100))
      let read = try units(DebugFileBuilder(unit, lines: Array(table[..<length])).build())
      #expect(read.map(\.functions) == [["f 1000-1100"]], "cut to \(length)")
    }
  }

  @Test func `every byte of a program turned over ends in some answer`() throws {
    let table = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 5), .row(0x1004, line: 600), .end(0x1010)])
    for index in table.indices {
      for mask: UInt8 in [0x01, 0x80, 0xff] {
        var unit = builder()
        unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1100))
        var damaged = table
        damaged[index] ^= mask
        let read = try units(DebugFileBuilder(unit, lines: damaged).build())
        #expect(read.map(\.functions) == [["f 1000-1100"]])
        for (first, second) in zip(read[0].unit.rows, read[0].unit.rows.dropFirst()) {
          #expect(first.address < second.address, "byte \(index)")
        }
      }
    }
  }
}
