/// One line of a text report as bytes, and the few things its readers look for. All of them cost at most one pass.
typealias TextLine = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
  /// The bytes as text; what is no UTF-8 becomes U+FFFD.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// Without white space at both ends.
  var trimmed: TextLine {
    var rest = self
    while let first = rest.first, first.isTextSpace { rest = rest.dropFirst() }
    while let last = rest.last, last.isTextSpace { rest = rest.dropLast() }
    return rest
  }

  /// Whether the line starts with `word`.
  func starts(with word: String) -> Bool { starts(with: word.utf8) }

  /// Where `word` stands first.
  func place(of word: String) -> Range<Int>? {
    let wanted = Array(word.utf8)
    guard let head = wanted.first else { return nil }
    var at = startIndex
    while at + wanted.count <= endIndex, let found = self[at...].firstIndex(of: head) {
      if self[found...].starts(with: wanted) { return found..<found + wanted.count }
      at = found + 1
    }
    return nil
  }

  /// Takes the bytes up to the next white space, and the white space behind them, from the front.
  mutating func takeWord() -> TextLine {
    let word = prefix { !$0.isTextSpace }
    self = self[word.endIndex...].drop { $0.isTextSpace }
    return word
  }

  /// `0x` and up to 16 hexadecimal digits, as a whole.
  var hexNumber: UInt64? {
    guard count > 2, count <= 34, self[startIndex] == 0x30, self[startIndex + 1] | 0x20 == 0x78 else { return nil }
    var value: UInt64 = 0
    for byte in dropFirst(2) {
      guard let digit = byte.hexDigitValue, value >> 60 == 0 else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// Decimal digits, as a whole; `nil` beyond 64 bits.
  var decimalNumber: UInt64? {
    guard !isEmpty, count <= 32 else { return nil }
    var value: UInt64 = 0
    for byte in self {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let product = value.multipliedReportingOverflow(by: 10)
      let sum = product.partialValue.addingReportingOverflow(UInt64(byte - 0x30))
      if product.overflow || sum.overflow { return nil }
      value = sum.partialValue
    }
    return value
  }
}

extension UInt8 {
  /// A space or tab, or a control character that stands for nothing in these reports.
  var isTextSpace: Bool { self <= 0x20 }

  var hexDigitValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}

/// The lines of a text, with any of the three line ends, each cut to a length.
struct TextLines: Sequence, IteratorProtocol {
  /// Swift's mangled names reach some thousand bytes; nothing in a report is longer.
  static let lengthLimit = 16_384

  private let bytes: Slice<UnsafeRawBufferPointer>
  private var at: Int
  /// Where the line that was given last starts.
  private(set) var start = 0
  /// The number of that line, from 1.
  private(set) var number = 0
  /// Whether that line was cut.
  private(set) var wasCut = false

  init(_ bytes: Slice<UnsafeRawBufferPointer>) {
    self.bytes = bytes
    at = bytes.startIndex
  }

  mutating func next() -> TextLine? {
    guard at < bytes.endIndex else { return nil }
    let end = bytes[at...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.endIndex
    start = at
    at = end + 1
    if end < bytes.endIndex, bytes[end] == 0x0d, at < bytes.endIndex, bytes[at] == 0x0a { at += 1 }
    number += 1
    wasCut = end - start > TextLines.lengthLimit
    return Array(bytes[start..<Swift.min(end, start + TextLines.lengthLimit)])[...]
  }
}
