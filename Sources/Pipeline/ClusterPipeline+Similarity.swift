internal import Identity
public import SignatureStore
public import Signatures

extension ClusterPipeline {
  /// How many raw stacks are derived at once.
  private static var judgingPage: Int { 4096 }

  /// Judges the signatures that were never judged: those of this run, and what an interrupted run left. With `nil` each
  /// becomes a cluster of its own, and stays one.
  ///
  /// Done once, after all documents were read, against the clusters as they are until then: so the result does not depend on
  /// the order of the documents or on batches. Cost: deriving one raw stack of each new signature again, and the judge's.
  public mutating func judgeNewSignatures(by judge: SimilarityJudge?) throws(SignatureStoreError) {
    let new = try newSignatures()
    guard !new.isEmpty else { return }
    guard let judge else {
      // Compared by later runs, since a cluster that was told is not taken back.
      return try store.record(Verdict(leaving: new))
    }
    let verdict = judge.judge(new, judged: try store.judgedSignatures(), pins: try store.pins())
    try store.record(verdict)
    summary.joinedSignatures += verdict.judgements.count { $0.outcome == .attached || $0.outcome == .linked }
    if verdict.limited > 0 { summary.notes["similarity_limited", default: 0] += verdict.limited }
  }

  private func newSignatures() throws(SignatureStoreError) -> [NewSignature] {
    let reader = AlignmentReader(rules: deriver.rules)
    var rest = try store.unjudgedSignatures()[...]
    var new: [NewSignature] = []
    while !rest.isEmpty {
      let page = rest.prefix(Self.judgingPage)
      rest = rest.dropFirst(page.count)
      let stacks = try store.rawStacks(page.map(\.rawStack))
      let derived = Dictionary(
        zip(stacks.map(\.key), deriver.derive(stacks.map(\.stack))), uniquingKeysWith: { first, _ in first })
      for waiting in page {
        // One whose symbols changed meanwhile is judged when the next run has given it its name.
        guard let signature = derived[waiting.rawStack]?.signature, signature.id == waiting.id else { continue }
        new.append(
          NewSignature(
            signature, cluster: waiting.cluster, diagnostics: waiting.diagnostics, reader: reader))
      }
    }
    return new
  }
}
