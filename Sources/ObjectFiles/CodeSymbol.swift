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

extension ByteView {
  /// The name at `offset` of this string table, taken out of `budget`; `nil` when there is none or it is too long.
  func name(at offset: UInt32, _ budget: inout Int) -> ByteView? {
    let limit = min(CodeSymbol.maximumNameLength, budget)
    let name = cString(at: Int(offset), limit: limit)
    // A search in vain costs as much as a name.
    budget -= name?.count ?? (Int(offset) < count ? min(limit, count - Int(offset)) : 0)
    return name
  }
}

extension ObjectFile {
  /// Every symbol that names code, sorted by address; several may share one address.
  ///
  /// Cost: linear in the symbol tables plus sorting.
  public func codeSymbols() -> [CodeSymbol] {
    var symbols: [CodeSymbol] = []
    if let machO { symbols = machOSymbols(machO) }
    if let elf { symbols = elfSymbols(elf) }
    symbols.sort { $0.address < $1.address }
    return symbols
  }
}
