import ReleaseHealth
import Testing

@Suite("A share")
struct ShareTests {
  /// Published intervals without continuity correction, 95 %. The first row: Newcombe 1998, Statistics in Medicine 17,
  /// table I, method 3 (81 of 263, 15 of 148, 0 of 20, 1 of 29).
  @Test(
    "has the interval that is published for it",
    arguments: [
      (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718),
    ])
  func published(numerator: Int, denominator: Int, low: Double, high: Double) throws {
    let share = Share(numerator: numerator, denominator: denominator, minimumCohort: 1)
    let interval = try #require(share.interval)
    #expect(abs(interval.lowerBound - low) < 0.00005)
    #expect(abs(interval.upperBound - high) < 0.00005)
    #expect(share.value == Double(numerator) / Double(denominator))
  }

  @Test("lies in its interval, which lies in 0 to 1, mirrors, and narrows with more payloads")
  func properties() throws {
    for denominator in [1, 2, 3, 10, 50, 1_000, 1_000_000] {
      for numerator in Set([0, 1, denominator / 3, denominator / 2, denominator - 1, denominator]) {
        let share = Share(numerator: numerator, denominator: denominator, minimumCohort: 1)
        let interval = try #require(share.interval)
        let value = try #require(share.value)
        #expect(interval.lowerBound <= value + 1e-12 && value - 1e-12 <= interval.upperBound)
        #expect(interval.lowerBound >= 0 && interval.upperBound <= 1)
        // An interval of no width would claim certainty.
        #expect(interval.upperBound - interval.lowerBound > 0)
        let mirror = try #require(
          Share(numerator: denominator - numerator, denominator: denominator, minimumCohort: 1).interval)
        #expect(abs(mirror.lowerBound - (1 - interval.upperBound)) < 1e-12)
        let larger = try #require(
          Share(numerator: numerator * 4, denominator: denominator * 4, minimumCohort: 1).interval)
        #expect(larger.upperBound - larger.lowerBound < interval.upperBound - interval.lowerBound)
      }
    }
  }

  @Test(
    "of too small a cohort is not told, and neither is its interval",
    arguments: [(49, 50, true), (50, 50, false), (51, 50, false), (0, 0, true), (0, 1, true), (1, 1, false)])
  func suppressed(denominator: Int, minimum: Int, isSuppressed: Bool) {
    let share = Share(numerator: 0, denominator: denominator, minimumCohort: minimum)
    #expect(share.isSuppressed == isSuppressed)
    #expect((share.value == nil) == isSuppressed)
    #expect((share.interval == nil) == isSuppressed)
    // The numbers it is made of are told anyway.
    #expect(share.numerator == 0 && share.denominator == denominator)
  }

  @Test("of nothing is unknown, not 0")
  func empty() {
    #expect(Share(numerator: 0, denominator: 0, minimumCohort: 0).value == nil)
    #expect(Share(numerator: 0, denominator: 10, minimumCohort: 0).value == 0)
  }
}
