internal import Diagnostics

/// All that decisions are judged by and made of: an engine reads it, asks, and writes what it is told.
struct FactBook {
  /// For each signature the cluster it belongs to by itself.
  var automatic: [String: String] = [:]
  /// The signatures that have raw stacks now.
  var live: Set<String> = []
  /// For each id that was left where its raw stacks went, the larger part first.
  var aliases: [String: [String]] = [:]
  /// The kind of each signature.
  var kinds: [String: DiagnosticKind] = [:]
  /// The facts, in their order.
  var facts: [Fact] = []

  /// The clusters as they are shown.
  var shown: ShownClusters { ShownClusters(automatic: automatic, facts: facts, bearer: bearer(of:)) }

  // MARK: Ids

  /// The live signatures that `id` leads to, the larger part first.
  func signatures(ledToBy id: String) -> [String] {
    var seen: Set<String> = [id]
    var pending = [id]
    var found: [String] = []
    while let next = pending.popLast() {
      if live.contains(next) {
        found.append(next)
        continue
      }
      pending += (aliases[next] ?? []).filter { seen.insert($0).inserted }.reversed()
    }
    return found
  }

  /// The signature that bears what is said of `id`: itself, or the larger part of what it became.
  func bearer(of id: String) -> String? { signatures(ledToBy: id).first }

  /// The id that `id`, one of elsewhere, stands for by a fact; what this store knows stands for itself.
  func known(_ id: String) -> String {
    if automatic[id] != nil { return id }
    return alias(id)?.object ?? id
  }

  private func alias(_ id: String) -> Fact? {
    facts.first { $0.kind == .alias && $0.endedBy == nil && $0.subjects == [id] }
  }

  /// The clusters that `id` leads to, sorted: itself, what it was merged into, or those of the signatures it became.
  /// `present` are the clusters that have live signatures.
  func clusters(ledToBy id: String, in shown: ShownClusters, present: Set<String>) -> [String] {
    let id = known(id)
    if shown.isCluster(id), present.contains(shown.place(id)) { return [shown.place(id)] }
    return Set(signatures(ledToBy: id).map(shown.cluster(of:))).sorted()
  }

  /// The facts with where their subjects are now.
  var listed: [Fact] {
    facts.map { fact in
      var fact = fact
      guard fact.kind == .split || fact.kind == .pin, fact.endedBy == nil else { return fact }
      fact.bearers = fact.subjects.filter { !live.contains($0) }.map { subject in
        let signatures = signatures(ledToBy: subject)
        return Fact.Bearer(subject: subject, signature: signatures.first, isDivided: signatures.count > 1)
      }
      return fact
    }
  }

  // MARK: Decisions

  /// What becomes of `decision`. Nothing is changed.
  func outcome(of decision: Decision) -> FactOutcome {
    do throws(FactAnswer) {
      switch decision {
      case .merge(let clusters): return .recorded(try merge(clusters))
      case .split(let signatures): return .recorded(try split(signatures))
      case .pin(let signature, let cluster): return .recorded(try pin(signature, to: cluster))
      case .alias(let old, let new): return .recorded(try alias(old, to: new))
      case .undo(let number): return .recorded(try undo(number))
      }
    } catch {
      switch error {
      case .unchanged(let notice): return .unchanged(notice)
      case .refused(let refusal): return .refused(refusal)
      }
    }
  }

  /// Why no fact is made.
  private enum FactAnswer: Error {
    case unchanged(FactNotice)
    case refused(FactRefusal)
  }

  private func fact(_ kind: Fact.Kind, _ subjects: [String], _ object: String? = nil) -> Fact {
    Fact(number: (facts.last?.number ?? 0) + 1, kind: kind, subjects: subjects, object: object)
  }

  private func merge(_ ids: [String]) throws(FactAnswer) -> Fact {
    let shown = shown
    var clusters: [String] = []
    for id in ids {
      let cluster = try self.cluster(id, in: shown)
      if !clusters.contains(cluster) { clusters.append(cluster) }
    }
    guard let first = clusters.first else { throw .refused(.unknown(id: "")) }
    guard clusters.count > 1 else { throw .unchanged(.alreadyOne(cluster: first)) }
    for other in clusters.dropFirst() { try checkKinds(first, other) }
    return fact(.merge, Array(clusters.dropFirst()), first)
  }

  private func split(_ ids: [String]) throws(FactAnswer) -> Fact {
    let shown = shown
    var named: [String] = []
    for id in ids {
      let signature = try self.signature(id)
      if !named.contains(signature) { named.append(signature) }
    }
    guard let founder = named.first else { throw .refused(.unknown(id: "")) }
    for other in named.dropFirst() { try checkKinds(founder, other) }
    let from = Set(named.map(shown.cluster(of:)))
    if from.count == 1, let cluster = from.first,
      live.allSatisfy({ named.contains($0) || shown.cluster(of: $0) != cluster })
    {
      throw .unchanged(.alreadyApart(cluster: cluster))
    }
    let fact = fact(.split, named, founder)
    var after = self
    after.facts.append(fact)
    let shownAfter = after.shown
    let others = live.filter { !named.contains($0) && shownAfter.cluster(of: $0) == founder }.sorted()
    guard others.isEmpty else { throw .refused(.founder(id: founder, others: others)) }
    return fact
  }

  private func pin(_ id: String, to cluster: String) throws(FactAnswer) -> Fact {
    let shown = shown
    let signature = try signature(id)
    let cluster = try self.cluster(cluster, in: shown)
    try checkKinds(signature, cluster)
    let last = facts.last {
      ($0.kind == .pin || $0.kind == .split) && $0.endedBy == nil
        && $0.subjects.contains { bearer(of: $0) == signature }
    }
    if let last, last.kind == .pin, shown.cluster(of: signature) == cluster {
      throw .unchanged(.alreadySaid(fact: last.number))
    }
    return fact(.pin, [signature], cluster)
  }

  private func alias(_ old: String, to new: String) throws(FactAnswer) -> Fact {
    guard (1...200).contains(old.utf8.count), old.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw .refused(.unusable(id: old))
    }
    let target = known(new)
    if target == old || new == old { throw .refused(.circle(id: old)) }
    if automatic[old] != nil { throw .refused(.isKnown(id: old, leadsTo: signatures(ledToBy: old))) }
    guard automatic[target] != nil else { throw .refused(.unknown(id: new)) }
    if let fact = alias(old), let object = fact.object {
      if object == target { throw .unchanged(.alreadySaid(fact: fact.number)) }
      throw .refused(.isTaken(id: old, leadsTo: object, fact: fact.number))
    }
    return fact(.alias, [old], target)
  }

  private func undo(_ number: Int) throws(FactAnswer) -> Fact {
    guard let old = facts.first(where: { $0.number == number }) else { throw .refused(.noFact(number)) }
    if old.kind == .undo { throw .refused(.isUndo(number)) }
    if let by = old.endedBy { throw .unchanged(.alreadyEnded(fact: number, by: by)) }
    return fact(.undo, [String(number)])
  }

  // MARK: What was named

  /// The cluster that a person means by `id`.
  private func cluster(_ id: String, in shown: ShownClusters) throws(FactAnswer) -> String {
    let found = clusters(ledToBy: id, in: shown, present: Set(live.map(shown.cluster(of:))))
    guard let first = found.first else { throw .refused(.unknown(id: id)) }
    guard found.count == 1 else { throw .refused(.divided(id: id, into: found)) }
    if live.contains(id), !shown.isCluster(id) || shown.place(id) != first {
      throw .refused(.isSignature(id: id, cluster: first))
    }
    return first
  }

  /// The signature that a person means by `id`.
  private func signature(_ id: String) throws(FactAnswer) -> String {
    let found = signatures(ledToBy: known(id))
    guard let first = found.first else { throw .refused(.unknown(id: id)) }
    guard found.count == 1 else { throw .refused(.divided(id: id, into: found.sorted())) }
    return first
  }

  private func checkKinds(_ first: String, _ second: String) throws(FactAnswer) {
    if let kind = kinds[first], let other = kinds[second], kind != other {
      throw .refused(.kinds(first, kind, second, other))
    }
  }
}
