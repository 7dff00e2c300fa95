internal import Glibc

/// Two builds in several strata, like for like: the same question is asked in each, and the answers are pooled.
public struct StratifiedComparison: Sendable, Hashable {
  /// One stratum.
  public struct Stratum: Sendable, Hashable {
    /// The build that is judged.
    public var new: Proportion
    /// The build that it is held against.
    public var old: Proportion

    /// `new` against `old`.
    public init(new: Proportion, old: Proportion) { (self.new, self.old) = (new, old) }
  }

  /// The strata in which both builds have payloads.
  public let strata: [Stratum]

  /// The strata of `all` in which both builds have payloads; others say nothing about a difference.
  public init(_ all: [Stratum]) { strata = all.filter { $0.new.total > 0 && $0.old.total > 0 } }

  /// The payloads of the judged build.
  public var new: Proportion { strata.reduce(Proportion(0, of: 0)) { $0 + $1.new } }

  /// Those of the other.
  public var old: Proportion { strata.reduce(Proportion(0, of: 0)) { $0 + $1.old } }

  /// How many times as often the judged build shows it: the risk ratio of Mantel and Haenszel (1959, J. Natl. Cancer Inst. 22)
  /// with its 95 % interval (Greenland and Robins 1985, Biometrics 41:55); `nil` unless both show it.
  public var ratio: (value: Double, interval: ClosedRange<Double>)? {
    var (above, below, variance) = (0.0, 0.0, 0.0)
    for stratum in strata {
      let (a, c) = (Double(stratum.new.cases), Double(stratum.old.cases))
      let (n1, n0) = (Double(stratum.new.total), Double(stratum.old.total))
      let n = n1 + n0
      above += a * n0 / n
      below += c * n1 / n
      variance += (n1 * n0 * (a + c) - a * c * n) / (n * n)
    }
    guard above > 0, below > 0 else { return nil }
    let value = above / below
    let reach = exp(normalQuantile * (variance / (above * below)).squareRoot())
    return (value, value / reach...value * reach)
  }

  /// How much larger the judged build's share is, with its 95 % interval: in each stratum Newcombe's difference, pooled by the weights
  /// of Mantel and Haenszel, the interval by recovering the variances (Zou and Donner 2008, Statistics in Medicine 27:1693). Of
  /// one stratum it is Newcombe's interval; `nil` without any.
  ///
  /// The difference of the sums would not do: another mix of systems changes it, and even its sign.
  public var difference: (value: Double, interval: ClosedRange<Double>)? {
    let weights = strata.map { Double($0.new.total) * Double($0.old.total) / Double($0.total) }
    let all = weights.reduce(0, +)
    guard all > 0 else { return nil }
    var (value, below, above) = (0.0, 0.0, 0.0)
    for (stratum, weight) in zip(strata, weights) {
      let difference = stratum.new.value - stratum.old.value
      let interval = stratum.new.newcombeDifference(from: stratum.old)
      let part = weight / all
      value += part * difference
      below += part * part * (difference - interval.lowerBound) * (difference - interval.lowerBound)
      above += part * part * (interval.upperBound - difference) * (interval.upperBound - difference)
    }
    return (value, max(-1, value - below.squareRoot())...min(1, value + above.squareRoot()))
  }

  /// How often the judged build would show it if it were as the other: the expected number of its cases, given how many cases
  /// both have in each stratum.
  public var expected: Double {
    strata.reduce(0) { $0 + Double($1.cases) * Double($1.new.total) / Double($1.total) }
  }

  /// The number of payloads of the judged build that would show it at the other's rates.
  public var expectedFromOld: Double { strata.reduce(0) { $0 + $1.old.value * Double($1.new.total) } }

  /// And the other way round.
  public var expectedFromNew: Double { strata.reduce(0) { $0 + $1.new.value * Double($1.old.total) } }
}

extension StratifiedComparison.Stratum {
  /// The cases of both.
  var cases: Int { new.cases + old.cases }
  /// The payloads of both.
  var total: Int { new.total + old.total }
}

extension Proportion {
  static func + (a: Proportion, b: Proportion) -> Proportion { Proportion(a.cases + b.cases, of: a.total + b.total) }
}
