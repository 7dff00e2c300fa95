/// Groups elements so that any two of a group are alike: agglomerative clustering with complete linkage.
///
/// The two groups whose least similar members are most similar become one, again and again. Complete, since a chain of
/// small steps must not join strangers. Pairs that are not given are not alike. Ties go to the lower numbers. Cost:
/// `E log E` for `E` pairs, times the mean number of merges that a pair lives through.
struct CompleteLinkage {
  /// Two groups, the lower number first, and the similarity of their least similar members.
  private struct Link: Comparable {
    var score: Millionths
    var first: Int
    var second: Int

    static func < (a: Link, b: Link) -> Bool { (a.score, b.first, b.second) < (b.score, a.first, a.second) }
  }

  private var members: [[Int]]
  /// For each group the groups that are alike with it.
  private var neighbours: [[Int: Millionths]]
  private var heap = Heap<Link>()

  /// The groups of `count` elements, of which `pairs` are alike: each group sorted, the groups by their first member.
  static func groups(of count: Int, pairs: [(first: Int, second: Int, score: Millionths)]) -> [[Int]] {
    var linkage = CompleteLinkage(count, pairs)
    linkage.run()
    return linkage.members.filter { !$0.isEmpty }
  }

  private init(_ count: Int, _ pairs: [(first: Int, second: Int, score: Millionths)]) {
    members = (0..<count).map { [$0] }
    neighbours = Array(repeating: [:], count: count)
    for pair in pairs where pair.first != pair.second {
      neighbours[pair.first][pair.second] = pair.score
      neighbours[pair.second][pair.first] = pair.score
      heap.insert(
        Link(score: pair.score, first: min(pair.first, pair.second), second: max(pair.first, pair.second)))
    }
  }

  private mutating func run() {
    while let link = heap.removeLargest() {
      // A link of groups that have changed since is out of date.
      guard neighbours[link.first][link.second] == link.score else { continue }
      let (near, far) = (neighbours[link.first], neighbours[link.second])
      for other in near.keys { neighbours[other][link.first] = nil }
      for other in far.keys { neighbours[other][link.second] = nil }
      neighbours[link.first] = [:]
      neighbours[link.second] = [:]
      members[link.first] = (members[link.first] + members[link.second]).sorted()
      members[link.second] = []
      for (other, score) in near {
        guard other != link.second, let second = far[other] else { continue }
        let least = min(score, second)
        neighbours[link.first][other] = least
        neighbours[other][link.first] = least
        heap.insert(Link(score: least, first: min(link.first, other), second: max(link.first, other)))
      }
    }
  }
}

/// A binary heap.
private struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[(place - 1) / 2] < elements[place] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeLargest() -> Element? {
    guard let largest = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return largest }
    elements[0] = last
    var place = 0
    while true {
      var larger = 2 * place + 1
      if larger + 1 < elements.count, elements[larger] < elements[larger + 1] { larger += 1 }
      guard larger < elements.count, elements[place] < elements[larger] else { return largest }
      elements.swapAt(place, larger)
      place = larger
    }
  }
}
