/// Why an index could not be built or read.
public struct IndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable {
    /// There is no object file to build from.
    case noSource = "no_source"
    /// A table would pass what its numbers can count, or the memory allowed.
    case tooLarge = "too_large"
    /// The files cost more time to read than their size allows.
    case workLimit = "work_limit"
    /// The files made the process that read them fail.
    case malformed
    /// The process could not be run.
    case system
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
