internal import Bytes
internal import CElfutils
internal import ObjectFiles

/// A libdw session with the list of its compilation units.
final class DWARFSession {
  let handle: DWARFHandle
  /// The compilation units in file order; type and partial units hold no code and are only referred to.
  let units: [Unit]
  /// Whether there are units and not one of them can be read: their abbreviations are damaged or missing.
  let isUnreadable: Bool
  private let info: ByteView
  private let sections: [DWARFSection]
  /// The session that holds what dwz moved out; libdw refers to it.
  private let alternate: DWARFSession?

  /// One compilation unit: its first entry and where it ends.
  struct Unit {
    var die: Dwarf_Die
    var version: UInt16
    /// One past its last byte, in bytes from the start of `.debug_info`.
    var end: UInt64
    /// Where the unit's entries really are, when this is only the skeleton of a split unit.
    var split: SplitUnitReference?
  }

  init(
    _ sections: [DWARFSection], byteOrder: ByteOrder, pointerSize: Int, stepLimit: Int,
    alternate: DWARFSession? = nil
  ) throws(DebugInfoError) {
    handle = try DWARFHandle(sections: sections, byteOrder: byteOrder, pointerSize: pointerSize)
    info = sections.first { $0.name == ".debug_info" || $0.name == ".debug_info.dwo" }?.bytes ?? .empty
    self.sections = sections
    self.alternate = alternate
    // Before the first unit is read: its names may lie in the other file.
    if let alternate { dwarf_setalt(handle.dwarf, alternate.handle.dwarf) }
    (units, isUnreadable) = try DWARFSession.listUnits(handle, infoSize: UInt64(info.count), stepLimit: stepLimit)
  }

  /// Lists the units, and tells whether there are some and not one has an entry that can be read. Throws `workLimit`: all of
  /// them may share one abbreviation or one text, however long.
  private static func listUnits(
    _ handle: DWARFHandle, infoSize: UInt64, stepLimit: Int
  ) throws(DebugInfoError) -> (units: [Unit], isUnreadable: Bool) {
    var units: [Unit] = []
    var count = 0
    var readable = 0
    var counts = AttributeCounts()
    var steps = 0
    // Names are kept as long as the list.
    var nameBytes = infoSize.addingReportingOverflow(1 << 20).overflow ? .max : 16 * infoSize + 1 << 20
    var offset: Dwarf_Off = 0
    var next: Dwarf_Off = 0
    var headerSize = 0
    var version: Dwarf_Half = 0
    while dwarf_next_unit(handle.dwarf, offset, &next, &headerSize, &version, nil, nil, nil, nil, nil) == 0,
      next > offset
    {
      var die = Dwarf_Die()
      count += 1
      if dwarf_offdie(handle.dwarf, offset + UInt64(headerSize), &die) != nil {
        let tag = Int(dwarf_tag(&die))
        if tag != DW_TAG_invalid { readable += 1 }
        if tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit {
          steps += counts.count(of: &die)
          let split = SplitUnitReference(skeleton: die)
          let nameSize = UInt64((split?.name.utf8.count ?? 0) + (split?.folder?.utf8.count ?? 0))
          guard steps <= stepLimit, nameSize <= nameBytes else { throw DebugInfoError.workLimitReached }
          nameBytes -= nameSize
          units.append(Unit(die: die, version: version, end: min(next, infoSize), split: split))
        }
      }
      offset = next
    }
    return (units, count > 0 && readable == 0)
  }

  /// The byte of `.debug_info` behind `position`, or `nil` when that is past the end of the unit.
  func infoByte(after position: UnsafeMutableRawPointer, in unit: Unit) -> UInt8? {
    let offset = info.withBytes { bytes in
      bytes.baseAddress.map { UnsafeRawPointer(position) - $0 + 1 } ?? -1
    }
    guard offset >= 0, UInt64(offset) < unit.end else { return nil }
    return info.load(at: offset)
  }

  /// The range lists of a split unit that begins at `base`; `nil` for units whose ranges libdw reads right.
  func rangeLists(base: UInt64, of object: ObjectFile, version: UInt16) -> RangeLists? {
    guard version >= 5, base != 0, let lists = sections.first(where: { $0.name == ".debug_rnglists.dwo" }) else {
      return nil
    }
    let addresses = sections.first { $0.name == ".debug_addr.dwo" }?.bytes ?? .empty
    return RangeLists(
      lists: lists.bytes, addresses: addresses, order: object.byteOrder, addressSize: object.pointerSize, base: base)
  }
}
