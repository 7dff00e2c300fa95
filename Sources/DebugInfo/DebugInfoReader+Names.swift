internal import CElfutils

/// Where interned things stand in the reader's lists.
struct InternedIndex {
  /// By content.
  var identities: [FunctionIdentity: Int32] = [:]
  /// By the address of the entry that has the names.
  var namedEntries: [UnsafeMutableRawPointer: NamedEntry] = [:]
  /// By content.
  var files: [String: Int32] = [:]
  /// `DW_AT_language` by unit.
  var languages: [OpaquePointer: UInt16] = [:]
  /// By the address of the abbreviation.
  var attributeCounts = AttributeCounts()

  /// Forgets what is known by addresses, which another session may use again for something else.
  mutating func forgetAddresses() {
    namedEntries.removeAll(keepingCapacity: true)
    languages.removeAll(keepingCapacity: true)
    attributeCounts = AttributeCounts()
  }
}

/// What an entry, or those it refers to, say of a function.
struct NamedEntry {
  /// Index into the reader's identities.
  var identity: Int32
  /// `DW_AT_decl_line`; 0 when unknown.
  var declLine: UInt64 = 0
  /// `DW_AT_decl_file`, numbered by the unit `declUnit`.
  var declFile: UInt64?
  /// The unit that the entry with the file stands in.
  var declUnit: OpaquePointer?
}

extension DebugInfoReader {
  /// The names of the function that `die` is or refers to (`DW_AT_abstract_origin`, `DW_AT_specification`), interned.
  func named(_ die: inout Dwarf_Die, _ attributes: EntryAttributes) -> NamedEntry {
    // Copies and inlined calls name nothing themselves: the entry they refer to is met again and again.
    if attributes.linkageName == nil, attributes.name == nil,
      var origin = (attributes.origin ?? attributes.specification)?.entry, let address = origin.addr
    {
      if let known = index.namedEntries[address] { return known }
      charge(&origin)
      let found =
        EntryAttributes(&origin).map { namedEntry(&origin, $0) }
        ?? NamedEntry(identity: intern(nil, nil, language: 0))
      index.namedEntries[address] = found
      return found
    }
    return namedEntry(&die, attributes)
  }

  private func namedEntry(_ die: inout Dwarf_Die, _ first: EntryAttributes) -> NamedEntry {
    var attributes = first
    var linkageName: UnsafePointer<CChar>?
    var name: UnsafePointer<CChar>?
    var found = NamedEntry(identity: -1)
    var entry = die
    // References may form a cycle in damaged files (B.35).
    for hop in 0...limits.referenceHops {
      linkageName = linkageName ?? attributes.linkageName?.text
      name = name ?? attributes.name?.text
      if found.declLine == 0 { found.declLine = attributes.declLine?.unsigned ?? 0 }
      if found.declFile == nil, let file = attributes.declFile?.unsigned {
        (found.declFile, found.declUnit) = (file, entry.cu)
      }
      if hop == limits.referenceHops || linkageName != nil && name != nil && found.declLine > 0 { break }
      guard var next = (attributes.origin ?? attributes.specification)?.entry else { break }
      charge(&next)
      guard let nextAttributes = EntryAttributes(&next) else { break }
      (entry, attributes) = (next, nextAttributes)
    }
    found.identity = intern(linkageName.flatMap(spell), name.flatMap(spell), language: language(of: entry))
    return found
  }

  /// A text of libdw's, as long as there is room for it.
  private func spell(_ text: UnsafePointer<CChar>) -> String? {
    guard nameBytes >= 0 else { return nil }
    let name = String(cString: text)
    nameBytes -= name.utf8.count
    return name
  }

  private func intern(_ linkageName: String?, _ name: String?, language: UInt16) -> Int32 {
    let identity = FunctionIdentity(
      linkageName: linkageName?.isEmpty == true ? nil : linkageName, name: name?.isEmpty == true ? nil : name,
      language: language)
    if let known = index.identities[identity] { return known }
    let new = Int32(identities.count)
    identities.append(identity)
    index.identities[identity] = new
    return new
  }

  private func language(of die: Dwarf_Die) -> UInt16 {
    guard let unit = die.cu else { return 0 }
    if let known = index.languages[unit] { return known }
    var unitDie = Dwarf_Die()
    var language: UInt16 = 0
    if dwarf_cu_info(unit, nil, nil, &unitDie, nil, nil, nil, nil) == 0 {
      language = UInt16(clamping: max(0, dwarf_srclang(&unitDie)))
    }
    index.languages[unit] = language
    return language
  }

  /// The number of the file with this path; -1 once there is no more room for paths.
  ///
  /// Compilers put a folder in front even of a pseudo-file such as `<compiler-generated>`; it is taken off (B.29).
  func file(_ path: String) -> Int32 {
    let last = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    let path = SourceName.isPseudo(String(last)) ? String(last) : path
    if let known = index.files[path] { return known }
    pathBytes -= path.utf8.count
    if pathBytes < 0 { return -1 }
    let number = Int32(files.count)
    files.append(path)
    index.files[path] = number
    return number
  }
}
