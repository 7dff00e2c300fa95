internal import Bytes

/// The range lists of one split unit of DWARF 5, read without libdw.
///
/// Ranges given as pairs of offsets count from where the unit begins, which only its skeleton says; libdw takes 0 when
/// it has not opened the split file itself. Source: DWARF 5, 2.17.3 and 7.25.
struct RangeLists {
  /// `.debug_rnglists.dwo`, beginning with its header.
  let lists: ByteView
  /// The unit's part of `.debug_addr`.
  let addresses: ByteView
  let order: ByteOrder
  let addressSize: Int
  /// The address that the unit begins at.
  let base: UInt64

  /// One entry of a list.
  private enum Entry {
    case end, base
    case range(AddressRange)
  }

  /// The ranges of list number `index` (`DW_FORM_rnglistx`); those before the first damage. Each entry is a step.
  func ranges(at index: UInt64, _ reader: DebugInfoReader) throws(DebugInfoError) -> [AddressRange] {
    // Header: length, version, address size, segment size, number of offsets; then the offsets, from their own start.
    let is64Bit = lists.load(at: 0, as: UInt32.self, order: order) == 0xffff_ffff
    let table = is64Bit ? 20 : 12
    let width = is64Bit ? 8 : 4
    guard index < UInt64(lists.count) else { return [] }
    let at = table + Int(index) * width
    let offset: UInt64? =
      is64Bit
      ? lists.load(at: at, order: order) : lists.load(at: at, as: UInt32.self, order: order).map(UInt64.init)
    guard let offset, offset < UInt64(lists.count) else { return [] }
    var cursor = ByteCursor(lists, order: order, at: table + Int(offset))
    var ranges: [AddressRange] = []
    var base = base
    while true {
      try reader.spend()
      switch try? next(&cursor, &base) {
      case .range(let range): ranges.append(range)
      case .base: continue
      case .end, nil: return ranges
      }
    }
  }

  private func next(_ cursor: inout ByteCursor, _ base: inout UInt64) throws(ByteError) -> Entry {
    switch try cursor.read(UInt8.self) {
    case 0x01:
      base = try address(&cursor)
      return .base
    case 0x02: return .range(AddressRange(start: try address(&cursor), end: try address(&cursor)))
    case 0x03:
      let start = try address(&cursor)
      return .range(AddressRange(start: start, end: start &+ (try cursor.readULEB128())))
    case 0x04:
      let start = base &+ (try cursor.readULEB128())
      return .range(AddressRange(start: start, end: base &+ (try cursor.readULEB128())))
    case 0x05:
      base = try word(&cursor)
      return .base
    case 0x06: return .range(AddressRange(start: try word(&cursor), end: try word(&cursor)))
    case 0x07:
      let start = try word(&cursor)
      return .range(AddressRange(start: start, end: start &+ (try cursor.readULEB128())))
    default: return .end
    }
  }

  /// The address that an index into `.debug_addr` stands for.
  private func address(_ cursor: inout ByteCursor) throws(ByteError) -> UInt64 {
    let index = try cursor.readULEB128()
    guard index < UInt64(addresses.count) else { throw ByteError(.truncated, at: cursor.offset) }
    var entry = ByteCursor(addresses, order: order, at: Int(index) * addressSize)
    return try word(&entry)
  }

  private func word(_ cursor: inout ByteCursor) throws(ByteError) -> UInt64 {
    addressSize == 8 ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
  }
}
