extension JSONReader {
  /// Passes over spaces, tabs and line ends. Pretty-printed trees are mostly runs of spaces.
  @inline(__always)
  mutating func skipWhiteSpace() {
    if position < count, bytes[position] > 0x20 { return }
    skipWhiteSpaceRun()
  }

  @inline(never)
  private mutating func skipWhiteSpaceRun() { position = JSONScan.endOfWhiteSpace(bytes, from: position) }

  /// Scans the string whose opening quote is at `position`; leaves the position after the closing quote.
  mutating func scanString() throws(JSONError) {
    let start = position &+ 1
    var at = start
    let last = count &- 8
    tokenHasEscapes = false
    while true {
      while at <= last {
        let found = JSONScan.specials(in: JSONScan.word(bytes, at: at))
        if found == 0 {
          at &+= 8
          continue
        }
        at &+= found.trailingZeroBitCount >> 3
        break
      }
      guard at < count else { throw JSONError(.unexpectedEnd, at: count) }
      let byte = bytes[at]
      if byte == 0x22 {
        tokenStart = start
        tokenEnd = at
        position = at &+ 1
        return
      }
      if byte == 0x5c {
        tokenHasEscapes = true
        at = try scanEscape(at)
      } else if byte >= 0x80 {
        at = try scanMultibyte(at)
      } else if byte < 0x20 {
        throw JSONError(.controlCharacter, at: at)
      } else {
        at &+= 1
      }
    }
  }

  /// Checks the escape at `at` and gives the byte after it.
  private func scanEscape(_ at: Int) throws(JSONError) -> Int {
    guard at + 1 < count else { throw JSONError(.unexpectedEnd, at: count) }
    switch bytes[at + 1] {
    case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74: return at + 2
    case 0x75:
      for index in (at + 2)..<(at + 6) {
        guard index < count else { throw JSONError(.unexpectedEnd, at: count) }
        guard JSONReader.hexDigit(bytes[index]) != nil else { throw JSONError(.invalidEscape, at: at) }
      }
      return at + 6
    default: throw JSONError(.invalidEscape, at: at)
    }
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte) - 0x30
    case 0x41...0x46: UInt32(byte) - 0x41 + 10
    case 0x61...0x66: UInt32(byte) - 0x61 + 10
    default: nil
    }
  }

  /// Checks the UTF-8 sequence at `at` (RFC 3629, table 4: no overlong form, no surrogate, nothing above U+10FFFF)
  /// and gives the byte after it.
  private func scanMultibyte(_ at: Int) throws(JSONError) -> Int {
    let lead = bytes[at]
    var second: ClosedRange<UInt8> = 0x80...0xbf
    let length: Int
    switch lead {
    case 0xc2...0xdf: length = 2
    case 0xe0:
      length = 3
      second = 0xa0...0xbf
    case 0xed:
      length = 3
      second = 0x80...0x9f
    case 0xe1...0xef: length = 3
    case 0xf0:
      length = 4
      second = 0x90...0xbf
    case 0xf4:
      length = 4
      second = 0x80...0x8f
    case 0xf1...0xf3: length = 4
    default: throw JSONError(.invalidUTF8, at: at)
    }
    for index in 1..<length {
      guard at + index < count else { throw JSONError(.unexpectedEnd, at: count) }
      let byte = bytes[at + index]
      let isGood = index == 1 ? second.contains(byte) : (0x80...0xbf).contains(byte)
      guard isGood else { throw JSONError(.invalidUTF8, at: at) }
    }
    return at + length
  }

  /// Scans the number that starts at `position`.
  mutating func scanNumber() throws(JSONError) {
    tokenStart = position
    tokenHasEscapes = false
    var at = position
    if bytes[at] == 0x2d { at &+= 1 }
    guard at < count else { throw JSONError(.unexpectedEnd, at: count) }
    if bytes[at] == 0x30 {
      at &+= 1
      if at < count, (0x30...0x39).contains(bytes[at]) { throw JSONError(.invalidNumber, at: tokenStart) }
    } else {
      at = try scanDigits(at)
    }
    if at < count {
      let byte = bytes[at]
      if byte == 0x2e { at = try scanDigits(at + 1) }
      if at < count, bytes[at] | 0x20 == 0x65 {
        at &+= 1
        if at < count, bytes[at] == 0x2b || bytes[at] == 0x2d { at &+= 1 }
        at = try scanDigits(at)
      }
    }
    tokenEnd = at
    position = at
  }

  /// Passes over one or more digits.
  @inline(__always)
  private func scanDigits(_ start: Int) throws(JSONError) -> Int {
    var at = start
    let last = count &- 8
    while at <= last {
      let word = JSONScan.word(bytes, at: at)
      let others = ((word &+ (0x46 &* JSONScan.ones)) | (word &- (0x30 &* JSONScan.ones))) & JSONScan.highs
      if others == 0 {
        at &+= 8
        continue
      }
      at &+= others.trailingZeroBitCount >> 3
      break
    }
    while at < count, (0x30...0x39).contains(bytes[at]) { at &+= 1 }
    guard at > start else { throw JSONError(at < count ? .invalidNumber : .unexpectedEnd, at: at) }
    return at
  }

  /// Scans `true`, `false` or `null`.
  mutating func scanLiteral(_ word: StaticString) throws(JSONError) {
    tokenStart = position
    for index in 0..<word.utf8CodeUnitCount {
      guard position + index < count else { throw JSONError(.unexpectedEnd, at: count) }
      guard bytes[position + index] == word.utf8Start[index] else {
        throw JSONError(.unexpectedCharacter, at: position + index)
      }
    }
    position &+= word.utf8CodeUnitCount
    tokenEnd = position
    valueEnded()
  }
}
