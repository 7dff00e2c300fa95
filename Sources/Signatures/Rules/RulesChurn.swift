/// What other rules would do to the clusters that are there: how many diagnostics would be shown in another cluster.
///
/// A cluster goes on where all that it held goes on under one id that is new, or the most of it does; that is only a new
/// name. A part that goes elsewhere, and a cluster that is joined to another, change.
public struct RulesChurn: Sendable, Hashable {
  /// A signature, as far as it is told.
  public struct Name: Sendable, Hashable {
    /// Its id.
    public var id: String
    /// Its title.
    public var title: String

    /// A signature with this id and title.
    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }

    /// What is told of `signature`.
    public init(_ signature: Signature) { self.init(id: signature.id, title: signature.title) }
  }

  /// What becomes of one raw stack.
  public struct Outcome: Sendable, Hashable {
    /// By the old rules.
    public var old: Name
    /// By the new ones.
    public var new: Name
    /// How many diagnostics have it.
    public var diagnostics: Int

    /// A raw stack of so many diagnostics that goes from `old` to `new`.
    public init(old: Name, new: Name, diagnostics: Int) {
      self.old = old
      self.new = new
      self.diagnostics = diagnostics
    }
  }

  /// What happens to the diagnostics of one signature.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// They keep their cluster under a new id.
    case renamed
    /// All of them go into another cluster.
    case joined
    /// Some of them leave the others.
    case split
  }

  /// The diagnostics that go from one signature to another.
  public struct Change: Sendable, Hashable {
    /// What happens to them.
    public var kind: Kind
    /// By the old rules.
    public var old: Name
    /// By the new ones.
    public var new: Name
    /// How many there are.
    public var diagnostics: Int
  }

  /// How many raw stacks there are.
  public let rawStacks: Int
  /// How many diagnostics have them.
  public let diagnostics: Int
  /// Everything that changes, most diagnostics first, then by ids.
  public let changes: [Change]

  /// Diagnostics that would be shown in another cluster.
  public var moved: Int { changes.filter { $0.kind != .renamed }.reduce(0) { $0 + $1.diagnostics } }
  /// Diagnostics whose cluster would go on under a new id.
  public var renamed: Int { changes.filter { $0.kind == .renamed }.reduce(0) { $0 + $1.diagnostics } }
  /// The part of all diagnostics that would be shown in another cluster; `nil` when there are none.
  public var share: Double? { diagnostics == 0 ? nil : Double(moved) / Double(diagnostics) }

  private struct Move: Hashable {
    var old: String
    var new: String
  }

  /// What all of `outcomes` come to; their order does not matter.
  public init(_ outcomes: [Outcome]) {
    rawStacks = outcomes.count
    diagnostics = outcomes.reduce(0) { $0 + $1.diagnostics }
    var counts: [Move: Int] = [:]
    // Forms of one signature can differ in their titles: the least is told.
    var titles: [Move: (old: String, new: String)] = [:]
    for outcome in outcomes {
      let move = Move(old: outcome.old.id, new: outcome.new.id)
      counts[move, default: 0] += outcome.diagnostics
      let known = titles[move] ?? (outcome.old.title, outcome.new.title)
      titles[move] = (min(known.old, outcome.old.title), min(known.new, outcome.new.title))
    }
    let isOld = Set(outcomes.map(\.old.id))
    let isLive = Set(outcomes.map(\.new.id))
    var targets: [String: [(new: String, count: Int)]] = [:]
    for (move, count) in counts { targets[move.old, default: []].append((move.new, count)) }
    // The same rule as in the store: an id that is new continues the cluster of the largest one that went into it.
    var heirs: [String: (old: String, count: Int)] = [:]
    for old in targets.keys.sorted() where !isLive.contains(old) {
      let best = targets[old]?.min { $0.count == $1.count ? $0.new < $1.new : $0.count > $1.count }
      guard let best, !isOld.contains(best.new) else { continue }
      if let rival = heirs[best.new], rival.count >= best.count { continue }
      heirs[best.new] = (old, best.count)
    }
    changes = counts.filter { $0.key.old != $0.key.new }.map { move, count in
      let title = titles[move] ?? ("", "")
      let isWhole = targets[move.old]?.count == 1
      return Change(
        kind: heirs[move.new]?.old == move.old ? .renamed : isWhole ? .joined : .split,
        old: Name(id: move.old, title: title.old), new: Name(id: move.new, title: title.new), diagnostics: count)
    }.sorted { ($1.diagnostics, $0.old.id, $0.new.id) < ($0.diagnostics, $1.old.id, $1.new.id) }
  }
}
