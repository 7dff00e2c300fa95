public import Bytes

/// Whole gzip files (RFC 1952).
public enum Gzip {
  /// Whether `view` begins like a gzip file.
  public static func matches(_ view: ByteView) -> Bool {
    view.load(at: 0, as: UInt16.self, order: .big) == 0x1f8b
  }

  /// Decompresses a whole gzip file: one or more members, whose outputs are joined, then nothing but zero bytes.
  ///
  /// Checksums and lengths of all members are verified. Throws on everything else, so no output is ever cut short.
  /// Cost: linear; memory follows the real output.
  public static func decompress(_ input: ByteView, limit: OutputLimit) throws(CompressionError) -> ByteView {
    let ceiling = limit.ceiling(inputCount: input.count)
    var inflater = try Inflater(.gzip)
    var output = ByteBuilder()
    var offset = 0
    repeat {
      try checkHeader(input, at: offset)
      offset = try inflater.inflateOne(input, at: offset, into: &output, below: ceiling)
    } while !isPadding(input, from: offset)
    return output.finish()
  }

  /// Tells apart what zlib reports as the same error.
  private static func checkHeader(_ input: ByteView, at offset: Int) throws(CompressionError) {
    let isFirst = offset == 0
    for (index, expected) in [0x1f, 0x8b].enumerated() {
      guard let byte: UInt8 = input.load(at: offset + index) else {
        throw CompressionError(.truncated, at: input.count)
      }
      guard byte == expected else { throw CompressionError(isFirst ? .notCompressed : .damaged, at: offset + index) }
    }
    // RFC 1952 2.3.1: method 8 is deflate, the only one; the upper three flag bits are reserved.
    if let method: UInt8 = input.load(at: offset + 2), method != 8 {
      throw CompressionError(.unsupported, at: offset + 2)
    }
    if let flags: UInt8 = input.load(at: offset + 3), flags & 0xe0 != 0 {
      throw CompressionError(.unsupported, at: offset + 3)
    }
  }

  /// Whether only zero bytes, as tapes and block devices leave them, follow `offset`.
  private static func isPadding(_ input: ByteView, from offset: Int) -> Bool {
    input.withBytes { $0[offset...].allSatisfy { $0 == 0 } }
  }
}
