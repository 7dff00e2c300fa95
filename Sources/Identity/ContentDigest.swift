public import Bytes
internal import CCrypto

/// The SHA-256 of some bytes: the name of a payload, a stored slice, a raw stack, a signature.
///
/// Four words in place, no allocation: runs hold millions of them.
public struct ContentDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 32 bytes, the first byte highest, so that words compare as bytes do.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The digest with these 32 bytes; `nil` for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self = Array(bytes).withUnsafeBytes(ContentDigest.init(raw:))
  }

  /// The digest that 64 hex digits spell.
  public init?(hex text: some StringProtocol) {
    guard text.utf8.count == 64, let bytes = [UInt8](hex: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The SHA-256 of `view`. Cost: about 2 GB/s.
  public init(of view: ByteView) {
    self = view.withBytes(ContentDigest.sha256)
  }

  /// The SHA-256 of `data`.
  public init(of data: [UInt8]) {
    self = data.withUnsafeBytes(ContentDigest.sha256)
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)) { Array($0) }
  }

  /// 64 lower-case hex digits.
  public var hex: String { bytes.hex }

  /// 64 lower-case hex digits.
  public var description: String { hex }

  /// By bytes.
  public static func < (a: ContentDigest, b: ContentDigest) -> Bool { a.words < b.words }

  /// By bytes.
  public static func == (a: ContentDigest, b: ContentDigest) -> Bool { a.words == b.words }

  /// All of a digest is as good as any hash; it goes through the seeded hasher all the same, since digests can be chosen.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }

  init(raw: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  private static func sha256(_ data: UnsafeRawBufferPointer) -> ContentDigest {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
      // Fails only when libcrypto cannot allocate; the digest is then visibly zero and fits nothing.
      output.initializeMemory(as: UInt8.self, repeating: 0)
      _ = EVP_Digest(
        data.baseAddress, data.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, EVP_sha256(), nil)
      return ContentDigest(raw: UnsafeRawBufferPointer(output))
    }
  }
}
