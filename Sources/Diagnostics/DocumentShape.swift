internal import JSON

/// How a document looks to a reader of JSON. Most formats are told apart by that alone, before a byte is read again.
struct DocumentShape: OptionSet, Sendable {
  let rawValue: UInt8

  /// One JSON document.
  static let json = DocumentShape(rawValue: 1)
  /// A JSON document with something behind it, as a header stands before a report.
  static let headed = DocumentShape(rawValue: 2)
  /// No JSON object at its start: text, or other bytes.
  static let plain = DocumentShape(rawValue: 4)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// What `document`, in which a reader of JSON met `error`, may still be; nothing when it is broken JSON, which it is for
  /// every format.
  init(of document: UnsafeRawBufferPointer, after error: JSONError) {
    let start = document.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    let first = document[start...].first { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }
    // Lines of text may start with brackets as well.
    self = first == 0x7b ? [] : .plain
    switch error.code {
    case .trailingContent: formUnion(.headed)
    // Good JSON up to there, and beyond the limits of one reader only.
    case .tooDeep, .tooManyValues, .numberOutOfRange, .wrongType: formUnion([.json, .headed])
    case .unexpectedEnd, .unexpectedCharacter, .invalidNumber, .invalidEscape, .controlCharacter, .invalidUTF8,
      .otherEncoding:
      break
    }
  }
}
