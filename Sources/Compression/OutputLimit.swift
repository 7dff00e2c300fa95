/// How much output decompression may give before it stops with an error.
public struct OutputLimit: Hashable, Sendable {
  /// The largest output, in bytes.
  public let bytes: Int
  /// The largest output as a multiple of the whole input; counts only above `ratioFloor`.
  public let ratio: Int
  /// Outputs of up to this many bytes may have any ratio.
  public let ratioFloor: Int

  /// A limit of `bytes` and, above `ratioFloor` (16 MiB), of `ratio` (1,000) times the input.
  ///
  /// Honest debug files reach ratios above 12, so a small ratio refuses good files; deflate cannot pass 1,032.
  public init(bytes: Int, ratio: Int = 1_000, ratioFloor: Int = 16 << 20) {
    self.bytes = max(0, bytes)
    self.ratio = max(1, ratio)
    self.ratioFloor = max(0, ratioFloor)
  }

  /// The largest output for an input of `inputCount` bytes, and what is wrong with a larger one.
  ///
  /// The ratio is held against the whole input, not against the part read so far: a good file may begin with a long
  /// run of zeros.
  func ceiling(inputCount: Int) -> Ceiling {
    let (product, overflow) = inputCount.multipliedReportingOverflow(by: ratio)
    let byRatio = max(overflow ? Int.max : product, ratioFloor)
    return byRatio < bytes
      ? Ceiling(bytes: byRatio, excess: .ratio(ratio)) : Ceiling(bytes: bytes, excess: .limit(bytes: bytes))
  }

  /// The same for an output that a container declares to be exactly `size` bytes; throws when that is too much.
  func ceiling(inputCount: Int, declared size: UInt64) throws(CompressionError) -> Ceiling {
    guard size <= UInt64(bytes) else { throw CompressionError(.limit(bytes: bytes), at: 0) }
    let ceiling = ceiling(inputCount: inputCount)
    guard size <= UInt64(ceiling.bytes) else { throw CompressionError(ceiling.excess, at: 0) }
    return Ceiling(bytes: Int(size), excess: .declaredSize(Int(size)))
  }
}

/// The largest output of one decompression.
struct Ceiling {
  let bytes: Int
  /// What one byte more means.
  let excess: CompressionError.Code
  /// Room for the output and one byte more, by which an excess shows.
  var room: Int { bytes == Int.max ? bytes : bytes + 1 }
}
