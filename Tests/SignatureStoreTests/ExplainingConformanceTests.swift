import Diagnostics
import Identity
import SignatureStore
import Signatures
import Testing

@Suite("What every engine tells for explanations")
struct ExplainingConformanceTests {
  private static let apply = Event(function: "Shop.Cart.apply(coupon:)")
  private static let total = Event(function: "Shop.Cart.total()")

  @Test(
    "A signature has a cluster, a title, and its commonest raw stack; an unknown one has nothing", arguments: Engine.all
  )
  func entries(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let apply = ExplainingConformanceTests.apply
    var other = apply
    other.build = "2"
    _ = try store.record(batch([payload(1, [apply]), payload(2, [other]), payload(3, [other])], [apply, other]))
    let entry = try #require(try store.entry(ofSignature: apply.signature))
    #expect(entry.cluster == apply.signature && entry.isLive && entry.diagnostics == 3)
    #expect(entry.title == apply.derivation.signature.title)
    let example = try #require(try store.example(ofSignature: apply.signature))
    #expect(example.rawStack.key == other.rawStack.key && example.diagnostics == 2)
    #expect(try store.entry(ofSignature: "sig-") == nil && store.example(ofSignature: "sig-") == nil)
  }

  @Test("Aliases are told step by step up to what is live, and nothing leads on from there", arguments: Engine.all)
  func aliases(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    var bare = ExplainingConformanceTests.apply
    bare.isSymbolicated = false
    _ = try store.record(batch([payload(1, [bare])], [bare]))
    #expect(try store.aliases(from: bare.signature) == [])
    _ = try store.remap(derivations([ExplainingConformanceTests.apply]))
    let new = ExplainingConformanceTests.apply.signature
    #expect(
      try store.aliases(from: bare.signature) == [SignatureAlias(old: bare.signature, new: new, kind: .renamed)])
    #expect(try store.aliases(from: new) == [] && store.aliases(from: "sig-") == [])
    #expect(try store.entry(ofSignature: bare.signature)?.isLive == false)
    #expect(try store.example(ofSignature: bare.signature) == nil)
  }

  @Test("Payloads are found by the beginning of their digest, in digits of either number", arguments: Engine.all)
  func payloads(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let all = (1...40).map { payload($0, [ExplainingConformanceTests.apply]) }
    _ = try store.record(batch(all, [ExplainingConformanceTests.apply]))
    let digests = all.map(\.digest).sorted()
    for length in [0, 1, 2, 3, 63, 64] {
      let prefix = String(digests[7].hex.prefix(length))
      #expect(try store.payloads(beginningWith: prefix, limit: 100) == digests.filter { $0.hex.hasPrefix(prefix) })
    }
    #expect(try store.payloads(beginningWith: "", limit: 3) == Array(digests.prefix(3)))
    for wrong in ["x", "0x", digests[0].hex + "0", "' OR 1", "é"] {
      #expect(try store.payloads(beginningWith: wrong, limit: 9) == [])
    }
  }

  @Test("How a stack was chosen is kept, but not which one it was", arguments: Engine.all)
  func attribution(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let one = payload(1, [ExplainingConformanceTests.apply])
    _ = try store.record(batch([one], [ExplainingConformanceTests.apply]))
    #expect(
      try store.attribution(ofDiagnostic: 0, in: one.digest)
        == Attribution(stack: nil, basis: .attributed, confidence: .certain))
    #expect(try store.attribution(ofDiagnostic: 1, in: one.digest) == nil)
  }

  @Test("Suggestions are told from both sides, and only of clusters that have something left", arguments: Engine.all)
  func suggestions(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let (apply, total) = (ExplainingConformanceTests.apply, ExplainingConformanceTests.total)
    _ = try store.record(batch([payload(1, [apply, total])], [apply, total]))
    var verdict = Verdict()
    verdict.suggestions = [
      SuggestedMerge(apply.signature, total.signature, score: 700_000),
      SuggestedMerge(apply.signature, "sig-0000000000000000", score: 790_000),
    ]
    try store.record(verdict)
    #expect(
      try store.suggestedMerges(ofCluster: apply.signature)
        == [SimilarCluster(cluster: total.signature, score: 700_000)])
    #expect(
      try store.suggestedMerges(ofCluster: total.signature)
        == [SimilarCluster(cluster: apply.signature, score: 700_000)])
    #expect(try store.suggestedMerges(ofCluster: "sig-") == [])
  }
}
