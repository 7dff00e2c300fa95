/// A pattern over one name: `*` stands for any bytes, everything else for itself.
///
/// Matching takes time linear in the name whatever the pattern: forms with stars at the ends compare once, all others
/// run as a bit-parallel automaton (Shift-And), one bit for each byte of the pattern, so such a one has at most 63.
public struct Glob: Hashable, Sendable, CustomStringConvertible {
  private enum Form: Hashable, Sendable {
    case any
    case exactly([UInt8])
    case prefix([UInt8])
    case suffix([UInt8])
    case automaton([UInt64])
  }

  /// The pattern as written.
  public let pattern: String
  private let form: Form

  /// The pattern that covers every name.
  static let any = Glob()

  private init() {
    pattern = "*"
    form = .any
  }

  /// The pattern `text`; `nil` when it is empty or longer than 255 bytes, or than 63 with a star inside.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...255).contains(bytes.count) else { return nil }
    let star = UInt8(ascii: "*")
    pattern = text
    switch bytes.count(where: { $0 == star }) {
    case 0: form = .exactly(bytes)
    case 1 where bytes == [star]: form = .any
    case 1 where bytes.last == star: form = .prefix(Array(bytes.dropLast()))
    case 1 where bytes.first == star: form = .suffix(Array(bytes.dropFirst()))
    default:
      guard bytes.count <= 63 else { return nil }
      // `table[byte]`: the positions that byte may pass. The last entries: positions with a star before them, and the end.
      var table = [UInt64](repeating: 0, count: 258)
      var position: UInt64 = 0
      for byte in bytes {
        if byte == star {
          table[256] |= 1 << position
        } else {
          table[Int(byte)] |= 1 << position
          position += 1
        }
      }
      table[257] = 1 << position
      form = .automaton(table)
    }
  }

  /// Why `text` is no pattern, as a clause.
  static func problem(with text: String) -> String {
    text.isEmpty ? "the pattern is empty" : "the pattern is longer than 255 bytes, or than 63 with a star inside"
  }

  /// Whether the pattern covers the whole of `name`.
  public func matches(_ name: Span<UInt8>) -> Bool {
    switch form {
    case .any: return true
    case .exactly(let bytes): return name.count == bytes.count && Glob.equal(bytes, name, from: 0)
    case .prefix(let bytes): return name.count >= bytes.count && Glob.equal(bytes, name, from: 0)
    case .suffix(let bytes):
      return name.count >= bytes.count && Glob.equal(bytes, name, from: name.count - bytes.count)
    case .automaton(let table):
      var states: UInt64 = 1
      for index in name.indices {
        // Each state that the byte passes moves on; states behind a star stay.
        states = ((states & table[Int(name[index])]) << 1) | (states & table[256])
        if states == 0 { return false }
      }
      return states & table[257] != 0
    }
  }

  /// Whether the pattern covers the whole of `name`.
  public func matches(_ name: String) -> Bool { matches(name.utf8Span.span) }

  private static func equal(_ bytes: [UInt8], _ name: Span<UInt8>, from start: Int) -> Bool {
    for index in bytes.indices where bytes[index] != name[start + index] { return false }
    return true
  }

  /// The pattern as written.
  public var description: String { pattern }

  /// The text when the pattern has no star.
  var literal: String? { if case .exactly = form { pattern } else { nil } }
}
