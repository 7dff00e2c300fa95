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
    #expect(comparison([(0, 0, 5, 10)]).strata.isEmpty)
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
  }
}
