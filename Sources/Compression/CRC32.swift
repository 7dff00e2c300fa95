public import Bytes
internal import CZlib

extension ByteView {
  /// The CRC-32 of zlib and of `.gnu_debuglink` (IEEE 802.3, reflected). Cost: about 1 GB/s.
  public var crc32: UInt32 {
    withBytes { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)) }
  }
}
