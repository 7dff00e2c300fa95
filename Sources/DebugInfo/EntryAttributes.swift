internal import CElfutils

/// The attributes of one entry (DIE) that functions are made of, collected in one pass over its abbreviation.
struct EntryAttributes {
  var name: Dwarf_Attribute?
  var linkageName: Dwarf_Attribute?
  var origin: Dwarf_Attribute?
  var specification: Dwarf_Attribute?
  var lowPC: Dwarf_Attribute?
  var highPC: Dwarf_Attribute?
  var ranges: Dwarf_Attribute?
  var declFile: Dwarf_Attribute?
  var declLine: Dwarf_Attribute?
  var callFile: Dwarf_Attribute?
  var callLine: Dwarf_Attribute?
  var callColumn: Dwarf_Attribute?

  /// The attributes of `die`; `nil` when the entry is damaged.
  init?(_ die: inout Dwarf_Die) {
    let end = withUnsafeMutablePointer(to: &self) { into in
      dwarf_getattrs(&die, collectAttribute, into, 0)
    }
    if end != 1 { return nil }
  }

  private init() {}

  /// The number of the entry's range list, where it is given as one.
  var rangeListIndex: UInt64? {
    ranges.flatMap { Int($0.form) == DW_FORM_rnglistx ? $0.unsigned : nil }
  }

  /// Whether the entry says where its code is.
  var hasCode: Bool { ranges != nil || (lowPC != nil && highPC != nil) }
}

/// libdw's callback for one attribute.
private func collectAttribute(_ attribute: UnsafeMutablePointer<Dwarf_Attribute>?, _ into: UnsafeMutableRawPointer?)
  -> Int32
{
  guard let attribute, let into else { return Int32(DWARF_CB_ABORT) }
  // Safety: libdw hands back the pointer that `init` passed in.
  let entry = into.assumingMemoryBound(to: EntryAttributes.self)
  switch Int(attribute.pointee.code) {
  case DW_AT_name: entry.pointee.name = attribute.pointee
  case DW_AT_linkage_name, DW_AT_MIPS_linkage_name: entry.pointee.linkageName = attribute.pointee
  case DW_AT_abstract_origin: entry.pointee.origin = attribute.pointee
  case DW_AT_specification: entry.pointee.specification = attribute.pointee
  case DW_AT_low_pc: entry.pointee.lowPC = attribute.pointee
  case DW_AT_high_pc: entry.pointee.highPC = attribute.pointee
  case DW_AT_ranges: entry.pointee.ranges = attribute.pointee
  case DW_AT_decl_file: entry.pointee.declFile = attribute.pointee
  case DW_AT_decl_line: entry.pointee.declLine = attribute.pointee
  case DW_AT_call_file: entry.pointee.callFile = attribute.pointee
  case DW_AT_call_line: entry.pointee.callLine = attribute.pointee
  case DW_AT_call_column: entry.pointee.callColumn = attribute.pointee
  default: break
  }
  return Int32(DWARF_CB_OK)
}

extension Dwarf_Attribute {
  /// The unsigned number; `nil` when the form is not one.
  var unsigned: UInt64? {
    var attribute = self
    var value: Dwarf_Word = 0
    return dwarf_formudata(&attribute, &value) == 0 ? value : nil
  }

  /// The address.
  var address: UInt64? {
    var attribute = self
    var value: Dwarf_Addr = 0
    return dwarf_formaddr(&attribute, &value) == 0 ? value : nil
  }

  /// The text, in libdw's memory.
  var text: UnsafePointer<CChar>? {
    var attribute = self
    return dwarf_formstring(&attribute)
  }

  /// The entry referred to.
  var entry: Dwarf_Die? {
    var attribute = self
    var die = Dwarf_Die()
    return dwarf_formref_die(&attribute, &die) != nil ? die : nil
  }

  /// Whether the form of `DW_AT_high_pc` is an address and not a length.
  var isAddress: Bool {
    [
      DW_FORM_addr, DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
      DW_FORM_GNU_addr_index,
    ]
    .contains(Int(form))
  }
}
