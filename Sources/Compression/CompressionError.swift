/// Why compressed bytes could not be decompressed, and where.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: Hashable, Sendable {
    /// The bytes do not begin like this format.
    case notCompressed
    /// The compressed bytes end too early.
    case truncated
    /// The compressed bytes contradict themselves: a bad code, a bad length, a checksum that does not fit.
    case damaged
    /// The output is shorter or longer than this number of bytes, which the container declared.
    case declaredSize(Int)
    /// The output would pass the limit of this number of bytes.
    case limit(bytes: Int)
    /// The output would be more than this many times as large as the input.
    case ratio(Int)
    /// The format is right, but uses something this reader refuses: a preset dictionary, a window above 128 MiB.
    case unsupported
    /// The system has no more memory.
    case outOfMemory
  }

  /// What was wrong.
  public let code: Code
  /// The place in the compressed bytes, in bytes from their start: how far they were read.
  public let offset: Int

  /// An error of kind `code` at `offset`.
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// The error as a clause for a message, for example `compressed data is truncated at byte 0x40`.
  public var description: String {
    let what =
      switch code {
      case .notCompressed: "no compressed data of this format"
      case .truncated: "compressed data is truncated"
      case .damaged: "compressed data is damaged"
      case .declaredSize(let bytes): "compressed data does not give the declared \(bytes) bytes"
      case .limit(let bytes): "decompressed data passes the limit of \(bytes) bytes"
      case .ratio(let ratio): "decompressed data is more than \(ratio) times its compressed size"
      case .unsupported: "compressed data uses an unsupported feature"
      case .outOfMemory: "out of memory while decompressing"
      }
    return "\(what) at byte 0x\(String(offset, radix: 16))"
  }
}
