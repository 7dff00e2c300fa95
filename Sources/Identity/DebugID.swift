internal import Bytes

/// The debug identifier of one image: a Mach-O UUID or an ELF build-id.
///
/// It names the code of one slice of one build, wherever it is loaded; nothing else may (never a file name, never
/// an architecture). 2 to 64 bytes; all-zero identifiers are refused, since they collide.
public struct DebugID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The bytes of the identifier.
  public let bytes: [UInt8]

  /// An identifier of these bytes; `nil` unless there are 2 to 64 and one is not zero.
  public init?(bytes: some Collection<UInt8>) {
    guard (2...64).contains(bytes.count), bytes.contains(where: { $0 != 0 }) else { return nil }
    self.bytes = Array(bytes)
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
    guard bytes.count == 16 else { return hex }
    let digits = Array(hex.uppercased())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// By bytes.
  public static func < (a: DebugID, b: DebugID) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
