internal import Bytes

/// The debug identifier of one image: a Mach-O UUID or an ELF build-id.
///
/// It names the code of one slice of one build, wherever it is loaded; nothing else may (never a file name, never
/// an architecture). 2 to 64 bytes; all-zero identifiers are refused, since they collide.
public struct DebugID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The first 16 bytes, the first byte highest, zeros behind the end: words compare as bytes do.
  private let high: UInt64
  private let low: UInt64
  private let count: UInt8
  /// The bytes beyond the sixteenth, as build-ids have them; UUIDs need no memory of their own.
  private let rest: [UInt8]?

  /// An identifier of these bytes; `nil` unless there are 2 to 64 and one is not zero.
  public init?(bytes: some Collection<UInt8>) {
    guard (2...64).contains(bytes.count), bytes.contains(where: { $0 != 0 }) else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for (place, byte) in bytes.prefix(16).enumerated() {
      let shifted = UInt64(byte) << UInt64(56 - place % 8 * 8)
      if place < 8 { words.high |= shifted } else { words.low |= shifted }
    }
    (high, low) = words
    count = UInt8(bytes.count)
    rest = bytes.count > 16 ? Array(bytes.dropFirst(16)) : nil
  }

  /// A UUID of 16 bytes, given as two words whose highest byte comes first; `nil` when all are zero.
  public init?(high: UInt64, low: UInt64) {
    guard high | low != 0 else { return nil }
    (self.high, self.low, count, rest) = (high, low, 16, nil)
  }

  /// The bytes of the identifier.
  public var bytes: [UInt8] {
    let first = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0.prefix(Int(count))) }
    return rest.map { first + $0 } ?? first
  }

  /// The identifier that `text` spells in hex, upper or lower case, with or without the dashes of a UUID.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 160, let bytes = [UInt8](hex: String(text.filter { $0 != "-" })) else { return nil }
    self.init(bytes: bytes)
  }

  /// Lower-case hex without dashes: the form in file names of a store.
  public var hex: String { bytes.hex }

  /// How people know it: 16 bytes as an upper-case UUID with dashes, anything else as lower-case hex.
  public var description: String {
    guard count == 16 else { return hex }
    let digits = Array(hex.uppercased())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// By bytes.
  public static func < (a: DebugID, b: DebugID) -> Bool { a.isBefore(b) }

  private func isBefore(_ other: DebugID) -> Bool {
    if high != other.high { return high < other.high }
    if low != other.low { return low < other.low }
    // Of those with the same first bytes the shorter comes first; behind the end stand zeros.
    if let rest, let others = other.rest { return rest.lexicographicallyPrecedes(others) }
    return count < other.count
  }
}
