internal import Diagnostics
public import Identity
public import Workers

/// Decides to which clusters new signatures belong.
///
/// A pure function of what was judged before, the set of new signatures, and the parameters: not of their order, of the
/// number of workers, or of how often they were seen, except that the most frequent signature founds a new cluster.
///
/// 1. Each new signature is compared with the exemplars of the clusters as they were before any of them was judged, and
///    joins one whose score is high and stands out.
/// 2. Those that are left are compared with each other, and grouped so that all of a group are alike.
/// 3. What is similar but not enough, or stands out too little, is suggested. Clusters that were there are never joined.
///
/// Signatures of different kinds or reason families are never compared.
public struct SimilarityJudge: Sendable {
  /// The numbers.
  public let parameters: SimilarityParameters
  private let workers: Workers

  /// A judge with these numbers.
  public init(_ parameters: SimilarityParameters = SimilarityParameters(), workers: Workers = Workers()) {
    self.parameters = parameters
    self.workers = workers
  }

  /// The verdict on `new`. What people said comes first: `pins` leads from signatures to the clusters where they belong.
  ///
  /// Cost: linear in the sequences of both; for each new signature a search in an index and one alignment for each candidate
  /// that it gives, at most the limit.
  public func judge(
    _ new: [NewSignature], judged: [JudgedSignature], pins: [String: String] = [:]
  ) -> Verdict {
    let frequencies = TokenFrequencies(
      judged: judged, new: new.filter { $0.barrier == nil }.map(\.sequence))
    let compilations = Compilations(judged: judged, new: new)
    let known = Dictionary(grouping: judged) { Family(kind: $0.kind.rawValue, reason: $0.family.rawValue) }
    let groups = Dictionary(grouping: new) { Family(kind: $0.kind.rawValue, reason: $0.family.rawValue) }
    var verdict = Verdict()
    for family in groups.keys.sorted() {
      var session = JudgingSession(
        parameters, frequencies, compilations, known: known[family] ?? [], new: groups[family] ?? [], pins: pins,
        workers)
      session.run()
      verdict.judgements += session.judgements
      verdict.suggestions += session.suggestedMerges
      verdict.limited += session.limited
    }
    verdict.judgements.sort { $0.signature < $1.signature }
    verdict.suggestions.sort()
    return verdict
  }

  /// How two sequences lie beside each other, for an explanation. `frequencies` are those of the store.
  public func align(
    _ first: AlignmentSequence, _ second: AlignmentSequence, frequencies: TokenFrequencies
  ) -> Alignment {
    var weighing = Weighing(parameters, frequencies)
    return Aligner(parameters).align(weighing.weigh(first), weighing.weigh(second))
  }

  /// The score of two sequences that were seen in these compilations, with all callers and without those that an optimiser may
  /// have taken, for an explanation.
  public func score(
    _ first: (AlignmentSequence, Set<DebugID>), _ second: (AlignmentSequence, Set<DebugID>),
    frequencies: TokenFrequencies
  ) -> (plain: Millionths, best: Millionths) {
    let compilations = Compilations([first, second])
    var weighing = Weighing(parameters, frequencies, compilations)
    return Aligner(parameters).likenesses(
      weighing.weigh(first.0, in: first.1), weighing.weigh(second.0, in: second.1))
  }

  /// What must be equal for two signatures to be compared.
  private struct Family: Hashable, Comparable {
    var kind: String
    var reason: String
    static func < (a: Family, b: Family) -> Bool { (a.kind, a.reason) < (b.kind, b.reason) }
  }
}

/// Judges the new signatures of one kind and reason family.
private struct JudgingSession {
  private let parameters: SimilarityParameters
  private let workers: Workers
  private let aligner: Aligner
  /// The exemplars of all known clusters, their places by cluster, and the index over them.
  private var exemplars: [(signature: JudgedSignature, weighed: WeighedSequence)] = []
  private var exemplarsOf: [String: [Int]] = [:]
  private let known: CandidateIndex
  /// An index over those exemplars that cannot tell inlined calls; the numbers are places in `plainExemplars`.
  private let plain: CandidateIndex
  private let plainExemplars: [Int]
  /// The new signatures that can be compared, by id.
  private let new: [NewSignature]
  private let weighed: [WeighedSequence]
  /// Those of whom somebody said where they belong.
  private let pinned: Set<String>
  private(set) var judgements: [Judgement] = []
  private(set) var limited = 0
  private var suggestions: [ClusterPair: Millionths] = [:]

  private struct ClusterPair: Hashable {
    var first: String
    var second: String
  }

  /// What the comparison with the known clusters gave.
  private struct Finding: Sendable {
    var neighbours: [Judgement.Neighbour] = []
    /// Whether the best of them ends in the same function.
    var agreesOnBlame = false
    /// Whether only one of the two could tell inlined calls.
    var isGuess = false
    /// Whether it joins only if an optimiser took callers from one of the two.
    var isSpared = false
    /// Whether something similar was passed over, since only common functions are shared with it.
    var isVetoed = false
    var isCut = false
  }

  init(
    _ parameters: SimilarityParameters, _ frequencies: TokenFrequencies, _ compilations: Compilations,
    known judged: [JudgedSignature], new: [NewSignature], pins: [String: String], _ workers: Workers
  ) {
    self.parameters = parameters
    self.workers = workers
    aligner = Aligner(parameters)
    var weighing = Weighing(parameters, frequencies, compilations)
    // The founder first, then those that know most of their innermost function, then by id: a choice that does not change
    // with counts.
    for (cluster, members) in Dictionary(grouping: judged, by: \.cluster).sorted(by: { $0.key < $1.key }) {
      func rank(_ member: JudgedSignature) -> Int { member.id == cluster ? 0 : member.sequence.knowsInlining ? 1 : 2 }
      let sorted = members.sorted { (rank($0), $0.id) < (rank($1), $1.id) }
      // What a cluster was seen in counts as a whole.
      let builds = members.reduce(into: Set()) { $0.formUnion($1.compilations) }
      for member in sorted.prefix(parameters.exemplars) {
        exemplarsOf[cluster, default: []].append(exemplars.count)
        exemplars.append((member, weighing.weigh(member.sequence, in: builds)))
      }
    }
    known = CandidateIndex(parameters, exemplars.map(\.weighed))
    plainExemplars = exemplars.indices.filter { [exemplars] in !exemplars[$0].weighed.knowsInlining }
    plain = CandidateIndex(parameters, plainExemplars.map { [exemplars] in exemplars[$0].weighed })
    let sorted = new.sorted { $0.id < $1.id }
    for signature in sorted where signature.barrier != nil {
      judgements.append(JudgingSession.uncompared(signature, pins[signature.id]))
    }
    self.new = sorted.filter { $0.barrier == nil }.map { signature in
      var signature = signature
      signature.cluster = pins[signature.id] ?? signature.cluster
      return signature
    }
    pinned = Set(pins.keys)
    weighed = self.new.map { weighing.weigh($0.sequence, in: $0.compilations) }
  }

  private static func uncompared(_ signature: NewSignature, _ pin: String?) -> Judgement {
    let outcome: Judgement.Outcome =
      pin != nil ? .pinned : signature.cluster == signature.id ? .founded : .continued
    return Judgement(
      signature: signature.id, outcome: outcome, cluster: pin ?? signature.cluster, barrier: signature.barrier)
  }

  var suggestedMerges: [SuggestedMerge] {
    suggestions.map { SuggestedMerge($0.key.first, $0.key.second, score: $0.value) }
  }

  mutating func run() {
    guard !new.isEmpty else { return }
    let findings = compareWithKnown()
    var decided = zip(new, findings).map { decide($0, $1) }
    refuseRivals(&decided, findings)
    let (pairs, isCut) = compareWithEachOther()
    limited = zip(findings, isCut).count { $0.isCut || $1 }
    link(&decided, pairs)
    for (judgement, finding) in zip(decided, findings) {
      for neighbour in finding.neighbours { suggest(judgement.cluster, neighbour.cluster, neighbour.score) }
    }
    for pair in pairs { suggest(decided[pair.first].cluster, decided[pair.second].cluster, pair.score) }
    judgements += decided
  }

  private mutating func suggest(_ one: String, _ other: String, _ score: Millionths) {
    guard one != other else { return }
    let pair = ClusterPair(first: min(one, other), second: max(one, other))
    suggestions[pair] = max(suggestions[pair] ?? score, score)
  }

  // MARK: Against the known

  private func compareWithKnown() -> [Finding] {
    workers.map(new.count) {
    } _: { _, number in
      finding(for: new[number], weighed[number])
    }
  }

  private func finding(for signature: NewSignature, _ sequence: WeighedSequence) -> Finding {
    var finding = Finding()
    var (candidates, isCut) = known.candidates(for: sequence, reaching: parameters.suggest)
    if !plainExemplars.isEmpty, sequence.tokens.contains(where: \.isInlined) {
      let more = plain.candidates(for: sequence, reaching: parameters.suggest, sparingInlined: true)
      candidates = Set(candidates).union(more.found.map { plainExemplars[$0] }).sorted()
      isCut = isCut || more.isCut
    }
    finding.isCut = isCut
    var best: [String: (exemplar: String, score: Millionths, number: Int)] = [:]
    for number in candidates {
      let (exemplar, weighed) = exemplars[number]
      let score = aligner.likeness(sequence, weighed)
      guard score >= parameters.suggest, exemplar.cluster != signature.cluster else { continue }
      guard sequence.sharesRareFrame(with: weighed) else {
        finding.isVetoed = true
        continue
      }
      if let found = best[exemplar.cluster], (found.score, exemplar.id) >= (score, found.exemplar) { continue }
      best[exemplar.cluster] = (exemplar.id, score, number)
    }
    finding.neighbours = best.map { cluster, found in
      let scores = (exemplarsOf[cluster] ?? []).map { aligner.likeness(sequence, exemplars[$0].weighed) }
      return Judgement.Neighbour(
        cluster: cluster, exemplar: found.exemplar, score: found.score,
        average: scores.reduce(0, +) / max(1, scores.count))
    }.sorted { ($1.score, $0.cluster) < ($0.score, $1.cluster) }
    if let first = finding.neighbours.first, let found = best[first.cluster] {
      finding.isGuess = aligner.isGuess(sequence, exemplars[found.number].weighed)
      finding.isSpared = aligner.isSpared(sequence, exemplars[found.number].weighed, at: parameters.attach)
      // One that cannot tell inlined calls must not bring in another that can and differs.
      finding.agreesOnBlame =
        (finding.isGuess && sequence.knowsInlining ? exemplarsOf[first.cluster] ?? [] : [found.number]).allSatisfy {
          aligner.agreeOnBlame(sequence, exemplars[$0].weighed)
        }
    }
    return finding
  }

  private func decide(_ signature: NewSignature, _ finding: Finding) -> Judgement {
    let best = finding.neighbours.first
    let runnerUp = finding.neighbours.dropFirst().first
    var judgement = Judgement(
      signature: signature.id, outcome: .founded, cluster: signature.cluster, best: best, runnerUp: runnerUp,
      sequence: signature.sequence)
    guard !pinned.contains(signature.id) else {
      judgement.outcome = .pinned
      return judgement
    }
    guard signature.cluster == signature.id else {
      judgement.outcome = .continued
      return judgement
    }
    guard let best else {
      judgement.barrier = finding.isVetoed ? .noRareFrame : nil
      return judgement
    }
    if best.score < parameters.attach {
      judgement.barrier = .belowThreshold
    } else if !finding.agreesOnBlame {
      judgement.barrier = .otherBlame
    } else if let runnerUp, best.score - runnerUp.score < parameters.margin {
      judgement.barrier = .ambiguous
    } else if best.average < parameters.exemplarAverage {
      judgement.barrier = .oddExemplar
    } else {
      judgement.outcome = .attached
      judgement.cluster = best.cluster
    }
    return judgement
  }

  /// Of several that would join a cluster only because it cannot tell inlined calls, and that differ in these, none does; nor of
  /// several that would only because callers may have vanished, and that one build shows besides each other.
  private func refuseRivals(_ decided: inout [Judgement], _ findings: [Finding]) {
    func refuse(_ rivals: [Int]) {
      for number in rivals {
        decided[number].outcome = .founded
        decided[number].cluster = new[number].cluster
        decided[number].barrier = .ambiguous
      }
    }
    let joining = Dictionary(
      grouping: decided.indices.filter { decided[$0].outcome == .attached }, by: { decided[$0].cluster })
    for (_, members) in joining where members.count > 1 {
      let guesses = members.filter { findings[$0].isGuess && weighed[$0].knowsInlining }
      if guesses.contains(where: { one in
        guesses.contains { !aligner.endInOneFunction(weighed[one], weighed[$0]) }
      }) {
        refuse(guesses)
      }
      let spared = members.filter { findings[$0].isSpared }
      let builds = spared.flatMap { weighed[$0].compilations }
      if Set(builds).count < builds.count { refuse(spared) }
    }
  }

  // MARK: Among each other

  private func compareWithEachOther() -> (
    pairs: [(first: Int, second: Int, score: Millionths)], isCut: [Bool]
  ) {
    let index = CandidateIndex(parameters, weighed)
    let found = workers.map(new.count) {
    } _: { _, number in
      let (candidates, isCut) = index.candidates(for: weighed[number], reaching: parameters.suggest)
      let similar = candidates.compactMap { other -> Pair? in
        guard other != number else { return nil }
        let score = aligner.likeness(weighed[number], weighed[other])
        guard score >= parameters.suggest, weighed[number].sharesRareFrame(with: weighed[other]) else { return nil }
        return Pair(first: min(number, other), second: max(number, other), score: score)
      }
      return (similar, isCut)
    }
    // Most pairs are found from both sides.
    let pairs = Set(found.flatMap(\.0)).sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    return (pairs.map { ($0.first, $0.second, $0.score) }, found.map(\.1))
  }

  private struct Pair: Hashable, Sendable {
    var first: Int
    var second: Int
    var score: Millionths
  }

  /// Groups the signatures that founded a cluster of their own.
  private func link(
    _ decided: inout [Judgement], _ pairs: [(first: Int, second: Int, score: Millionths)]
  ) {
    let isLeft = decided.map { $0.outcome == .founded }
    let alike = pairs.filter {
      $0.score >= parameters.attach && isLeft[$0.first] && isLeft[$0.second]
        && aligner.agreeOnBlame(weighed[$0.first], weighed[$0.second])
    }
    let certain = CompleteLinkage.groups(
      of: decided.count, pairs: alike.filter { !aligner.isGuess(weighed[$0.first], weighed[$0.second]) })
    for group in joinGuesses(certain, alike) where group.count > 1 {
      let ranked = group.sorted { (new[$1].diagnostics, new[$0].id) < (new[$0].diagnostics, new[$1].id) }
      let founder = ranked[0]
      for member in ranked.dropFirst() {
        let score = aligner.likeness(weighed[member], weighed[founder])
        let scores = group.filter { $0 != member }.map { aligner.likeness(weighed[member], weighed[$0]) }
        decided[member].outcome = .linked
        decided[member].cluster = new[founder].id
        decided[member].barrier = nil
        decided[member].runnerUp = decided[member].best
        decided[member].best = Judgement.Neighbour(
          cluster: new[founder].id, exemplar: new[founder].id, score: score,
          average: scores.reduce(0, +) / max(1, scores.count))
      }
    }
  }

  /// Lets groups in which no one can tell inlined calls join one that can: the best, when it stands out, and when each ends like
  /// one of that group. Second, since a group that has been joined so is less alike, and would keep its other variants out.
  private func joinGuesses(_ groups: [[Int]], _ pairs: [(first: Int, second: Int, score: Millionths)]) -> [[Int]] {
    let groupOf = Dictionary(
      groups.enumerated().flatMap { number, members in members.map { ($0, number) } },
      uniquingKeysWith: { first, _ in first })
    let tells = groups.map { $0.contains { weighed[$0].knowsInlining } }
    var partners: [Int: [Int: Millionths]] = [:]
    for pair in pairs {
      guard let one = groupOf[pair.first], let other = groupOf[pair.second], tells[one] != tells[other] else {
        continue
      }
      let (plain, target) = tells[one] ? (other, one) : (one, other)
      partners[plain, default: [:]][target] = max(partners[plain]?[target] ?? pair.score, pair.score)
    }
    var result = groups
    for (plain, targets) in partners.sorted(by: { $0.key < $1.key }) {
      let ranked = targets.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      guard let best = ranked.first, ranked.dropFirst().allSatisfy({ best.value - $0.value >= parameters.margin }),
        groups[plain].allSatisfy({ one in
          groups[best.key].contains { aligner.agreeOnBlame(weighed[one], weighed[$0]) }
        })
      else { continue }
      result[best.key] += groups[plain]
      result[plain] = []
    }
    return result
  }
}
