import Diagnostics
import Identity
import SignatureStore
import Signatures
import Testing

@Suite("What every engine does with judgements")
struct SimilarityConformanceTests {
  private static let apply = Event(function: "Shop.Cart.apply(coupon:)")
  private static let total = Event(function: "Shop.Cart.total()")
  private static let send = Event(function: "Shop.Mail.send()")

  /// A store with three signatures, the first of them twice, and what is written as their judgements.
  private func filled(_ engine: Engine) throws -> (any SignatureStore, TemporaryFolder) {
    let (store, folder) = try engine.make()
    let events = [Self.apply, Self.total, Self.send]
    _ = try store.record(batch([payload(1, [Self.apply, Self.apply]), payload(2, [Self.total, Self.send])], events))
    return (store, folder)
  }

  private static let sequence = AlignmentSequence([
    AlignmentToken(.app, "Shop.Cart.apply(coupon:)", isInlined: true), AlignmentToken(.system, "UIKitCore*"),
  ])

  private func verdict(_ judgements: [Judgement], _ suggestions: [SuggestedMerge] = []) -> Verdict {
    var verdict = Verdict()
    verdict.judgements = judgements
    verdict.suggestions = suggestions
    return verdict
  }

  private var joined: Judgement {
    Judgement(
      signature: Self.total.signature, outcome: .attached, cluster: Self.apply.signature,
      best: .init(cluster: Self.apply.signature, exemplar: Self.apply.signature, score: 912_345, average: 900_000),
      runnerUp: .init(cluster: Self.send.signature, exemplar: Self.send.signature, score: -7, average: -8),
      sequence: Self.sequence)
  }

  @Test("New signatures wait with their counts and a raw stack until they are judged", arguments: Engine.all)
  func waiting(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let waiting = try store.unjudgedSignatures()
    #expect(waiting.map(\.id) == [Self.apply, Self.total, Self.send].map(\.signature).sorted())
    #expect(waiting.map(\.cluster) == waiting.map(\.id))
    let apply = try #require(waiting.first { $0.id == Self.apply.signature })
    #expect(apply.diagnostics == 2 && apply.rawStack == Self.apply.rawStack.key)
    #expect(apply.compilations == Self.apply.compilations && !apply.compilations.isEmpty)
    #expect(try store.judgedSignatures() == [])
    #expect(try store.judgement(of: Self.apply.signature) == nil)
    try store.record(verdict([joined]))
    #expect(try store.unjudgedSignatures().map(\.id) == [Self.apply, Self.send].map(\.signature).sorted())
  }

  @Test("A judgement is read as it was written, and moves the signature to its cluster", arguments: Engine.all)
  func judgement(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let founded = Judgement(
      signature: Self.send.signature, outcome: .founded, cluster: Self.send.signature, barrier: .lowInformation)
    try store.record(verdict([joined, founded]))
    #expect(try store.judgement(of: Self.total.signature) == joined)
    #expect(try store.judgement(of: Self.send.signature) == founded)
    #expect(
      try store.judgedSignatures() == [
        JudgedSignature(
          id: Self.total.signature, cluster: Self.apply.signature, kind: .crash, family: .badAccess,
          sequence: Self.sequence, compilations: Self.total.compilations)
      ])
    let report = try store.report()
    #expect(report.clusters.map(\.id) == [Self.apply.signature, Self.send.signature])
    #expect(report.clusters[0].signatures == [Self.apply.signature, Self.total.signature].sorted())
    #expect(report.clusters[0].diagnostics == 3)
    // It keeps the name of its most frequent signature, and the stack that is shown is one of that.
    #expect(report.clusters[0].tokens == ["Shop!Cart.apply(coupon:)"])
    #expect(report.clusters[0].namedBy == Self.apply.rawStack.key)
    #expect(
      try store.assignments(of: [payload(2, []).digest]).map(\.cluster) == [Self.apply, Self.send].map(\.signature))
    #expect(try store.verify() == [])
  }

  @Test("What was judged once stays as it is", arguments: Engine.all)
  func once(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    try store.record(verdict([joined]))
    var other = joined
    other.outcome = .linked
    other.cluster = Self.send.signature
    try store.record(verdict([other]))
    #expect(try store.judgement(of: Self.total.signature) == joined)
    #expect(try store.report().clusters.map(\.diagnostics) == [3, 1])
  }

  @Test("Suggestions are shown at both clusters, with their best score, while both are there", arguments: Engine.all)
  func suggestions(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let pair = { (score: Int) in SuggestedMerge(Self.apply.signature, Self.total.signature, score: score) }
    try store.record(
      verdict([], [pair(700_000), SuggestedMerge(Self.apply.signature, "sig-0000000000000000", score: 900_000)]))
    try store.record(verdict([], [pair(710_000)]))
    try store.record(verdict([], [pair(690_000)]))
    try store.record(verdict([], [SuggestedMerge(Self.send.signature, Self.apply.signature, score: 710_001)]))
    let clusters = try store.report().clusters
    let shown = { (id: String) in clusters.first { $0.id == id }?.suggestedMerges }
    #expect(
      shown(Self.apply.signature) == [
        SimilarCluster(cluster: Self.send.signature, score: 710_001),
        SimilarCluster(cluster: Self.total.signature, score: 710_000),
      ])
    #expect(shown(Self.total.signature) == [SimilarCluster(cluster: Self.apply.signature, score: 710_000)])
    // One that joined is no suggestion any more.
    try store.record(verdict([joined]))
    #expect(try store.report().clusters[0].suggestedMerges.map(\.cluster) == [Self.send.signature])
  }

  @Test("A signature that late symbols make goes on with its cluster, and waits to be judged", arguments: Engine.all)
  func continued(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    var late = Self.total
    late.isSymbolicated = false
    let provisional = late.signature
    _ = try store.record(batch([payload(1, [Self.apply]), payload(2, [late])], [Self.apply, late]))
    try store.record(
      verdict([
        Judgement(
          signature: provisional, outcome: .attached, cluster: Self.apply.signature, sequence: Self.sequence)
      ]))
    late.isSymbolicated = true
    _ = try store.remap(derivations([late]))
    let waiting = try #require(try store.unjudgedSignatures().first { $0.id == Self.total.signature })
    #expect(waiting.cluster == Self.apply.signature)
    // What has no raw stack any more stands for nothing.
    #expect(try store.judgedSignatures() == [])
    var stays = joined
    stays.outcome = .continued
    stays.cluster = Self.apply.signature
    try store.record(verdict([stays]))
    let report = try store.report()
    #expect(report.clusters.map(\.id) == [Self.apply.signature])
    #expect(report.clusters[0].signatures == [Self.apply.signature, Self.total.signature].sorted())
    #expect(report.clusters[0].aliases == [provisional])
  }
}
