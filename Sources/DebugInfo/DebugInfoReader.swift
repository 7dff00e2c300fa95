internal import Bytes
internal import CElfutils
internal import ObjectFiles

/// Reads the units of one slice's DWARF through libdw, one at a time.
///
/// One reader belongs to one thread; several may read the same `DebugSections`. Names and files are interned for the
/// life of the reader: units speak of them by index.
public final class DebugInfoReader {
  /// The functions met so far; `DebugFunction.identity` and `InlinedCall.identity` point here.
  public internal(set) var identities: [FunctionIdentity] = []
  /// The source files met so far, absolute where the debug information makes them so. A pseudo-file such as
  /// `<compiler-generated>` stands alone, without the folder that it is not in.
  public internal(set) var files: [String] = []
  /// The number of units.
  public var unitCount: Int { units.count }

  let object: ObjectFile
  let limits: DebugInfoLimits
  private let handle: DWARFHandle
  private let info: ByteView
  private let units: [Unit]
  /// How many more steps may be taken: hostile input must not cost more than its size allows.
  private var steps: Int
  var index = InternedIndex()

  /// One compilation unit: its first entry and where it ends.
  struct Unit {
    var die: Dwarf_Die
    var version: UInt16
    /// One past its last byte, in bytes from the start of `.debug_info`.
    var end: UInt64
  }

  /// Opens a libdw session and lists the units. Cost: the unit headers are read.
  public init(_ sections: DebugSections) throws(DebugInfoError) {
    object = sections.object
    limits = sections.limits
    steps = sections.stepLimit
    info = sections.sections.first { $0.name == ".debug_info" }?.bytes ?? .empty
    handle = try DWARFHandle(
      sections: sections.sections, byteOrder: object.byteOrder, pointerSize: object.pointerSize)
    units = DebugInfoReader.listUnits(handle, infoSize: UInt64(info.count))
  }

  /// The compilation units in file order; type and partial units hold no code and are only referred to.
  private static func listUnits(_ handle: DWARFHandle, infoSize: UInt64) -> [Unit] {
    var units: [Unit] = []
    var offset: Dwarf_Off = 0
    var next: Dwarf_Off = 0
    var headerSize = 0
    var version: Dwarf_Half = 0
    while dwarf_next_unit(handle.dwarf, offset, &next, &headerSize, &version, nil, nil, nil, nil, nil) == 0,
      next > offset
    {
      var die = Dwarf_Die()
      if dwarf_offdie(handle.dwarf, offset + UInt64(headerSize), &die) != nil {
        let tag = dwarf_tag(&die)
        if tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit {
          units.append(Unit(die: die, version: version, end: min(next, infoSize)))
        }
      }
      offset = next
    }
    return units
  }

  /// Reads unit number `index`. Damage inside the unit ends it early and is reported in it; other units go on.
  ///
  /// Throws `workLimit`. Cost: linear in the unit.
  public func readUnit(_ index: Int) throws(DebugInfoError) -> DebugUnit {
    guard units.indices.contains(index) else { throw DebugInfoError(.malformed, "there is no unit \(index)") }
    let before = steps
    var walk = UnitWalk(reader: self, unit: units[index])
    try walk.run()
    walk.result.steps = before - steps
    return walk.result
  }

  /// Counts `count` steps of work.
  func spend(_ count: Int = 1) throws(DebugInfoError) {
    steps -= count
    if steps < 0 { throw DebugInfoError.workLimitReached }
  }

  /// The byte of `.debug_info` behind `position`, or `nil` when that is past the end of the unit.
  func infoByte(after position: UnsafeMutableRawPointer, in unit: Unit) -> UInt8? {
    let offset = info.withBytes { bytes in
      bytes.baseAddress.map { UnsafeRawPointer(position) - $0 + 1 } ?? -1
    }
    guard offset >= 0, UInt64(offset) < unit.end else { return nil }
    return info.load(at: offset)
  }
}
