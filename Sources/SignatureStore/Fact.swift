public import Diagnostics

/// What a person decides about clusters.
public enum Decision: Sendable, Hashable {
  /// These clusters are one from now on, under the id of the first.
  case merge([String])
  /// These signatures leave their clusters and are one of their own, founded by the first.
  case split([String])
  /// The signature belongs to the cluster, whatever similarity says.
  case pin(signature: String, cluster: String)
  /// An id of elsewhere leads to an id of this store.
  case alias(old: String, new: String)
  /// The fact with this number no longer holds.
  case undo(Int)
}

/// A decision as it is recorded. Facts are never deleted: one that no longer holds names the fact that ended it.
public struct Fact: Sendable, Hashable {
  /// What was decided.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The subjects, clusters, are one with the object.
    case merge
    /// The subjects, signatures, are the cluster that the object founded.
    case split
    /// The subject, a signature, belongs to the object, a cluster.
    case pin
    /// The subject, an id of elsewhere, leads to the object.
    case alias
    /// The subject, the number of a fact, was taken back.
    case undo
  }

  /// Who bears a fact about a signature whose id is gone.
  public struct Bearer: Sendable, Hashable {
    /// The id that the fact names.
    public var subject: String
    /// The signature that it became; of several the one that took most of its diagnostics. `nil` when nothing is left.
    public var signature: String?
    /// Whether it became several.
    public var isDivided: Bool

    /// A bearer with these parts.
    public init(subject: String, signature: String?, isDivided: Bool) {
      (self.subject, self.signature, self.isDivided) = (subject, signature, isDivided)
    }
  }

  /// Its place in the order of facts, from 1.
  public var number: Int
  /// What was decided.
  public var kind: Kind
  /// What it is about, sorted.
  public var subjects: [String]
  /// The cluster, the founder, or the id that an alias leads to; `nil` for what takes another back.
  public var object: String?
  /// The fact that took this one back; `nil` while it holds.
  public var endedBy: Int?
  /// Where the subjects are now whose ids are gone, by subject; filled when facts are listed.
  public var bearers: [Bearer] = []

  /// A fact with these parts.
  public init(number: Int, kind: Kind, subjects: [String], object: String? = nil, endedBy: Int? = nil) {
    self.number = number
    self.kind = kind
    self.subjects = subjects.sorted()
    self.object = object
    self.endedBy = endedBy
  }
}

/// What became of a decision.
public enum FactOutcome: Sendable, Hashable {
  /// It is a fact now.
  case recorded(Fact)
  /// It was so already; nothing was written.
  case unchanged(FactNotice)
  /// It cannot be so; nothing was written.
  case refused(FactRefusal)
}

/// Why a decision changes nothing.
public enum FactNotice: Sendable, Hashable, CustomStringConvertible {
  /// The clusters are one already.
  case alreadyOne(cluster: String)
  /// The signatures are a cluster of their own already.
  case alreadyApart(cluster: String)
  /// The same was said before, and holds.
  case alreadySaid(fact: Int)
  /// The fact was taken back before.
  case alreadyEnded(fact: Int, by: Int)

  /// The notice as a sentence.
  public var description: String {
    switch self {
    case .alreadyOne(let cluster): "they are one cluster already: \(cluster)"
    case .alreadyApart(let cluster): "that is a cluster of its own already: \(cluster)"
    case .alreadySaid(let fact): "fact \(fact) says so already"
    case .alreadyEnded(let fact, let by): "fact \(fact) was taken back already, by fact \(by)"
    }
  }
}

/// Why a decision cannot be recorded.
public enum FactRefusal: Sendable, Hashable, CustomStringConvertible {
  /// The store does not know the id.
  case unknown(id: String)
  /// The id is one of a signature, and a cluster was asked for.
  case isSignature(id: String, cluster: String)
  /// The id leads to several, of which one must be named.
  case divided(id: String, into: [String])
  /// Others belong to what the founder founded, and would come along.
  case founder(id: String, others: [String])
  /// The two are of different kinds, and a cluster has one.
  case kinds(String, DiagnosticKind, String, DiagnosticKind)
  /// The old id of an alias is one of this store.
  case isKnown(id: String, leadsTo: [String])
  /// The old id of an alias leads elsewhere.
  case isTaken(id: String, leadsTo: String, fact: Int)
  /// The alias would lead to itself.
  case circle(id: String)
  /// The id of an alias is empty, too long, or no printable text.
  case unusable(id: String)
  /// There is no such fact.
  case noFact(Int)
  /// The fact is one that took another back.
  case isUndo(Int)

  /// The reason, and what to do.
  public var description: String {
    switch self {
    case .unknown(let id): "\(id) is no cluster and no signature of this store; see 'symclust signatures list'"
    case .isSignature(let id, let cluster):
      "\(id) is a signature of the cluster \(cluster); name that, or split it off first"
    case .divided(let id, let into): "\(id) was divided; name one of \(into.joined(separator: ", "))"
    case .founder(let id, let others):
      "\(id) founded what \(others.joined(separator: ", ")) belongs to as well; name another signature first, or split those off"
    case .kinds(let first, let kind, let second, let other):
      "\(first) is of the kind \(kind.rawValue), \(second) of \(other.rawValue), and a cluster has one kind"
    case .isKnown(let id, let leadsTo):
      "\(id) is an id of this store"
        + (leadsTo == [id] || leadsTo.isEmpty ? "" : " and leads to \(leadsTo.joined(separator: ", "))")
        + "; an alias is for one that it does not know"
    case .isTaken(let id, let leadsTo, let fact):
      "\(id) leads to \(leadsTo) by fact \(fact); take that back first: symclust signatures undo \(fact)"
    case .circle(let id): "an alias from \(id) would lead in a circle; name the id that it stands for"
    case .unusable(let id): "'\(id)' cannot be an alias; an id has 1 to 200 bytes and no spaces or control characters"
    case .noFact(let number): "there is no fact \(number); see 'symclust signatures facts'"
    case .isUndo(let number): "fact \(number) takes another back; decide again instead"
    }
  }
}
