internal import Glibc

/// The test of whether two builds differ, given how many cases they have together in each stratum: if they are alike, the cases
/// of the judged build are drawn without putting back (hypergeometric), stratum by stratum.
///
/// Up to `exactLimit` cases the distribution of their sum is computed; beyond, the normal one stands for it (Mantel and Haenszel
/// 1959, without correction). What was observed counts half (mid-p, Lancaster 1961, J. Amer. Statist. Assoc. 56), since the
/// whole of it makes small numbers say too little.
struct ConditionalTest {
  /// The most cases of both builds for which the distribution is computed. Cost: their square.
  static let exactLimit = 600

  /// The probability that alike builds give as many cases or more.
  let upper: Double
  /// The same of as many or fewer.
  let lower: Double

  /// The probability of what is as far off to either side.
  var twoSided: Double { min(1, 2 * min(upper, lower)) }

  init(_ comparison: StratifiedComparison) {
    let observed = comparison.new.cases
    let cases = comparison.strata.reduce(0) { $0 + $1.cases }
    guard cases > 0 else {
      (upper, lower) = (1, 1)
      return
    }
    guard cases <= Self.exactLimit else {
      var variance = 0.0
      for stratum in comparison.strata where stratum.total > 1 {
        let (m, n) = (Double(stratum.cases), Double(stratum.total))
        variance += m * (n - m) * Double(stratum.new.total) * Double(stratum.old.total) / (n * n * (n - 1))
      }
      let z = variance > 0 ? (Double(observed) - comparison.expected) / variance.squareRoot() : 0
      (upper, lower) = (erfc(z / 2.0.squareRoot()) / 2, erfc(-z / 2.0.squareRoot()) / 2)
      return
    }
    var (first, distribution) = (0, [1.0])
    for stratum in comparison.strata where stratum.cases > 0 {
      let (start, next) = Self.hypergeometric(stratum)
      first += start
      var sum = [Double](repeating: 0, count: distribution.count + next.count - 1)
      for (i, p) in distribution.enumerated() where p > 0 {
        for (j, q) in next.enumerated() { sum[i + j] += p * q }
      }
      distribution = sum
    }
    let at = observed - first
    let here = distribution.indices.contains(at) ? distribution[at] / 2 : 0
    upper = min(1, distribution.dropFirst(at + 1).reduce(0, +) + here)
    lower = min(1, distribution.prefix(max(0, at)).reduce(0, +) + here)
  }

  /// The probabilities of the numbers of cases that the judged build can have, from the least on.
  private static func hypergeometric(_ stratum: StratifiedComparison.Stratum) -> (start: Int, [Double]) {
    let (m, n1, n0) = (stratum.cases, stratum.new.total, stratum.old.total)
    let (low, high) = (max(0, m - n0), min(m, n1))
    func logChoose(_ n: Int, _ k: Int) -> Double {
      lgamma(Double(n + 1)) - lgamma(Double(k + 1)) - lgamma(Double(n - k + 1))
    }
    // One by its logarithm, the others by their ratios: the largest first, so that nothing vanishes.
    let mode = min(high, max(low, Int(Double(m + 1) * Double(n1 + 1) / Double(n1 + n0 + 2))))
    var probabilities = [Double](repeating: 0, count: high - low + 1)
    probabilities[mode - low] = exp(logChoose(n1, mode) + logChoose(n0, m - mode) - logChoose(n1 + n0, m))
    func ratio(_ k: Int) -> Double {
      Double(n1 - k) * Double(m - k) / (Double(k + 1) * Double(n0 - m + k + 1))
    }
    for k in stride(from: mode, to: high, by: 1) { probabilities[k + 1 - low] = probabilities[k - low] * ratio(k) }
    for k in stride(from: mode - 1, through: low, by: -1) {
      probabilities[k - low] = probabilities[k + 1 - low] / ratio(k)
    }
    return (low, probabilities)
  }
}
