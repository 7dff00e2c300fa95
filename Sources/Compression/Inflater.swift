internal import Bytes
internal import CZlib

/// One zlib decompressor; it owns the library's state.
struct Inflater: ~Copyable {
  /// The wrapper around the deflate data.
  enum Wrapper: Int32 {
    case zlib = 15
    case gzip = 31
  }

  // zlib's state points back at its stream, so the stream must not move: it lives on the heap.
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ wrapper: Wrapper) throws(CompressionError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // A failed start leaves no state; `inflateEnd` in `deinit` then does nothing.
    guard status == Z_OK else { throw CompressionError(.outOfMemory, at: 0) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses one stream that begins at `start` of `input`; gives the offset of the first byte after it.
  ///
  /// The state is ready for another stream afterwards. Cost: linear in input and output.
  mutating func inflateOne(
    _ input: ByteView, at start: Int, into output: inout ByteBuilder, below ceiling: Ceiling
  ) throws(CompressionError) -> Int {
    guard inflateReset(stream) == Z_OK else { throw CompressionError(.damaged, at: start) }
    var offset = start
    while true {
      guard output.makeRoom(limit: ceiling.room) else { throw CompressionError(.outOfMemory, at: offset) }
      let status = step(input, at: &offset, into: &output)
      if output.count > ceiling.bytes { throw CompressionError(ceiling.excess, at: offset) }
      switch status {
      case Z_STREAM_END: return offset
      case Z_OK: continue
      // No progress was possible although there was room: the input is used up.
      case Z_BUF_ERROR: throw CompressionError(.truncated, at: offset)
      case Z_NEED_DICT: throw CompressionError(.unsupported, at: offset)
      case Z_MEM_ERROR: throw CompressionError(.outOfMemory, at: offset)
      default: throw CompressionError(.damaged, at: offset)
      }
    }
  }

  private func step(_ input: ByteView, at offset: inout Int, into output: inout ByteBuilder) -> Int32 {
    // zlib counts in 32 bits, so larger runs are handed over in parts.
    let part = min(input.count - offset, 1 << 30)
    var status = Z_BUF_ERROR
    input.withBytes { source in
      output.append { room in
        let size = min(room.count, 1 << 30)
        // Safety: zlib only reads through `next_in`, whose type lacks the `const`; both buffers outlive the call.
        stream.pointee.next_in = source.baseAddress.map {
          UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self) + offset)
        }
        stream.pointee.avail_in = UInt32(part)
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(size)
        status = inflate(stream, Z_NO_FLUSH)
        offset += part - Int(stream.pointee.avail_in)
        return size - Int(stream.pointee.avail_out)
      }
    }
    return status
  }
}
