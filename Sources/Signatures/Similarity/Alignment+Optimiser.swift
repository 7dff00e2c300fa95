extension Aligner {
  /// Whether no compilation of the app shows both, as far as known.
  func mayDifferByOptimiser(_ a: WeighedSequence, _ b: WeighedSequence) -> Bool {
    !a.compilations.isEmpty && !b.compilations.isEmpty && a.compilations.isDisjoint(with: b.compilations)
  }

  /// The score without the callers that an optimiser may have taken from one of the two: by a tail call, by folding a function
  /// into another, or by inlining that is not told. `nil` when they differ by more than that, or when one build shows both.
  ///
  /// Optimisers differ between builds and never within one. So it needs two that no compilation of the app shows both of. At
  /// most `vanishedCallers` functions without a partner are passed over, on both sides together, and no more than there
  /// are pairs, of which there are at least two: the innermost and a caller. Only what stands outside of the innermost pair
  /// vanishes: where the fault is must be seen in both. Each costs a little, so that of two ways in one build each finds the
  /// nearer one of another build.
  func scoreWithoutVanished(_ a: WeighedSequence, _ b: WeighedSequence) -> Millionths? {
    let alignment = align(a, b)
    guard let blame = blame(a, b, alignment) else { return nil }
    let pairs = alignment.pairs.count { $0.isOfOneFunction && a.tokens[$0.first].isOfApp }
    let first = alignment.firstGaps.filter { a.tokens[$0].isOfApp && $0 > blame.first }
    let second = alignment.secondGaps.filter { b.tokens[$0].isOfApp && $0 > blame.second }
    guard pairs > 1, 1...min(pairs, parameters.vanishedCallers) ~= first.count + second.count else { return nil }
    let (shorter, other) = (a.without(first), b.without(second))
    let vanished = a.total + b.total - shorter.total - other.total
    let cost = vanished * parameters.vanishedGap / SimilarityParameters.one
    return score(shorter, other) - cost * SimilarityParameters.one / max(1, shorter.total + other.total)
  }
}

extension Alignment.Pair {
  /// Whether the two are one function, as far as names tell.
  var isOfOneFunction: Bool { credit == .same || credit == .entity }
}

extension WeighedSequence {
  /// The sequence without the tokens at `places`. The weights of the others stay.
  fileprivate func without(_ places: [Int]) -> WeighedSequence {
    let dropped = Set(places)
    var result = self
    result.tokens = tokens.indices.filter { !dropped.contains($0) }.map { tokens[$0] }
    result.total = result.tokens.reduce(0) { $0 + $1.weight }
    return result
  }
}
