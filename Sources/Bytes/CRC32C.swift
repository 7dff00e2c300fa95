internal import CShims

extension ByteView {
  /// The CRC-32C (Castagnoli, as in RFC 3720 B.4) of all bytes. Cost: memory speed where the processor has the
  /// instruction, a byte at a time elsewhere.
  public var crc32c: UInt32 {
    withBytes { symclust_crc32c(0, $0.baseAddress, $0.count) }
  }
}

extension Sequence where Element == UInt8 {
  /// The CRC-32C of the bytes.
  public var crc32c: UInt32 {
    Array(self).withUnsafeBytes { symclust_crc32c(0, $0.baseAddress, $0.count) }
  }
}
