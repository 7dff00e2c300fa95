import Identity
import SignatureStore
import Signatures
import Testing

@Suite("What every engine knows about rules")
struct RulesConformanceTests {
  @Test("Stacks that other rules derived are found, page by page, until they are derived anew", arguments: Engine.all)
  func derivedByOthers(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let events = (0..<5).map { Event(function: "Shop.f\($0)()") }
    _ = try store.record(batch([payload(1, events)], events))
    let rules = Rules.standard.digest
    #expect(try store.rawStacks(.notDerivedBy(rules), after: nil, limit: 9).isEmpty)
    let other = ContentDigest(of: Array("other".utf8))
    let first = try store.rawStacks(.notDerivedBy(other), after: nil, limit: 3)
    let rest = try store.rawStacks(.notDerivedBy(other), after: first.last?.key, limit: 3)
    #expect((first + rest).map(\.key) == events.map(\.rawStack.key).sorted())
    var moved = derivations(events)
    for key in moved.keys { moved[key]?.signature.rulesDigest = other }
    #expect(try store.remap(moved).moved == 0)
    #expect(try store.rawStacks(.notDerivedBy(other), after: nil, limit: 9).isEmpty)
    #expect(try store.verify() == [])
  }

  @Test("What is known under a version stays known", arguments: Engine.all)
  func versions(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let (first, second) = (ContentDigest(of: [1]), ContentDigest(of: [2]))
    #expect(try store.rules(version: "acme@1") == nil)
    try store.note(rules: first, version: "acme@1")
    try store.note(rules: second, version: "acme@1")
    try store.note(rules: second, version: "acme@2")
    #expect(try store.rules(version: "acme@1") == first && store.rules(version: "acme@2") == second)
  }

  @Test("Diagnostics are counted by raw stack", arguments: Engine.all)
  func counts(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let (often, once) = (Event(function: "Shop.often()"), Event(function: "Shop.once()"))
    _ = try store.record(batch([payload(1, [often, often]), payload(2, [often, once])], [often, once]))
    let keys = [often, once].map(\.rawStack.key)
    #expect(try store.diagnosticCounts(keys + [ContentDigest(of: [])]) == [keys[0]: 3, keys[1]: 1])
  }
}
