internal import CCrypto

/// The SHA-256 of bytes that come one part after another.
public struct DigestStream: ~Copyable {
  private let context: OpaquePointer?

  /// A digest of nothing yet.
  public init() {
    context = EVP_MD_CTX_new()
    _ = EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes. Cost: about 2 GB/s.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all that was added. Without memory it is that of nothing else: all zero.
  public consuming func finish() -> ContentDigest {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
      output.initializeMemory(as: UInt8.self, repeating: 0)
      _ = EVP_DigestFinal_ex(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
      return ContentDigest(raw: UnsafeRawBufferPointer(output))
    }
  }
}
