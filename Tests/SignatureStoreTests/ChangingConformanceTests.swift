import Identity
import Signatures
import TestSupport
import Testing

@testable import SignatureStore

@Suite("Saying anew what raw stacks mean")
struct ChangingConformanceTests {
  /// A crash of two builds without symbols, and the same with them.
  private func events() -> (without: [Event], with: [Event]) {
    let without = ["1", "2"].map { Event(function: "Shop.Cart.apply(_:)", build: $0, isSymbolicated: false) }
    let with = without.map { event in
      var event = event
      event.isSymbolicated = true
      return event
    }
    return (without, with)
  }

  @Test("tells what changed in each build, and nothing when it is said again", arguments: Engine.all)
  func changes(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let (without, with) = events()
    _ = try store.record(
      batch([payload(1, [without[0]]), payload(2, [without[0]]), payload(3, [without[1]])], without))
    let changes = try store.changing(isDryRun: false) { () throws(SignatureStoreError) in
      try store.remap { (map) throws(SignatureStoreError) in
        // In parts, as they come from a store that is too large to be held.
        for event in with { try map([event.rawStack.key: event.derivation]) }
      }
    }
    #expect((changes.stacks, changes.diagnostics, changes.moved, changes.settled) == (2, 3, 3, 3))
    #expect(changes.builds.map(\.build.build) == ["1", "2"])
    #expect(changes.builds.map(\.diagnostics) == [2, 1] && changes.builds.map(\.settled) == [2, 1])
    #expect(changes.signatures(.renamed) == 1 && changes.signatures(.joined) == 1)
    // The smaller one is under the id of the larger one's cluster now.
    #expect(changes.reclustered == 1)
    let again = try store.changing(isDryRun: false) { () throws(SignatureStoreError) in
      try store.remap(derivations(with))
    }
    #expect(again == StoreChanges())
    #expect(try store.verify() == [])
  }

  @Test("leaves nothing behind when it is a dry run, or fails half-way", arguments: Engine.all)
  func nothing(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let (without, with) = events()
    _ = try store.record(batch([payload(1, without)], without))
    try store.record(Verdict(leaving: []))
    let report = try store.report()
    let rehearsed = try store.changing(isDryRun: true) { () throws(SignatureStoreError) in
      let outcome = try store.remap(derivations(with))
      try store.foundAnew()
      try store.settleFormerSignatures()
      try store.forgetSymbolRevisions()
      return outcome
    }
    #expect(rehearsed.stacks == 2)
    #expect(try store.report() == report)
    #expect(throws: SignatureStoreError.full(path: "")) {
      _ = try store.changing(isDryRun: false) { () throws(SignatureStoreError) in
        _ = try store.remap(derivations(with))
        try store.foundAnew()
        throw .full(path: "")
      }
    }
    #expect(try store.report() == report)
    #expect(try store.verify() == [])
    // What comes after is not disturbed by it.
    #expect(try store.remap(derivations(with)).moved == 2)
  }

  @Test("in parts gives the aliases and clusters of saying it at once", arguments: Engine.all)
  func parts(engine: Engine) throws {
    let (without, with) = events()
    var reports: [StoreReport] = []
    for order in [with, with.reversed()] {
      let (store, folder) = try engine.make()
      defer { withExtendedLifetime(folder) {} }
      _ = try store.record(batch([payload(1, without)], without))
      _ = try store.remap { (map) throws(SignatureStoreError) in
        for event in order { try map([event.rawStack.key: event.derivation]) }
      }
      reports.append(try store.report())
    }
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    _ = try store.record(batch([payload(1, without)], without))
    _ = try store.remap(derivations(with))
    #expect(try reports == [store.report(), store.report()])
  }

  @Test(
    "can be done for what waits, of a build, or of a signature, page by page while it is done", arguments: Engine.all)
  func selections(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let waiting = (0..<25).map { Event(function: "Shop.f\($0)()", build: "\($0 % 2)", isSymbolicated: false) }
    let named = Event(function: "Shop.g()", build: "0")
    _ = try store.record(batch([payload(1, waiting + [named])], waiting + [named]))
    let image = try #require(Event.image("0"))
    func keys(_ selection: StackSelection, _ each: (StoredRawStack) throws -> Void = { _ in }) throws -> [ContentDigest]
    {
      var keys: [ContentDigest] = []
      while case let page = try store.rawStacks(selection, after: keys.last, limit: 4), !page.isEmpty {
        keys += page.map(\.key)
        for stack in page { try each(stack) }
      }
      return keys
    }
    let ofBuild = (waiting.filter { $0.build == "0" } + [named]).map(\.rawStack.key).sorted()
    #expect(try keys(.ofBuild("0")) == ofBuild && ofBuild.count == 14)
    #expect(try keys(.ofBuild("7")).isEmpty)
    #expect(try keys(.ofSignature(named.signature)) == [named.rawStack.key])
    #expect(try keys(.all).count == 26)
    // What was named meanwhile waits no more; none is passed over, and none comes twice.
    let found = try keys(.waitingFor(image)) { stack in
      var event = try #require(waiting.first { $0.rawStack.key == stack.key })
      event.isSymbolicated = true
      _ = try store.remap(derivations([event]))
    }
    #expect(found.sorted() == ofBuild.filter { $0 != named.rawStack.key })
    #expect(try keys(.waitingFor(image)).isEmpty)
  }
}
