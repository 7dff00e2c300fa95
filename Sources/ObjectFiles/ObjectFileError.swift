internal import Bytes

/// Why bytes could not be read as an object file, and where.
public struct ObjectFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable {
    /// Neither Mach-O nor ELF.
    case notObjectFile = "not_object_file"
    /// A part lies past the end of the file.
    case truncated
    /// A field contradicts the format or another field.
    case malformed
    /// A known form that this reader does not read.
    case unsupported
  }

  /// What was wrong.
  public let code: Code
  /// The part of the file and what is wrong with it, for example `load command 3: size 4 is too small`.
  public let detail: String
  /// The place, in bytes from the start of the slice.
  public let offset: UInt64

  /// An error of kind `code` at `offset`.
  public init(_ code: Code, _ detail: String, at offset: UInt64 = 0) {
    self.code = code
    self.detail = detail
    self.offset = offset
  }

  init(_ error: ByteError, in part: String) {
    self.init(error.code == .truncated ? .truncated : .malformed, "\(part): \(error)", at: UInt64(error.offset))
  }

  /// The reason and the place.
  public var description: String {
    code == .notObjectFile ? detail : "\(detail) (at byte \(offset.hex))"
  }
}

/// Runs `body` and names the part of the file in the error.
func reading<R>(_ part: String, _ body: () throws(ByteError) -> R) throws(ObjectFileError) -> R {
  do throws(ByteError) {
    return try body()
  } catch {
    throw ObjectFileError(error, in: part)
  }
}
