extension JSONWriter {
  /// Appends `text` in quotes to `output`, escaped.
  ///
  /// Escaped are quotes and backslashes; all control characters (U+0000 to U+001F, U+007F to U+009F); the line
  /// separators U+2028 and U+2029; the mark U+FEFF; and the characters that change the direction of text, which can
  /// make a name look like another.
  public static func appendQuoted(_ text: String, to output: inout [UInt8]) {
    var text = text
    output.append(0x22)
    text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      var start = 0
      var at = 0
      while at < bytes.count {
        at = endOfPlainRun(bytes, from: at)
        guard at < bytes.count else { break }
        let length = lengthOfEscaped(bytes, at: at)
        if length > 0 {
          output.append(contentsOf: bytes[start..<at])
          appendEscape(bytes, at: at, length: length, to: &output)
          start = at + length
          at = start
        } else {
          at += 1
        }
      }
      output.append(contentsOf: bytes[start..<bytes.count])
    }
    output.append(0x22)
  }

  /// The first byte at or after `start` that may begin an escape: a quote, a backslash, a control character or
  /// anything but ASCII.
  private static func endOfPlainRun(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var at = start
    while at &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let quotes = (word ^ (0x22 &* ones)) &- ones
      let backslashes = (word ^ (0x5c &* ones)) &- ones
      let deletes = (word ^ (0x7f &* ones)) &- ones
      let controls = word &- (0x20 &* ones)
      let found = (quotes | backslashes | deletes | controls | word) & (0x80 &* ones)
      if found != 0 { return at &+ (found.trailingZeroBitCount >> 3) }
      at &+= 8
    }
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x20 || byte == 0x22 || byte == 0x5c || byte >= 0x7f { return at }
      at &+= 1
    }
    return at
  }

  /// The number of bytes of the character at `at` when it must be escaped, else 0.
  private static func lengthOfEscaped(_ bytes: UnsafeRawBufferPointer, at: Int) -> Int {
    let byte = bytes[at]
    if byte < 0x80 { return 1 }
    if byte == 0xc2, at + 1 < bytes.count { return bytes[at + 1] < 0xa0 ? 2 : 0 }
    if byte == 0xd8, at + 1 < bytes.count { return bytes[at + 1] == 0x9c ? 2 : 0 }
    guard byte == 0xe2 || byte == 0xef, at + 2 < bytes.count else { return 0 }
    switch scalar(bytes, at: at, length: 3) {
    case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: return 3
    default: return 0
    }
  }

  private static func scalar(_ bytes: UnsafeRawBufferPointer, at: Int, length: Int) -> UInt16 {
    let first = UInt16(bytes[at])
    if length == 1 { return first }
    let second = UInt16(bytes[at + 1] & 0x3f)
    if length == 2 { return (first & 0x1f) << 6 | second }
    return (first & 0x0f) << 12 | second << 6 | UInt16(bytes[at + 2] & 0x3f)
  }

  private static func appendEscape(
    _ bytes: UnsafeRawBufferPointer, at: Int, length: Int, to output: inout [UInt8]
  ) {
    let value = scalar(bytes, at: at, length: length)
    output.append(0x5c)
    switch value {
    case 0x22, 0x5c: output.append(UInt8(value))
    case 0x08: output.append(0x62)
    case 0x09: output.append(0x74)
    case 0x0a: output.append(0x6e)
    case 0x0c: output.append(0x66)
    case 0x0d: output.append(0x72)
    default:
      output.append(0x75)
      for shift in [12, 8, 4, 0] as [UInt16] {
        let digit = UInt8(value >> shift & 0xf)
        output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    }
  }
}
