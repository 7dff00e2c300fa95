import Bytes
import DebugInfo
import SymbolIndex
import TestSupport
import Testing

/// Small files whose parts point at the same bytes again and again, so that a careless builder keeps gigabytes.
@Suite struct IndexAmplifiers {
  /// A line table of version 4 with a row for each byte of `code`.
  private func lines(_ code: Range<UInt64>) -> [UInt8] {
    var table = lineTable(
      version: 4, files: ["a.c"], steps: [.row(code.lowerBound, line: 1), .end(code.upperBound)])
    // Before the end (advance, then three bytes): a special opcode each that moves on by one byte and one line.
    let end = table.count - 3 - ulebSize(UInt64(code.count)) - 1
    let rows = [UInt8](repeating: 13 + 14 + 5 + 1, count: code.count - 1)
    table.replaceSubrange(end..<table.count, with: rows + [2, 1, 0, 1, 1])
    var writer = ByteWriter()
    writer.bytes = table
    writer.patch(UInt32(table.count - 4), at: 0)
    return writer.bytes
  }

  private func ulebSize(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }

  private func unit(_ body: (inout DWARFUnitBuilder) -> Void = { _ in }) -> DWARFUnitBuilder {
    var unit = DWARFUnitBuilder(version: 4)
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    body(&unit)
    return unit
  }

  /// `count` copies of a unit, all with the same lines.
  private func copies(_ count: Int, rows: UInt64) -> DebugFileBuilder {
    let (info, abbreviations) = unit().finish()
    var file = DebugFileBuilder()
    file.code = 0x1000..<0x10_0000
    file.sections = [
      ("debug_info", [UInt8]((0..<count).map { _ in info }.joined())), ("debug_abbrev", abbreviations),
      ("debug_line", lines(0x1000..<0x1000 + rows)),
    ]
    file.symbols = [("f", 0x1000, 0x10_0000 - 0x1000)]
    return file
  }

  @Test func `each row is a line`() throws {
    let index = try index(copies(2, rows: 100))
    #expect(index.lookup(0x1000).lines == ["f /src/a.c:1"])
    #expect(index.lookup(0x1001).lines == ["f /src/a.c:2"])
    #expect(index.lookup(0x1063).lines == ["f /src/a.c:100"])
    #expect(index.lookup(0x1064).lines == ["f ?:0"])
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 3]) func `units that share one long line table are work, not gigabytes`(
    workers: Int
  ) throws {
    let many = try product(sources(copies(100, rows: 20_000).build()), workers: workers)
    #expect(many.summary.debugInfoFailure == .workLimit)
    let few = try product(sources(copies(4, rows: 20_000).build()), workers: workers)
    #expect(few.summary.debugInfoFailure == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `ranges that share the code of many lines are work, not gigabytes`() throws {
    var ranges = ByteWriter()
    for _ in 0..<400 {
      ranges.append(UInt64(0x1000))
      ranges.append(UInt64(0x1000 + 20_000))
    }
    ranges.append(UInt64(0))
    ranges.append(UInt64(0))
    var file = DebugFileBuilder(
      unit { $0.entry(DW.function, [(DW.name, .string("f")), (DW.ranges, .sectionOffset(0))]) },
      lines: lines(0x1000..<0x1000 + 20_000), code: 0x1000..<0x10_0000)
    file.sections.append(("debug_ranges", ranges.bytes))
    #expect(try product(sources(file.build())).summary.debugInfoFailure == .workLimit)
  }

  @Test func `of lines that overlap the one that begins first holds up to its end`() throws {
    // Two units: one row over 0x1010 to 0x1040, and rows at each byte of 0x1000 to 0x1020.
    let wide = lineTable(version: 4, files: ["wide.c"], steps: [.row(0x1010, line: 7), .end(0x1040)])
    let narrow = lines(0x1000..<0x1020)
    let (first, abbreviations) = unit().finish()
    var second = ByteWriter()
    second.bytes = first
    // The unit's header (11 bytes), its abbreviation's number, "/src" and a zero; then the place of its line table.
    second.patch(UInt32(narrow.count), at: 11 + 1 + 5)
    var file = DebugFileBuilder()
    file.sections = [
      ("debug_info", first + second.bytes), ("debug_abbrev", abbreviations), ("debug_line", narrow + wide),
    ]
    file.symbols = [("f", 0x1000, 0x12), ("g", 0x1012, 0x6), ("h", 0x1018, 0x100)]
    let index = try index(file)
    #expect(index.lookup(0x100f).lines == ["f /src/a.c:16"])
    // At 0x1010 both begin; the first unit's is taken, and the wide one from there on.
    #expect(index.lookup(0x1010).lines == ["f /src/a.c:17"])
    #expect(index.lookup(0x1011).lines == ["f /src/wide.c:7"])
    #expect(index.lookup(0x1012).lines == ["g /src/wide.c:7"])
    #expect(index.lookup(0x1020).lines == ["h /src/wide.c:7"])
    #expect(index.lookup(0x103f).lines == ["h /src/wide.c:7"])
    #expect(index.lookup(0x1040).lines == ["h ?:0"])
  }

  @Test(.timeLimit(.minutes(1))) func `many symbols below one wide line and many narrow ones are no square`() throws {
    let wide = lineTable(version: 4, files: ["wide.c"], steps: [.row(0x1000, line: 7), .end(0x10_0000)])
    let narrow = lines(0x1001..<0x1001 + 60_000)
    let (first, abbreviations) = unit().finish()
    var second = ByteWriter()
    second.bytes = first
    second.patch(UInt32(wide.count), at: 11 + 1 + 5)
    var file = DebugFileBuilder()
    file.code = 0x1000..<0x10_0000
    file.sections = [
      ("debug_info", first + second.bytes), ("debug_abbrev", abbreviations), ("debug_line", wide + narrow),
    ]
    file.symbols = (0..<5_000).map { ("f\($0)", 0x1000 + 12 * UInt64($0), 0) }
    let index = try index(file)
    #expect(index.lookup(0x1000 + 12 * 4_999).lines == ["f4999 /src/wide.c:7"])
  }
}
