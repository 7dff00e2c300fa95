internal import Bytes
internal import CElfutils
public import ObjectFiles

/// Where a skeleton unit says that its entries are (split DWARF).
public struct SplitUnitReference: Sendable, Hashable {
  /// `DW_AT_dwo_name`: the path of the `.dwo` file, relative to `folder` unless absolute.
  public var name: String
  /// `DW_AT_comp_dir`.
  public var folder: String?
  /// The identifier that the split unit must have.
  public var id: UInt64

  /// The reference in a skeleton's entry; `nil` for a whole unit.
  ///
  /// Swift and clang write skeletons for compiled modules too (`.pcm`): they hold no code and nothing is missing.
  init?(skeleton: Dwarf_Die) {
    var die = skeleton
    guard dwarf_haschildren(&die) == 0, let attributes = UnitAttributes(die), let path = attributes.splitName?.path
    else { return nil }
    name = path
    if name.hasSuffix(".pcm") { return nil }
    folder = attributes.folder?.path
    var unitID: UInt64 = 0
    guard let unit = die.cu, dwarf_cu_info(unit, nil, nil, nil, nil, &unitID, nil, nil) == 0 else { return nil }
    id = unitID
  }
}

/// Files that hold a part of an object's debug information.
public struct DebugCompanions: Sendable {
  /// The file that dwz moved shared entries to.
  public var alternate: ObjectFile?
  /// The `.dwo` files that were found.
  public var splitFiles: [SplitUnitReference: ObjectFile] = [:]
  /// A package (`.dwp`) of many split units.
  public var package: ObjectFile?

  /// No companions.
  public init() {}
}

/// The sections of split units, under the names that libdw expects in a `.dwo` file.
struct SplitSections {
  private static let names = [
    ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_line.dwo", ".debug_str.dwo", ".debug_str_offsets.dwo",
    ".debug_rnglists.dwo",
  ]

  /// The sections of one split unit, with the parts of the main file that it shares with its skeleton.
  ///
  /// The addresses and ranges of a split unit stay in the main file and count from where the skeleton says. libdw
  /// would find them through the skeleton, which it only links when it opens the file itself, anywhere on the disk;
  /// so they are put beside the unit's own sections, cut to begin where its numbers count from.
  static func sections(
    of reference: SplitUnitReference, skeleton: DWARFSession.Unit, main: DebugSections
  ) throws(DebugInfoError) -> [DWARFSection]? {
    var sections: [DWARFSection]
    if let file = main.companions.splitFiles[reference] {
      sections = try DebugSections.load(names, from: file, main.limits).sections
    } else if let found = try main.package.get()?.sections(of: reference.id) {
      sections = found
    } else {
      return nil
    }
    let shared: [(name: String, base: UInt64)] = [
      (".debug_addr", skeleton.base(DW_AT_addr_base, DW_AT_GNU_addr_base)),
      (".debug_ranges", skeleton.base(DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base)),
    ]
    for (name, base) in shared {
      guard let whole = main.sections.first(where: { $0.name == name }), let part = whole.bytes.suffix(from: base),
        !part.isEmpty
      else { continue }
      sections.append(DWARFSection(name: name + ".dwo", bytes: part))
    }
    return sections
  }
}

extension DWARFSession.Unit {
  /// The number that one of two attributes gives; 0 without either.
  func base(_ attribute: Int, _ older: Int) -> UInt64 {
    var die = die
    var value = Dwarf_Attribute()
    guard
      dwarf_attr(&die, UInt32(attribute), &value) != nil || dwarf_attr(&die, UInt32(older), &value) != nil
    else { return 0 }
    return value.unsigned ?? 0
  }

  /// The address that the unit begins at, from which its ranges may count; 0 when it has several parts.
  var lowAddress: UInt64 {
    var die = die
    var value = Dwarf_Attribute()
    return dwarf_attr(&die, UInt32(DW_AT_low_pc), &value) != nil ? value.address ?? 0 : 0
  }
}
