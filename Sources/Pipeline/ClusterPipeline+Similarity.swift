internal import Identity
public import SignatureStore
public import Signatures

extension ClusterPipeline {
  /// Judges the signatures that were never judged: those of this run, and what an interrupted run left. With `nil` each
  /// becomes a cluster of its own, and stays one.
  ///
  /// Done once, after all documents were read, against the clusters as they are until then: so the result does not depend on
  /// the order of the documents or on batches. Cost: deriving at most 16 raw stacks of each new signature again, and the judge's.
  public mutating func judgeNewSignatures(by judge: SimilarityJudge?) throws(SignatureStoreError) {
    let verdict = try store.judgeNewSignatures(by: judge, deriver: deriver)
    summary.joinedSignatures += verdict.joined
    if verdict.limited > 0 { summary.notes["similarity_limited", default: 0] += verdict.limited }
  }
}

extension Verdict {
  /// How many signatures joined a cluster founded by another.
  var joined: Int { judgements.count { $0.outcome == .attached || $0.outcome == .linked } }
}

/// How many signatures are derived at once, from a few raw stacks each.
private let judgingPage = 1024

extension SignatureStore {
  /// Judges the signatures that were never judged, and records the verdict. With `nil` each is left where it is; later runs
  /// compare others with it, since a cluster that was told is not taken back.
  func judgeNewSignatures(by judge: SimilarityJudge?, deriver: StackDeriver) throws(SignatureStoreError) -> Verdict {
    let new = try newSignatures(deriver)
    guard !new.isEmpty else { return Verdict() }
    let verdict =
      if let judge { judge.judge(new, judged: try judgedSignatures(), pins: try pins()) } else { Verdict(leaving: new) }
    try record(verdict)
    return verdict
  }

  private func newSignatures(_ deriver: StackDeriver) throws(SignatureStoreError) -> [NewSignature] {
    let reader = AlignmentReader(rules: deriver.rules)
    var rest = try unjudgedSignatures()[...]
    var new: [NewSignature] = []
    while !rest.isEmpty {
      let page = rest.prefix(judgingPage)
      rest = rest.dropFirst(page.count)
      let derived = deriver.derivations(of: try rawStacks(page.flatMap { [$0.rawStack] + $0.otherRawStacks }))
      for waiting in page {
        // One whose symbols changed meanwhile is judged when the next run has given it its name.
        guard let signature = derived[waiting.rawStack]?.signature, signature.id == waiting.id else { continue }
        var one = NewSignature(
          signature, cluster: waiting.cluster, diagnostics: waiting.diagnostics, reader: reader)
        one.compilations = waiting.compilations
        for other in waiting.otherRawStacks {
          guard let variant = derived[other]?.signature, variant.id == waiting.id else { continue }
          one.sequence = one.sequence.completed(by: reader.sequence(of: variant))
        }
        new.append(one)
      }
    }
    return new
  }
}
