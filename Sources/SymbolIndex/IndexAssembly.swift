internal import DebugInfo
internal import Demangling
internal import Identity
internal import ObjectFiles

/// Puts the flat units and the symbols of one image together, in address order, into the tables of its index.
struct IndexAssembly {
  /// One function range: which unit, and which of its functions; with the other functions of the same range.
  private struct Owner {
    var unit: Int
    var function: Int
    var aliases: [String] = []
  }

  private let object: ObjectFile
  private let units: [FlatUnit]
  private var summary: IndexSummary
  private var tables: IndexTables
  private var starts: [UInt32] = []
  private var rangeLocations: [UInt32] = []
  private var end: UInt64 = 0
  /// For each unit, the index location of each of its locations; filled when first needed.
  private var locationMaps: [[UInt32]]
  /// The same for the parts of a function that a symbol calls otherwise (`f.cold`) than its first part.
  private var partMaps: [PartLocation: UInt32] = [:]
  /// For each unit and each of its functions, the row of its name in the part that was met first.
  private var firstNames: [[UInt32]]

  private struct PartLocation: Hashable {
    var unit: Int
    var location: Int32
    var name: UInt32
  }
  /// All names of each address that has symbols, the best first.
  private var symbolNames: [UInt64: [String]] = [:]
  private var isTooLarge = false

  init(object: ObjectFile, units: [FlatUnit], summary: IndexSummary, symbolMap: BCSymbolMap?) {
    tables = IndexTables(symbolMap: symbolMap)
    self.object = object
    self.units = units
    self.summary = summary
    locationMaps = units.map { Array(repeating: 0, count: $0.locations.count) }
    firstNames = units.map { Array(repeating: 0, count: $0.functionIdentities.count) }
  }

  /// Walks once through the image: functions of the debug information, and between them what symbols can name.
  mutating func assemble(symbols: [SymbolRange]) {
    for symbol in symbols { symbolNames[symbol.start] = [symbol.name] + symbol.aliases }
    let pieces = CodeCover.pieces(of: functionRanges())
    let ranges = symbols.enumerated().map { CoverPiece(start: $1.start, end: max($1.start, $1.end), owner: $0) }
    var filler = GapFiller(symbols: symbols, pieces: CodeCover.pieces(of: ranges), lines: looseLines())
    for piece in pieces {
      filler.fill(until: piece.start, into: &self)
      add(piece)
      filler.skip(until: piece.end)
    }
    filler.fill(until: .max, into: &self)
  }

  /// The loose lines of all units by address. Where they overlap the one that begins first holds up to its end, so that
  /// no two are left to choose from: looking through them again for each symbol would take the square of the file's size.
  private func looseLines() -> [(unit: Int, line: LooseLine)] {
    var lines = units.enumerated().flatMap { number, unit in unit.looseLines.map { (unit: number, line: $0) } }
      .sorted { ($0.line.range.start, $0.unit) < ($1.line.range.start, $1.unit) }
    var reached: UInt64 = 0
    for index in lines.indices {
      lines[index].line.range.start = max(lines[index].line.range.start, reached)
      reached = max(reached, lines[index].line.range.end)
    }
    lines.removeAll { $0.line.range.start >= $0.line.range.end }
    return lines
  }

  /// All ranges of all functions, outer before inner; equal ranges as one with the other names as aliases.
  ///
  /// A function that neither the debug information nor a symbol names is left out: an empty name is no answer.
  private mutating func functionRanges() -> [CoverPiece<Owner>] {
    var ranges: [CoverPiece<Owner>] = []
    var nameless = 0
    for (number, unit) in units.enumerated() {
      for (index, function) in unit.functions.enumerated() {
        if unit.functionIdentities[Int(function.function)].linkerName == nil,
          symbolNames[function.range.start] == nil
        {
          nameless += 1
          continue
        }
        ranges.append(
          CoverPiece(start: function.range.start, end: function.range.end, owner: Owner(unit: number, function: index)))
      }
    }
    if nameless > 0 { summary.addProblem("\(nameless) functions without a name are left out") }
    ranges.sort { a, b in
      if a.start != b.start { return a.start < b.start }
      if a.end != b.end { return a.end > b.end }
      return (a.owner.unit, a.owner.function) < (b.owner.unit, b.owner.function)
    }
    var result: [CoverPiece<Owner>] = []
    var index = 0
    while index < ranges.count {
      var next = index + 1
      while next < ranges.count, ranges[next].start == ranges[index].start, ranges[next].end == ranges[index].end {
        next += 1
      }
      result.append(next == index + 1 ? ranges[index] : chosen(ranges[index..<next]))
      index = next
    }
    return result
  }

  /// Of several functions with one range (folded code) the one that the symbol table names, else the one with the
  /// shortest name, the first by bytes: another order of the same functions must not change the answer. The distinct
  /// names of the others become its aliases.
  private func chosen(_ ranges: ArraySlice<CoverPiece<Owner>>) -> CoverPiece<Owner> {
    let symbols = ranges.first.flatMap { symbolNames[$0.start] } ?? []
    let named = ranges.map { (range: $0, name: name(of: $0.owner) ?? "") }.sorted { a, b in
      if a.name.isEmpty != b.name.isEmpty { return b.name.isEmpty }
      if a.name.utf8.count != b.name.utf8.count { return a.name.utf8.count < b.name.utf8.count }
      if a.name != b.name { return a.name < b.name }
      return (a.range.owner.unit, a.range.owner.function) < (b.range.owner.unit, b.range.owner.function)
    }
    let bySymbol = symbols.lazy.compactMap { symbol in named.first { $0.name == symbol } }.first
    guard let choice = bySymbol ?? named.first else { return ranges[ranges.startIndex] }
    var result = choice.range
    for (_, other) in named where !other.isEmpty && other != choice.name {
      if result.owner.aliases.count == SymbolRanges.maximumAliases { break }
      if result.owner.aliases.last != other { result.owner.aliases.append(other) }
    }
    return result
  }

  private func name(of owner: Owner) -> String? {
    let unit = units[owner.unit]
    return unit.functionIdentities[Int(unit.functions[owner.function].function)].linkerName
  }

  /// Adds the part of a function that `piece` covers.
  private mutating func add(_ piece: CoverPiece<Owner>) {
    let unit = units[piece.owner.unit]
    let function = unit.functions[piece.owner.function]
    summary.debugInfoBytes &+= piece.end - piece.start
    let name = self.name(ofPart: piece.owner)
    let last = Int(function.segments.upperBound) - 1
    var index = unit.segment(of: function, at: piece.start)
    while index <= last, unit.segments[index].start < piece.end {
      let start = max(piece.start, unit.segments[index].start)
      let stop = index < last ? min(piece.end, unit.segments[index + 1].start) : piece.end
      let local = unit.segments[index].location
      if unit.locations[Int(local)].line != 0 { summary.lineBytes &+= stop - start }
      append(start..<stop, location(local, of: piece.owner.unit, inPartNamed: name))
      index += 1
    }
  }

  /// The row of the physical function in the part that `owner` is, whose symbol may have a name of its own.
  private mutating func name(ofPart owner: Owner) -> (row: UInt32, isFirst: Bool) {
    let unit = units[owner.unit]
    let function = Int(unit.functions[owner.function].function)
    let identity = unit.functionIdentities[function]
    let symbols = symbolNames[unit.functions[owner.function].range.start] ?? []
    let row = tables.function(
      named: identity.linkerName(amongSymbols: symbols), shownAs: identity.name, aliases: owner.aliases,
      language: identity.language, source: .dwarf)
    if firstNames[owner.unit][function] == 0 { firstNames[owner.unit][function] = row }
    return (row, firstNames[owner.unit][function] == row)
  }

  /// The index location of a unit's location in a part of a function; its callers are numbered first, so that links point
  /// backwards.
  private mutating func location(
    _ local: Int32, of unit: Int, inPartNamed name: (row: UInt32, isFirst: Bool)
  ) -> UInt32 {
    func known(_ location: Int32) -> UInt32 {
      if name.isFirst { return locationMaps[unit][Int(location)] }
      return partMaps[PartLocation(unit: unit, location: location, name: name.row)] ?? 0
    }
    var chain: [Int32] = []
    var current = local
    while current >= 0, known(current) == 0 {
      chain.append(current)
      current = units[unit].locations[Int(current)].parent
    }
    for inner in chain.reversed() {
      let flat = units[unit].locations[Int(inner)]
      let number = tables.location(
        LocationRecord(
          file: flat.file < 0 ? 0 : tables.file(units[unit].files[Int(flat.file)]), line: flat.line,
          column: UInt16(clamping: flat.column),
          function: flat.function < 0 ? name.row : inlinedFunction(flat.function, of: unit),
          parent: flat.parent < 0 ? 0 : known(flat.parent), isApproximate: flat.isApproximate))
      if name.isFirst {
        locationMaps[unit][Int(inner)] = number
      } else {
        partMaps[PartLocation(unit: unit, location: inner, name: name.row)] = number
      }
    }
    return known(local)
  }

  private mutating func inlinedFunction(_ function: Int32, of unit: Int) -> UInt32 {
    let identity = units[unit].identities[Int(function)]
    return tables.function(named: identity.linkerName ?? "", language: identity.language, source: .dwarf)
  }

  fileprivate func isPseudoFile(_ unit: Int, _ file: Int32) -> Bool {
    file >= 0 && SourceFileName.isPseudo(units[unit].files[Int(file)])
  }

  /// Adds code that only a symbol names, with the line rows that lie in it.
  fileprivate mutating func add(_ symbol: SymbolRange, _ range: Range<UInt64>, line: (unit: Int, line: LooseLine)?) {
    summary.symbolBytes &+= range.upperBound - range.lowerBound
    let source: FrameSource =
      switch symbol.source {
      case .symbolTable: .symbolTable
      case .exportTrie: .exportTrie
      case .stub: .stub
      }
    let function = tables.function(named: symbol.name, aliases: symbol.aliases, source: source)
    var record = LocationRecord(file: 0, line: 0, column: 0, function: function, parent: 0, isApproximate: false)
    if let (unit, line) = line {
      record.file = line.file < 0 ? 0 : tables.file(units[unit].files[Int(line.file)])
      record.line = line.line
      record.column = line.line == 0 ? 0 : UInt16(clamping: line.column)
      record.isApproximate = line.isApproximate
      if line.line != 0 { summary.lineBytes &+= range.upperBound - range.lowerBound }
    }
    append(range, tables.location(record))
  }

  /// Appends a run of addresses; a hole is put between runs that do not touch.
  private mutating func append(_ range: Range<UInt64>, _ location: UInt32) {
    guard !range.isEmpty, range.lowerBound >= object.imageBase else { return }
    let from = range.lowerBound - object.imageBase
    let to = range.upperBound - object.imageBase
    guard to <= UInt64(UInt32.max) else {
      if !isTooLarge { summary.addProblem("code more than 4 GiB behind the start of the image is left out") }
      isTooLarge = true
      return
    }
    if from > end || starts.isEmpty { appendStart(end, 0) }
    appendStart(from, location)
    end = to
  }

  private mutating func appendStart(_ offset: UInt64, _ location: UInt32) {
    if rangeLocations.last == location, starts.last ?? 0 <= offset { return }
    if let last = starts.last, UInt64(last) == offset {
      rangeLocations[rangeLocations.count - 1] = location
      return
    }
    starts.append(UInt32(offset))
    rangeLocations.append(location)
  }

  /// Writes the index.
  consuming func finish(sources: [ContentDigest]) throws(IndexError) -> IndexBuilder.Product {
    appendStart(end, 0)
    summary.functionCount = tables.functions.values.count - 1
    summary.locationCount = tables.locations.values.count - 1
    summary.rangeCount = starts.count
    summary.demangleFailures = tables.demangleFailures
    summary.hiddenNames = tables.hiddenNames
    let writer = IndexWriter(object: object, starts: starts, rangeLocations: rangeLocations, tables: tables)
    return IndexBuilder.Product(bytes: try writer.write(summary, sources: sources), summary: summary)
  }
}

extension FunctionIdentity {
  /// The name that the linker saw, as far as the debug information tells.
  var linkerName: String? { linkageName ?? name }

  /// The linker's name of a function whose first address has `symbols`, best first.
  ///
  /// The debug information says which of several symbols is meant; where it names none of them, the symbol is what
  /// the linker saw: the mangled name where only a short one is recorded (`-g1`), the clone of a function
  /// (`.constprop.0`), the real name behind a placeholder that bitcode left (symbolication.md B.34, B.40, B.55).
  func linkerName(amongSymbols symbols: [String]) -> String {
    guard let symbol = symbols.first else { return linkerName ?? "" }
    if let linkerName, symbols.contains(linkerName) { return linkerName }
    return symbol
  }
}

/// Fills the code between functions of the debug information from the symbols that start there.
private struct GapFiller {
  private let symbols: [SymbolRange]
  /// What each symbol covers: where one lies inside another, the outer one goes on behind it.
  private let pieces: [CoverPiece<Int>]
  private let lines: [(unit: Int, line: LooseLine)]
  private var next = 0
  private var line = 0

  init(symbols: [SymbolRange], pieces: [CoverPiece<Int>], lines: [(unit: Int, line: LooseLine)]) {
    self.symbols = symbols
    self.pieces = pieces
    self.lines = lines
  }

  /// Adds the pieces that start before `limit`, cut off there.
  mutating func fill(until limit: UInt64, into assembly: inout IndexAssembly) {
    while next < pieces.count, pieces[next].start < limit {
      let piece = pieces[next]
      next += 1
      add(symbols[piece.owner], piece.start..<min(piece.end, limit), into: &assembly)
    }
  }

  /// Passes over the pieces that start before `limit`: their code has debug information, and what follows it up to
  /// the next symbol is padding, not theirs.
  mutating func skip(until limit: UInt64) {
    while next < pieces.count, pieces[next].start < limit { next += 1 }
  }

  private mutating func add(_ current: SymbolRange, _ range: Range<UInt64>, into assembly: inout IndexAssembly) {
    var position = range.lowerBound
    var known: (unit: Int, line: LooseLine)?
    while line < lines.count, lines[line].line.range.end <= position { line += 1 }
    var index = line
    while index < lines.count, lines[index].line.range.start < range.upperBound {
      let row = lines[index].line.range
      let start = max(row.start, position)
      let end = min(row.end, range.upperBound)
      if start < end {
        if position < start {
          assembly.add(current, position..<start, line: nil)
          known = nil
        }
        var placed = lines[index]
        if placed.line.line != 0 {
          known = (placed.unit, placed.line)
        } else if let known, known.unit == placed.unit, known.line.file == placed.line.file,
          !assembly.isPseudoFile(placed.unit, placed.line.file)
        {
          // As in functions of the debug information: the nearest line before it in the same code and file (B.27).
          (placed.line.line, placed.line.column, placed.line.isApproximate) = (known.line.line, known.line.column, true)
        }
        assembly.add(current, start..<end, line: placed)
        position = end
      }
      index += 1
    }
    if position < range.upperBound { assembly.add(current, position..<range.upperBound, line: nil) }
  }
}
