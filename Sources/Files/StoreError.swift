public import Bytes

/// Why a store could not be used. An unreadable store is an error, never an empty store.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable {
    /// A file or folder could not be read or written.
    case inputOutput = "input_output"
    /// There is no store there.
    case absent
    /// A file of the store contradicts itself.
    case damaged
    /// The store was written by a newer program.
    case newer
    /// Another process is writing.
    case locked
  }

  /// What was wrong.
  public let code: Code
  /// The file or folder.
  public let path: String
  /// What is wrong with it.
  public let detail: String

  /// An error of kind `code` about `path`.
  public init(_ code: Code, _ path: String, _ detail: String) {
    self.code = code
    self.path = path
    self.detail = detail
  }

  /// A failed system call.
  public init(_ error: FileError) {
    self.init(.inputOutput, error.path, "cannot \(error.step): \(error.reason)")
  }

  /// The path, then the reason.
  public var description: String { "\(path): \(detail)" }
}

/// Runs `body`, turning a failed system call into an error of the store.
func storing<R>(_ body: () throws(FileError) -> R) throws(StoreError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}
