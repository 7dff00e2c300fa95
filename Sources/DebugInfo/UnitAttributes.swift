internal import CElfutils
internal import Glibc

/// The attributes of a unit's first entry that are read before the entries are walked, collected in one pass.
///
/// `dwarf_attr` finds an attribute without a look at its length: a text at the end of a damaged unit would be read on
/// behind the section. The pass here goes over the whole entry, so that all of it lies inside.
struct UnitAttributes {
  /// `DW_AT_comp_dir`.
  var folder: Dwarf_Attribute?
  /// `DW_AT_stmt_list`.
  var lines: Dwarf_Attribute?
  /// `DW_AT_producer`.
  var producer: Dwarf_Attribute?
  /// `DW_AT_dwo_name`, or the older one of GNU.
  var splitName: Dwarf_Attribute?
  /// How many attributes the entry has.
  var count = 0

  /// The attributes of `die`; `nil` when the entry is damaged.
  init?(_ die: Dwarf_Die) {
    var die = die
    let end = withUnsafeMutablePointer(to: &self) { into in
      dwarf_getattrs(&die, collectUnitAttribute, into, 0)
    }
    if end != 1 { return nil }
  }

  /// The longest path, in bytes: no system opens a longer one.
  static let maximumPathLength = 4096

  /// The most of a text that is kept, in bytes.
  static let maximumTextLength = 256
}

/// libdw's callback for one attribute.
private func collectUnitAttribute(_ attribute: UnsafeMutablePointer<Dwarf_Attribute>?, _ into: UnsafeMutableRawPointer?)
  -> Int32
{
  guard let attribute, let into else { return Int32(DWARF_CB_ABORT) }
  // Safety: libdw hands back the pointer that `init` passed in.
  let unit = into.assumingMemoryBound(to: UnitAttributes.self)
  unit.pointee.count += 1
  switch Int(attribute.pointee.code) {
  case DW_AT_comp_dir: unit.pointee.folder = attribute.pointee
  case DW_AT_stmt_list: unit.pointee.lines = attribute.pointee
  case DW_AT_producer: unit.pointee.producer = attribute.pointee
  case DW_AT_dwo_name, DW_AT_GNU_dwo_name: unit.pointee.splitName = attribute.pointee
  default: break
  }
  return Int32(DWARF_CB_OK)
}

extension Dwarf_Attribute {
  /// The text as one to be shown, cut where it gets long: compilers list all their options.
  var shortText: String? {
    text.map { text in
      let length = strnlen(text, UnitAttributes.maximumTextLength)
      return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
  }

  /// The text as a path, cut at the longest there is.
  var path: String? {
    text.map { text in
      let length = strnlen(text, UnitAttributes.maximumPathLength)
      return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
  }
}

/// How many attributes entries have: libdw passes over each of them to find the next entry, and one abbreviation of
/// thousands serves any number of entries.
struct AttributeCounts {
  private static let size = 256
  private var abbreviations = [OpaquePointer?](repeating: nil, count: size)
  private var counts = [Int](repeating: 0, count: size)

  /// The number of attributes of an entry; 0 when its abbreviation is not known.
  mutating func count(of die: inout Dwarf_Die) -> Int {
    // The tag's look-up finds the abbreviation; it is a mark and no pointer when there is none.
    guard dwarf_tag(&die) != 0, let abbreviation = die.abbrev else { return 0 }
    let slot = Int(bitPattern: abbreviation) >> 4 & (Self.size - 1)
    if abbreviations[slot] == abbreviation { return counts[slot] }
    var count = 0
    guard dwarf_getattrcnt(abbreviation, &count) == 0 else { return 0 }
    (abbreviations[slot], counts[slot]) = (abbreviation, count)
    return count
  }
}
