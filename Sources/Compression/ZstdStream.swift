public import Bytes
internal import CZstd

/// Compresses bytes into one Zstandard frame, a part at a time, so that memory does not follow their number.
public struct ZstdCompression: ~Copyable {
  private let compressor: Zstd.Compressor
  private let input: ByteView
  private var offset = 0
  private var isOver = false

  /// A frame of `input`, at level 3, with its size and a checksum. The same input and the same library give the same bytes.
  public init(_ input: ByteView) throws(CompressionError) {
    compressor = try Zstd.Compressor()
    self.input = input
    ZSTD_CCtx_setPledgedSrcSize(compressor.context, UInt64(input.count))
  }

  /// Fills `room` with what comes next and tells how much it is; 0 at the end. Cost: about 600 MB/s. Throws only `outOfMemory`.
  public mutating func next(into room: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
    var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
    while !isOver, to.pos == 0 {
      let left = input.withBytes { source in
        var from = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: offset)
        let left = ZSTD_compressStream2(compressor.context, &to, &from, ZSTD_e_end)
        offset = from.pos
        return left
      }
      if ZSTD_isError(left) != 0 { throw CompressionError(.outOfMemory, at: offset) }
      isOver = left == 0
    }
    return to.pos
  }
}

/// Decompresses Zstandard frames, a part at a time, so that memory does not follow what they hold.
public struct ZstdDecompression: ~Copyable {
  private let decompressor: Zstd.Decompressor
  private let input: ByteView
  private var offset = 0
  private var isFrameOver = false

  /// What the frames in `input` hold, joined.
  public init(_ input: ByteView) throws(CompressionError) {
    guard input.count >= 4 else { throw CompressionError(.truncated, at: input.count) }
    guard Zstd.matches(input) else { throw CompressionError(.notCompressed, at: 0) }
    decompressor = try Zstd.Decompressor()
    self.input = input
  }

  /// Fills `room` with what comes next and tells how much it is; 0 at the end. Throws on anything but whole frames.
  public mutating func next(into room: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
    while true {
      if isFrameOver, offset == input.count { return 0 }
      let before = offset
      let (produced, hint) = decompressor.step(input, at: &offset, into: room)
      if ZSTD_isError(hint) != 0 { throw CompressionError(Zstd.code(of: hint), at: offset) }
      isFrameOver = hint == 0
      if produced > 0 { return produced }
      if !isFrameOver, offset == input.count, offset == before { throw CompressionError(.truncated, at: offset) }
    }
  }
}
