import Diagnostics
import SignatureStore
import TestSupport
import Testing

@testable import ReleaseHealth

/// Our numbers beside those of SciPy and statsmodels (scripts/make-statistics).
@Suite("Statistics")
struct StatisticsTests {
  private func comparison(_ strata: [(Int, Int, Int, Int)]) -> StratifiedComparison {
    StratifiedComparison(strata.map { .init(new: Proportion($0.0, of: $0.1), old: Proportion($0.2, of: $0.3)) })
  }

  private func isClose(_ a: Double, _ b: Double, _ tolerance: Double = 1e-9) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(b))
  }

  @Test("of strata are those of others: pooled ratio, its interval, and the conditional test")
  func tables() throws {
    for table in Golden.tables {
      let comparison = comparison(table.strata)
      let ratio = try #require(comparison.ratio)
      #expect(isClose(ratio.value, table.ratio))
      #expect(isClose(ratio.interval.lowerBound, table.low) && isClose(ratio.interval.upperBound, table.high))
      let difference = try #require(comparison.difference)
      #expect(isClose(difference.value, table.difference))
      #expect(
        isClose(difference.interval.lowerBound, table.least) && isClose(difference.interval.upperBound, table.most))
      let test = ConditionalTest(comparison)
      #expect(isClose(test.upper, table.upper), "\(test.upper) \(table.upper)")
      #expect(isClose(test.lower, table.lower))
    }
  }

  @Test("of parts and their differences are those of others")
  func intervals() {
    for (cases, total, low, high) in Golden.parts {
      let interval = Proportion(cases, of: total).wilson
      #expect(isClose(interval.lowerBound, low) && isClose(interval.upperBound, high))
    }
    for (a, n1, c, n0, low, high) in Golden.differences {
      let interval = Proportion(a, of: n1).newcombeDifference(from: Proportion(c, of: n0))
      #expect(isClose(interval.lowerBound, low) && isClose(interval.upperBound, high))
    }
  }

  @Test("of many questions are those of others")
  func discovery() {
    for (given, adjusted) in Golden.lists {
      for (a, b) in zip(FalseDiscovery.adjusted(given), adjusted) { #expect(isClose(a, b)) }
    }
    #expect(FalseDiscovery.adjusted([]) == [])
  }

  @Test("of nothing claim nothing")
  func nothing() {
    #expect(ConditionalTest(comparison([])).twoSided == 1)
    #expect(ConditionalTest(comparison([(0, 10, 0, 10)])).twoSided == 1)
    #expect(comparison([(5, 10, 0, 10)]).ratio == nil)
    #expect(comparison([(0, 0, 5, 10)]).strata.isEmpty && comparison([(0, 0, 5, 10)]).difference == nil)
    #expect(Proportion(0, of: 0).wilson == 0...1)
  }

  @Test("mirror when the builds change places, and the exact and the normal test meet where one follows the other")
  func symmetry() {
    for table in Golden.tables {
      let here = ConditionalTest(comparison(table.strata))
      let there = ConditionalTest(comparison(table.strata.map { ($0.2, $0.3, $0.0, $0.1) }))
      #expect(isClose(here.upper, there.lower, 1e-6) && isClose(here.lower, there.upper, 1e-6))
    }
    let (below, above) = (
      ConditionalTest(comparison([(320, 9000, 279, 9000)])), ConditionalTest(comparison([(321, 9000, 280, 9000)]))
    )
    #expect(abs(below.twoSided - above.twoSided) < 0.01)
  }

  @Test("keep small parts hidden, and what would tell them")
  func suppression() {
    #expect(Suppression.hidden([49, 100, 80], minimum: 50) == [0, 2])
    #expect(Suppression.hidden([49, 20, 80], minimum: 50) == [0, 1])
    #expect(Suppression.hidden([0, 100, 80], minimum: 50) == [])
    #expect(Suppression.hidden([49], minimum: 50) == [0])
    #expect(Suppression.hidden([], minimum: 50) == [])
    // Two that are small together are no less to be had from the whole.
    #expect(Suppression.hidden([3, 4, 100, 80], minimum: 50) == [0, 1, 3])
    #expect(Suppression.hidden([30, 40, 100], minimum: 50) == [0, 1])
  }

  @Test("let no small part be had from the whole and what is told")
  func differencing() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let parts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Int.random(in: 0...Int.random(in: 1...200, using: &generator), using: &generator)
      }
      let hidden = Suppression.hidden(parts, minimum: 50)
      for (index, part) in parts.enumerated() where !hidden.contains(index) {
        #expect(Suppression.isTold(part, minimum: 50))
      }
      let whole = parts.reduce(0, +)
      guard whole >= 50, !hidden.isEmpty else { continue }
      let told = parts.indices.reduce(0) { $0 + (hidden.contains($1) ? 0 : parts[$1]) }
      // What an attacker has is the sum of two hidden parts at least, and that is no small number.
      #expect(whole - told >= 50 && hidden.count >= 2 || parts.count { $0 > 0 } == 1, "\(parts)")
    }
  }

  @Test("are percentiles only where enough values lie beyond them, and never of a small cohort")
  func percentiles() {
    func told(_ number: Int, payloads: Int = 1000) -> [Double?] {
      let distribution = Distribution(
        build: BuildOfRecord(app: "a", version: "1", build: "1"), generation: .v1, measure: .bytesWritten,
        values: Dictionary(uniqueKeysWithValues: (0..<number).map { (Int64($0 + 1), 1) }))
      let share = Share(numerator: 5, denominator: payloads, minimumCohort: 50)
      return Distribution.toldPercents.map { distribution.toldPercentile($0, in: share) }
    }
    #expect(told(9) == [nil, nil, nil] && told(10) == [5, nil, nil])
    #expect(told(49) == [25, nil, nil] && told(50) == [25, 45, nil])
    #expect(told(499) == [250, 450, nil] && told(500) == [250, 450, 495])
    #expect(told(500, payloads: 49) == [nil, nil, nil])
  }
}
