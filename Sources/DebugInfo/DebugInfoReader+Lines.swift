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

  /// The reader's number of file `number`; -1 when there is no such file.
  ///
  /// Throws `workLimit`: the texts of many files may be one, of which each pays its length.
  mutating func file(_ number: UInt64, in reader: DebugInfoReader) throws(DebugInfoError) -> Int32 {
    if let known = numbers[number] { return known }
    var cost = 0
    let path = table.path(of: number, compilationFolder: compilationFolder, cost: &cost)
    try reader.spend(cost)
    let found = path.map { reader.file($0) } ?? -1
    numbers[number] = found
    return found
  }
}

/// What a unit's first entry says of its source.
struct UnitLines {
  /// Its line table; `nil` when it has none or that is damaged.
  var table: LineTable?
  /// `DW_AT_comp_dir`.
  var folder = ""
  /// `DW_AT_producer`.
  var producer: String?
  /// What is damaged.
  var problem: String?

  /// The files of its line table.
  var files: UnitFiles? { table.map { UnitFiles($0, compilationFolder: folder) } }
}

extension DebugInfoReader {
  /// The line table and folder of a unit whose entry is `die`, in `sections`.
  ///
  /// A split unit without `DW_AT_stmt_list` has its files at the start of its own `.debug_line.dwo`.
  func lines(
    of die: Dwarf_Die, in sections: LineTable.Sections, isSplit: Bool = false
  ) throws(DebugInfoError) -> UnitLines {
    guard let attributes = UnitAttributes(die) else {
      return UnitLines(problem: "the unit's entry cannot be read: \(DWARFHandle.lastError ?? "damaged")")
    }
    var lines = UnitLines()
    lines.folder = attributes.folder?.path ?? ""
    lines.producer = attributes.producer?.shortText
    try spend((lines.folder.utf8.count + (lines.producer?.utf8.count ?? 0) + attributes.count) / 8)
    guard let offset = attributes.lines?.unsigned ?? (isSplit ? 0 : nil), !sections.lines.isEmpty else { return lines }
    do throws(DebugInfoError) {
      lines.table = try lineTable(at: offset, in: sections, isShared: !isSplit)
    } catch  where error.code != .workLimit {
      lines.problem = "line table cannot be read: \(error)"
    }
    return lines
  }

  /// The line table at `offset`. Units may share one; each of them pays for it, so that what a file costs depends
  /// neither on the number of readers nor on who read the table before.
  private func lineTable(
    at offset: UInt64, in sections: LineTable.Sections, isShared: Bool
  ) throws(DebugInfoError) -> LineTable {
    let source = try LineTable.Source(sections, at: offset)
    try spend(source.byteCount)
    if isShared, let known = lastTable, known.offset == offset { return known.table }
    let table = try LineTable(source, sections)
    if isShared { lastTable = (offset, table) }
    return table
  }

  /// Puts the line rows of one unit that lie in instructions, sorted by address, into `result`.
  ///
  /// The end of a sequence is kept as a row, since behind it nothing is known (B.24). A sequence that does not begin in
  /// instructions is that of a dropped function, however far it reaches.
  func readRows(_ lines: UnitLines, into result: inout DebugUnit) throws(DebugInfoError) {
    if let problem = lines.problem { result.note(problem) }
    guard let table = lines.table else { return }
    let program = LineProgram(table, order: object.byteOrder)
    if let damage = program.damage { result.note("line program breaks off: \(damage)") }
    var files = UnitFiles(program.table, compilationFolder: lines.folder)
    let live = program.sequences.filter { object.codeRange(containing: $0.start) != nil }
      .sorted { ($0.start, $0.rows.lowerBound) < ($1.start, $1.rows.lowerBound) }
    var rows: [LineRow] = []
    rows.reserveCapacity(live.reduce(0) { $0 + $1.rows.count + 1 })
    for (number, sequence) in live.enumerated() {
      let next = number + 1 < live.count ? live[number + 1].start : .max
      let codeEnd = object.codeRange(containing: sequence.start)?.upperBound ?? 0
      func append(upTo end: UInt64, to rows: inout [LineRow]) throws(DebugInfoError) {
        for row in program.rows[sequence.rows] {
          if row.address >= end { break }
          rows.append(
            LineRow(
              address: row.address, file: try files.file(row.file, in: self), line: row.line, column: row.column,
              endsSequence: false))
        }
        if end > sequence.start {
          rows.append(LineRow(address: end, file: -1, line: 0, column: 0, endsSequence: true))
        }
      }
      if next == sequence.start {
        var folded: [LineRow] = []
        try append(upTo: min(sequence.end, codeEnd), to: &folded)
        if !folded.isEmpty { result.foldedRows[sequence.start, default: []].append(folded) }
        continue
      }
      // Where sequences overlap the one that starts later wins.
      if rows.last?.address == sequence.start { rows.removeLast() }
      try append(upTo: min(sequence.end, next, codeEnd), to: &rows)
    }
    result.rows = rows
  }
}
