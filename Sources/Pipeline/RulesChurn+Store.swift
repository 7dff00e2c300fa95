public import SignatureStore
public import Signatures

extension RulesChurn {
  /// What `new` rules would change for all raw stacks in `store`, which needs no payloads. Nothing is written.
  ///
  /// Cost: two derivations of each raw stack.
  public init(store: some SignatureStore, old: StackDeriver, new: StackDeriver) throws(SignatureStoreError) {
    var outcomes: [RulesChurn.Outcome] = []
    try store.pages(of: .all) { page throws(SignatureStoreError) in
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
