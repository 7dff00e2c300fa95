/// Which of some numbers are not told, so that no small one can be had.
public enum Suppression {
  /// The places of the parts that are hidden: those below `minimum` and, since the whole without the others is what is hidden
  /// together, the smallest of the rest until that is two numbers at least and no small one. A part of nothing hides nothing.
  public static func hidden(_ parts: [Int], minimum: Int) -> Set<Int> {
    var hidden = Set(parts.indices.filter { parts[$0] > 0 && parts[$0] < minimum })
    guard !hidden.isEmpty else { return [] }
    var sum = hidden.reduce(0) { $0 + parts[$1] }
    let rest = parts.indices.filter { parts[$0] >= minimum }.sorted { (parts[$0], $0) < (parts[$1], $1) }
    for next in rest where hidden.count == 1 || sum < minimum {
      hidden.insert(next)
      sum += parts[next]
    }
    return hidden
  }

  /// Whether `number` may be told: it is nothing, or not small.
  public static func isTold(_ number: Int, minimum: Int) -> Bool { number == 0 || number >= minimum }
}
