public import Identity

/// What one run did with what it was given. Every document is accepted, a duplicate, or rejected with a reason.
public struct RunSummary: Sendable, Hashable {
  /// Payloads that are in the store now and were not before.
  public var acceptedPayloads = 0
  /// Their diagnostics.
  public var acceptedDiagnostics = 0
  /// Payloads that the store had already, or that came twice.
  public var duplicatePayloads = 0
  /// What was not accepted, in the order it was given.
  public var rejected: [RejectedItem] = []
  /// Accepted diagnostics without any frame.
  public var diagnosticsWithoutStack = 0
  /// Accepted payloads by the format of their document.
  public var formats: [String: Int] = [:]
  /// Those of them that are metric payloads (`MXMetricPayload`), which hold no diagnostics.
  public var metricPayloads = 0
  /// Report-days that are in the store now and were not before.
  public var reportDays = 0
  /// Accepted diagnostics that Xcode simulated; payloads of nothing else are kept out of every rate.
  public var simulatedDiagnostics = 0
  /// Files in folders that are no diagnostics by their names.
  public var otherFiles = 0
  /// What the reader repaired, guessed or left out, by word.
  public var notes: [String: Int] = [:]
  /// Members of accepted documents, outside call stack trees, whose names the reader does not know.
  public var unknownKeys = 0
  /// Results of kinds that the reader does not know, by their name: their stacks are kept as of unknown kind.
  public var unknownResults: [String: Int] = [:]
  /// States that were not kept since they may name a person, by domain; an empty one stands for domains that may, too.
  public var droppedStates: [String: Int] = [:]
  /// Signatures never seen before, sorted.
  public var newSignatures: [String] = []
  /// How many of the signatures that were judged joined a cluster founded by another.
  public var joinedSignatures = 0
  /// Raw stacks whose signature changed because symbols arrived, or the rules changed, since they were recorded.
  public var movedStacks = 0
  /// Damage in the store that was worked around, in words.
  public var damage: [String] = []
  /// The payloads of the run that are in the store, each once, in the order they were given.
  public var payloads: [ContentDigest] = []

  /// A run that did nothing.
  public init() {}

  /// Names from documents are counted up to this many of a sort; all others count as `other`.
  static let nameLimit = 1000

  /// Adds counts by names that come from strangers.
  static func add(_ counts: [String: Int], to all: inout [String: Int]) {
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      let isKnown = all[name] != nil || all.count < nameLimit
      all[isKnown ? name : "other", default: 0] += count
    }
  }

  /// The rejected items by reason.
  public var rejectedByReason: [String: Int] {
    rejected.reduce(into: [:]) { $0[$1.reason, default: 0] += 1 }
  }
}
