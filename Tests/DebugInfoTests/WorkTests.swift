import Bytes
import DebugInfo
import ObjectFiles
import TestSupport
import Testing

/// Work that small files ask for by pointing at the same bytes again and again, and what is told of it.
@Suite struct Work {
  /// `count` copies of a unit that names the first line table.
  private func copies(_ count: Int, lines: [UInt8], version: UInt16 = 4) -> DebugFileBuilder {
    let (info, abbreviations) = builder(version: version).finish()
    var file = DebugFileBuilder()
    file.sections = [
      ("debug_info", [UInt8]((0..<count).map { _ in info }.joined())), ("debug_abbrev", abbreviations),
      ("debug_line", lines),
    ]
    return file
  }

  @Test func `each unit pays for the header of its line table`() throws {
    let lines = lineTable(version: 4, files: [String](repeating: "a", count: 2_000), steps: [])
    var limits = DebugInfoLimits()
    limits.stepsPerByte = 0
    limits.fixedSteps = 200_000
    #expect(try refusal(copies(2, lines: lines).build(), limits: limits) == nil)
    #expect(try refusal(copies(100, lines: lines).build(), limits: limits)?.code == .workLimit)
  }

  @Test(.timeLimit(.minutes(1))) func `units that share one giant header end in an error`() throws {
    let lines = lineTable(version: 4, files: [String](repeating: "a", count: 200_000), steps: [])
    #expect(try refusal(copies(3_000, lines: lines).build())?.code == .workLimit)
  }

  /// A line table of version 5 whose `count` files all have the text at the start of `.debug_line_str`.
  private func sharedText(_ count: Int, rows: Int) -> [UInt8] {
    var header = ByteWriter()
    header.append([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    header.append([1, 1, 0x08, 1])
    header.cString("/src")
    header.append([1, 1, 0x1f])
    header.uleb(UInt64(count))
    for number in 0..<count { header.append(UInt32(number % 1_000)) }
    var program = ByteWriter()
    program.append([0, 9, 2])
    program.append(UInt64(0x1000))
    for number in 0..<rows {
      program.append(UInt8(4))
      program.uleb(UInt64(number))
      program.append([1, 2, 1])
    }
    program.append([0, 1, 1])
    var rest = ByteWriter()
    rest.append(UInt16(5))
    rest.append([8, 0])
    rest.append(UInt32(header.count))
    rest.append(header.bytes + program.bytes)
    var table = ByteWriter()
    table.append(UInt32(rest.count))
    return table.bytes + rest.bytes
  }

  @Test(.timeLimit(.minutes(1))) func `files that share one giant name cost nothing until a row names them`() throws {
    var file = copies(1, lines: sharedText(200_000, rows: 1), version: 5)
    file.sections.append(("debug_line_str", [UInt8](repeating: 0x61, count: 500_000) + [0]))
    let read = try units(file.build())
    #expect(read[0].unit.rows.count == 2)
  }

  @Test(.timeLimit(.minutes(1))) func `rows that name thousands of overlapping texts end in an error`() throws {
    var file = copies(1, lines: sharedText(3_000, rows: 3_000), version: 5)
    file.sections.append(("debug_line_str", [UInt8](repeating: 0x61, count: 500_000) + [0]))
    let code = try refusal(file.build())?.code
    #expect(code == .workLimit || code == .tooLarge)
  }

  @Test func `an entry pays for its attributes`() throws {
    var unit = builder(hasLines: false)
    for _ in 0..<200 { unit.entry(DW.variable, (0..<500).map { (0x2000 + $0, .data1(1)) }) }
    var limits = DebugInfoLimits()
    limits.stepsPerByte = 0
    limits.fixedSteps = 10_000
    #expect(try refusal(DebugFileBuilder(unit).build(), limits: limits)?.code == .workLimit)
  }

  @Test(arguments: 0..<8) func `a text without an end is not read on into the next section`(pad: Int) throws {
    var unit = DWARFUnitBuilder()
    unit.begin(
      DW.unit,
      [
        (DW.lowPC, .address(0)), (DW.stmtList, .sectionOffset(0)),
        (DW.compDir, .string("/src" + String(repeating: "x", count: pad))),
      ])
    var (info, abbreviations) = unit.finish()
    // Without the end of the text and that of the unit's children.
    info.removeLast(2)
    var writer = ByteWriter()
    writer.bytes = info
    writer.patch(UInt32(info.count - 4), at: 0)
    var file = DebugFileBuilder()
    file.sections = [
      ("debug_info", writer.bytes), ("leaked", Array("LEAKED".utf8) + [0]), ("debug_abbrev", abbreviations),
      (
        "debug_line",
        lineTable(version: 4, folder: "sub", files: ["a.c"], steps: [.row(0x1000, line: 5), .end(0x1010)])
      ),
    ]
    let read = try DebugInfoTests.unit(file.build())
    #expect(read.files.allSatisfy { !$0.contains("LEAKED") }, "\(read.files)")
    #expect(read.unit.damage != nil)
  }
}

/// What is left out is told.
@Suite struct Told {
  private func damage(lines: [UInt8]) throws -> String {
    var unit = builder()
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1010))
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit, lines: lines).build())
    #expect(read.functions == ["f 1000-1010"])
    return read.unit.damage ?? ""
  }

  private let lines = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 5), .end(0x1010)])

  @Test func `a line table of an unknown version`() throws {
    var lines = lines
    lines[4] = 9
    let damage = try damage(lines: lines)
    #expect(damage.contains("line table cannot be read"))
    #expect(damage.contains("version 9"))
  }

  @Test func `a line table that is cut off`() throws {
    #expect(try damage(lines: Array(lines.dropLast())).contains("line table cannot be read"))
  }

  @Test func `a line program that breaks off`() throws {
    var lines = lines
    // The last instruction claims more bytes than there are.
    lines[lines.count - 2] = 5
    #expect(try damage(lines: lines).contains("line program breaks off"))
  }

  @Test func `a whole line table`() throws { #expect(try damage(lines: lines) == "") }

  @Test(.timeLimit(.minutes(1))) func `ranges beyond the limit`() throws {
    var ranges = ByteWriter()
    for number: UInt64 in 0..<2_000 {
      ranges.append(0x1000 + number)
      ranges.append(0x1001 + number)
    }
    ranges.append([UInt8](repeating: 0, count: 16))
    func damage(functions: Int) throws -> String {
      var unit = builder(version: 4, hasLines: false)
      for _ in 0..<functions { unit.entry(DW.function, [(DW.ranges, .sectionOffset(0))]) }
      var file = DebugFileBuilder(unit)
      file.sections.append(("debug_ranges", ranges.bytes))
      return try DebugInfoTests.unit(file.build()).unit.damage ?? ""
    }
    #expect(try damage(functions: 10) == "")
    #expect(try damage(functions: 550).contains("ranges beyond"))
  }

  @Test func `a list of ranges pays for what stands between them`() throws {
    // Each pair of a range comes behind a thousand that only select a base.
    var ranges = ByteWriter()
    for number: UInt64 in 0..<4 {
      for _ in 0..<1_000 {
        ranges.append(UInt64.max)
        ranges.append(UInt64(0))
      }
      ranges.append(0x1000 + number)
      ranges.append(0x1001 + number)
    }
    ranges.append([UInt8](repeating: 0, count: 16))
    var unit = builder(version: 4, hasLines: false)
    for _ in 0..<20 { unit.entry(DW.function, [(DW.ranges, .sectionOffset(0))]) }
    var file = DebugFileBuilder(unit)
    file.sections.append(("debug_ranges", ranges.bytes))
    var limits = DebugInfoLimits()
    (limits.fixedSteps, limits.stepsPerByte) = (20_000, 0)
    #expect(try refusal(file.build(), limits: limits)?.code == .workLimit)
  }

  @Test func `entries that nest too deep`() throws {
    var unit = builder(hasLines: false)
    for _ in 0..<20 { unit.begin(DW.block) }
    for _ in 0..<20 { unit.end() }
    var limits = DebugInfoLimits()
    limits.entryDepth = 8
    let file = DebugFileBuilder(unit).build()
    #expect(try DebugInfoTests.unit(file, limits: limits).unit.damage?.contains("nest deeper than 8") == true)
    #expect(try DebugInfoTests.unit(file).unit.damage == nil)
  }
}
