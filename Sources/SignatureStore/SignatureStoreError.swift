/// Why a signature store could not be opened, read or written. A store is never replaced by an empty one.
public enum SignatureStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file or its folder may not be read or written by this user.
  case permissionDenied(path: String)
  /// The file could not be opened or made; the errno or engine message says why.
  case cannotOpen(path: String, reason: String)
  /// The file is no SQLite database, or is cut off in its first bytes.
  case notADatabase(path: String)
  /// The file is a database of another program.
  case foreign(path: String)
  /// The store was written by a newer version of this program. Nothing was changed.
  case newer(path: String, found: Int, known: Int)
  /// The store was written by an older version of this program, whose tables this one does not read. Nothing was changed.
  case older(path: String, found: Int, known: Int)
  /// The file is damaged: cut off, or its contents contradict themselves.
  case damaged(path: String, reason: String)
  /// Another process held the store for longer than the time limit.
  case locked(path: String)
  /// The disk is full.
  case full(path: String)
  /// A diagnostic refers to a raw stack that the store does not know and that came without a signature.
  case missingDerivation(rawStack: String)
  /// Any other failure of the engine: its extended result code and message.
  case engine(code: Int, message: String)

  /// The error as a sentence for a message.
  public var description: String {
    switch self {
    case .permissionDenied(let path): "no permission to use the store \(path)"
    case .cannotOpen(let path, let reason): "cannot open the store \(path): \(reason)"
    case .notADatabase(let path): "\(path) is no store"
    case .foreign(let path): "\(path) is a database of another program"
    case .newer(let path, let found, let known):
      "the store \(path) has schema \(found), this program knows \(known): it was written by a newer version"
    case .older(let path, let found, let known):
      "the store \(path) has schema \(found), this program reads \(known): make a new store from the same symbols and payloads"
    case .damaged(let path, let reason): "the store \(path) is damaged: \(reason)"
    case .locked(let path): "the store \(path) is locked by another process"
    case .full(let path): "no space left for the store \(path)"
    case .missingDerivation(let key): "raw stack \(key) has no signature"
    case .engine(let code, let message): "the store failed with code \(code): \(message)"
    }
  }
}
