public import SignatureStore

extension Distribution {
  /// The percentiles that are told.
  public static let toldPercents = [50, 90, 99]

  /// How many values must lie on the shorter side of a percentile. The 99th of ten values is one device's worst event; with five
  /// beyond it, it is one of the cluster.
  public static let fewestBeyond = 5

  /// The percentile, in the measure's unit; `nil` where the cohort of `share` is too small for a number, or there are too few values
  /// for this percentile: 10 for the half, 50 for 90 %, 500 for 99 %.
  public func toldPercentile(_ percent: Int, in share: Share) -> Double? {
    guard !share.isSuppressed, present * min(percent, 100 - percent) >= 100 * Self.fewestBeyond else { return nil }
    return percentile(percent)
  }
}
