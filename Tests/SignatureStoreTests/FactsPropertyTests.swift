import Identity
import Signatures
import TestSupport
import Testing

@testable import SignatureStore

/// The clusters that facts make, by the plainest means: whole lists are gone through for each fact.
private struct PlainClusters {
  private var clusters: [String: String] = [:]
  private var signatures: [String: String] = [:]
  private let automatic: [String: String]

  init(automatic: [String: String], live: Set<String>, aliases: [(old: String, new: String)], facts: [Fact]) {
    self.automatic = automatic
    for id in automatic.keys {
      var founder = id
      while let next = automatic[founder], next != founder { founder = next }
      clusters[id] = founder
    }
    func bearer(_ id: String, _ seen: inout Set<String>) -> String? {
      if live.contains(id) { return id }
      for alias in aliases where alias.old == id && seen.insert(alias.new).inserted {
        if let found = bearer(alias.new, &seen) { return found }
      }
      return nil
    }
    for fact in facts where fact.endedBy == nil && fact.kind != .undo && fact.kind != .alias {
      let object = fact.object ?? ""
      let bearers = fact.subjects.compactMap { subject in
        var seen: Set<String> = [subject]
        return bearer(subject, &seen)
      }
      if fact.kind == .split { clusters[object] = object }
      let target = clusters[object] ?? object
      if fact.kind == .merge {
        for subject in fact.subjects {
          let source = clusters[subject]
          for (id, place) in clusters where place == source { clusters[id] = target }
          for (id, place) in signatures where place == source { signatures[id] = target }
        }
      } else {
        for signature in bearers { signatures[signature] = target }
      }
    }
  }

  func cluster(of signature: String) -> String? { signatures[signature] ?? clusters[automatic[signature] ?? ""] }
}

/// A store in which people decide, and its twin where nobody does.
private struct Twins {
  let folders = (TemporaryFolder(), TemporaryFolder())
  let decided: SQLiteSignatureStore
  let plain: SQLiteSignatureStore
  private var random: SeededGenerator
  private var payloads = 0
  /// Raw stacks, and the function that each is read as: with other symbols or rules it is another, or one that others have.
  private let events = (0..<9).map { Event(function: "Shop.f\($0)()") }
  private var meanings = Array(0..<9)
  private(set) var tally: [String: Int] = [:]

  init(seed: UInt64) throws {
    decided = try SQLiteSignatureStore(path: folders.0.store)
    plain = try SQLiteSignatureStore(path: folders.1.store)
    random = SeededGenerator(seed: seed)
    for number in 0..<4 { meanings[number] = 0 }
  }

  private mutating func chance(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func derived(_ numbers: [Int]) -> [ContentDigest: Derivation] {
    Dictionary(numbers.map { (events[$0].rawStack.key, events[meanings[$0]].derivation) }) { first, _ in first }
  }

  /// The twin's automatic clusters with the facts of the other, in the plainest way.
  func expected() throws -> PlainClusters {
    var automatic: [String: String] = [:]
    var live: Set<String> = []
    var aliases: [(old: String, new: String)] = []
    try plain.database.rows("SELECT id, automatic FROM signatures") { row throws(SignatureStoreError) in
      automatic[row.text(0) ?? ""] = row.text(1)
    }
    for id in automatic.keys where try plain.isLive(id) { live.insert(id) }
    try plain.database.rows("SELECT old, new FROM aliases ORDER BY moved DESC, new") {
      row throws(SignatureStoreError) in
      aliases.append((row.text(0) ?? "", row.text(1) ?? ""))
    }
    return PlainClusters(automatic: automatic, live: live, aliases: aliases, facts: try decided.facts())
  }

  func shown() throws -> [String: String] {
    var shown: [String: String] = [:]
    for cluster in try decided.report().clusters {
      for signature in cluster.signatures { shown[signature] = cluster.id }
    }
    return shown
  }

  /// One step of a store's life, in both.
  mutating func step() throws {
    switch chance(10) {
    case 0, 1:
      payloads += 1
      let some = (0...chance(4)).map { _ in chance(events.count) }
      let recorded = Batch(payloads: [payload(payloads, some.map { events[$0] })], derivations: derived(some))
      _ = try decided.record(recorded)
      _ = try plain.record(recorded)
    case 2:
      let numbers = (0...chance(3)).map { _ in chance(events.count) }
      for number in numbers { meanings[number] = chance(events.count) }
      let derived = derived(numbers)
      _ = try decided.remap(derived)
      _ = try plain.remap(derived)
    case 3:
      let verdict = try judge()
      try decided.record(verdict)
      try plain.record(verdict)
    case 4:
      for store in [decided, plain] { try store.foundAnew() }
      let verdict = try judge()
      for store in [decided, plain] {
        try store.record(verdict)
        try store.settleFormerSignatures()
      }
    default: try decide()
    }
  }

  /// Judges what waits as if similarity joined at random.
  private mutating func judge() throws -> Verdict {
    var verdict = Verdict()
    let clusters = Set(try shown().values).sorted()
    let pins = try decided.pins()
    var joinable = Set(clusters)
    for waiting in try decided.unjudgedSignatures() { joinable.remove(waiting.cluster) }
    for waiting in try decided.unjudgedSignatures() {
      var judgement = Judgement(signature: waiting.id, outcome: .founded, cluster: waiting.cluster)
      if pins[waiting.id] != nil {
        judgement.outcome = .pinned
      } else if waiting.cluster != waiting.id {
        judgement.outcome = .continued
      } else if let cluster = joinable.sorted().randomElement(using: &random), chance(3) > 0 {
        (judgement.outcome, judgement.cluster) = (.attached, cluster)
      }
      verdict.judgements.append(judgement)
    }
    return verdict
  }

  private mutating func decide() throws {
    let before = try shown()
    let ids = before.keys.sorted()
    guard !ids.isEmpty else { return }
    let clusters = Set(before.values).sorted()
    let decision: Decision =
      switch chance(7) {
      case 0: .merge((0...chance(3)).map { _ in clusters[chance(clusters.count)] })
      case 1, 2: .split((0...chance(2)).map { _ in ids[chance(ids.count)] })
      case 3, 4: .pin(signature: ids[chance(ids.count)], cluster: clusters[chance(clusters.count)])
      case 5: .alias(old: "BUG-\(chance(4))", new: ids[chance(ids.count)])
      default: .undo(1 + chance(max(1, try decided.facts().count)))
      }
    let report = try decided.report()
    let outcome = try decided.record(decision)
    let after = try shown()
    guard case .recorded(let fact) = outcome else {
      tally["none", default: 0] += 1
      #expect(try decided.report() == report, "\(outcome)")
      return
    }
    tally[fact.kind.rawValue, default: 0] += 1
    switch decision {
    case .merge(let named):
      #expect(Set(ids.filter { named.contains(before[$0] ?? "") }.map { after[$0] }) == [named[0]])
    case .split(let named): #expect(Set(ids.filter { after[$0] == named[0] }) == Set(named))
    case .pin(let signature, let cluster): #expect(after[signature] == cluster)
    case .alias, .undo: break
    }
    // Half of all decisions are taken back at once: then the report is what it was.
    if fact.kind != .undo, chance(2) == 0 {
      _ = try decided.record(.undo(fact.number))
      #expect(try decided.report() == report, "\(decision)")
    }
  }
}

@Suite("Decisions among everything else that happens to a store")
struct FactsPropertyTests {
  @Test("give what the facts that hold make of the clusters as they would be without any", arguments: 1...12)
  func fromScratch(seed: Int) throws {
    var twins = try Twins(seed: UInt64(seed))
    for step in 0..<60 {
      try twins.step()
      let expected = try twins.expected()
      for (signature, cluster) in try twins.shown() {
        #expect(expected.cluster(of: signature) == cluster, "step \(step)")
      }
      #expect(try twins.decided.verify() == [], "step \(step)")
    }
    // Neither symbols nor similarity nor counts are touched by what people decide.
    #expect(try twins.decided.report().diagnostics == twins.plain.report().diagnostics)
    #expect(
      try twins.decided.report().clusters.flatMap(\.signatures).sorted()
        == twins.plain.report().clusters.flatMap(\.signatures).sorted())
    for kind in ["merge", "split", "pin", "undo"] where seed == 1 {
      #expect(twins.tally[kind, default: 0] > 0, "\(kind)")
    }
  }

  @Test("that contradict themselves are found")
  func damage() throws {
    for (change, finding) in [
      ("UPDATE facts SET object = 'sig-x' WHERE number = 1", "fact 1 leads to sig-x, which the store does not know"),
      ("UPDATE facts SET subject = 'sig-x' WHERE number = 1", "fact 1 names sig-x, which the store does not know"),
      ("UPDATE facts SET ended_by = 1 WHERE number = 1", "fact 1 was ended by 1, which takes nothing back"),
      ("UPDATE facts SET kind = 'wish' WHERE number = 1", "a fact cannot be read"),
      ("UPDATE facts SET subject = object WHERE number = 2", "fact 2 leads to itself"),
      ("UPDATE signatures SET cluster = 'sig-x'", "is shown in another cluster than the facts say"),
      (
        "UPDATE signatures SET automatic = (SELECT o.id FROM signatures o WHERE o.id <> signatures.id)",
        "lead in a circle"
      ),
    ] {
      let folder = TemporaryFolder()
      let store = try SQLiteSignatureStore(path: folder.store)
      let events = [Event(function: "Shop.one()"), Event(function: "Shop.two()")]
      _ = try store.record(batch([payload(1, events)], events))
      _ = try store.record(.merge(events.map(\.signature)))
      _ = try store.record(.alias(old: "BUG-1", new: events[0].signature))
      #expect(try store.verify() == [])
      try store.database.execute(change)
      #expect(try store.verify().contains { $0.contains(finding) }, "\(change)")
    }
  }
}
