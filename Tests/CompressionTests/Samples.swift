import Bytes
import CZlib
import CZstd
import TestSupport

enum Samples {
  /// `count` bytes that repeat themselves about as much as debug information does.
  static func compressible(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    while bytes.count < count {
      if bytes.count > 64, Bool.random(using: &random) {
        let start = Int.random(in: 0..<bytes.count - 32, using: &random)
        bytes.append(contentsOf: bytes[start..<start + 32])
      } else {
        for _ in 0..<8 { bytes.append(UInt8.random(in: 0...255, using: &random)) }
      }
    }
    return Array(bytes.prefix(count))
  }

  /// `bytes` as one gzip member.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: 31) }

  /// `bytes` as one zlib stream.
  static func zlib(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: 15) }

  private static func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var input = bytes
    return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(bytes.count))) + 32) { room, count in
      input.withUnsafeMutableBufferPointer { source in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(room.count)
        deflate(&stream, Z_FINISH)
      }
      count = room.count - Int(stream.avail_out)
    }
  }

  /// `bytes` as one Zstandard frame of the library's simplest function: no checksum.
  static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
      count = ZSTD_compress(room.baseAddress, room.count, bytes, bytes.count, 19)
    }
  }
}

extension ByteView {
  var array: [UInt8] { withBytes { Array($0) } }
}
