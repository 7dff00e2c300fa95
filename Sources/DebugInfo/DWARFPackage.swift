internal import Bytes
internal import ObjectFiles

/// A DWARF package file (`.dwp`): the sections of many split units one after another, with an index.
///
/// Source: DWARF 5, 7.3.5; the older form is the GNU DebugFission proposal. libdw 0.188 does not read it, but a split
/// unit cut out of it is like a `.dwo` file of its own.
struct DWARFPackage: Sendable {
  private let sections: [DWARFSection]
  private let index: ByteView
  private let object: ObjectFile
  private let version: UInt32
  private let columns: Int
  private let units: Int
  private let slots: Int

  /// The package in `object`; `nil` when it has no index of units.
  init?(_ object: ObjectFile, _ limits: DebugInfoLimits) throws(DebugInfoError) {
    let names = DWARFPackage.sectionNames.values.flatMap { [$0.old, $0.new] }.compactMap { $0 }
    let loaded = try DebugSections.load(names + [".debug_str.dwo", ".debug_cu_index"], from: object, limits)
    guard let index = loaded.sections.first(where: { $0.name == ".debug_cu_index" })?.bytes else { return nil }
    let order = object.byteOrder
    guard let short: UInt16 = index.load(at: 0, order: order), let long: UInt32 = index.load(at: 0, order: order),
      let columns: UInt32 = index.load(at: 4, order: order), let units: UInt32 = index.load(at: 8, order: order),
      let slots: UInt32 = index.load(at: 12, order: order)
    else { throw DebugInfoError(.malformed, ".debug_cu_index is cut off") }
    version = short == 5 ? 5 : long
    guard version == 2 || version == 5 else {
      throw DebugInfoError(.unsupported, ".debug_cu_index of version \(version)")
    }
    // Bounded before they are multiplied: the product of three numbers of 32 bits does not fit in 64.
    guard columns <= 8,
      16 + 12 * UInt64(slots) + 4 * UInt64(columns) * (1 + 2 * UInt64(units)) <= UInt64(index.count)
    else {
      throw DebugInfoError(.malformed, ".debug_cu_index: its tables do not fit")
    }
    sections = loaded.sections
    self.index = index
    self.object = object
    (self.columns, self.units, self.slots) = (Int(columns), Int(units), Int(slots))
  }

  /// What the numbers in the index' first row mean, in its two versions.
  private static let sectionNames: [UInt32: (old: String?, new: String?)] = [
    1: (".debug_info.dwo", ".debug_info.dwo"), 3: (".debug_abbrev.dwo", ".debug_abbrev.dwo"),
    4: (".debug_line.dwo", ".debug_line.dwo"), 6: (".debug_str_offsets.dwo", ".debug_str_offsets.dwo"),
    8: (nil, ".debug_rnglists.dwo"),
  ]

  /// The sections of the unit with this identifier; `nil` when the package does not hold it.
  func sections(of id: UInt64) throws(DebugInfoError) -> [DWARFSection]? {
    let order = object.byteOrder
    var row: UInt32 = 0
    for slot in 0..<slots where index.load(at: 16 + 8 * slot, as: UInt64.self, order: order) == id {
      row = index.load(at: 16 + 8 * slots + 4 * slot, order: order) ?? 0
      if row > 0 { break }
    }
    guard row > 0 else { return nil }
    guard row <= units else { throw DebugInfoError(.malformed, ".debug_cu_index: row \(row) of \(units)") }
    let offsets = 16 + 12 * slots
    let sizes = offsets + 4 * columns * (1 + units)
    var result = sections.filter { $0.name == ".debug_str.dwo" }
    for column in 0..<columns {
      let kind: UInt32 = index.load(at: offsets + 4 * column, order: order) ?? 0
      let names = DWARFPackage.sectionNames[kind]
      guard let name = version == 5 ? names?.new : names?.old, let whole = sections.first(where: { $0.name == name }),
        let offset: UInt32 = index.load(at: offsets + 4 * (Int(row) * columns + column), order: order),
        let size: UInt32 = index.load(at: sizes + 4 * ((Int(row) - 1) * columns + column), order: order)
      else { continue }
      guard let part = whole.bytes.slice(at: UInt64(offset), count: UInt64(size)) else {
        throw DebugInfoError(.malformed, ".debug_cu_index: a part of \(name) lies past its end")
      }
      result.append(DWARFSection(name: name, bytes: part))
    }
    return result
  }
}
