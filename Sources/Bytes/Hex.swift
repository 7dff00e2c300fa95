extension Sequence where Element == UInt8 {
  /// The bytes as lower-case hex digits.
  public var hex: String {
    var text = ""
    for byte in self {
      text.append(Character(Unicode.Scalar(hexDigit(byte >> 4))))
      text.append(Character(Unicode.Scalar(hexDigit(byte & 15))))
    }
    return text
  }
}

extension FixedWidthInteger {
  /// The number as lower-case hex with `0x` in front, as JSON and text output show addresses.
  public var hex: String { "0x" + String(self, radix: 16) }
}

extension Array<UInt8> {
  /// The bytes that `text` spells in hex digits; `nil` unless it is an even number of hex digits and nothing else.
  public init?(hex text: some StringProtocol) {
    self = []
    var high: UInt8?
    for unit in text.utf8 {
      guard let value = hexValue(unit) else { return nil }
      if let first = high {
        append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    if high != nil { return nil }
  }
}

private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

private func hexValue(_ unit: UInt8) -> UInt8? {
  switch unit {
  case 0x30...0x39: unit - 0x30
  case 0x41...0x46: unit - 0x37
  case 0x61...0x66: unit - 0x57
  default: nil
  }
}
