internal import CElfutils
internal import ObjectFiles

extension DebugInfoReader {
  /// The line rows of one unit that lie in instructions, sorted by address.
  ///
  /// Of several rows at one address the last wins: the others cover nothing (B.25). The end of a sequence is kept as a
  /// row, since behind it nothing is known (B.24). Rows of dropped functions lie outside instructions and end like a
  /// sequence does.
  func readLines(of unit: DWARFSession.Unit) throws(DebugInfoError) -> [LineRow] {
    var die = unit.die
    var lines: OpaquePointer?
    var count = 0
    guard dwarf_getsrclines(&die, &lines, &count) == 0, let lines else { return [] }
    try spend(count)
    var rows: [LineRow] = []
    rows.reserveCapacity(count)
    var code: Range<UInt64> = 0..<0
    for number in 0..<count {
      guard let line = dwarf_onesrcline(lines, number) else { break }
      var address: Dwarf_Addr = 0
      var endsSequence = false
      _ = dwarf_lineaddr(line, &address)
      _ = dwarf_lineendsequence(line, &endsSequence)
      if !endsSequence, !code.contains(address) {
        if let range = object.codeRange(containing: address) { code = range } else { endsSequence = true }
      }
      if endsSequence {
        // A row at the very end covers nothing.
        if rows.last?.address == address, rows.last?.endsSequence == false { rows.removeLast() }
        if rows.last?.endsSequence == false {
          rows.append(LineRow(address: address, file: -1, line: 0, column: 0, endsSequence: true))
        }
        continue
      }
      var lineNumber: Int32 = 0
      var column: Int32 = 0
      _ = dwarf_lineno(line, &lineNumber)
      _ = dwarf_linecol(line, &column)
      let row = LineRow(
        address: address, file: file(dwarf_linesrc(line, nil, nil)), line: UInt32(max(0, lineNumber)),
        column: UInt32(max(0, column)), endsSequence: false)
      if let last = rows.last, last.address == address { rows[rows.count - 1] = row } else { rows.append(row) }
    }
    return rows
  }
}
