/// A run of addresses `[start, end)`, never empty, inside instructions.
public struct AddressRange: Sendable, Hashable {
  /// The first address.
  public var start: UInt64
  /// One past the last.
  public var end: UInt64

  /// The range from `start` up to `end`.
  public init(start: UInt64, end: UInt64) {
    self.start = start
    self.end = end
  }
}

/// What a function is called, with no place: equal for all copies and inlined calls of one function.
public struct FunctionIdentity: Sendable, Hashable {
  /// `DW_AT_linkage_name`, the mangled name.
  public var linkageName: String?
  /// `DW_AT_name`, the short name.
  public var name: String?
  /// `DW_AT_language` of its unit.
  public var language: UInt16

  /// An identity with the given names.
  public init(linkageName: String?, name: String?, language: UInt16) {
    self.linkageName = linkageName
    self.name = name
    self.language = language
  }
}

/// Where a function is declared (`DW_AT_decl_file`, `DW_AT_decl_line`).
public struct Declaration: Sendable, Hashable {
  /// Index into the reader's files.
  public var file: Int32
  /// The line, from 1.
  public var line: UInt32
}

/// A function that has code.
public struct DebugFunction: Sendable, Hashable {
  /// Index into the reader's identities.
  public var identity: Int32
  /// The first range is the one with the entry.
  public var ranges: Range<Int32>
  /// Its inlined calls, parents before children.
  public var inlines: Range<Int32>
  /// Where it is declared, if that is known.
  public var declaration: Declaration?
}

/// A call that the compiler inlined.
public struct InlinedCall: Sendable, Hashable {
  /// Index into the reader's identities of the function called.
  public var identity: Int32
  /// The inlined call around this one, -1 when that is the function itself.
  public var parent: Int32
  /// How many inlined calls stand around this one, plus one.
  public var depth: Int32
  /// Where its code is, not yet clipped to its parent; empty when the debug information does not say.
  public var ranges: Range<Int32>
  /// Where it was called from: index into the reader's files, -1 when unknown.
  public var callFile: Int32
  /// 0 when unknown.
  public var callLine: UInt32
  /// 0 when unknown.
  public var callColumn: UInt32
  /// Where the function called is declared, if that is known.
  public var declaration: Declaration?
}

/// One row of a line table: the source position of the instructions from `address` up to the next row.
public struct LineRow: Sendable, Hashable {
  /// The first address.
  public var address: UInt64
  /// Index into the reader's files, -1 when unknown or when the row ends a sequence.
  public var file: Int32
  /// 0 means that the code belongs to no line.
  public var line: UInt32
  /// 0 when unknown.
  public var column: UInt32
  /// Whether the row only marks the end of a sequence: from here on nothing is known.
  public var endsSequence: Bool
}

/// One compilation unit as flat values: functions with code, their inlined calls, and line rows in address order.
///
/// Dropped functions and their rows are left out (everything outside instructions).
public struct DebugUnit: Sendable {
  /// The functions in document order.
  public var functions: [DebugFunction] = []
  /// The inlined calls of all functions.
  public var inlines: [InlinedCall] = []
  /// The ranges of functions and inlined calls.
  public var ranges: [AddressRange] = []
  /// The rows, sorted by address; of several at one address only the last.
  public var rows: [LineRow] = []
  /// The rows of sequences that begin where another of the unit does, by their first address: of functions that were
  /// folded into one, each has a sequence, and only the last stands in `rows`.
  public var foldedRows: [UInt64: [[LineRow]]] = [:]
  /// The DWARF version.
  public var version: UInt16 = 0
  /// The compiler that wrote it, in its own words; cut when long.
  public var producer: String?
  /// How many steps it took to read.
  public var steps = 0
  /// What could not be read, in words; the rest is kept.
  public var damage: String?
  /// How many inlined calls were left out because they nest too deep.
  public var cutInlines: Int = 0
}

extension DebugUnit {
  /// Adds a problem to `damage`.
  mutating func note(_ problem: String) { damage = damage.map { "\($0); \(problem)" } ?? problem }
}
