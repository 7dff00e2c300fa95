extension Array<UInt8> {
  /// The bytes that `text` spells in base64 (RFC 4648, sections 4 and 5): either alphabet, with or without padding;
  /// `nil` for anything else, white space included. Cost: one pass.
  public init?(base64 text: some Collection<UInt8>) {
    var digits = text.count
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    // Padding fills the last group of four, or is not there at all.
    guard padding == 0 || digits % 4 == 0 else { return nil }
    digits -= padding
    guard digits % 4 != 1, padding == 0 || (digits + padding) % 4 == 0 else { return nil }
    self = []
    reserveCapacity(digits / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for unit in text.prefix(digits) {
      guard let value = base64Value(unit) else { return nil }
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    // Bits that belong to no byte are zero, so that one text has one spelling.
    guard bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
  }
}

private func base64Value(_ unit: UInt8) -> UInt32? {
  switch unit {
  case 0x41...0x5a: UInt32(unit - 0x41)
  case 0x61...0x7a: UInt32(unit - 0x61 + 26)
  case 0x30...0x39: UInt32(unit - 0x30 + 52)
  case 0x2b, 0x2d: 62
  case 0x2f, 0x5f: 63
  default: nil
  }
}
