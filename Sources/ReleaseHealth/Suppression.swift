/// Which of some numbers are not told, so that no small one can be had.
public enum Suppression {
  /// The places of the parts that are hidden: those below `minimum` and, when it would follow from the whole and the others, the
  /// smallest of the rest, too. A part of nothing hides nothing.
  public static func hidden(_ parts: [Int], minimum: Int) -> Set<Int> {
    var hidden = Set(parts.indices.filter { parts[$0] > 0 && parts[$0] < minimum })
    // One hidden number is the whole without the others.
    if hidden.count == 1, let next = parts.indices.filter({ parts[$0] >= minimum }).min(by: { parts[$0] < parts[$1] }) {
      hidden.insert(next)
    }
    return hidden
  }
}
