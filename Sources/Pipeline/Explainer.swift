public import Diagnostics
public import Identity
public import SignatureStore
public import Signatures

/// Explains stacks of files and of a store, without recording anything.
public struct Explainer<Store: SignatureStore> {
  private let deriver: StackDeriver
  private let knowledge: JudgingKnowledge<Store>?
  private let frames: FrameExplainer

  /// An explainer with the symbols and rules of `deriver`; what `store` knows of neighbours and history is told when there is one.
  /// Cost: reading what was judged in it.
  public init(
    store: Store?, deriver: StackDeriver, judge: SimilarityJudge = SimilarityJudge()
  ) throws(SignatureStoreError) {
    self.deriver = deriver
    frames = FrameExplainer(rules: deriver.rules)
    if let store {
      knowledge = try JudgingKnowledge(store: store, judge: judge, rules: deriver.rules)
    } else {
      knowledge = nil
    }
  }

  /// The diagnostics of one document, whose payload has this digest.
  public func explain(
    _ diagnostics: [Diagnostic], payload: ContentDigest
  ) throws(SignatureStoreError) -> [StackExplanation] {
    let chosen = diagnostics.map { diagnostic in
      let kept = diagnostic.kept
      let attribution = Attribution(kept, rules: deriver.rules)
      return (attribution, kept, RawStack.reading(kept, stack: attribution.stack).stack)
    }
    var explanations: [StackExplanation] = []
    for ((attribution, diagnostic, rawStack), derivation) in zip(chosen, deriver.derive(chosen.map(\.2))) {
      var explanation = explanation(
        .diagnostic(payload: payload, ordinal: diagnostic.ordinal), rawStack, derivation)
      explanation.attribution = attribution
      explanation.stacks = diagnostic.stacks.count
      explanation.orientation = attribution.stack.map {
        .init(order: diagnostic.stacks[$0].order, basis: diagnostic.stacks[$0].orderBasis)
      }
      try judge(&explanation, recordedAs: derivation.signature.id)
      explanations.append(explanation)
    }
    return explanations
  }

  /// The signature or cluster `id`, or, when it is an old one, all that it leads to; nothing when it leads nowhere.
  public func explain(signature id: String) throws(SignatureStoreError) -> [StackExplanation] {
    guard let store = knowledge?.store else { return [] }
    let aliases = try store.aliases(from: id)
    var explanations: [StackExplanation] = []
    for live in try store.resolve(signature: id) {
      guard let example = try store.example(ofSignature: live),
        let derivation = deriver.derive([example.rawStack.stack]).first
      else { continue }
      var explanation = explanation(.signature(live), example.rawStack.stack, derivation)
      explanation.aliases = aliases.leading(to: live)
      try judge(&explanation, recordedAs: live)
      explanations.append(explanation)
    }
    return explanations
  }

  /// The diagnostic `ordinal` of a recorded payload; `nil` when there is none.
  public func explain(
    diagnostic ordinal: Int, of payload: ContentDigest
  ) throws(SignatureStoreError) -> StackExplanation? {
    guard let store = knowledge?.store,
      let assignment = try store.assignments(of: [payload]).first(where: { $0.diagnostic == ordinal }),
      let stack = try store.rawStacks([assignment.rawStack]).first?.stack,
      let derivation = deriver.derive([stack]).first
    else { return nil }
    var explanation = explanation(.diagnostic(payload: payload, ordinal: ordinal), stack, derivation)
    explanation.attribution = try store.attribution(ofDiagnostic: ordinal, in: payload)
    try judge(&explanation, recordedAs: assignment.signature)
    return explanation
  }

  private func explanation(
    _ subject: StackExplanation.Subject, _ stack: RawStack, _ derivation: Derivation
  ) -> StackExplanation {
    StackExplanation(
      subject: subject, rawStack: stack, signature: derivation.signature, waiting: derivation.waiting,
      frames: derivation.signature.frames.map(frames.explain), threshold: deriver.rules.limits.dominating)
  }

  private func judge(_ explanation: inout StackExplanation, recordedAs id: String) throws(SignatureStoreError) {
    guard let knowledge else { return }
    let entry = try knowledge.store.entry(ofSignature: id)
    explanation.recorded = entry.flatMap { $0.isLive ? $0 : nil }
    explanation.judgement = try knowledge.explain(explanation.signature, recorded: explanation.recorded)
    explanation.suggestions = try knowledge.store.suggestedMerges(ofCluster: explanation.cluster)
  }
}

extension [SignatureAlias] {
  /// Those on the way to `live`, in their order.
  fileprivate func leading(to live: String) -> [SignatureAlias] {
    var wanted: Set<String> = [live]
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for alias in self where wanted.contains(alias.new) && wanted.insert(alias.old).inserted { isGrowing = true }
    }
    return filter { wanted.contains($0.new) }
  }
}
