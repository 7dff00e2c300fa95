public import Bytes

/// Zlib streams (RFC 1950), as compressed debug sections hold them.
public enum Zlib {
  /// Decompresses a section whose header declares an output of `size` bytes.
  ///
  /// The section may be several streams in a row, as some linkers write it; bytes after the last one are ignored, as
  /// all readers do. Throws unless the output is exactly `size` bytes. Cost: linear; memory follows the real output,
  /// not `size`.
  public static func decompress(
    _ input: ByteView, size: UInt64, limit: OutputLimit
  ) throws(CompressionError) -> ByteView {
    let ceiling = try limit.ceiling(inputCount: input.count, declared: size)
    var inflater = try Inflater(.zlib)
    var output = ByteBuilder()
    var offset = 0
    repeat {
      if !isHeader(input, at: offset) {
        // After a whole stream: the section is shorter than declared and something else follows.
        throw CompressionError(offset == 0 ? .notCompressed : ceiling.excess, at: offset)
      }
      offset = try inflater.inflateOne(input, at: offset, into: &output, below: ceiling)
    } while output.count < ceiling.bytes && offset < input.count
    guard output.count == ceiling.bytes else { throw CompressionError(ceiling.excess, at: offset) }
    return output.finish()
  }

  /// Whether a stream may begin here, as far as there are bytes (RFC 1950 2.2: method 8, a check modulo 31).
  private static func isHeader(_ input: ByteView, at offset: Int) -> Bool {
    if let header = input.load(at: offset, as: UInt16.self, order: .big) {
      return header & 0x0f00 == 0x0800 && header % 31 == 0
    }
    guard let method: UInt8 = input.load(at: offset) else { return true }
    return method & 0x0f == 8
  }
}
