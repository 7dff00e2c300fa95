public import Bytes

/// One symbol that names code.
public struct CodeSymbol: Sendable, Equatable {
  /// Which of several symbols at one address is the better name: higher is better.
  public enum Rank: UInt8, Sendable, Hashable, Comparable {
    case local, weak, global
    /// Smaller means a worse name.
    public static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  /// Where the name came from.
  public enum Source: UInt8, Sendable, Hashable {
    case symbolTable, exportTrie, stub
  }

  /// The first address.
  public var address: UInt64
  /// The size in bytes; 0 when the table does not say (Mach-O never does).
  public var size: UInt64
  /// The name without a Mach-O file's leading underscore.
  public var name: ByteView
  /// How good a name it is.
  public var rank: Rank
  /// Where it came from.
  public var source: Source
}

extension CodeSymbol {
  /// The longest name of a symbol, in bytes.
  static let maximumNameLength = 1 << 20

  /// How many bytes all names out of one string table may have together. Names may share their ends; that they overlap
  /// over and over again happens only in files made to use up memory.
  static func nameBudget(_ strings: ByteView) -> Int { 16 * strings.count }
}

/// The names of symbols out of one string table, within what they may have together.
struct SymbolNames {
  private let strings: ByteView
  private var budget: Int
  /// How many bytes the names had so far.
  private(set) var spent = 0

  /// The names in `strings`; together at most `limit` bytes, where several tables of symbols share what they may have.
  init(_ strings: ByteView, within limit: Int = .max) {
    self.strings = strings
    budget = min(CodeSymbol.nameBudget(strings), limit)
  }

  /// Whether names were left out because there was no room for them.
  private(set) var isUsedUp = false

  /// The name at `offset`; `nil` when there is none, when it is too long or when the room for names is used up.
  mutating func name(at offset: UInt32) -> ByteView? {
    guard Int(offset) < strings.count else { return nil }
    let limit = min(CodeSymbol.maximumNameLength, budget)
    let name = strings.cString(at: Int(offset), limit: limit)
    // A search in vain costs as much as a name.
    let cost = name?.count ?? min(limit, strings.count - Int(offset))
    budget -= cost
    spent += cost
    if name == nil, limit < CodeSymbol.maximumNameLength, budget == 0 { isUsedUp = true }
    return name
  }
}

extension ObjectFile {
  /// Every symbol that names code, sorted by address; several may share one address.
  ///
  /// Cost: linear in the symbol tables plus sorting.
  public func codeSymbols() -> [CodeSymbol] { readCodeSymbols().symbols }

  /// The symbols that name code, sorted by address, and in words what of the tables was left out.
  public func readCodeSymbols() -> (symbols: [CodeSymbol], problems: [String]) {
    var symbols: [CodeSymbol] = []
    var isCut = false
    if let machO { symbols = machOSymbols(machO, &isCut) }
    if let elf { symbols = elfSymbols(elf, &isCut) }
    symbols.sort { $0.address < $1.address }
    return (symbols, isCut ? ["the symbols' tables or names overlap: not all are read"] : [])
  }
}
