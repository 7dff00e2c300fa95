extension JSONReader {
  /// The bytes of the last key or string as they stand in the document, or the text of the last number.
  /// Valid as long as the document's bytes are.
  @inlinable
  public var tokenBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[tokenStart..<tokenEnd])
  }

  /// Whether the last key or string holds an escape, so that `tokenBytes` are not its text.
  @inlinable
  public var hasEscapes: Bool { tokenHasEscapes }

  /// The text of the last key, string or number. Cost: one copy.
  public var text: String {
    if tokenHasEscapes {
      var decoded: [UInt8] = []
      appendText(to: &decoded)
      return String(decoding: decoded, as: UTF8.self)
    }
    return String(decoding: tokenBytes, as: UTF8.self)
  }

  /// Appends the decoded UTF-8 of the last key or string to `output`.
  public func appendText(to output: inout [UInt8]) {
    guard tokenHasEscapes else { return output.append(contentsOf: tokenBytes) }
    JSONReader.decode(tokenBytes, into: &output)
  }

  /// Decodes `escaped`, the validated inside of a string, and appends it to `output`.
  public static func decode(_ escaped: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    output.reserveCapacity(output.count + escaped.count)
    var at = 0
    while at < escaped.count {
      let byte = escaped[at]
      guard byte == 0x5c, at + 1 < escaped.count else {
        output.append(byte)
        at += 1
        continue
      }
      let kind = escaped[at + 1]
      at += 2
      switch kind {
      case 0x62: output.append(0x08)
      case 0x66: output.append(0x0c)
      case 0x6e: output.append(0x0a)
      case 0x72: output.append(0x0d)
      case 0x74: output.append(0x09)
      case 0x75:
        let unit = hexUnit(escaped, at: at) ?? 0xfffd
        at += 4
        // A leading surrogate and its partner make one scalar; one alone is replaced.
        if (0xd800...0xdbff).contains(unit), at + 5 < escaped.count, escaped[at] == 0x5c, escaped[at + 1] == 0x75,
          let low = hexUnit(escaped, at: at + 2), (0xdc00...0xdfff).contains(low)
        {
          at += 6
          append(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), to: &output)
        } else {
          append(unit, to: &output)
        }
      default: output.append(kind)
      }
    }
  }

  private static func hexUnit(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for index in start..<(start + 4) {
      guard let digit = hexDigit(bytes[index]) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }

  private static func append(_ value: UInt32, to output: inout [UInt8]) {
    let scalar = Unicode.Scalar(value) ?? "\u{fffd}"
    output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// Whether the last key or string is exactly `name`. Allocates nothing.
  @inlinable @inline(__always)
  public func tokenIs(_ name: StaticString) -> Bool {
    if tokenHasEscapes { return JSONReader.matchesEscaped(tokenBytes, name) }
    guard tokenEnd &- tokenStart == name.utf8CodeUnitCount else { return false }
    return JSONReader.matches(tokenBytes, UnsafeRawPointer(name.utf8Start))
  }

  // Static, like what reads numbers below: a call on the reader itself would first copy all its fields.
  @usableFromInline
  static func matchesEscaped(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    var decoded: [UInt8] = []
    decode(bytes, into: &decoded)
    return name.withUTF8Buffer { decoded.elementsEqual($0) }
  }

  // Safety: the caller has checked that `other` points at as many bytes as `bytes` holds.
  @usableFromInline
  static func matches(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawPointer) -> Bool {
    var at = 0
    while at &+ 8 <= bytes.count {
      let mine = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if mine != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
      at &+= 8
    }
    while at < bytes.count {
      if bytes[at] != other.load(fromByteOffset: at, as: UInt8.self) { return false }
      at &+= 1
    }
    return true
  }

  // MARK: Numbers

  /// The last number; `nil` when it is larger than any double.
  public var number: JSONNumber? {
    if let value = uint64 { return .unsigned(value) }
    if let value = int64 { return .negative(value) }
    guard let value = Double(String(decoding: tokenBytes, as: UTF8.self)), value.isFinite else { return nil }
    return .real(value)
  }

  /// The last number when it is written as an integer from 0 to 2^64 - 1 (or as `-0`). Exact.
  @inlinable
  public var uint64: UInt64? { JSONReader.unsigned(tokenBytes) }

  /// The last number when it is written as an integer from -2^63 to 2^63 - 1. Exact.
  @inlinable
  public var int64: Int64? { JSONReader.signed(tokenBytes) }

  @usableFromInline
  static func unsigned(_ text: UnsafeRawBufferPointer) -> UInt64? {
    if text.first == 0x2d { return text.count == 2 && text[1] == 0x30 ? 0 : nil }
    return magnitude(text)
  }

  @usableFromInline
  static func signed(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.first == 0x2d else { return magnitude(text).flatMap { Int64(exactly: $0) } }
    guard let value = magnitude(UnsafeRawBufferPointer(rebasing: text.dropFirst())) else { return nil }
    if value == 1 << 63 { return Int64.min }
    return Int64(exactly: value).map { 0 - $0 }
  }

  /// The integer that `digits` spell; `nil` when anything else stands there or it does not fit.
  private static func magnitude(_ digits: UnsafeRawBufferPointer) -> UInt64? {
    guard !digits.isEmpty, digits.count <= 20 else { return nil }
    var at = 0
    var value: UInt64 = 0
    while at &+ 8 <= digits.count, let eight = JSONScan.eightDigits(in: JSONScan.word(digits, at: at)) {
      value = value &* 100_000_000 &+ eight
      at &+= 8
    }
    while at < digits.count {
      let digit = digits[at] &- 0x30
      guard digit <= 9 else { return nil }
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit))
      if overflowed || carried { return nil }
      value = sum
      at &+= 1
    }
    return value
  }
}
