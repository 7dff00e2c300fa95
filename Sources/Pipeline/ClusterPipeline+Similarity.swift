internal import Identity
public import SignatureStore
public import Signatures

extension ClusterPipeline {
  /// How many signatures are derived at once, from a few raw stacks each.
  private static var judgingPage: Int { 1024 }

  /// Judges the signatures that were never judged: those of this run, and what an interrupted run left. With `nil` each
  /// becomes a cluster of its own, and stays one.
  ///
  /// Done once, after all documents were read, against the clusters as they are until then: so the result does not depend on
  /// the order of the documents or on batches. Cost: deriving at most 16 raw stacks of each new signature again, and the judge's.
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
      let stacks = try store.rawStacks(page.flatMap { [$0.rawStack] + $0.otherRawStacks })
      let derived = Dictionary(
        zip(stacks.map(\.key), deriver.derive(stacks.map(\.stack))), uniquingKeysWith: { first, _ in first })
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
