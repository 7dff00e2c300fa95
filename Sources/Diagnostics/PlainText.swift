internal import JSON

/// The bytes of a document, read as long as they have the form that Apple's systems write: the inner loops of
/// `PlainFrameReader`. A value of two words, so that calls copy nothing.
struct PlainText {
  // Safety: callers of `key` and `number` check that `reach` bytes follow; the loops over strings and white space check
  // for themselves.
  private let bytes: UnsafeRawBufferPointer

  /// The longest key with its quotes, and a word.
  static let reach = 48

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count }

  subscript(at: Int) -> UInt8 { bytes[at] }

  subscript(range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

  /// The key that begins at `at`, its closing quote included: two to four words are compared.
  @inline(__always)
  func key(_ at: Int) -> PlainKey? {
    switch word(at) {
    case Words.binaryUUID: word(at &+ 3) == Words.aryUUID ? .identifier : nil
    case Words.binaryName: word(at &+ 3) == Words.aryName ? .name : nil
    case Words.address: .address
    case Words.sampleCount: word(at &+ 4) == Words.leCount ? .samples : nil
    case Words.subFrames: word(at &+ 2) == Words.bFrames ? .subFrames : nil
    case Words.offset:
      word(at &+ 8) == Words.toBinary && word(at &+ 16) == Words.textSegm && word(at &+ 20) == Words.segment
        ? .offset : nil
    default: nil
    }
  }

  @inline(__always)
  private func word(_ at: Int) -> UInt64 { JSONScan.word(bytes, at: at) }

  /// The byte after white space. Apple's writer indents each frame by two levels: most of a deep tree is spaces.
  @inline(__always)
  func skipWhiteSpace(_ start: Int) -> Int {
    if start < bytes.count, bytes[start] > 0x20 { return start }
    return skipWhiteSpaceRun(start)
  }

  @inline(never)
  private func skipWhiteSpaceRun(_ start: Int) -> Int { JSONScan.endOfWhiteSpace(bytes, from: start) }

  /// The closing quote of the string whose text begins at `start`; `nil` for one with escapes, control characters or
  /// anything that is not ASCII.
  @inline(__always)
  func endOfString(_ start: Int) -> Int? {
    var at = start
    while at &+ 8 <= bytes.count {
      let found = JSONScan.specials(in: word(at))
      if found != 0 {
        at &+= found.trailingZeroBitCount >> 3
        return bytes[at] == UInt8(ascii: "\"") ? at : nil
      }
      at &+= 8
    }
    return nil
  }

  /// The unsigned integer of at most 19 digits at `start` and the byte after it.
  @inline(__always)
  func number(_ start: Int) -> (value: UInt64, end: Int)? {
    var at = start
    var value: UInt64 = 0
    while at &- start < 16, let eight = JSONScan.eightDigits(in: word(at)) {
      value = value &* 100_000_000 &+ eight
      at &+= 8
    }
    while at &- start < 20 {
      let digit = bytes[at] &- 0x30
      if digit > 9 { break }
      value = value &* 10 &+ UInt64(digit)
      at &+= 1
    }
    let count = at &- start
    guard count > 0, count < 20, count == 1 || bytes[start] != 0x30 else { return nil }
    switch bytes[at] {
    case UInt8(ascii: ","), UInt8(ascii: "}"), 0x20, 0x0a, 0x0d, 0x09: return (value, at)
    default: return nil
    }
  }
}

/// A member of a frame that `PlainText` knows.
enum PlainKey: UInt8 {
  case identifier
  case offset
  case samples
  case subFrames
  case name
  case address

  var bit: UInt8 { 1 << rawValue }

  /// The bytes of the key and its closing quote.
  var count: Int {
    switch self {
    case .identifier, .name: 11
    case .offset: 28
    case .samples: 12
    case .subFrames: 10
    case .address: 8
    }
  }
}

/// Pieces of the keys as little-endian words. Numbers, since the compiler does not fold texts here; a test reads a
/// document with each key.
private enum Words {
  static var binaryUUID: UInt64 { 0x5555_7972_616e_6962 }  // binaryUU
  static var aryUUID: UInt64 { 0x2244_4955_5579_7261 }  // aryUUID"
  static var binaryName: UInt64 { 0x614e_7972_616e_6962 }  // binaryNa
  static var aryName: UInt64 { 0x2265_6d61_4e79_7261 }  // aryName"
  static var address: UInt64 { 0x2273_7365_7264_6461 }  // address"
  static var sampleCount: UInt64 { 0x6f43_656c_706d_6173 }  // sampleCo
  static var leCount: UInt64 { 0x2274_6e75_6f43_656c }  // leCount"
  static var subFrames: UInt64 { 0x656d_6172_4662_7573 }  // subFrame
  static var bFrames: UInt64 { 0x2273_656d_6172_4662 }  // bFrames"
  static var offset: UInt64 { 0x6e49_7465_7366_666f }  // offsetIn
  static var toBinary: UInt64 { 0x7972_616e_6942_6f74 }  // toBinary
  static var textSegm: UInt64 { 0x6d67_6553_7478_6554 }  // TextSegm
  static var segment: UInt64 { 0x2274_6e65_6d67_6553 }  // Segment"
}
