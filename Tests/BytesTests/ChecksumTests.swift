import Bytes
import Testing

@Suite struct CRC32C {
  /// RFC 3720, B.4, and the check value of the CRC catalogue.
  static let vectors: [([UInt8], UInt32)] = [
    ([], 0),
    ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
    ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
    (Array(0...31), 0x46dd_794e),
    (Array((0...31).reversed()), 0x113f_db5c),
    (Array("123456789".utf8), 0xe306_9283),
    (
      [0x01, 0xc0, 0, 0] + [UInt8](repeating: 0, count: 12) + [0x14, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18]
        + [0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0], 0xd996_3a56
    ),
  ]

  @Test(arguments: vectors) func `the published values`(bytes: [UInt8], expected: UInt32) {
    #expect(ByteView(bytes).crc32c == expected)
    #expect(bytes.crc32c == expected)
  }

  @Test func `every length and alignment gives what a bit-by-bit division gives`() throws {
    let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 11) }
    let view = ByteView(bytes)
    for start in 0..<9 {
      for count in 0...(bytes.count - start) {
        let part = bytes[start..<start + count]
        var crc = UInt32.max
        for byte in part {
          crc ^= UInt32(byte)
          for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0x82f6_3b78 : 0) }
        }
        #expect(try #require(view.slice(at: UInt64(start), count: UInt64(count))).crc32c == ~crc)
      }
    }
  }
}

@Suite struct Hex {
  @Test func `every byte has two lower-case digits and comes back from either case`() {
    for byte in UInt8.min...UInt8.max {
      let text = [byte].hex
      #expect(text.count == 2 && text == text.lowercased())
      #expect([UInt8](hex: text) == [byte])
      #expect([UInt8](hex: text.uppercased()) == [byte])
    }
    #expect([0x00, 0x0f, 0xa0, 0xff].hex == "000fa0ff")
  }

  @Test(arguments: ["a", "abc", "0x", "0g", " 0", "0 ", "--", "é", "٠٠", "ＡＢ", "0\u{0}"])
  func `anything else is no hex`(text: String) {
    #expect([UInt8](hex: text) == nil)
  }

  @Test func `no digits are no bytes`() {
    #expect([UInt8](hex: "") == [])
    #expect([UInt8]().hex == "")
  }

  @Test func `numbers are shown with 0x`() {
    #expect(UInt64.max.hex == "0xffffffffffffffff")
    #expect(UInt64(0).hex == "0x0")
    #expect(0x1_0000.hex == "0x10000")
  }
}
