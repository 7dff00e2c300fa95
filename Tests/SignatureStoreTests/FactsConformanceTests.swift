import Diagnostics
import Identity
import SignatureStore
import Signatures
import SymbolIndex
import Symbolication
import Testing

@Suite("What every engine does with decisions of people")
struct FactsConformanceTests {
  private static let apply = Event(function: "Shop.Cart.apply(coupon:)")
  private static let total = Event(function: "Shop.Cart.total()")
  private static let send = Event(function: "Shop.Mail.send()")
  private static let ids = [apply, total, send].map(\.signature)

  /// A store with a cluster of `apply`, three times, and `total`, twice, and a cluster of `send`.
  private func filled(_ engine: Engine) throws -> (any SignatureStore, TemporaryFolder) {
    let (store, folder) = try engine.make()
    let (apply, total, send) = (Self.apply, Self.total, Self.send)
    _ = try store.record(batch([payload(1, [apply, apply, apply, total, total, send])], [apply, total, send]))
    try store.record(judging(Self.ids[0], into: Self.ids[0]))
    try store.record(judging(Self.ids[2], into: Self.ids[2]))
    try store.record(judging(Self.ids[1], into: Self.ids[0]))
    return (store, folder)
  }

  private func judging(_ signature: String, into cluster: String, suggesting: [SuggestedMerge] = []) -> Verdict {
    var verdict = Verdict()
    verdict.judgements = [
      Judgement(signature: signature, outcome: signature == cluster ? .founded : .attached, cluster: cluster)
    ]
    verdict.suggestions = suggesting
    return verdict
  }

  private func recorded(_ outcome: FactOutcome) throws -> Fact {
    guard case .recorded(let fact) = outcome else {
      Issue.record("\(outcome)")
      throw NotRecorded()
    }
    return fact
  }

  private struct NotRecorded: Error {}

  private func clusters(_ store: any SignatureStore) throws -> [String: [String]] {
    Dictionary(uniqueKeysWithValues: try store.report().clusters.map { ($0.id, $0.signatures) })
  }

  @Test("Merged clusters are one, under the id of the first; the other id leads there", arguments: Engine.all)
  func merge(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let before = try store.report()
    let (apply, send) = (Self.ids[0], Self.ids[2])
    let fact = try recorded(store.record(.merge([send, apply])))
    #expect(fact == Fact(number: 1, kind: .merge, subjects: [apply], object: send))
    let merged = try store.report()
    #expect(merged.clusters.map(\.id) == [send] && merged.clusters[0].signatures == Self.ids.sorted())
    #expect(merged.clusters[0].diagnostics == 6 && merged.clusters[0].aliases == [apply])
    #expect(try store.rawStacks(ofCluster: send).count == 3)
    #expect(try store.rawStacks(ofCluster: apply).isEmpty)
    #expect(try Set(store.assignments(of: [payload(1, []).digest]).map(\.cluster)) == [send])
    // Again, in either order, changes nothing.
    #expect(try store.record(.merge([send, apply])) == .unchanged(.alreadyOne(cluster: send)))
    #expect(try store.record(.merge([apply, send])) == .unchanged(.alreadyOne(cluster: send)))
    #expect(try store.facts() == [fact] && store.verify() == [])
    // What comes to either later is shown there.
    var late = Event(function: "Shop.Late.come()")
    late.build = "3"
    _ = try store.record(batch([payload(2, [late])], [late]))
    try store.record(judging(late.signature, into: apply))
    #expect(try clusters(store) == [send: (Self.ids + [late.signature]).sorted()])
    // Taken back, everything is as if it had never been said.
    let undo = try recorded(store.record(.undo(1)))
    #expect(undo.number == 2 && undo.kind == .undo)
    #expect(try clusters(store)[apply] == [apply, Self.ids[1], late.signature].sorted())
    #expect(try store.report().clusters.filter { $0.id == send } == before.clusters.filter { $0.id == send })
    #expect(try store.facts().map(\.endedBy) == [2, nil])
    #expect(try store.record(.undo(1)) == .unchanged(.alreadyEnded(fact: 1, by: 2)))
    #expect(try store.record(.undo(2)) == .refused(.isUndo(2)))
    #expect(try store.record(.undo(9)) == .refused(.noFact(9)))
    #expect(try store.verify() == [])
  }

  @Test("Signatures that are split off are a cluster of their own, and no suggestion joins them", arguments: Engine.all)
  func split(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let (apply, total, send) = (Self.ids[0], Self.ids[1], Self.ids[2])
    let before = try store.report()
    #expect(try store.record(.split([apply])) == .refused(.founder(id: apply, others: [total])))
    let fact = try recorded(store.record(.split([total])))
    #expect(fact == Fact(number: 1, kind: .split, subjects: [total], object: total))
    #expect(try clusters(store) == [apply: [apply], total: [total], send: [send]])
    #expect(try store.pins() == [total: total])
    #expect(try store.record(.split([total])) == .unchanged(.alreadyApart(cluster: total)))
    // A new one joins the cluster that was split off, and suggests that it is the old one.
    let late = Event(function: "Shop.Late.come()")
    _ = try store.record(batch([payload(2, [late])], [late]))
    let suggestions = [SuggestedMerge(total, apply, score: 700_000), SuggestedMerge(total, send, score: 690_000)]
    try store.record(judging(late.signature, into: total, suggesting: suggestions))
    let report = try store.report()
    #expect(try clusters(store)[total] == [total, late.signature].sorted())
    #expect(report.clusters.first { $0.id == total }?.suggestedMerges.map(\.cluster) == [send])
    #expect(report.clusters.first { $0.id == apply }?.suggestedMerges == [])
    // With the split undone the newcomer goes with those that it joined.
    _ = try recorded(store.record(.undo(1)))
    #expect(try clusters(store)[apply] == [apply, total, late.signature].sorted())
    #expect(try store.report().clusters.filter { $0.id == send }.map(\.diagnostics) == [1])
    #expect(try before.clusters.count == store.report().clusters.count)
    #expect(try store.verify() == [])
  }

  @Test("The founder can be split off behind another, and its cluster keeps the id", arguments: Engine.all)
  func founder(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let (apply, total, send) = (Self.ids[0], Self.ids[1], Self.ids[2])
    _ = try recorded(store.record(.pin(signature: apply, cluster: send)))
    #expect(try clusters(store) == [apply: [total], send: [apply, send].sorted()])
    // The id means the cluster, where one is asked for.
    _ = try recorded(store.record(.merge([send, apply])))
    #expect(try clusters(store) == [send: Self.ids.sorted()])
    #expect(try store.verify() == [])
  }

  @Test("A pin holds whatever similarity says, and is said once", arguments: Engine.all)
  func pin(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let (apply, total, send) = (Self.ids[0], Self.ids[1], Self.ids[2])
    _ = try recorded(store.record(.pin(signature: total, cluster: send)))
    #expect(try clusters(store) == [apply: [apply], send: [total, send].sorted()])
    #expect(try store.record(.pin(signature: total, cluster: send)) == .unchanged(.alreadySaid(fact: 1)))
    // The later word counts, and the earlier one when that is taken back.
    _ = try recorded(store.record(.pin(signature: total, cluster: apply)))
    #expect(try clusters(store)[apply] == [apply, total].sorted())
    _ = try recorded(store.record(.undo(2)))
    #expect(try clusters(store)[send] == [total, send].sorted())
    #expect(
      try store.record(.pin(signature: total, cluster: total)) == .refused(.isSignature(id: total, cluster: send)))
    #expect(try store.verify() == [])
  }

  @Test("What nobody knows is refused, with what to do", arguments: Engine.all)
  func refusals(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let (apply, total) = (Self.ids[0], Self.ids[1])
    for decision: Decision in [
      .merge([apply, "sig-x"]), .split(["sig-x"]), .pin(signature: "sig-x", cluster: apply),
      .pin(signature: total, cluster: "sig-x"), .alias(old: "BUG-1", new: "sig-x"),
    ] {
      #expect(try store.record(decision) == .refused(.unknown(id: "sig-x")))
    }
    #expect(try store.record(.merge([apply, total])) == .refused(.isSignature(id: total, cluster: apply)))
    var hang = Event(function: "Shop.Cart.apply(coupon:)").diagnostic
    hang.kind = .hang
    let stack = RawStack.reading(hang, stack: 0).stack
    let signature = SignatureBuilder().signature(
      of: stack,
      resolutions: stack.frames.map { _ in .init(status: .resolved, frames: [.init(function: "Shop.wait()")]) })
    let recordedHang = RecordedDiagnostic(hang, rawStack: stack, attribution: Attribution(hang))
    _ = try store.record(
      Batch(
        payloads: [RecordedPayload(digest: payload(7, []).digest, generation: .v1, diagnostics: [recordedHang])],
        derivations: [stack.key: Derivation(signature: signature)]))
    #expect(
      try store.record(.merge([apply, signature.id])) == .refused(.kinds(apply, .crash, signature.id, .hang)))
    #expect(try store.facts() == [] && store.verify() == [])
  }

  @Test("An id of elsewhere leads to what it stands for, also after that has another name", arguments: Engine.all)
  func alias(engine: Engine) throws {
    let (store, folder) = try filled(engine)
    defer { withExtendedLifetime(folder) {} }
    let (apply, total, send) = (Self.ids[0], Self.ids[1], Self.ids[2])
    let fact = try recorded(store.record(.alias(old: "BUG-1204", new: send)))
    #expect(try store.resolve(signature: "BUG-1204") == [send])
    #expect(try store.report().clusters.first { $0.id == send }?.aliases == ["BUG-1204"])
    #expect(try store.record(.alias(old: "BUG-1204", new: send)) == .unchanged(.alreadySaid(fact: 1)))
    #expect(
      try store.record(.alias(old: "BUG-1204", new: apply))
        == .refused(.isTaken(id: "BUG-1204", leadsTo: send, fact: fact.number)))
    #expect(try store.record(.alias(old: total, new: send)) == .refused(.isKnown(id: total, leadsTo: [total])))
    #expect(try store.record(.alias(old: "BUG-7", new: "BUG-7")) == .refused(.circle(id: "BUG-7")))
    #expect(try store.record(.alias(old: "a b", new: send)) == .refused(.unusable(id: "a b")))
    // An alias of an alias leads where that leads.
    #expect(try recorded(store.record(.alias(old: "JIRA-9", new: "BUG-1204"))).object == send)
    // It can be named like the id itself.
    _ = try recorded(store.record(.merge([apply, "BUG-1204"])))
    #expect(try store.report().clusters.map(\.aliases) == [["BUG-1204", "JIRA-9", send].sorted()])
    _ = try recorded(store.record(.undo(fact.number)))
    #expect(try store.resolve(signature: "BUG-1204") == [] && store.resolve(signature: "JIRA-9") == [send])
    #expect(try store.verify() == [])
  }

  @Test("Facts go on with what late symbols make of a signature: with the larger part", arguments: Engine.all)
  func lateSymbols(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    // Two functions that read as one for want of symbols.
    let (small, large, vague) = (Self.total, Event(function: "Shop.Large.part()"), Event(function: "Shop.vague()"))
    let provisional = vague.signature
    var first = batch(
      [payload(1, [small, large, large, Self.send]), payload(2, [Self.apply])], [Self.send, Self.apply])
    for event in [small, large] { first.derivations[event.rawStack.key] = vague.derivation }
    _ = try store.record(first)
    _ = try recorded(store.record(.pin(signature: provisional, cluster: Self.send.signature)))
    // The smaller part comes first: what is left keeps its id, and what was said of it.
    _ = try store.remap(derivations([small]))
    #expect(try clusters(store)[Self.send.signature] == [provisional, Self.send.signature].sorted())
    _ = try store.remap(derivations([large]))
    #expect(try clusters(store)[Self.send.signature] == [large.signature, Self.send.signature].sorted())
    #expect(
      try store.facts().map(\.bearers) == [
        [Fact.Bearer(subject: provisional, signature: large.signature, isDivided: true)]
      ])
    // The old id means several now.
    let parts = [small.signature, large.signature].sorted()
    #expect(try store.record(.split([provisional])) == .refused(.divided(id: provisional, into: parts)))
    #expect(try store.pins() == [large.signature: Self.send.signature])
    #expect(try store.verify() == [])
  }
}
