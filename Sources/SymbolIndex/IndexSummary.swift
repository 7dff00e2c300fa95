internal import Bytes
public import DebugInfo
public import Identity
public import ObjectFiles

/// One object file that an index is built from.
public struct IndexSource: Sendable {
  /// The slice.
  public var object: ObjectFile
  /// The SHA-256 of the slice's bytes.
  public var digest: ContentDigest
  /// Files that hold parts of the image's debug information; it is enough to name them with one source.
  public var companions: [CompanionFile] = []
  /// The file that holds the slice; `nil` when it is in memory only.
  public var path: String?
  /// The names behind the placeholders that bitcode left.
  public var symbolMap: BCSymbolMap?
  /// What is known to be missing of it, for the summary.
  public var problems: [String] = []

  /// A slice with its digest.
  public init(
    object: ObjectFile, digest: ContentDigest, companions: [CompanionFile] = [], path: String? = nil,
    symbolMap: BCSymbolMap? = nil
  ) {
    self.object = object
    self.digest = digest
    self.companions = companions
    self.path = path
    self.symbolMap = symbolMap
  }

  /// The size of `.debug_info`, by which the richest of several files is chosen.
  var debugInfoSize: Int { object.dwarfSection(".debug_info")?.data?.count ?? 0 }
}

/// What an index holds and what went wrong while it was built; stored in the index as its META section.
public struct IndexSummary: Sendable, Hashable {
  /// The bytes of instructions in the image.
  public var codeBytes: UInt64 = 0
  /// The bytes of instructions that a function of the debug information covers.
  public var debugInfoBytes: UInt64 = 0
  /// The bytes of instructions that only a symbol table names.
  public var symbolBytes: UInt64 = 0
  /// The bytes of instructions that have a source line.
  public var lineBytes: UInt64 = 0
  /// The number of distinct functions, inlined ones included.
  public var functionCount = 0
  /// The number of runs of addresses.
  public var rangeCount = 0
  /// The number of distinct inline chains.
  public var locationCount = 0
  /// The number of compilation units.
  public var unitCount = 0
  /// The DWARF versions met, ascending.
  public var dwarfVersions: [Int] = []
  /// The compilers that wrote the units, in their own words, sorted; at most `maximumProducers`.
  public var producers: [String] = []
  /// How many starts of functions are known without regard to names: the linker's list, and tables for unwinding.
  public var startCount = 0
  /// How many mangled names stay mangled because no demangler reads them.
  public var demangleFailures = 0
  /// How many functions are known by a placeholder that bitcode left (`__hidden#`).
  public var hiddenNames = 0
  /// How many inlined calls nest too deep to be kept.
  public var cutInlines = 0
  /// Why the debug information as a whole could not be read; `nil` when it could, or when there is none.
  public var debugInfoFailure: DebugInfoError.Code?
  /// What could not be read, in words; bounded.
  public var problems: [String] = []

  static let maximumProducers = 16

  /// A summary of nothing.
  public init() {}

  /// Share of the code that has debug information, 0 to 1; `nil` when there is no code.
  public var coverage: Double? { codeBytes == 0 ? nil : Double(debugInfoBytes) / Double(codeBytes) }

  mutating func addProblem(_ text: String) {
    let limit = 20
    if problems.count < limit { problems.append(text) } else if problems.count == limit { problems.append("and more") }
  }
}
