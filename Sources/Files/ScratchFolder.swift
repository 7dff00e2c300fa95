public import Bytes
internal import Glibc

/// A folder for a while: it goes away with this value, and with everything in it.
public struct ScratchFolder: ~Copyable {
  /// Where it is.
  public let path: String

  /// A new folder in `parent` that only its owner may enter.
  public init(in parent: String) throws(FileError) {
    path = FileCopy.newPath(in: parent)
    guard mkdir(path, 0o700) == 0 else { throw FileError(path: path, step: "make folder") }
  }

  /// Links are removed and not followed. What cannot be removed stays.
  deinit {
    var pending = [path]
    var folders: [String] = []
    while let next = pending.popLast() {
      // It is a folder when it cannot be unlinked and can be listed.
      if unlink(next) == 0 { continue }
      folders.append(next)
      pending += ((try? Folder.names(in: next)) ?? []).map { "\(next)/\($0)" }
    }
    for folder in folders.reversed() { rmdir(folder) }
  }
}
