/// What a diagnostic says in numbers of its event: how long, or how much.
public enum Measure: String, Sendable, Hashable, CaseIterable {
  /// How long the main thread did not answer: `hangDuration`.
  case hangDuration = "hang_duration"
  /// CPU time of a CPU exception: `totalCPUTime`.
  case cpuTime = "cpu_time"
  /// The time over which that was sampled: `totalSampledTime`.
  case sampledTime = "sampled_time"
  /// Bytes that a disk-write exception wrote: `writesCaused`.
  case bytesWritten = "bytes_written"
  /// How long a launch took: `launchDuration`.
  case launchDuration = "launch_duration"

  /// What is measured.
  public var dimension: Quantity.Dimension { self == .bytesWritten ? .size : .duration }

  /// The unit in which values are told.
  public var unit: String { self == .bytesWritten ? "byte" : "s" }

  /// How many parts of its unit a stored value counts: times are whole millionths of a second, sizes whole bytes, so that equal
  /// values are equal and sums exact.
  public var partsOfUnit: Double { self == .bytesWritten ? 1 : 1e6 }
}

/// One measured value.
public struct MeasuredValue: Sendable, Hashable {
  /// What was measured.
  public var measure: Measure
  /// How much, in parts of its unit (`Measure.partsOfUnit`); not negative.
  public var parts: Int64

  /// A value with these parts.
  public init(_ measure: Measure, parts: Int64) { (self.measure, self.parts) = (measure, parts) }

  /// The value that `text` displays; `nil` when it is not clearly one of this measure, or beyond what anything can be: 30 years, or
  /// the 2^53 bytes up to which each number is exact.
  init?(_ measure: Measure, _ text: String?) {
    guard let text, let quantity = Quantity(text), quantity.dimension == measure.dimension else { return nil }
    let parts = (quantity.value * measure.partsOfUnit).rounded()
    guard parts.isFinite, parts >= 0, parts <= (measure == .bytesWritten ? 0x1p53 : 1e15) else { return nil }
    self.init(measure, parts: Int64(parts))
  }
}

extension DiagnosticMetadata {
  /// The values that are clearly said, each measure at most once, in the order of `Measure.allCases`.
  public var measuredValues: [MeasuredValue] {
    [
      MeasuredValue(.hangDuration, hangDuration), MeasuredValue(.cpuTime, totalCPUTime),
      MeasuredValue(.sampledTime, totalSampledTime), MeasuredValue(.bytesWritten, writesCaused),
      MeasuredValue(.launchDuration, launchDuration),
    ].compactMap { $0 }
  }
}
