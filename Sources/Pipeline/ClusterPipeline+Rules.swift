internal import Identity
public import SignatureStore
public import Signatures

extension ClusterPipeline {
  /// Derives anew all stacks that were derived by other rules, in one step: so clusters go on under their ids wherever
  /// all that they held goes on together. Ids that change leave aliases behind.
  ///
  /// Cost: one pass over those raw stacks; about a kilobyte of memory for each.
  public mutating func applyRules() throws(SignatureStoreError) {
    let rules = deriver.rules
    var derivations: [ContentDigest: Derivation] = [:]
    var last: ContentDigest?
    while true {
      let page = try store.rawStacks(notDerivedBy: rules.digest, after: last, limit: Self.pageSize)
      guard let end = page.last else { break }
      last = end.key
      for (stack, derivation) in zip(page, deriver.derive(page.map(\.stack))) {
        // Frames and paths are shown, not recorded.
        var derivation = derivation
        derivation.signature.frames = []
        derivation.signature.paths = []
        derivations[stack.key] = derivation
      }
    }
    if !derivations.isEmpty { summary.movedStacks += try store.remap(derivations).moved }
    try store.note(rules: rules.digest, version: rules.version)
  }
}

extension RulesChurn {
  /// What `new` rules would change for all raw stacks in `store`, which needs no payloads. Nothing is written.
  ///
  /// Cost: two derivations of each raw stack.
  public init(store: some SignatureStore, old: StackDeriver, new: StackDeriver) throws(SignatureStoreError) {
    var outcomes: [RulesChurn.Outcome] = []
    var last: ContentDigest?
    while true {
      let page = try store.rawStacks(after: last, limit: 4096)
      guard let end = page.last else { break }
      last = end.key
      let stacks = page.map(\.stack)
      let counts = try store.diagnosticCounts(page.map(\.key))
      for (stack, (before, after)) in zip(page, zip(old.derive(stacks), new.derive(stacks))) {
        outcomes.append(
          RulesChurn.Outcome(
            old: RulesChurn.Name(before.signature), new: RulesChurn.Name(after.signature),
            diagnostics: counts[stack.key] ?? 0))
      }
    }
    self.init(outcomes)
  }
}
