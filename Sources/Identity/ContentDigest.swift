public import Bytes
internal import CCrypto

/// The SHA-256 of some bytes: the name of a payload, a stored slice, a raw stack, a signature.
public struct ContentDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// The digest with these 32 bytes; `nil` for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
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

  /// 64 lower-case hex digits.
  public var hex: String { bytes.hex }

  /// 64 lower-case hex digits.
  public var description: String { hex }

  /// By bytes.
  public static func < (a: ContentDigest, b: ContentDigest) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  private static func sha256(_ data: UnsafeRawBufferPointer) -> ContentDigest {
    let digest = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      // Fails only when libcrypto cannot allocate; the digest is then visibly empty and fits nothing.
      var written: UInt32 = 0
      let ok = EVP_Digest(data.baseAddress, data.count, buffer.baseAddress, &written, EVP_sha256(), nil)
      count = ok == 1 ? Int(written) : 0
    }
    return ContentDigest(unchecked: digest)
  }
}
