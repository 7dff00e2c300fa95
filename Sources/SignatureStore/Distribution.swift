public import Diagnostics

/// How the values of one measure are distributed over the diagnostics of one cluster in one build.
public struct Distribution: Sendable, Hashable {
  /// The build of record.
  public var build: BuildOfRecord
  /// The generation of the payloads.
  public var generation: PayloadGeneration
  /// What was measured.
  public var measure: Measure
  /// Each value that came, in parts of the measure's unit, with how many diagnostics have it; sorted by value.
  public private(set) var values: [(parts: Int64, diagnostics: Int)]
  /// Diagnostics that have a value; the others say nothing, which is not 0.
  public let present: Int

  /// The distribution of `values`, in any order.
  public init(
    build: BuildOfRecord, generation: PayloadGeneration, measure: Measure, values: [Int64: Int]
  ) {
    (self.build, self.generation, self.measure) = (build, generation, measure)
    self.values = values.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    present = self.values.reduce(0) { $0 + $1.diagnostics }
  }

  /// The least value that is not exceeded in `percent` of 100 diagnostics at least, in the measure's unit: a value that was measured,
  /// none that lies between two (nearest rank; Hyndman and Fan 1996, The American Statistician 50:361, definition 1). `nil` of
  /// nothing.
  public func percentile(_ percent: Int) -> Double? {
    guard present > 0, (1...100).contains(percent) else { return nil }
    // The rank in whole numbers: 0.9 * 10 is more than 9 for a computer.
    let rank = (present * percent + 99) / 100
    var seen = 0
    for value in values {
      seen += value.diagnostics
      if seen >= rank { return Double(value.parts) / measure.partsOfUnit }
    }
    return nil
  }

  /// By the parts, of which tuples have no equality of their own.
  public static func == (a: Distribution, b: Distribution) -> Bool {
    a.build == b.build && a.generation == b.generation && a.measure == b.measure
      && a.values.elementsEqual(b.values, by: ==)
  }

  /// See `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(build)
    hasher.combine(generation)
    hasher.combine(measure)
    for value in values {
      hasher.combine(value.parts)
      hasher.combine(value.diagnostics)
    }
  }
}
