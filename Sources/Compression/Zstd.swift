public import Bytes
internal import CZstd

/// Zstandard data (RFC 8878): what a store keeps, and newer compressed debug sections.
public enum Zstd {
  /// Compresses `input` into one frame in memory; see `ZstdCompression`.
  public static func compress(_ input: ByteView) throws(CompressionError) -> ByteView {
    var frame = try ZstdCompression(input)
    var output = ByteBuilder()
    while true {
      guard output.makeRoom(limit: .max) else { throw CompressionError(.outOfMemory, at: 0) }
      var result: Result<Int, CompressionError> = .success(0)
      output.append { room in
        result = Result { () throws(CompressionError) in try frame.next(into: room) }
        return (try? result.get()) ?? 0
      }
      if try result.get() == 0 { return output.finish() }
    }
  }

  /// Whether `view` begins like Zstandard data.
  public static func matches(_ view: ByteView) -> Bool {
    guard let magic: UInt32 = view.load(at: 0) else { return false }
    // RFC 8878 3.1.1 and 3.1.2: a frame, or one of 16 kinds of frame to be skipped.
    return magic == 0xfd2f_b528 || magic & 0xffff_fff0 == 0x184d_2a50
  }

  /// Decompresses one or more whole frames, whose outputs are joined.
  ///
  /// Throws on anything else after them. Cost: linear; memory follows the real output, and the library's window is at
  /// most 128 MiB.
  public static func decompress(_ input: ByteView, limit: OutputLimit) throws(CompressionError) -> ByteView {
    try decompress(input, below: limit.ceiling(inputCount: input.count))
  }

  /// Decompresses a section whose header declares an output of `size` bytes; throws unless it is exactly that.
  public static func decompress(
    _ input: ByteView, size: UInt64, limit: OutputLimit
  ) throws(CompressionError) -> ByteView {
    let ceiling = try limit.ceiling(inputCount: input.count, declared: size)
    let output = try decompress(input, below: ceiling)
    guard output.count == ceiling.bytes else { throw CompressionError(ceiling.excess, at: input.count) }
    return output
  }

  private static func decompress(_ input: ByteView, below ceiling: Ceiling) throws(CompressionError) -> ByteView {
    guard input.count >= 4 else { throw CompressionError(.truncated, at: input.count) }
    guard matches(input) else { throw CompressionError(.notCompressed, at: 0) }
    let decompressor = try Decompressor()
    var output = ByteBuilder()
    var offset = 0
    while true {
      guard output.makeRoom(limit: ceiling.room) else { throw CompressionError(.outOfMemory, at: offset) }
      let (before, produced) = (offset, output.count)
      var hint = 0
      output.append { room in
        let step = decompressor.step(input, at: &offset, into: room)
        hint = step.hint
        return step.produced
      }
      if output.count > ceiling.bytes { throw CompressionError(ceiling.excess, at: offset) }
      if ZSTD_isError(hint) != 0 { throw CompressionError(code(of: hint), at: offset) }
      if offset == input.count {
        // 0: a frame ended here. Otherwise output may still be waiting inside, or the input ended too early.
        if hint == 0 { return output.finish() }
        if output.count == produced && offset == before { throw CompressionError(.truncated, at: offset) }
      }
    }
  }

  static func code(of result: Int) -> CompressionError.Code {
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_memory_allocation: .outOfMemory
    case ZSTD_error_version_unsupported, ZSTD_error_frameParameter_unsupported,
      ZSTD_error_frameParameter_windowTooLarge, ZSTD_error_dictionary_wrong:
      .unsupported
    default: .damaged
    }
  }
}

extension Zstd {
  /// One compression; it owns the library's state.
  struct Compressor: ~Copyable {
    let context: OpaquePointer

    init() throws(CompressionError) {
      guard let context = ZSTD_createCCtx() else { throw CompressionError(.outOfMemory, at: 0) }
      self.context = context
      // Neither can fail on a fresh context with values inside the bounds.
      ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3)
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit { ZSTD_freeCCtx(context) }
  }

  /// One decompression; it owns the library's state. The library's own bound on the window is 2^27 bytes.
  struct Decompressor: ~Copyable {
    private let context: OpaquePointer

    init() throws(CompressionError) {
      guard let context = ZSTD_createDCtx() else { throw CompressionError(.outOfMemory, at: 0) }
      self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// One step; gives how much it wrote and the library's result, 0 at the end of a frame.
    func step(
      _ input: ByteView, at offset: inout Int, into room: UnsafeMutableRawBufferPointer
    ) -> (produced: Int, hint: Int) {
      input.withBytes { source in
        var from = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: offset)
        var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        let hint = ZSTD_decompressStream(context, &to, &from)
        offset = from.pos
        return (to.pos, hint)
      }
    }
  }
}
