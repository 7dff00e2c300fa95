internal import Bytes
internal import Demangling
internal import ObjectFiles

/// A symbol with the code it stands for, and the other names of the same code.
struct SymbolRange {
  var start: UInt64
  var end: UInt64
  var name: String
  var aliases: [String]
  var source: CodeSymbol.Source
}

/// The code that a symbol table alone can name.
enum SymbolRanges {
  /// The most names kept beside the chosen one.
  static let maximumAliases = 8
  /// How far a symbol without a size reaches where nothing records at which addresses functions begin: what lies further
  /// away is more likely a function without a name (symbolication.md B.39).
  static let nearest: UInt64 = 64 << 10

  /// One range for each address that has a symbol, in address order.
  ///
  /// Where the table gives no size (Mach-O never does) the code ends at the next symbol, function start or end of the
  /// section (B.39): without function starts a stripped function would be credited to the one before it. Of several
  /// names of one address the best is chosen by rules that no sorting accident can change (B.40). A symbol without a
  /// size inside one that states its own is a label (B.41).
  /// `symbols` and `starts` must be sorted by address.
  static func ranges(of symbols: [CodeSymbol], starts: [UInt64], in object: ObjectFile) -> [SymbolRange] {
    let sectionEnds = object.codeSectionEnds()
    var result: [SymbolRange] = []
    var nextStart = 0
    var index = 0
    var statedEnd: UInt64 = 0
    while index < symbols.count {
      let address = symbols[index].address
      var end = index
      while end < symbols.count, symbols[end].address == address { end += 1 }
      defer { index = end }
      guard let sectionEnd = sectionEnds.end(containing: address) else { continue }
      let named = choose(symbols[index..<end])
      if named.size == 0, address < statedEnd { continue }
      var limit = sectionEnd
      if end < symbols.count { limit = min(limit, symbols[end].address) }
      while nextStart < starts.count, starts[nextStart] <= address { nextStart += 1 }
      if nextStart < starts.count { limit = min(limit, starts[nextStart]) }
      if starts.isEmpty, limit - address > nearest { limit = address + nearest }
      if named.size > 0 {
        // A stated size is right, except that it must not reach out of the section.
        let (stated, overflow) = address.addingReportingOverflow(named.size)
        limit = overflow ? sectionEnd : min(sectionEnd, stated)
        statedEnd = max(statedEnd, limit)
      }
      result.append(
        SymbolRange(start: address, end: limit, name: named.name, aliases: named.aliases, source: named.source))
    }
    return result
  }

  /// The best name: from the symbol table before others; with a size before without; global before weak before local;
  /// a function before a thunk; shorter before longer; then by bytes.
  private static func choose(
    _ symbols: ArraySlice<CodeSymbol>
  ) -> (name: String, aliases: [String], source: CodeSymbol.Source, size: UInt64) {
    let demangler = Demangler()
    let candidates = symbols.map { symbol in
      let name = symbol.name.text
      let isThunk = symbols.count > 1 && demangler.demangle(name).traits.contains(.thunk)
      return (symbol: symbol, name: name, isThunk: isThunk)
    }.sorted { a, b in
      if a.symbol.source != b.symbol.source { return a.symbol.source.rawValue < b.symbol.source.rawValue }
      if (a.symbol.size > 0) != (b.symbol.size > 0) { return a.symbol.size > 0 }
      if a.symbol.rank != b.symbol.rank { return a.symbol.rank > b.symbol.rank }
      if a.isThunk != b.isThunk { return b.isThunk }
      if a.name.utf8.count != b.name.utf8.count { return a.name.utf8.count < b.name.utf8.count }
      return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }
    var names: [String] = []
    for candidate in candidates where !names.contains(candidate.name) && names.count <= maximumAliases {
      names.append(candidate.name)
    }
    let best = candidates.first
    return (
      names.first ?? "", Array(names.dropFirst()), best?.symbol.source ?? .symbolTable, best?.symbol.size ?? 0
    )
  }
}
