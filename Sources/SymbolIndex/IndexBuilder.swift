internal import Bytes
internal import Compression
public import DebugInfo
internal import Identity
internal import ObjectFiles
internal import Synchronization
public import Workers

/// Something that builds symbol indexes: here, or in a process of its own.
public protocol IndexBuilding: Sendable {
  /// Builds the index of `sources`, which must all be of one image.
  func build(_ sources: [IndexSource]) throws(IndexError) -> IndexBuilder.Product
}

/// Builds the symbol index of one image from its object files.
///
/// Several files may share one debug identifier: the dSYM, the binary, a stripped copy. Lines come from the one with
/// the most debug information, names from all of them together. The same files in any order, with any number of
/// workers, give the same bytes.
public struct IndexBuilder: IndexBuilding {
  /// The bounds of reading debug information.
  public var limits = DebugInfoLimits()
  /// The threads to use.
  public var workers = Workers()

  /// A builder with the default bounds and one thread for each core.
  public init() {}

  /// The finished index and what was found on the way.
  public struct Product: Sendable {
    /// The bytes of the `.scx` file.
    public var bytes: [UInt8]
    /// What the index holds.
    public var summary: IndexSummary

    /// A product with these parts.
    public init(bytes: [UInt8], summary: IndexSummary) {
      self.bytes = bytes
      self.summary = summary
    }
  }

  /// Builds the index of `sources`, which must all be of one image.
  ///
  /// Debug information that cannot be read is left out and told in the summary; what else there is still counts.
  /// Where nothing names the code the index is empty. Throws without sources, or when a table would pass 4 GiB. Cost: one pass over the debug information,
  /// parallel by unit; memory is that of the flat form, which is smaller than the debug information.
  public func build(_ sources: [IndexSource]) throws(IndexError) -> Product {
    let ranked = sources.sorted { a, b in
      if a.debugInfoSize != b.debugInfoSize { return a.debugInfoSize > b.debugInfoSize }
      if a.object.bytes.count != b.object.bytes.count { return a.object.bytes.count > b.object.bytes.count }
      return a.digest < b.digest
    }
    guard let best = ranked.first else { throw IndexError(.noSource, "no object file") }
    let primary = best.object
    var summary = IndexSummary()
    summary.codeBytes = primary.codeRanges.reduce(0) { $0 &+ ($1.upperBound - $1.lowerBound) }
    for problem in sources.flatMap(\.problems) { summary.addProblem(problem) }
    let companions = DebugCompanions(sources.flatMap(\.companions), of: primary)
    let units = flattenDebugInfo(of: primary, companions, into: &summary)
    for (number, unit) in units.enumerated() {
      if let damage = unit.damage { summary.addProblem("unit \(number): \(damage)") }
      summary.cutInlines += unit.cutInlines
    }
    summary.unitCount = units.count
    summary.dwarfVersions = Set(units.map { Int($0.version) }).sorted()
    summary.producers = Array(Set(units.compactMap(\.producer)).sorted().prefix(IndexSummary.maximumProducers))

    let objects = ranked.flatMap { [$0.object, miniSymbols(of: $0.object, into: &summary)].compactMap(\.self) }
    let (symbols, starts) = mergedSymbols(of: objects, base: primary.imageBase, into: &summary)
    summary.startCount = starts.count
    var assembly = IndexAssembly(
      object: primary, units: units, summary: summary, symbolMap: ranked.lazy.compactMap(\.symbolMap).first)
    assembly.assemble(symbols: SymbolRanges.ranges(of: symbols, starts: starts, in: primary))
    return try assembly.finish(sources: sources.map(\.digest).sorted())
  }

  private func flattenDebugInfo(
    of object: ObjectFile, _ companions: DebugCompanions, into summary: inout IndexSummary
  ) -> [FlatUnit] {
    do throws(DebugInfoError) {
      let sections = try DebugSections(object, companions: companions, limits: limits)
      for problem in sections.problems { summary.addProblem(problem) }
      let count = try DebugInfoReader(sections).unitCount
      let pieces = Atomic(0)
      let units = try workers.map(count) { () throws(DebugInfoError) in
        try DebugInfoReader(sections)
      } _: { (reader, number) throws(DebugInfoError) in
        let unit = UnitFlattener.flatten(
          try reader.readUnit(number), of: reader, stepLimit: sections.stepLimit, pieceLimit: sections.pieceLimit)
        // The sum does not depend on who reads which unit, so neither does its passing the limit.
        let (_, sum) = pieces.add(unit.pieceCount, ordering: .relaxed)
        guard sum <= sections.pieceLimit else { throw DebugInfoError.workLimitReached }
        return unit
      }
      // Several readers share the limit of one.
      let steps = units.reduce(0) { $0.addingReportingOverflow($1.steps).overflow ? .max : $0 + $1.steps }
      if steps > sections.stepLimit { throw DebugInfoError.workLimitReached }
      return units
    } catch {
      if error.code != .absent {
        summary.debugInfoFailure = error.code
        summary.addProblem(error.description)
      }
      return []
    }
  }

  /// The most that packed symbols may unfold to, in bytes; they are a few names and no more.
  private static let miniSymbolsLimit = 256 << 20

  /// The symbols that a distribution packed into the file itself (MiniDebugInfo).
  private func miniSymbols(of object: ObjectFile, into summary: inout IndexSummary) -> ObjectFile? {
    guard let packed = object.miniDebugData else { return nil }
    do throws(CompressionError) {
      let bytes = try XZ.decompress(packed, limit: OutputLimit(bytes: min(limits.sectionBytes, Self.miniSymbolsLimit)))
      if let object = try? Container(bytes).objects.first { return object }
      summary.addProblem(".gnu_debugdata: no object file in it")
    } catch {
      summary.addProblem(".gnu_debugdata: \(error)")
    }
    return nil
  }

  /// The symbols and function starts of all sources, moved to one image base: a dSYM and its binary may disagree on
  /// where the image begins (symbolication.md B.6).
  private func mergedSymbols(
    of objects: [ObjectFile], base: UInt64, into summary: inout IndexSummary
  ) -> ([CodeSymbol], [UInt64]) {
    var symbols: [CodeSymbol] = []
    var starts: Set<UInt64> = []
    for object in objects {
      let shift = base &- object.imageBase
      starts.formUnion(object.functionBounds().map { $0 &+ shift })
      let (found, problems) = object.readCodeSymbols()
      for problem in problems { summary.addProblem(problem) }
      symbols += found.map { symbol in
        var symbol = symbol
        symbol.address = symbol.address &+ shift
        return symbol
      }
    }
    symbols.sort { $0.address < $1.address }
    return (symbols, starts.sorted())
  }
}
