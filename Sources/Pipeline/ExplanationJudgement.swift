internal import Diagnostics
internal import SignatureStore
public import Signatures

/// How a signature was judged, and how it lies beside those that it was compared with.
public struct ExplainedJudgement: Sendable, Hashable {
  /// One place of two aligned sequences: a pair, or a token without a partner.
  public struct Row: Sendable, Hashable {
    /// The token of this signature; `nil` for a gap.
    public var own: AlignmentToken?
    /// The token of the other; `nil` for a gap.
    public var other: AlignmentToken?
    /// Why they are a pair; `nil` for a gap.
    public var credit: Alignment.Credit?
  }

  /// A cluster that the signature is near to.
  public struct Neighbour: Sendable, Hashable {
    /// The scores when the signature was judged.
    public var neighbour: Judgement.Neighbour
    /// The member that was compared, for people; `nil` when it is not known any more.
    public var title: String?
    /// The score with the numbers and frequencies of today; `nil` when the sequences are not known any more.
    public var scoreToday: Millionths?
    /// Whether the score of today passes over callers that an optimiser may have taken.
    public var passesOverCallers = false
    /// The alignment of today, innermost first.
    public var rows: [Row]
  }

  /// The judgement.
  public var judgement: Judgement
  /// Whether the store has it; else it is what would be decided now.
  public var isRecorded: Bool
  /// The nearest cluster and the runner-up, as far as they are near enough to be told.
  public var neighbours: [Neighbour]
}

extension Alignment {
  /// The pairs and gaps as rows, innermost first: between two pairs the gaps of the first sequence stand before those of the second.
  func rows(_ own: AlignmentSequence, _ other: AlignmentSequence) -> [ExplainedJudgement.Row] {
    var rows: [ExplainedJudgement.Row] = []
    var (first, second) = (0, 0)
    func gaps(_ row: inout [ExplainedJudgement.Row], upTo pair: (Int, Int)) {
      row += own.tokens[first..<pair.0].map { .init(own: $0, other: nil, credit: nil) }
      row += other.tokens[second..<pair.1].map { .init(own: nil, other: $0, credit: nil) }
    }
    for pair in pairs {
      gaps(&rows, upTo: (pair.first, pair.second))
      rows.append(.init(own: own.tokens[pair.first], other: other.tokens[pair.second], credit: pair.credit))
      (first, second) = (pair.first + 1, pair.second + 1)
    }
    gaps(&rows, upTo: (own.tokens.count, other.tokens.count))
    return rows
  }
}

/// What a store knows for judging: read once for all that is explained in one run.
struct JudgingKnowledge<Store: SignatureStore> {
  let store: Store
  let judge: SimilarityJudge
  let reader: AlignmentReader
  private let judged: [JudgedSignature]

  init(store: Store, judge: SimilarityJudge, rules: Rules) throws(SignatureStoreError) {
    self.store = store
    self.judge = judge
    reader = AlignmentReader(rules: rules)
    judged = try store.judgedSignatures()
  }

  /// How the signature was judged, or would be. `recorded` is what the store counts it under.
  func explain(_ signature: Signature, recorded: SignatureEntry?) throws(SignatureStoreError) -> ExplainedJudgement {
    let id = recorded?.id ?? signature.id
    let known = try store.judgement(of: id)
    // Nothing is to be aligned for most of what the store has judged.
    if let known, known.best == nil, known.runnerUp == nil {
      return ExplainedJudgement(judgement: known, isRecorded: true, neighbours: [])
    }
    let own = judged.filter { $0.id != id }
    var new = NewSignature(signature, cluster: recorded?.cluster ?? id, diagnostics: 1, reader: reader)
    new.compilations.formUnion(judged.first { $0.id == id }?.compilations ?? [])
    guard let judgement = known ?? judge.judge([new], judged: own).judgements.first else {
      return ExplainedJudgement(
        judgement: Judgement(signature: id, outcome: .founded, cluster: new.cluster), isRecorded: false, neighbours: [])
    }
    let frequencies = TokenFrequencies(judged: own, new: judgement.sequence.map { [$0] } ?? [])
    var neighbours: [ExplainedJudgement.Neighbour] = []
    for neighbour in [judgement.best, judgement.runnerUp].compactMap({ $0 }) {
      var explained = ExplainedJudgement.Neighbour(
        neighbour: neighbour, title: try store.entry(ofSignature: neighbour.exemplar)?.title, scoreToday: nil, rows: [])
      if let sequence = judgement.sequence, let other = try store.judgement(of: neighbour.exemplar)?.sequence {
        let alignment = judge.align(sequence, other, frequencies: frequencies)
        let builds = judged.first { $0.id == neighbour.exemplar }?.compilations ?? []
        let score = judge.score((sequence, new.compilations), (other, builds), frequencies: frequencies)
        explained.scoreToday = score.best
        explained.passesOverCallers = score.best > score.plain
        explained.rows = alignment.rows(sequence, other)
      }
      neighbours.append(explained)
    }
    return ExplainedJudgement(judgement: judgement, isRecorded: known != nil, neighbours: neighbours)
  }
}
