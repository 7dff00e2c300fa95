public import Bytes
internal import Glibc

/// One thing found below the paths that a user named.
public struct FoundFile: Sendable, Hashable {
  /// The path, beginning as the user named it.
  public var path: String
  /// Whether the user named this very file, so that it must not be passed over in silence.
  public var isNamed: Bool
  /// Why it could not be looked at.
  public var failure: FileError?

  /// A file at `path`.
  public init(path: String, isNamed: Bool, failure: FileError? = nil) {
    self.path = path
    self.isNamed = isNamed
    self.failure = failure
  }
}

/// Lists the regular files below some paths, in the order of their names.
///
/// Links are followed only where the user named them; inside a folder they are passed over, so no link leads out of it
/// or round in a circle. Devices, pipes, sockets and stores of this program are passed over. One folder is open at a time.
public enum FileWalk {
  /// Calls `visit` for each file. Cost: one listing for each folder, with no recursion; memory for the names of the folders
  /// that lead to the present file.
  public static func files<E: Error>(below paths: [String], _ visit: (FoundFile) throws(E) -> Void) throws(E) {
    for path in paths {
      guard let status = PathName.status(path) else {
        try visit(FoundFile(path: path, isNamed: true, failure: FileError(path: path, step: "open")))
        continue
      }
      if status.st_mode & S_IFMT != S_IFDIR {
        try visit(FoundFile(path: path, isNamed: true, failure: nil))
      } else {
        try walk(path, visit)
      }
    }
  }

  /// A folder on the way, and what of it is still to come, last first.
  private struct Level {
    var path: String
    var names: [String]
  }

  private static func walk<E: Error>(_ root: String, _ visit: (FoundFile) throws(E) -> Void) throws(E) {
    var levels: [Level] = []
    func enter(_ path: String) throws(E) {
      do throws(FileError) {
        // Archivers and Finder leave copies of metadata beside the files.
        let names = try Folder.names(in: path).filter { $0 != "__MACOSX" && !$0.hasPrefix("._") }
        levels.append(Level(path: path.hasSuffix("/") ? path : path + "/", names: names.reversed()))
      } catch {
        try visit(FoundFile(path: path, isNamed: false, failure: error))
      }
    }
    try enter(root)
    while let last = levels.indices.last {
      guard let name = levels[last].names.popLast() else {
        levels.removeLast()
        continue
      }
      let path = levels[last].path + name
      guard let status = PathName.status(path, followingLinks: false) else {
        try visit(FoundFile(path: path, isNamed: false, failure: FileError(path: path, step: "open")))
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG: try visit(FoundFile(path: path, isNamed: false, failure: nil))
      case S_IFDIR where !StoreDirectory.isStore(path): try enter(path)
      default: break
      }
    }
  }
}
