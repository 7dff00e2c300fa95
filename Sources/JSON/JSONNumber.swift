/// A JSON number without loss: integers exactly, everything else as the nearest double.
public enum JSONNumber: Hashable, Sendable {
  /// An integer from 0 to 2^64 - 1. `-0` is 0.
  case unsigned(UInt64)
  /// An integer from -2^63 to -1.
  case negative(Int64)
  /// Anything else: a fraction, an exponent, or an integer outside those ranges (rounded).
  case real(Double)

  /// The number as an unsigned integer, when it is one exactly. `1e3` and `7.0` are integers.
  public var uint64: UInt64? {
    switch self {
    case .unsigned(let value): value
    case .negative: nil
    case .real(let value): abs(value) <= JSONNumber.exactLimit ? UInt64(exactly: value) : nil
    }
  }

  /// The number as a signed integer, when it is one exactly.
  public var int64: Int64? {
    switch self {
    case .unsigned(let value): Int64(exactly: value)
    case .negative(let value): value
    case .real(let value): abs(value) <= JSONNumber.exactLimit ? Int64(exactly: value) : nil
    }
  }

  /// The number as a double, rounded when it must be.
  public var double: Double {
    switch self {
    case .unsigned(let value): Double(value)
    case .negative(let value): Double(value)
    case .real(let value): value
    }
  }

  // Above 2^53 a double no longer tells neighbouring integers apart.
  private static let exactLimit = 9_007_199_254_740_992.0
}
