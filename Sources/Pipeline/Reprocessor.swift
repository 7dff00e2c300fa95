internal import Diagnostics
public import Identity
public import SignatureStore
public import Signatures

/// What is to be derived anew.
public enum ReprocessingScope: Sendable, Hashable {
  /// What other rules made, what waits for symbols that are there now, and what symbols named that are others now.
  case due
  /// Of what is due for its symbols, what has frames in these images, which arrived just now.
  case arrived(Set<DebugID>)
  /// The stacks that diagnostics of this build have.
  case build(String)
  /// The stacks with frames in this image.
  case image(DebugID)
  /// The stacks of these signatures.
  case signatures([String])
  /// All stacks, and the clusters as one run over all diagnostics in an empty store makes them.
  case all
}

/// What deriving anew did.
public struct Reprocessing: Sendable, Hashable {
  /// How many raw stacks were derived.
  public var derived = 0
  /// What is other than before.
  public var changes = StoreChanges()
  /// How many signatures joined a cluster that another one founded.
  public var joined = 0
  /// For how many signatures not all candidates were compared, because there were too many.
  public var limited = 0
  /// Images that named frames before and have no symbols any more, sorted: their frames lost their names.
  public var lost: [DebugID] = []

  /// A run that did nothing.
  public init() {}
}

/// Derives recorded stacks anew with the symbols and rules at hand. It needs no payloads, and no count moves.
///
/// Everything is one transaction, so a run that is interrupted changes nothing. A page of stacks is held at a time; a few dozen
/// bytes are remembered of each stack, and the signatures that must be judged as in `cluster`.
public struct Reprocessor<Store: SignatureStore> {
  private let store: Store
  private let deriver: StackDeriver
  private let judge: SimilarityJudge?
  private let symbolRevision: (DebugID) -> ContentDigest?

  /// A reprocessor of `store`. With `judge` missing every new signature is a cluster of its own.
  ///
  /// `symbolRevision` tells one state of an image's symbols from another; `nil` when there are none.
  public init(
    store: Store, deriver: StackDeriver, judge: SimilarityJudge?,
    symbolRevision: @escaping (DebugID) -> ContentDigest?
  ) {
    self.store = store
    self.deriver = deriver
    self.judge = judge
    self.symbolRevision = symbolRevision
  }

  /// Whether other rules than these made any of the mapping. Then only `due` and `all` give a store that is of one piece.
  public var meetsOtherRules: Bool {
    get throws(SignatureStoreError) {
      try !store.rawStacks(.notDerivedBy(deriver.rules.digest), after: nil, limit: 1).isEmpty
    }
  }

  /// Derives what `scope` says, judges what is new, and tells what changed; with `isDryRun` nothing of it is kept.
  ///
  /// Cost: for `due` and `arrived` a look-up for each image and the stacks that wait for them, and a pass over all stacks when
  /// symbols or rules are others; for `image` a pass over all stacks; else the stacks that are meant.
  public func run(_ scope: ReprocessingScope, isDryRun: Bool = false) throws(SignatureStoreError) -> Reprocessing {
    var result = Reprocessing()
    result.changes = try store.changing(isDryRun: isDryRun) { () throws(SignatureStoreError) in
      let outcome = try derive(scope, &result)
      if scope == .all { try store.foundAnew() }
      let verdict = try store.judgeNewSignatures(by: judge, deriver: deriver)
      result.joined = verdict.joined
      result.limited = verdict.limited
      if scope == .all { try store.settleFormerSignatures() }
      return outcome
    }
    return result
  }

  /// Derives what is due, and judges nothing. Returns how many raw stacks have another signature now.
  public func deriveDue() throws(SignatureStoreError) -> Int {
    var result = Reprocessing()
    return try derive(.due, &result).moved
  }

  // MARK: Deriving

  private func derive(
    _ scope: ReprocessingScope, _ result: inout Reprocessing
  ) throws(SignatureStoreError) -> RemapOutcome {
    let noted = try store.symbolRevisions()
    var images: Set<DebugID> = []
    var derived = 0
    let outcome = try store.remap { (map) throws(SignatureStoreError) in
      for (selection, filter) in try selections(for: scope, noted) {
        try store.pages(of: selection) { page throws(SignatureStoreError) in
          let wanted = page.filter { filter?.contains($0.stack) ?? true }
          try map(deriver.derivations(of: wanted))
          derived += wanted.count
          images.formUnion(wanted.lazy.flatMap(\.stack.images).compactMap(\.debugID))
        }
      }
    }
    result.derived = derived
    result.lost = images.filter { noted[$0] != nil && symbolRevision($0) == nil }.sorted { $0.hex < $1.hex }
    // Last: a run that is interrupted before begins again.
    try note(images, scope, noted)
    return outcome
  }

  /// The selections that make up a scope, and what their stacks must have frames in.
  private func selections(
    for scope: ReprocessingScope, _ noted: [DebugID: ContentDigest]
  ) throws(SignatureStoreError) -> [(StackSelection, ImageFilter?)] {
    switch scope {
    case .all: return [(.all, nil)]
    case .build(let build): return [(.ofBuild(build), nil)]
    case .image(let image): return [(.all, ImageFilter(images: [image]))]
    case .signatures(let ids): return ids.map { (.ofSignature($0), nil) }
    case .due:
      return [(.notDerivedBy(deriver.rules.digest), nil)] + (try late(among: nil, noted))
    case .arrived(let images): return try late(among: images, noted)
    }
  }

  /// What waits for symbols that are there now, or was named by symbols that are others now.
  private func late(
    among images: Set<DebugID>?, _ noted: [DebugID: ContentDigest]
  ) throws(SignatureStoreError) -> [(StackSelection, ImageFilter?)] {
    func isMeant(_ id: DebugID) -> Bool { images?.contains(id) ?? true }
    let arrived = try store.missingImages().map(\.debugID).filter { isMeant($0) && symbolRevision($0) != nil }
    let changed = noted.filter { id, used in isMeant(id) && symbolRevision(id).map { $0 != used } ?? false }
    let waiting: [(StackSelection, ImageFilter?)] = arrived.map { (.waitingFor($0), nil) }
    return changed.isEmpty ? waiting : waiting + [(.all, ImageFilter(images: Set(changed.keys)))]
  }

  private struct ImageFilter {
    var images: Set<DebugID>

    func contains(_ stack: RawStack) -> Bool { stack.images.contains { $0.debugID.map(images.contains) ?? false } }
  }

  /// Notes by which symbols and rules the mapping is derived. Symbols of an image that changed are noted only when all stacks
  /// with it were derived: else the others would never be.
  private func note(
    _ images: Set<DebugID>, _ scope: ReprocessingScope, _ noted: [DebugID: ContentDigest]
  ) throws(SignatureStoreError) {
    func isComplete(_ id: DebugID) -> Bool {
      switch scope {
      case .all, .due: true
      case .arrived(let images): images.contains(id)
      case .image(let image): image == id
      case .build, .signatures: false
      }
    }
    var revisions: [DebugID: ContentDigest] = [:]
    for image in images where noted[image] == nil || isComplete(image) { revisions[image] = symbolRevision(image) }
    if scope == .all { try store.forgetSymbolRevisions() }
    try store.note(symbolRevisions: revisions)
    if scope == .all || scope == .due { try store.note(rules: deriver.rules.digest, version: deriver.rules.version) }
  }
}
