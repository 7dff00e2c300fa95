internal import Bytes

extension ObjectFile {
  /// What the headers say is in the file and lies past its end: the file is cut off, or still being written. `nil` when
  /// all is there.
  ///
  /// A linker or a copy writes headers first, so a file that a script picks up too early looks like this. Only debug
  /// sections and the symbol table count: what names code, and what stands last in the file.
  public var missingPart: String? {
    if let section = sections.first(where: { $0.isTruncated && $0.dwarfName != nil }) {
      return "section \(section.name)"
    }
    guard let table = machO?.symbolTable, table.count > 0 else { return nil }
    let end = UInt64(table.offset) + UInt64(table.count) * (pointerSize == 8 ? 16 : 12)
    let stringEnd = UInt64(table.stringOffset) + UInt64(table.stringSize)
    return max(end, stringEnd) > UInt64(bytes.count) ? "the symbol table" : nil
  }
}
