/// The cluster that each signature is shown in: what founding, similarity and late symbols made, and then the facts in
/// their order. A pure function of those, so that taking a fact back gives exactly what would be without it.
///
/// Facts move two kinds of things: single signatures, of which one said where they belong, and whole clusters, each with all
/// that belongs to it now or later. What is merged follows the id that stays; what is split or pinned no longer follows the
/// cluster that it came to by itself.
struct ShownClusters {
  private enum Part: Hashable {
    /// A signature of which a fact says where it belongs.
    case signature(String)
    /// All that belongs by itself to the cluster with this id.
    case cluster(String)
  }

  private let automatic: [String: String]
  /// Where each part is shown, and what is shown together.
  private var places: [Part: String] = [:]
  private var contents: [String: Set<Part>] = [:]
  /// Clusters of which a fact took something out, with what that became. Ids as they were when it was said.
  private var splits: [(from: String, to: String)] = []

  /// The clusters that `facts`, in their order, make of `automatic`, which leads from each signature to the cluster it belongs
  /// to by itself. `bearer` gives the signature that bears a fact about an id.
  ///
  /// Cost: linear in the signatures, and in what each fact moves.
  init(automatic: [String: String], facts: [Fact], bearer: (String) -> String?) {
    self.automatic = automatic
    for id in Set(automatic.values) { move(.cluster(id), to: ShownClusters.founder(of: id, automatic)) }
    for fact in facts where fact.endedBy == nil {
      guard let object = fact.object else { continue }
      switch fact.kind {
      case .merge:
        let target = place(object)
        for subject in fact.subjects where place(subject) != target {
          let source = place(subject)
          for part in contents[source] ?? [.cluster(source)] { move(part, to: target) }
        }
      case .split:
        let signatures = fact.subjects.compactMap(bearer)
        let left = Set(signatures.map(cluster(of:))).sorted()
        move(.cluster(object), to: object)
        for signature in signatures { move(.signature(signature), to: object) }
        splits += left.filter { $0 != object }.map { ($0, object) }
      case .pin:
        let target = place(object)
        for signature in fact.subjects.compactMap(bearer) { move(.signature(signature), to: target) }
      case .alias, .undo: break
      }
    }
  }

  /// The cluster that `signature` is shown in.
  func cluster(of signature: String) -> String {
    places[.signature(signature)] ?? place(automatic[signature] ?? signature)
  }

  /// The cluster that all of the cluster `id` is shown in.
  func place(_ id: String) -> String {
    if let place = places[.cluster(id)] { return place }
    let founder = ShownClusters.founder(of: id, automatic)
    return places[.cluster(founder)] ?? founder
  }

  /// Whether `id` is, or was, one of a cluster, and not only of a signature.
  func isCluster(_ id: String) -> Bool { places[.cluster(id)] != nil }

  /// The signatures of which a fact says where they belong, with their clusters.
  var pins: [String: String] {
    var pins: [String: String] = [:]
    for case (.signature(let signature), let cluster) in places { pins[signature] = cluster }
    return pins
  }

  /// The clusters, as they are shown, that were split from each other.
  var apart: Set<ClusterPair> { Set(splits.map { ClusterPair(place($0.from), place($0.to)) }) }

  private mutating func move(_ part: Part, to cluster: String) {
    if let old = places.updateValue(cluster, forKey: part) { contents[old]?.remove(part) }
    contents[cluster, default: []].insert(part)
  }

  /// The cluster that the cluster `id` belongs to by itself. Most often that is `id`; but one that a split founded, and that
  /// others joined, follows its founder back when the split is undone.
  private static func founder(of id: String, _ automatic: [String: String]) -> String {
    var id = id
    var seen: Set<String> = [id]
    while let next = automatic[id], seen.insert(next).inserted { id = next }
    return id
  }
}

/// Two clusters, in either order.
struct ClusterPair: Hashable {
  private let first: String
  private let second: String

  init(_ one: String, _ other: String) {
    first = min(one, other)
    second = max(one, other)
  }
}
