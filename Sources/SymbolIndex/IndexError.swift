/// Why an index could not be built or read.
public struct IndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable {
    /// There is no object file to build from.
    case noSource = "no_source"
    /// A table would pass what its numbers can count.
    case tooLarge = "too_large"
    /// The file is damaged.
    case corrupt = "index_corrupt"
    /// The file is of a newer format than this program reads.
    case newer = "index_newer"
  }

  /// What was wrong.
  public let code: Code
  /// Where and what.
  public let detail: String

  /// An error of kind `code`.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The reason.
  public var description: String { detail }
}
