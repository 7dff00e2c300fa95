internal import DebugInfo
internal import Demangling
internal import ObjectFiles

/// One row of the LOC table.
struct LocationRecord: Hashable {
  var file: UInt32
  var line: UInt32
  var column: UInt16
  var function: UInt32
  /// Index of the caller's location, smaller than this one's; 0 for the physical function.
  var parent: UInt32
  var isApproximate: Bool
}

/// One row of the FUNC table.
struct FunctionRecord: Hashable {
  var name: UInt32
  var display: UInt32
  var token: UInt32
  /// Position of a run in the ALIAS table, 0 for none.
  var alias: UInt32
  var language: UInt8
  var source: FrameSource
  var traits: FunctionTraits
}

/// The tables of an index while it is built. Everything is numbered in the order it is asked for, and that order is
/// the order of addresses, so equal input gives equal tables whatever the number of workers.
struct IndexTables {
  private(set) var strings = StringPool()
  private(set) var files: [(directory: UInt32, base: UInt32)] = [(0, 0)]
  private(set) var functions = InternTable<FunctionRecord>()
  private(set) var locations = InternTable<LocationRecord>()
  private(set) var aliases: [UInt32] = [0]
  /// How many mangled names could not be demangled.
  private(set) var demangleFailures = 0
  /// How many names are placeholders that bitcode left.
  private(set) var hiddenNames = 0

  private var fileIndex: [String: UInt32] = [:]
  private var names: [NameKey: NameRecord] = [:]
  private var aliasIndex: [[UInt32]: UInt32] = [:]
  private let demangler = Demangler()
  private let symbolMap: BCSymbolMap?

  /// A linker name and, where it differs, the name in the source.
  private struct NameKey: Hashable {
    var name: String
    var sourceName: String?
  }

  /// One distinct name in all its forms.
  struct NameRecord {
    var name: UInt32
    var display: UInt32
    var token: UInt32
    var traits: FunctionTraits
  }

  /// Empty tables; `symbolMap` has the names behind placeholders.
  init(symbolMap: BCSymbolMap? = nil) {
    self.symbolMap = symbolMap
    // Number 0 means none in every table.
    _ = locations.intern(LocationRecord(file: 0, line: 0, column: 0, function: 0, parent: 0, isApproximate: false))
    _ = functions.intern(
      FunctionRecord(name: 0, display: 0, token: 0, alias: 0, language: 0, source: .dwarf, traits: []))
  }

  mutating func file(_ hiddenPath: String) -> UInt32 {
    if let known = fileIndex[hiddenPath] { return known }
    let path = symbolMap?.path(hiddenPath) ?? hiddenPath
    let slash = path.utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
    let directory = slash.map { String(path[...$0]) } ?? ""
    let base = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    let number = UInt32(files.count)
    files.append((strings.intern(directory), strings.intern(base)))
    fileIndex[hiddenPath] = number
    return number
  }

  /// The row of a function that the linker calls `name`.
  ///
  /// Where that name is not a mangled one, people know the function as `shownAs`, its name in the source.
  mutating func function(
    named name: String, shownAs sourceName: String? = nil, aliases: [String] = [], language: UInt16 = 0,
    source: FrameSource
  ) -> UInt32 {
    let record = nameRecord(name, sourceName)
    var traits = record.traits
    if !aliases.isEmpty { traits.insert(.ambiguous) }
    return UInt32(
      functions.intern(
        FunctionRecord(
          name: record.name, display: record.display, token: token(of: name, record, sharedWith: aliases),
          alias: aliasRun(aliases),
          language: UInt8(clamping: language), source: source, traits: traits)))
  }

  /// The token of a function, and of all functions that share its code.
  ///
  /// Which of them is shown depends on what the linker folded; the signature must not, or one bug is two clusters in two
  /// builds: of their tokens the shortest counts, the first by bytes, a thunk's only among thunks (symbolication.md
  /// B.42).
  private mutating func token(of name: String, _ record: NameRecord, sharedWith aliases: [String]) -> UInt32 {
    guard !aliases.isEmpty else { return record.token }
    let names = ([name] + aliases).map { symbolMap?.name($0) ?? $0 }
    let tokens = names.map { demangler.demangle($0) }.map { (isThunk: $0.traits.contains(.thunk), text: $0.token) }
    let best = tokens.min { a, b in
      if a.isThunk != b.isThunk { return b.isThunk }
      if a.text.utf8.count != b.text.utf8.count { return a.text.utf8.count < b.text.utf8.count }
      return a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }
    guard let best, best.text != tokens[0].text else { return record.token }
    return strings.intern(best.text)
  }

  private mutating func nameRecord(_ hiddenName: String, _ hiddenSourceName: String?) -> NameRecord {
    let key = NameKey(name: hiddenName, sourceName: hiddenSourceName == hiddenName ? nil : hiddenSourceName)
    if let known = names[key] { return known }
    let name = symbolMap?.name(hiddenName) ?? hiddenName
    let sourceName = key.sourceName.map { symbolMap?.name($0) ?? $0 }
    var demangled = demangler.demangle(name)
    if demangled.outcome == .failed || demangled.outcome == .tooLong { demangleFailures += 1 }
    if BCSymbolMap.isPlaceholder(name) { hiddenNames += 1 }
    if demangled.language == .plain, let sourceName, !BCSymbolMap.isPlaceholder(sourceName) {
      demangled = demangler.demangle(sourceName)
    }
    let record = NameRecord(
      name: strings.intern(name),
      display: demangled.display == name ? 0 : strings.intern(demangled.display),
      token: demangled.token == demangled.display ? 0 : strings.intern(demangled.token),
      traits: demangled.traits)
    names[key] = record
    return record
  }

  /// A run of the ALIAS table: how many, then the names' positions in the string pool.
  private mutating func aliasRun(_ names: [String]) -> UInt32 {
    guard !names.isEmpty else { return 0 }
    let run = names.map { strings.intern($0) }
    if let known = aliasIndex[run] { return known }
    let position = UInt32(aliases.count)
    aliases.append(UInt32(run.count))
    aliases += run
    aliasIndex[run] = position
    return position
  }

  mutating func location(_ record: LocationRecord) -> UInt32 { UInt32(locations.intern(record)) }
}

/// The text of an index: each distinct string once, as ULEB128 length and bytes; position 0 is the empty string.
struct StringPool {
  private(set) var bytes: [UInt8] = [0]
  private var index: [String: UInt32] = ["": 0]

  mutating func intern(_ text: String) -> UInt32 {
    if let known = index[text] { return known }
    let position = UInt32(truncatingIfNeeded: bytes.count)
    var length = text.utf8.count
    repeat {
      bytes.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
      length >>= 7
    } while length > 0
    bytes += text.utf8
    index[text] = position
    return position
  }
}
