public import Bytes

/// Puts DWARF units and a line table into a small ELF or Mach-O file around a stretch of code.
public struct DebugFileBuilder: Sendable {
  /// The code: `[start, end)`.
  public var code: Range<UInt64> = 0x1000..<0x2000
  /// Byte order and width of the file.
  public var order = ByteOrder.little
  /// Whether it is a 64-bit file.
  public var is64Bit = true
  /// Whether it is a dSYM and not an ELF file.
  public var isMachO = false
  /// The debug sections by ELF name without the dot, in file order.
  public var sections: [(name: String, data: [UInt8])] = []
  /// Functions of the symbol table: name without underscore, address, size (ELF only).
  public var symbols: [(name: String, address: UInt64, size: UInt64)] = []
  /// ELF section flags and names for compressed forms.
  public var flags: UInt64 = 0

  /// A file without debug information.
  public init() {}

  /// A file with one unit, and one line table for it.
  public init(_ unit: DWARFUnitBuilder, lines: [UInt8] = [], code: Range<UInt64> = 0x1000..<0x2000) {
    self.code = code
    let (info, abbreviations) = unit.finish()
    sections = [("debug_info", info), ("debug_abbrev", abbreviations), ("debug_line", lines)]
  }

  /// The file.
  public func build() -> [UInt8] {
    if isMachO {
      var builder = MachOBuilder()
      builder.order = order
      builder.is64Bit = is64Bit
      builder.text = (code.lowerBound & ~0xfff, code.upperBound)
      builder.sections =
        [.code(at: code.lowerBound, size: code.upperBound - code.lowerBound)]
        + sections.filter { !$0.data.isEmpty }.map {
          .init("__DWARF", "__" + String($0.name.prefix(14)), at: 0x10_0000, data: $0.data)
        }
      builder.symbols = symbols.map { .init("_" + $0.name, $0.address) }
      return builder.build()
    }
    var builder = ELFBuilder()
    builder.order = order
    builder.is64Bit = is64Bit
    builder.machine = is64Bit ? 62 : 3
    builder.sections =
      [.code(at: code.lowerBound, size: code.upperBound - code.lowerBound)]
      + sections.filter { !$0.data.isEmpty }.map { .init("." + $0.name, flags: flags, data: $0.data) }
    builder.symbols = symbols.map { .init($0.name, $0.address, size: $0.size) }
    builder.segments = [.init(at: 0, size: code.upperBound)]
    return builder.build()
  }
}
