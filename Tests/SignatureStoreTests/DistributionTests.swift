import Diagnostics
import Identity
import SignatureStore
import TestSupport
import Testing

@Suite("A distribution")
struct DistributionTests {
  private static let build = BuildOfRecord(app: "a", version: "1", build: "1")

  private func distribution(_ values: [Int64], _ measure: Measure = .bytesWritten) -> Distribution {
    Distribution(
      build: Self.build, generation: .v1, measure: measure, values: values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    )
  }

  @Test("has the value at each rank as its percentile")
  func nearestRank() {
    let ten = distribution((1...10).map { $0 * 100 })
    #expect(ten.present == 10)
    #expect([1, 10, 11, 50, 51, 90, 91, 100].map { ten.percentile($0) } == [100, 100, 200, 500, 600, 900, 1000, 1000])
    #expect(ten.percentile(0) == nil && ten.percentile(101) == nil)
    #expect(distribution([]).percentile(50) == nil)
    #expect(distribution([1_500_000], .hangDuration).percentile(50) == 1.5)
  }

  @Test("has the percentiles of the sorted list, whatever the values")
  func againstTheList() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let values = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
        Int64.random(in: 0...Int64.random(in: 1...500, using: &generator), using: &generator)
      }
      let (sorted, found) = (values.sorted(), distribution(values))
      for percent in 1...100 {
        // The least value that is not exceeded by `percent` of 100 at least.
        let least = sorted.first { value in sorted.count { $0 <= value } * 100 >= percent * sorted.count }
        #expect(found.percentile(percent) == least.map(Double.init))
      }
    }
  }

  @Test("is counted by cluster, build, generation and measure, in whatever order payloads come", arguments: Engine.all)
  func counted(engine: Engine) throws {
    let apply = Event(function: "Shop.Cart.apply(coupon:)")
    let total = Event(function: "Shop.Cart.total()")
    var other = apply
    other.build = "2"
    func measured(_ number: Int, _ event: Event, _ parts: Int64?, _ generation: PayloadGeneration = .v1)
      -> RecordedPayload
    {
      var recorded = payload(number, [event], generation)
      recorded.diagnostics[0].measures = parts.map { [MeasuredValue(.hangDuration, parts: $0)] } ?? []
      return recorded
    }
    var payloads = (1...20).map { measured($0, apply, Int64($0) * 1_000_000) }
    payloads += [measured(21, apply, nil), measured(22, other, 7), measured(23, apply, 9, .v2), measured(24, total, 5)]
    payloads[3].diagnostics[0].measures.append(MeasuredValue(.cpuTime, parts: 3))
    var reports: Set<[Distribution]> = []
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<3 {
      let (store, folder) = try engine.make()
      defer { withExtendedLifetime(folder) {} }
      payloads.shuffle(using: &generator)
      for part in [payloads.prefix(9), payloads.dropFirst(9), payloads[...]] {
        _ = try store.record(batch(Array(part), [apply, other, total]))
      }
      #expect(try store.verify() == [])
      let report = try store.report()
      let cluster = try #require(report.clusters.first)
      #expect(report.clusters.map { $0.distributions.reduce(0) { $0 + $1.present } } == [23, 1])
      reports.insert(cluster.distributions)
    }
    #expect(reports.count == 1)
    let found = try #require(reports.first)
    #expect(found.map(\.build.build) == ["1", "1", "1", "2"])
    #expect(found.map(\.generation) == [.v1, .v1, .v2, .v1])
    #expect(found.map(\.measure) == [.cpuTime, .hangDuration, .hangDuration, .hangDuration])
    // 21 diagnostics of the build, of which one says nothing.
    #expect(found.map(\.present) == [1, 20, 1, 1])
    #expect(found[1].percentile(50) == 10 && found[1].percentile(90) == 18)
  }
}
