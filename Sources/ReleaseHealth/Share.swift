/// How large a part of a cohort shows something, with the numbers it is made of.
///
/// The denominator is payloads, not people: nobody's devices are counted.
public struct Share: Sendable, Hashable {
  /// Payloads that show it.
  public var numerator: Int
  /// Accepted payloads of the cohort.
  public var denominator: Int
  /// The fewest payloads that a cohort must have for its numbers to be told.
  public var minimumCohort: Int

  /// A share of `numerator` in `denominator`.
  public init(numerator: Int, denominator: Int, minimumCohort: Int) {
    self.numerator = numerator
    self.denominator = denominator
    self.minimumCohort = minimumCohort
  }

  /// Whether the cohort is too small for a number.
  public var isSuppressed: Bool { denominator < minimumCohort || denominator == 0 }

  /// The share, 0 to 1; `nil` when suppressed.
  public var value: Double? { isSuppressed ? nil : Double(numerator) / Double(denominator) }

  /// The 95 % interval of the share by Wilson's score method (Wilson 1927, J. Amer. Statist. Assoc. 22); `nil` when
  /// suppressed.
  public var interval: ClosedRange<Double>? {
    isSuppressed ? nil : Proportion(numerator, of: denominator).wilson
  }
}
