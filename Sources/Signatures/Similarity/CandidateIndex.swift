/// Finds those of many sequences that can reach a score with one, without comparing it with each.
///
/// An inverted index over terms, and a bound on the score. A sequence that was not found under a term shares nothing of that
/// kind, so each term that was looked up lowers what the sequences not yet found can reach; terms are looked up from the
/// rarest on until that is less than the score that is asked for. So nothing is missed, and terms that many sequences hold
/// are not looked up at all, unless there is nothing else (prefix filter). Each token stands under the largest worth that a
/// pair of it can earn by each of its terms: name, entity, type, image of an unknown function.
///
/// Cost: building is linear; a search costs the lengths of the lists that it looks up, mostly those of rare terms.
struct CandidateIndex: Sendable {
  private let parameters: SimilarityParameters
  private var postings: [Int32: [Int]] = [:]

  /// An index of `sequences`, known by their places.
  init(_ parameters: SimilarityParameters, _ sequences: [WeighedSequence]) {
    self.parameters = parameters
    for (number, sequence) in sequences.enumerated() {
      for token in sequence.tokens {
        for term in [token.name, token.entity, token.type, token.unknown]
        where term >= 0 && postings[term]?.last != number {
          postings[term, default: []].append(number)
        }
      }
    }
  }

  /// A term to look up, for the token at `place`, and what a pair of that token can be worth to a sequence that was not found
  /// under it.
  private struct LookUp {
    var term: Int32
    var place: Int
    var remaining: Millionths
    var count: Int
  }

  /// The places of all sequences that can reach `threshold` with `sequence`, and maybe some that cannot, in the order they
  /// were found. No more than the limit; `isCut` tells whether that left any out.
  /// With `sparingInlined` the index holds sequences that cannot tell inlined calls, and those of `sequence` may be left out.
  func candidates(
    for sequence: WeighedSequence, reaching threshold: Millionths, sparingInlined: Bool = false
  ) -> (found: [Int], isCut: Bool) {
    var credits = sequence.tokens.map { $0.bestCredit(parameters) }
    var lookUps: [LookUp] = []
    for (place, token) in sequence.tokens.enumerated() {
      for (term, remaining) in token.lookUps(parameters) {
        lookUps.append(LookUp(term: term, place: place, remaining: remaining, count: postings[term]?.count ?? 0))
      }
    }
    // Rare terms first. Of one token the narrower term has the shorter list, or comes first in an equal one.
    lookUps.sort {
      ($0.count, $0.place, -$0.remaining) < ($1.count, $1.place, -$1.remaining)
    }
    var found: [Int] = []
    var seen: Set<Int> = []
    for lookUp in lookUps {
      guard
        canReach(threshold, sequence, credits, sparingInlined)
          || canReachWithoutVanished(threshold, sequence, credits, sparingInlined)
      else { break }
      for number in postings[lookUp.term] ?? [] where seen.insert(number).inserted {
        if found.count == parameters.candidateLimit { return (found, true) }
        found.append(number)
      }
      credits[lookUp.place] = min(credits[lookUp.place], lookUp.remaining)
    }
    return (found, false)
  }

  /// Whether a sequence whose pairs with token `i` are worth `credits[i]` at most can reach the threshold.
  ///
  /// With a pair of weights `w` and `r` and worth `c`, the score is `(Σ c·(w + r) - gaps) / (Σ w + Σ r + others)`. It reaches
  /// `t` only if `Σ c·w - gaps - t·Σ w + Σ (c - t)·r ≥ 0`, where what the other sequence has beyond the pairs can only
  /// lower it, and `r` is at most what a partner can weigh.
  private func canReach(
    _ threshold: Millionths, _ sequence: WeighedSequence, _ credits: [Millionths], _ sparingInlined: Bool
  ) -> Bool {
    parts(threshold, sequence, credits, sparingInlined).reduce(0, +) >= 0
  }

  /// What each token adds to the sum.
  private func parts(
    _ threshold: Millionths, _ sequence: WeighedSequence, _ credits: [Millionths], _ sparingInlined: Bool
  ) -> [Int] {
    zip(sequence.tokens, credits).map { token, credit in
      var part = -threshold * token.weight
      part += credit > 0 ? credit * token.weight : -SimilarityParameters.one * token.gap
      part += token.partnerWorth(credit, above: threshold, parameters)
      return sparingInlined && token.isInlined ? max(0, part) : part
    }
  }

  /// Whether a sequence can reach the threshold when the dearest callers are passed over as vanished. It needs two pairs of one
  /// function, of which one is rare: else it would be refused, and so boilerplate is not looked up for it.
  private func canReachWithoutVanished(
    _ threshold: Millionths, _ sequence: WeighedSequence, _ credits: [Millionths], _ sparingInlined: Bool
  ) -> Bool {
    guard !sequence.compilations.isEmpty else { return false }
    let open = sequence.tokens.indices.filter {
      sequence.tokens[$0].isOfApp && credits[$0] >= parameters.entityCredit
    }
    guard open.count > 1, open.contains(where: { sequence.tokens[$0].isRare }) else { return false }
    let parts = parts(threshold, sequence, credits, sparingInlined)
    let spared = sequence.tokens.indices.filter { sequence.tokens[$0].isOfApp && parts[$0] < 0 }.map { parts[$0] }
      .sorted()
    return parts.reduce(0, +) - spared.prefix(parameters.vanishedCallers).reduce(0, +) >= 0
  }
}

extension WeighedToken {
  /// What a pair of this token can be worth.
  fileprivate func bestCredit(_ parameters: SimilarityParameters) -> Millionths {
    unknown >= 0 ? parameters.unknownCredit : SimilarityParameters.one
  }

  /// The terms, narrow ones first, each with what a pair can be worth to a sequence that does not hold it.
  fileprivate func lookUps(_ parameters: SimilarityParameters) -> [(term: Int32, remaining: Millionths)] {
    if unknown >= 0 { return [(unknown, 0)] }
    if entity < 0 { return [(name, 0)] }
    let ofType = type >= 0 ? parameters.typeCredit : 0
    let terms = [(name, parameters.entityCredit), (entity, ofType)]
    return type >= 0 ? terms + [(type, 0)] : terms
  }

  /// `(c - threshold)·r` at most, for a partner of weight `r` in a pair worth `c`, which is at most `credit`.
  fileprivate func partnerWorth(
    _ credit: Millionths, above threshold: Millionths, _ parameters: SimilarityParameters
  ) -> Int {
    let heaviest = SimilarityParameters.millionths(max(parameters.appWeight, parameters.frameworkWeight))
    if credit < SimilarityParameters.one { return max(0, (credit - threshold) * heaviest) }
    let equal = (credit - threshold) * partner
    return max(0, entity >= 0 ? max(equal, (parameters.entityCredit - threshold) * heaviest) : equal)
  }
}
