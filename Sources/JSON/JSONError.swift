/// Why bytes are not the JSON that was asked for, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes end inside the document.
    case unexpectedEnd = "unexpected_end"
    /// A byte that cannot stand at this place.
    case unexpectedCharacter = "unexpected_character"
    /// A number that breaks the grammar: a leading zero, no digit where one must stand.
    case invalidNumber = "invalid_number"
    /// A number beyond the range that the caller can hold.
    case numberOutOfRange = "number_out_of_range"
    /// A backslash with something that is no escape.
    case invalidEscape = "invalid_escape"
    /// A control character (below U+0020) stands unescaped in a string.
    case controlCharacter = "control_character"
    /// Bytes that are not UTF-8.
    case invalidUTF8 = "invalid_utf8"
    /// The document looks like UTF-16 or UTF-32.
    case otherEncoding = "other_encoding"
    /// More containers inside each other than the limit allows.
    case tooDeep = "too_deep"
    /// More values than the limit allows.
    case tooManyValues = "too_many_values"
    /// Something follows after the end of the document.
    case trailingContent = "trailing_content"
    /// The value is of another type than the one asked for.
    case wrongType = "wrong_type"
  }

  /// What was wrong.
  public let code: Code
  /// The place, in bytes from the start.
  public let offset: Int

  /// An error of kind `code` at `offset`.
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// What was wrong in words, without the place: `unexpected character`.
  public var what: String { code.rawValue.split(separator: "_").joined(separator: " ") }

  /// The error as a clause for a message, for example `unexpected character at byte 12`.
  public var description: String { "\(what) at byte \(offset)" }
}

/// A place in a text as people count it.
public struct JSONPlace: Hashable, Sendable, CustomStringConvertible {
  /// Bytes from the start, from 0.
  public let offset: Int
  /// The line, from 1; lines end with a line feed.
  public let line: Int
  /// The column in bytes (not characters), from 1.
  public let column: Int

  /// The place `offset` of `bytes`, clamped to their end. Cost: one pass over what stands before it.
  public init(of offset: Int, in bytes: UnsafeRawBufferPointer) {
    let end = max(0, min(offset, bytes.count))
    var line = 1
    var lineStart = 0
    for index in 0..<end where bytes[index] == 0x0a {
      line += 1
      lineStart = index + 1
    }
    self.offset = end
    self.line = line
    self.column = end - lineStart + 1
  }

  /// For example `line 3, column 14 (byte 87)`.
  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}
