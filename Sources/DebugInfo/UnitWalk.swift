internal import CElfutils
internal import ObjectFiles

/// Walks the entries of one unit in the order they stand, with an explicit stack.
///
/// libdw's own look-ups are not used: `dwarf_addrdie` needs a section that compilers leave out, and `dwarf_getscopes`
/// does not look below namespaces and modules (symbolication.md B.21). Ranges of units are not trusted either (B.17):
/// functions are found by walking into everything that can hold one.
struct UnitWalk {
  /// What holds for all entries of one list.
  struct Scope {
    /// Index into `result.functions`, -1 outside functions with code.
    var function: Int32 = -1
    /// The inlined call around, -1 when there is none.
    var inline: Int32 = -1
  }

  var result = DebugUnit()
  private let reader: DebugInfoReader
  private let session: DWARFSession
  private let unit: DWARFSession.Unit
  /// What the ranges of a split unit of DWARF 4 count from; 0 otherwise.
  private let rangeBase: UInt64
  /// The range lists of a split unit of DWARF 5.
  private let rangeLists: RangeLists?
  /// The function of each inlined call.
  private var functionOfInline: [Int32] = []
  private var files: UnitFiles?
  /// Whether entries nest deeper than is read.
  private var isTooDeep = false
  /// Whether ranges were left out.
  private var isRangeLimitReached = false

  /// A walk through `unit` of `session`; `skeleton` is what the main file holds of a split unit.
  init(
    reader: DebugInfoReader, session: DWARFSession, unit: DWARFSession.Unit, files: UnitFiles?,
    skeleton: DWARFSession.Unit? = nil
  ) {
    self.reader = reader
    self.session = session
    self.unit = unit
    self.files = files
    rangeBase = unit.version < 5 ? skeleton?.lowAddress ?? 0 : 0
    rangeLists = skeleton.flatMap { session.rangeLists(base: $0.lowAddress, of: reader.object, version: unit.version) }
    result.version = unit.version
  }

  /// Walks through the unit. The line rows are not read here.
  mutating func run() throws(DebugInfoError) {
    try walkEntries()
    if isTooDeep { result.note("entries that nest deeper than \(reader.limits.entryDepth) are left out") }
    if isRangeLimitReached { result.note("ranges beyond the first \(reader.rangeLimit) are left out") }
    result.groupInlines(by: functionOfInline)
  }

  private mutating func walkEntries() throws(DebugInfoError) {
    var stack: [Scope] = []
    var scope = Scope()
    var die = unit.die
    while true {
      reader.charge(&die)
      try reader.spend()
      var inner = scope
      let mayMatter = try visit(&die, &inner)
      var next = Dwarf_Die()
      if mayMatter, dwarf_child(&die, &next) == 0 {
        if stack.count < reader.limits.entryDepth {
          stack.append(scope)
          scope = inner
          die = next
          continue
        }
        isTooDeep = true
      }
      let step = dwarf_siblingof(&die, &next)
      if step == 0 {
        die = next
        continue
      }
      guard step == 1 else {
        result.note("an entry cannot be read: \(DWARFHandle.lastError ?? "damaged")")
        return
      }
      // The list has ended and `next` is the null entry that closes it. What follows is the next entry of the list
      // around, so the children just walked need not be passed over again to find it.
      var closing = next.addr
      while true {
        guard let outer = stack.popLast(), let null = closing, let byte = session.infoByte(after: null, in: unit) else {
          return
        }
        scope = outer
        if byte != 0 { break }
        closing = null + 1
      }
      die = Dwarf_Die(addr: closing.map { $0 + 1 }, cu: unit.die.cu, abbrev: nil, padding__: 0)
    }
  }

  /// Reads one entry, adds what it says to `scope`, and tells whether its children may matter.
  private mutating func visit(_ die: inout Dwarf_Die, _ scope: inout Scope) throws(DebugInfoError) -> Bool {
    switch Int(dwarf_tag(&die)) {
    case DW_TAG_subprogram: try visitFunction(&die, &scope)
    case DW_TAG_inlined_subroutine: try visitInlinedCall(&die, &scope)
    case DW_TAG_compile_unit, DW_TAG_skeleton_unit, DW_TAG_module, DW_TAG_namespace, DW_TAG_class_type,
      DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_enumeration_type, DW_TAG_interface_type, DW_TAG_lexical_block,
      DW_TAG_try_block, DW_TAG_catch_block, DW_TAG_with_stmt, DW_TAG_common_block, DW_TAG_entry_point:
      true
    default: false
    }
  }

  private mutating func visitFunction(_ die: inout Dwarf_Die, _ scope: inout Scope) throws(DebugInfoError) -> Bool {
    guard let attributes = EntryAttributes(&die) else { return false }
    guard attributes.hasCode else {
      // A declaration or an abstract function: no code of its own, but it may hold functions that have.
      scope = Scope()
      return true
    }
    let ranges = try appendRanges(of: &die, attributes)
    // Most functions of an unstripped file are dropped ones; nothing inside them is live.
    guard !ranges.isEmpty else { return false }
    scope = Scope(function: Int32(result.functions.count))
    let named = reader.named(&die, attributes)
    result.functions.append(
      DebugFunction(identity: named.identity, ranges: ranges, inlines: 0..<0, declaration: try declaration(named)))
    return true
  }

  private mutating func visitInlinedCall(_ die: inout Dwarf_Die, _ scope: inout Scope) throws(DebugInfoError) -> Bool {
    guard scope.function >= 0, let attributes = EntryAttributes(&die) else { return false }
    let depth = scope.inline < 0 ? 1 : result.inlines[Int(scope.inline)].depth + 1
    guard depth <= reader.limits.inlineDepth else {
      result.cutInlines += 1
      return false
    }
    let ranges = try appendRanges(of: &die, attributes)
    // Strict DWARF 2 cannot state several ranges and gives none, or an empty one: such a call has no code of its own and
    // is a link of the chains of the calls inside it.
    var callFile: Int32 = -1
    if let number = attributes.callFile?.unsigned { callFile = try files?.file(number, in: reader) ?? -1 }
    let named = reader.named(&die, attributes)
    result.inlines.append(
      InlinedCall(
        identity: named.identity, parent: scope.inline, depth: depth, ranges: ranges,
        callFile: callFile,
        callLine: UInt32(truncatingIfNeeded: attributes.callLine?.unsigned ?? 0),
        callColumn: UInt32(truncatingIfNeeded: attributes.callColumn?.unsigned ?? 0),
        declaration: try declaration(named)))
    functionOfInline.append(scope.function)
    scope.inline = Int32(result.inlines.count - 1)
    return true
  }

  /// Where a function is declared. A file is numbered by the unit that names it; of other units they are not known here.
  private mutating func declaration(_ named: NamedEntry) throws(DebugInfoError) -> Declaration? {
    guard named.declLine > 0, let number = named.declFile, named.declUnit == unit.die.cu,
      let file = try files?.file(number, in: reader), file >= 0
    else { return nil }
    return Declaration(file: file, line: UInt32(clamping: named.declLine))
  }

  /// Appends the live ranges of an entry. A range outside instructions is what a linker left of a dropped function.
  private mutating func appendRanges(
    of die: inout Dwarf_Die, _ attributes: EntryAttributes
  ) throws(DebugInfoError) -> Range<Int32> {
    let first = Int32(result.ranges.count)
    if let lists = rangeLists, let index = attributes.rangeListIndex {
      for range in try lists.ranges(at: index, reader) { append(range.start, range.end) }
    } else if let list = attributes.ranges {
      var base: Dwarf_Addr = 0
      var start: Dwarf_Addr = 0
      var end: Dwarf_Addr = 0
      var offset = 0
      // libdw passes over any number of entries that give no range: what it read is the work. Where a list given by
      // its number begins is not known here.
      var read = Int(list.form) == DW_FORM_rnglistx ? 0 : list.unsigned.map { Int(clamping: $0) } ?? 0
      while true {
        offset = dwarf_ranges(&die, offset, &base, &start, &end)
        guard offset > 0 else { break }
        try reader.spend(read > 0 ? max(1, (offset - read) / 16) : 1)
        read = offset
        // A base that the list itself selects is not 0.
        let shift = base == 0 ? rangeBase : 0
        append(start &+ shift, end &+ shift)
      }
    } else if let low = attributes.lowPC?.address, let high = attributes.highPC {
      if high.isAddress {
        append(low, high.address ?? low)
      } else {
        let (end, overflow) = low.addingReportingOverflow(high.unsigned ?? 0)
        if !overflow { append(low, end) }
      }
    }
    return first..<Int32(result.ranges.count)
  }

  private mutating func append(_ start: UInt64, _ end: UInt64) {
    guard start < end, reader.object.isCode(start..<end) else { return }
    guard result.ranges.count < reader.rangeLimit else {
      isRangeLimitReached = true
      return
    }
    result.ranges.append(AddressRange(start: start, end: end))
  }
}

extension DebugUnit {
  /// Puts the inlined calls of each function side by side: functions inside functions interleave them.
  mutating func groupInlines(by functionOfInline: [Int32]) {
    let order = functionOfInline.indices.sorted { (functionOfInline[$0], $0) < (functionOfInline[$1], $1) }
    var position = [Int32](repeating: 0, count: order.count)
    for (new, old) in order.enumerated() { position[old] = Int32(new) }
    inlines = order.map { old in
      var call = inlines[old]
      if call.parent >= 0 { call.parent = position[Int(call.parent)] }
      return call
    }
    var start = 0
    for index in functions.indices {
      var end = start
      while end < order.count, functionOfInline[order[end]] == Int32(index) { end += 1 }
      functions[index].inlines = Int32(start)..<Int32(end)
      start = end
    }
  }
}
