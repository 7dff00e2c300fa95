public import Bytes
internal import Glibc

/// A folder for a while: it goes away with this value, and with everything in it.
///
/// When the process is killed before, the next scratch folder in the same place removes it: a folder whose owner lives is
/// locked, and the lock goes when the process does.
public struct ScratchFolder: ~Copyable {
  /// Where it is.
  public let path: String
  private let lock: Int32

  private static let prefix = StoreDirectory.temporaryPrefix + "scratch-"

  /// A new folder in `parent` that only its owner may enter.
  public init(in parent: String) throws(FileError) {
    Self.sweep(parent)
    while true {
      let path = "\(parent)/\(Self.prefix)\(getpid())-\(UInt64.random(in: 0 ... .max).hex)"
      guard PathName.makeFolder(path) == 0 else { throw FileError(path: path, step: "make folder") }
      // Between the two steps another process may have taken it for one that was left.
      if let lock = Self.lock(path) {
        if PathName.exists(path) {
          (self.path, self.lock) = (path, lock)
          return
        }
        close(lock)
      }
    }
  }

  /// Removes the scratch folders in `parent` whose owners are no more.
  static func sweep(_ parent: String) {
    for name in (try? Folder.names(in: parent)) ?? [] where name.hasPrefix(prefix) {
      let left = "\(parent)/\(name)"
      guard let lock = lock(left) else { continue }
      remove(left)
      close(lock)
    }
  }

  deinit {
    Self.remove(path)
    close(lock)
  }

  /// A descriptor that holds the lock of a folder of this user; `nil` when somebody else does, or the folder is gone.
  private static func lock(_ path: String) -> Int32? {
    let descriptor = PathName.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
      return descriptor
    }
    close(descriptor)
    return nil
  }

  /// Links are removed and not followed. What cannot be removed stays.
  private static func remove(_ path: String) {
    var pending = [path]
    var folders: [String] = []
    while let next = pending.popLast() {
      // It is a folder when it cannot be unlinked and can be listed.
      if PathName.unlink(next) == 0 { continue }
      folders.append(next)
      pending += ((try? Folder.names(in: next)) ?? []).map { "\(next)/\($0)" }
    }
    for folder in folders.reversed() { PathName.removeFolder(folder) }
  }
}
