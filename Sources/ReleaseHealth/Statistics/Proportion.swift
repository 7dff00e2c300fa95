internal import Glibc

/// The 97.5 % quantile of the normal distribution: what 95 % intervals reach to on both sides.
let normalQuantile = 1.959963984540054

/// Some of a number of payloads.
public struct Proportion: Sendable, Hashable {
  /// Those that show something.
  public var cases: Int
  /// All of them.
  public var total: Int

  /// `cases` of `total`.
  public init(_ cases: Int, of total: Int) { (self.cases, self.total) = (cases, total) }

  /// The part, 0 to 1; 0 of nothing.
  public var value: Double { total > 0 ? Double(cases) / Double(total) : 0 }

  /// The 95 % interval by Wilson's score method (Wilson 1927, J. Amer. Statist. Assoc. 22); 0 to 1 of nothing.
  public var wilson: ClosedRange<Double> {
    guard total > 0 else { return 0...1 }
    let z = normalQuantile
    let n = Double(total)
    let p = value
    let factor = 1 / (1 + z * z / n)
    let center = (p + z * z / (2 * n)) * factor
    let half = z * factor * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    return max(0, center - half)...min(1, center + half)
  }

  /// The 95 % interval of the difference of two parts, this one minus `other`, by Newcombe's hybrid of two Wilson intervals
  /// (Newcombe 1998, Statistics in Medicine 17:873, method 10).
  public func newcombeDifference(from other: Proportion) -> ClosedRange<Double> {
    let (a, b) = (wilson, other.wilson)
    let difference = value - other.value
    func root(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
    let below = root(value - a.lowerBound, b.upperBound - other.value)
    let above = root(a.upperBound - value, other.value - b.lowerBound)
    return max(-1, difference - below)...min(1, difference + above)
  }
}
