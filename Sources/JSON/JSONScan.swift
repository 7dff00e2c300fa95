/// The inner steps of reading JSON, eight or sixteen bytes at a time: those of `JSONReader`, and of readers that know what
/// comes and look at the bytes themselves.
///
/// In a word, subtracting a constant from each byte sets the high bit of exactly those bytes that are searched for, up to the
/// first of them; borrows can only disturb what stands after it (higher bytes), so the lowest set bit is exact.
public enum JSONScan {
  @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
  @inlinable static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// The eight bytes at `offset`, the first one lowest. Safety: the caller has checked that they are there.
  @inlinable @inline(__always)
  public static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// High bits at quotes, backslashes, control characters and everything that is not ASCII.
  @inlinable @inline(__always)
  public static func specials(in word: UInt64) -> UInt64 {
    let quotes = (word ^ (0x22 &* ones)) &- ones
    let backslashes = (word ^ (0x5c &* ones)) &- ones
    let controls = word &- (0x20 &* ones)
    return (quotes | backslashes | controls | word) & highs
  }

  /// The number that eight digits spell; `nil` when another byte is among them. Pairs first, then fours, then the whole.
  @inlinable @inline(__always)
  public static func eightDigits(in word: UInt64) -> UInt64? {
    var word = word &- (0x30 &* ones)
    guard (word | (word &+ (0x76 &* ones))) & highs == 0 else { return nil }
    word = (word &* 10) &+ (word >> 8)
    let high = (word & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
    let low = ((word >> 16) & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
    return (high &+ low) >> 32
  }

  /// The first byte at or behind `start` that is no space, tab or line end. Mostly one line feed and then many spaces:
  /// pretty-printed trees are little else.
  @inlinable
  public static func endOfWhiteSpace(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let spaces = SIMD16<UInt8>(repeating: 0x20)
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return at }
      at &+= 1
      while at &+ 16 <= bytes.count, bytes.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self) == spaces {
        at &+= 16
      }
      if at &+ 8 <= bytes.count {
        let others = word(bytes, at: at) ^ (0x20 &* ones)
        at &+= others == 0 ? 8 : others.trailingZeroBitCount >> 3
      }
    }
    return at
  }
}
