import Bytes
import Identity
import Testing

@Suite struct ContentDigests {
  /// FIPS 180-2, appendix B, and the well-known digest of nothing.
  static let vectors: [([UInt8], String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]

  @Test(arguments: vectors) func `the published values`(bytes: [UInt8], expected: String) {
    #expect(ContentDigest(of: bytes).hex == expected)
    #expect(ContentDigest(of: ByteView(bytes)).description == expected)
  }

  @Test func `the published value of a million letters`() {
    let digest = ContentDigest(of: ByteView([UInt8](repeating: 0x61, count: 1_000_000)))
    #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func `a slice is digested without its surroundings`() throws {
    let slice = try #require(ByteView(Array("xxabcxx".utf8)).slice(at: 2, count: 3))
    #expect(ContentDigest(of: slice) == ContentDigest(of: Array("abc".utf8)))
  }

  @Test func `a digest is read from 64 hex digits of either case and from 32 bytes, and from nothing else`() throws {
    let digest = ContentDigest(of: [1])
    #expect(ContentDigest(hex: digest.hex) == digest)
    #expect(ContentDigest(hex: digest.hex.uppercased()) == digest)
    #expect(ContentDigest(bytes: digest.bytes) == digest)
    for count in [0, 31, 33, 64] { #expect(ContentDigest(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    for text in ["", digest.hex + "0", String(digest.hex.dropLast()), digest.hex.dropLast() + "g"] {
      #expect(ContentDigest(hex: text) == nil)
    }
  }

  @Test func `the order is that of the bytes`() {
    let digests = (0..<50).map { ContentDigest(of: [UInt8($0)]) }
    #expect(digests.sorted().map(\.hex) == digests.map(\.hex).sorted())
  }
}
