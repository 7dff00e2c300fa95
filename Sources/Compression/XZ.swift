public import Bytes
internal import CLzma

/// XZ data, as `.gnu_debugdata` sections hold it: a small symbol table that distributions put into stripped files.
public enum XZ {
  /// The most memory the library may take for one stream, in bytes.
  private static let memoryLimit: UInt64 = 256 << 20

  /// Decompresses one stream.
  ///
  /// Throws when it is cut off, damaged or larger than `limit`. Cost: linear; memory follows the real output.
  public static func decompress(_ input: ByteView, limit: OutputLimit) throws(CompressionError) -> ByteView {
    let ceiling = limit.ceiling(inputCount: input.count)
    // liblzma's state points back at its stream, so the stream must not move: it lives on the heap.
    let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)
    stream.initialize(to: lzma_stream())
    defer {
      lzma_end(stream)
      stream.deallocate()
    }
    guard lzma_stream_decoder(stream, memoryLimit, 0) == LZMA_OK else { throw CompressionError(.outOfMemory, at: 0) }
    var output = ByteBuilder()
    var offset = 0
    while true {
      guard output.makeRoom(limit: ceiling.room) else { throw CompressionError(.outOfMemory, at: offset) }
      let before = (offset, output.count)
      let status = step(stream, input, at: &offset, into: &output)
      if output.count > ceiling.bytes { throw CompressionError(ceiling.excess, at: offset) }
      switch status {
      case LZMA_STREAM_END: return output.finish()
      case LZMA_OK where (offset, output.count) != before: continue
      case LZMA_OK, LZMA_BUF_ERROR: throw CompressionError(.truncated, at: offset)
      case LZMA_FORMAT_ERROR: throw CompressionError(.notCompressed, at: offset)
      case LZMA_MEM_ERROR, LZMA_MEMLIMIT_ERROR: throw CompressionError(.outOfMemory, at: offset)
      case LZMA_OPTIONS_ERROR: throw CompressionError(.unsupported, at: offset)
      default: throw CompressionError(.damaged, at: offset)
      }
    }
  }

  private static func step(
    _ stream: UnsafeMutablePointer<lzma_stream>, _ input: ByteView, at offset: inout Int, into output: inout ByteBuilder
  ) -> lzma_ret {
    var status = LZMA_PROG_ERROR
    input.withBytes { source in
      output.append { room in
        // Safety: both buffers outlive the call, and liblzma only reads through `next_in`.
        stream.pointee.next_in = source.baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
        stream.pointee.avail_in = source.count - offset
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room.count
        status = lzma_code(stream, LZMA_FINISH)
        offset = source.count - stream.pointee.avail_in
        return room.count - stream.pointee.avail_out
      }
    }
    return status
  }
}
