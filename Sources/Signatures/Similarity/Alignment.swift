/// How two sequences lie beside each other: the best of all alignments that keep the order of both.
///
/// `score = (Σ pairs (w1 + w2)·credit·e^(-γ·|i - j|) - Σ gaps cost) / Σ all weights`, from -1 to 1 in millionths. It is 1 for
/// equal sequences and the same from both sides.
public struct Alignment: Sendable, Hashable {
  /// Why two tokens may be a pair.
  public enum Credit: String, Sendable, Hashable, CaseIterable {
    /// The names are equal.
    case same
    /// One entity with other labels, or another accessor of it.
    case entity
    /// Two functions without names, of one image, between equal neighbours.
    case unknown
    /// Two members of one type.
    case type
  }

  /// Two tokens that stand for each other.
  public struct Pair: Sendable, Hashable {
    /// The place in the first sequence.
    public var first: Int
    /// The place in the second.
    public var second: Int
    /// Why.
    public var credit: Credit
    /// What the pair adds to the sum.
    public var worth: Millionths
  }

  /// The score, -1 000 000 to 1 000 000.
  public var score: Millionths
  /// The pairs, innermost first.
  public var pairs: [Pair]
  /// Places of the first sequence without a partner.
  public var firstGaps: [Int]
  /// Places of the second sequence without a partner.
  public var secondGaps: [Int]
}

/// Aligns weighed sequences. Cost: the product of their lengths, at most 1,024 cells of whole numbers.
struct Aligner: Sendable {
  let parameters: SimilarityParameters
  private let decays: [Millionths]

  init(_ parameters: SimilarityParameters) {
    self.parameters = parameters
    decays = (0...AlignmentSequence.limit).map(parameters.decay)
  }

  /// Why the two may be a pair, and what such a pair is worth; `nil` when they may not.
  func credit(
    _ a: WeighedToken, of first: WeighedSequence, _ b: WeighedToken, of second: WeighedSequence
  ) -> (kind: Alignment.Credit, worth: Millionths)? {
    if a.unknown >= 0 {
      return a.unknown == b.unknown && a.callee == b.callee && a.caller == b.caller
        ? (.unknown, parameters.unknownCredit) : nil
    }
    if a.name >= 0, a.name == b.name { return (.same, SimilarityParameters.one) }
    // Two names in one build are two functions.
    if a.entity >= 0, a.entity == b.entity, !first.hasRival(a.name, of: b.name, in: second) {
      return (.entity, parameters.entityCredit)
    }
    if a.type >= 0, a.type == b.type { return (.type, parameters.typeCredit) }
    return nil
  }

  /// Whether two innermost functions are one, as far as names tell.
  func endInOneFunction(_ a: WeighedSequence, _ b: WeighedSequence) -> Bool {
    guard let x = a.innermost, let y = b.innermost else { return true }
    return credit(x, of: a, y, of: b).map { $0.kind == .same || $0.kind == .entity } ?? (x.entity < 0 && y.entity < 0)
  }

  private func pair(_ a: WeighedSequence, _ i: Int, _ b: WeighedSequence, _ j: Int) -> (
    kind: Alignment.Credit, worth: Millionths
  )? {
    guard abs(i - j) <= parameters.band else { return nil }
    let (x, y) = (a.tokens[i], b.tokens[j])
    guard let credit = credit(x, of: a, y, of: b) else { return nil }
    let decay = decays[min(abs(x.position - y.position), decays.count - 1)]
    return (
      credit.kind, (x.weight + y.weight) * credit.worth / SimilarityParameters.one * decay / SimilarityParameters.one
    )
  }

  /// The best sum for the tokens from each pair of places on, row by row.
  private func table(_ a: WeighedSequence, _ b: WeighedSequence) -> [Int] {
    let width = b.tokens.count + 1
    var best = [Int](repeating: 0, count: (a.tokens.count + 1) * width)
    for j in b.tokens.indices.reversed() {
      best[a.tokens.count * width + j] = best[a.tokens.count * width + j + 1] - b.tokens[j].gap
    }
    for i in a.tokens.indices.reversed() {
      best[i * width + width - 1] = best[(i + 1) * width + width - 1] - a.tokens[i].gap
      for j in b.tokens.indices.reversed() {
        var value = max(
          best[(i + 1) * width + j] - a.tokens[i].gap, best[i * width + j + 1] - b.tokens[j].gap)
        if let pair = pair(a, i, b, j) { value = max(value, best[(i + 1) * width + j + 1] + pair.worth) }
        best[i * width + j] = value
      }
    }
    return best
  }

  private func score(_ sum: Int, _ a: WeighedSequence, _ b: WeighedSequence) -> Millionths {
    let total = a.total + b.total
    return total == 0 ? 0 : sum * SimilarityParameters.one / total
  }

  /// The score alone.
  func score(_ a: WeighedSequence, _ b: WeighedSequence) -> Millionths { score(table(a, b)[0], a, b) }

  /// The score, of what both could see: when one of the two cannot tell inlined calls, those of the other count only as far as
  /// they have a partner; and callers that an optimiser may have taken from one of them do not count.
  func likeness(_ a: WeighedSequence, _ b: WeighedSequence) -> Millionths { likenesses(a, b).best }

  /// Whether the two reach `threshold` only when an optimiser may have taken callers from one of them.
  func isSpared(_ a: WeighedSequence, _ b: WeighedSequence, at threshold: Millionths) -> Bool {
    let scores = likenesses(a, b)
    return scores.plain < threshold && scores.best >= threshold
  }

  /// The score with all callers, and the better one of that and the score without those that may have vanished.
  func likenesses(_ a: WeighedSequence, _ b: WeighedSequence) -> (plain: Millionths, best: Millionths) {
    var plain = -SimilarityParameters.one
    var best = plain
    for (a, b) in [(a, b), physical(a, b)].compactMap({ $0 }) {
      plain = max(plain, score(a, b))
      best = max(best, plain, mayDifferByOptimiser(a, b) ? scoreWithoutVanished(a, b) ?? plain : plain)
    }
    return (plain, best)
  }

  /// Whether one of the two has inlined calls and the other could not tell them, so that it may fit several that differ there.
  func isGuess(_ a: WeighedSequence, _ b: WeighedSequence) -> Bool { physical(a, b) != nil }

  /// The two without the inlined calls that only one of them could see; `nil` when that is all the same.
  private func physical(_ a: WeighedSequence, _ b: WeighedSequence) -> (WeighedSequence, WeighedSequence)? {
    guard a.knowsInlining != b.knowsInlining,
      a.tokens.contains(where: \.isInlined) || b.tokens.contains(where: \.isInlined)
    else { return nil }
    return (a.withoutInlined(unknownTo: b), b.withoutInlined(unknownTo: a))
  }

  /// Whether the innermost functions of the app are one entity, as far as both can tell.
  func agreeOnBlame(_ a: WeighedSequence, _ b: WeighedSequence) -> Bool {
    endAlike(a, b) || physical(a, b).map(endAlike) ?? false
  }

  /// Whether the innermost functions of the app are one entity.
  private func endAlike(_ a: WeighedSequence, _ b: WeighedSequence) -> Bool { blame(a, b, align(a, b)) != nil }

  /// The pair of the innermost functions of the app, if they are one entity. Inlined ones without a partner are passed over, on
  /// one side: the other may not know them.
  func blame(_ a: WeighedSequence, _ b: WeighedSequence, _ alignment: Alignment) -> Alignment.Pair? {
    func blame(_ sequence: WeighedSequence, _ gaps: [Int]) -> Int? {
      sequence.tokens.indices.first { place in
        let token = sequence.tokens[place]
        return token.isOfApp && !(token.gap < token.weight && gaps.contains(place))
      }
    }
    guard let first = blame(a, alignment.firstGaps), let second = blame(b, alignment.secondGaps) else { return nil }
    // Two that each end in a call that the other does not have end in two places.
    guard a.tokens[..<first].allSatisfy({ !$0.isOfApp }) || b.tokens[..<second].allSatisfy({ !$0.isOfApp }) else {
      return nil
    }
    return alignment.pairs.first { $0.first == first && $0.second == second && $0.isOfOneFunction }
  }

  /// The alignment; of several that are equally good the one that pairs first, then passes over the first sequence's token.
  func align(_ a: WeighedSequence, _ b: WeighedSequence) -> Alignment {
    let best = table(a, b)
    let width = b.tokens.count + 1
    var result = Alignment(score: score(best[0], a, b), pairs: [], firstGaps: [], secondGaps: [])
    var (i, j) = (0, 0)
    while i < a.tokens.count, j < b.tokens.count {
      let value = best[i * width + j]
      if let pair = pair(a, i, b, j), value == best[(i + 1) * width + j + 1] + pair.worth {
        result.pairs.append(Alignment.Pair(first: i, second: j, credit: pair.kind, worth: pair.worth))
        i += 1
        j += 1
      } else if value == best[(i + 1) * width + j] - a.tokens[i].gap {
        result.firstGaps.append(i)
        i += 1
      } else {
        result.secondGaps.append(j)
        j += 1
      }
    }
    result.firstGaps += i..<a.tokens.count
    result.secondGaps += j..<b.tokens.count
    return result
  }
}
