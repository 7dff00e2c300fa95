public import Diagnostics
public import Identity

/// A signature that was judged before: what new ones are compared with.
public struct JudgedSignature: Sendable, Hashable {
  /// The signature.
  public var id: String
  /// The cluster it belongs to now.
  public var cluster: String
  /// What happened.
  public var kind: DiagnosticKind
  /// The reason family.
  public var family: ReasonClass.Family
  /// What is compared.
  public var sequence: AlignmentSequence
  /// The compilations of the app in which it was seen, as far as known.
  public var compilations: Set<DebugID>

  /// A signature with these parts.
  public init(
    id: String, cluster: String, kind: DiagnosticKind, family: ReasonClass.Family, sequence: AlignmentSequence,
    compilations: Set<DebugID> = []
  ) {
    self.id = id
    self.cluster = cluster
    self.kind = kind
    self.family = family
    self.sequence = sequence
    self.compilations = compilations
  }
}

/// A signature that waits to be judged.
public struct NewSignature: Sendable, Hashable {
  /// The signature.
  public var id: String
  /// The cluster that it continues, when late symbols or new rules made it of signatures of a known cluster; else its own.
  public var cluster: String
  /// What happened.
  public var kind: DiagnosticKind
  /// The reason family.
  public var family: ReasonClass.Family
  /// Its diagnostics.
  public var diagnostics: Int
  /// What is compared.
  public var sequence: AlignmentSequence
  /// The compilations of the app in which it was seen, as far as known.
  public var compilations: Set<DebugID>
  /// Why it is compared with none, if so.
  public var barrier: Judgement.Barrier?

  /// A signature with these parts; `cluster` is its own when `nil`.
  public init(
    id: String, cluster: String? = nil, kind: DiagnosticKind, family: ReasonClass.Family, diagnostics: Int,
    sequence: AlignmentSequence, compilations: Set<DebugID> = [], barrier: Judgement.Barrier? = nil
  ) {
    self.id = id
    self.cluster = cluster ?? id
    self.kind = kind
    self.family = family
    self.diagnostics = diagnostics
    self.sequence = sequence
    self.compilations = compilations
    self.barrier = barrier
  }

  /// `signature` as it waits to be judged.
  public init(_ signature: Signature, cluster: String, diagnostics: Int, reader: AlignmentReader) {
    let sequence = reader.sequence(of: signature)
    self.init(
      id: signature.id, cluster: cluster, kind: signature.kind, family: signature.reason.family,
      diagnostics: diagnostics, sequence: sequence, compilations: Set([signature.compilation].compactMap { $0 }),
      barrier: !sequence.tokens.contains { $0.isOfApp && !$0.isUnknown } && signature.isProvisional
        ? .provisionalOnly : signature.quality == .normal ? nil : .lowInformation)
  }
}

/// To which cluster a signature belongs, and why. Made once for each signature and never silently changed.
public struct Judgement: Sendable, Hashable {
  /// What became of the signature.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It is a cluster of its own.
    case founded
    /// It joined a cluster that was known.
    case attached
    /// It joined a new cluster, founded by another signature that was new as well.
    case linked
    /// It goes on with the cluster of the signatures it was made of.
    case continued
    /// Somebody said where it belongs.
    case pinned
  }

  /// Why a signature did not join the best cluster there is.
  public enum Barrier: String, Sendable, Hashable, CaseIterable {
    /// It has fewer than two informative parts.
    case lowInformation = "low-information"
    /// No function of the app in it has a name yet.
    case provisionalOnly = "provisional-only"
    /// It shares no function of the app with the other that is rare enough to mean something.
    case noRareFrame = "no-rare-frame"
    /// The score is too low.
    case belowThreshold = "below-threshold"
    /// The innermost functions of the app differ: one problem seldom ends in two places, and people read the innermost.
    case otherBlame = "other-blame"
    /// The score of another cluster is as good, or nearly.
    case ambiguous
    /// Only some of the cluster's exemplars are similar.
    case oddExemplar = "odd-exemplar"
    /// Similarity was switched off.
    case off
  }

  /// A cluster that the signature is similar to.
  public struct Neighbour: Sendable, Hashable {
    /// The cluster.
    public var cluster: String
    /// Its most similar member.
    public var exemplar: String
    /// The score with that member.
    public var score: Millionths
    /// The mean score over the exemplars of the cluster.
    public var average: Millionths

    /// A neighbour with these parts.
    public init(cluster: String, exemplar: String, score: Millionths, average: Millionths) {
      self.cluster = cluster
      self.exemplar = exemplar
      self.score = score
      self.average = average
    }
  }

  /// The signature.
  public var signature: String
  /// What became of it.
  public var outcome: Outcome
  /// The cluster it belongs to.
  public var cluster: String
  /// The cluster with the best score, when one is similar enough to be suggested.
  public var best: Neighbour?
  /// The one with the next best.
  public var runnerUp: Neighbour?
  /// Why it did not join the best, or any.
  public var barrier: Barrier?
  /// What others will be compared with; `nil` when it can be compared with none.
  public var sequence: AlignmentSequence?

  /// A judgement with these parts.
  public init(
    signature: String, outcome: Outcome, cluster: String, best: Neighbour? = nil, runnerUp: Neighbour? = nil,
    barrier: Barrier? = nil, sequence: AlignmentSequence? = nil
  ) {
    self.signature = signature
    self.outcome = outcome
    self.cluster = cluster
    self.best = best
    self.runnerUp = runnerUp
    self.barrier = barrier
    self.sequence = sequence
  }
}

/// Two clusters that may be one problem. Nothing joins them but a person.
public struct SuggestedMerge: Sendable, Hashable, Comparable {
  /// The lesser cluster id.
  public var first: String
  /// The other.
  public var second: String
  /// The best score of a member of the one with a member of the other.
  public var score: Millionths

  /// A suggestion to merge two clusters, in either order.
  public init(_ one: String, _ other: String, score: Millionths) {
    first = min(one, other)
    second = max(one, other)
    self.score = score
  }

  /// By ids.
  public static func < (a: SuggestedMerge, b: SuggestedMerge) -> Bool {
    (a.first, a.second, a.score) < (b.first, b.second, b.score)
  }
}

/// What was decided about a set of new signatures.
public struct Verdict: Sendable, Hashable {
  /// One judgement for each new signature, by id.
  public var judgements: [Judgement] = []
  /// Clusters that may be one problem, by ids.
  public var suggestions: [SuggestedMerge] = []
  /// For how many signatures not all candidates were compared, because there were too many.
  public var limited = 0

  /// A verdict on nothing.
  public init() {}
}

extension Verdict {
  /// The verdict that leaves each of `signatures` where it is, without comparing it.
  public init(leaving signatures: [NewSignature]) {
    judgements = signatures.map { signature in
      Judgement(
        signature: signature.id, outcome: signature.cluster == signature.id ? .founded : .continued,
        cluster: signature.cluster, barrier: signature.barrier ?? .off,
        sequence: signature.barrier == nil ? signature.sequence : nil)
    }.sorted { $0.signature < $1.signature }
  }
}
