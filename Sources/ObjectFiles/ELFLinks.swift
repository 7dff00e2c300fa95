public import Bytes
public import Identity

/// Where an ELF file says that more of its debug information is.
extension ObjectFile {
  /// `.gnu_debuglink`: the name of the file with the debug information, and the CRC-32 of that file.
  public var debugLink: (name: String, crc: UInt32)? {
    guard let data = section(".gnu_debuglink"), let name = data.cString(at: 0, limit: 4096) else { return nil }
    let at = (name.count + 1 + 3) & ~3
    return data.load(at: at, as: UInt32.self, order: byteOrder).map { (name.text, $0) }
  }

  /// `.gnu_debugaltlink`, or `.debug_sup` of DWARF 5: the name of the file that dwz moved shared entries to, and its
  /// build-id.
  public var alternateLink: (name: String, id: DebugID)? {
    if let data = section(".gnu_debugaltlink"), let name = data.cString(at: 0, limit: 4096),
      let id = data.suffix(from: UInt64(name.count + 1))?.withBytes({ DebugID(bytes: $0) })
    {
      return (name.text, id)
    }
    return supplementary(isItself: false)
  }

  /// The identifier that a supplementary file (DWARF 5 `.debug_sup`) says it has.
  public var supplementaryID: DebugID? { supplementary(isItself: true)?.id }

  /// `.debug_sup` (DWARF 5, 7.3.6): version, whether this file is the supplementary one, its name, its identifier.
  private func supplementary(isItself: Bool) -> (name: String, id: DebugID)? {
    guard let data = section(".debug_sup"), let flag: UInt8 = data.load(at: 2), flag == (isItself ? 1 : 0),
      let name = data.cString(at: 3, limit: 4096)
    else { return nil }
    var cursor = ByteCursor(data, at: 3 + name.count + 1)
    guard let length = try? cursor.readULEB128(), let bytes = try? cursor.read(count: length) else { return nil }
    return bytes.withBytes { DebugID(bytes: $0) }.map { (name.text, $0) }
  }

  /// `.gnu_debugdata`: an XZ-compressed ELF file with the symbols that a distribution stripped.
  public var miniDebugData: ByteView? { section(".gnu_debugdata") }

  private func section(_ name: String) -> ByteView? {
    format == .elf ? sections.first { $0.name == name }?.data : nil
  }
}
