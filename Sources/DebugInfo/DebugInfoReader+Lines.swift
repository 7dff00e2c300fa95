internal import Bytes
internal import CElfutils
internal import ObjectFiles

/// The files of one unit's line table, each joined to a path when it is first asked for.
struct UnitFiles {
  private let table: LineTable
  private let compilationFolder: String
  private var numbers: [UInt64: Int32] = [:]

  init(_ table: LineTable, compilationFolder: String) {
    self.table = table
    self.compilationFolder = compilationFolder
  }

  /// The DWARF version of the table, by which file 0 is one or none.
  var version: UInt16 { table.version }

  /// The reader's number of file `number`; -1 when there is no such file.
  mutating func file(_ number: UInt64, in reader: DebugInfoReader) -> Int32 {
    if let known = numbers[number] { return known }
    let found = table.path(of: number, compilationFolder: compilationFolder).map { reader.file($0) } ?? -1
    numbers[number] = found
    return found
  }
}

extension DebugInfoReader {
  /// The line table of a unit whose entry is `die`, in `sections`; `nil` when it has none or that is damaged.
  ///
  /// A split unit without `DW_AT_stmt_list` has its files at the start of its own `.debug_line.dwo`.
  func lineTable(of die: Dwarf_Die, in sections: LineTable.Sections, isSplit: Bool = false) -> LineTable? {
    var die = die
    var attribute = Dwarf_Attribute()
    var offset: UInt64? = isSplit ? 0 : nil
    if dwarf_attr(&die, UInt32(DW_AT_stmt_list), &attribute) != nil { offset = attribute.unsigned }
    guard let offset, !sections.lines.isEmpty else { return nil }
    return try? LineTable(sections, at: offset)
  }

  /// `DW_AT_comp_dir` of a unit.
  func compilationFolder(of die: Dwarf_Die) -> String {
    var die = die
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&die, UInt32(DW_AT_comp_dir), &attribute) != nil, let text = attribute.text else { return "" }
    return String(cString: text)
  }

  /// The line rows of one unit that lie in instructions, sorted by address.
  ///
  /// The end of a sequence is kept as a row, since behind it nothing is known (B.24). A sequence that does not begin in
  /// instructions is that of a dropped function, however far it reaches.
  func readLines(of unit: DWARFSession.Unit) throws(DebugInfoError) -> [LineRow] {
    guard let table = lineTable(of: unit.die, in: lineSections) else { return [] }
    // Tables can be shared: each unit that runs one pays for it.
    try spend(table.program.count)
    let program = LineProgram(table, order: object.byteOrder)
    var files = UnitFiles(program.table, compilationFolder: compilationFolder(of: unit.die))
    let live = program.sequences.filter { object.codeRange(containing: $0.start) != nil }
      .sorted { ($0.start, $0.rows.lowerBound) < ($1.start, $1.rows.lowerBound) }
    var rows: [LineRow] = []
    rows.reserveCapacity(live.reduce(0) { $0 + $1.rows.count + 1 })
    for (number, sequence) in live.enumerated() {
      // Where sequences overlap (folded code) the one that starts later wins.
      let limit = number + 1 < live.count ? max(live[number + 1].start, sequence.start) : .max
      let codeEnd = object.codeRange(containing: sequence.start)?.upperBound ?? 0
      let end = min(sequence.end, limit, codeEnd)
      if rows.last?.address == sequence.start { rows.removeLast() }
      for row in program.rows[sequence.rows] {
        if row.address >= end { break }
        rows.append(
          LineRow(
            address: row.address, file: files.file(row.file, in: self), line: row.line, column: row.column,
            endsSequence: false))
      }
      if end > sequence.start {
        rows.append(LineRow(address: end, file: -1, line: 0, column: 0, endsSequence: true))
      }
    }
    return rows
  }
}
