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
/// or round in a circle. Devices, pipes and sockets are passed over. One folder is open at a time.
public enum FileWalk {
  /// Calls `visit` for each file. Cost: one listing for each folder, with no recursion.
  public static func files(below paths: [String], _ visit: (FoundFile) -> Void) {
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else {
        visit(FoundFile(path: path, isNamed: true, failure: FileError(path: path, step: "open")))
        continue
      }
      if status.st_mode & S_IFMT != S_IFDIR {
        visit(FoundFile(path: path, isNamed: true, failure: nil))
      } else {
        walk(path, visit)
      }
    }
  }

  private static func walk(_ root: String, _ visit: (FoundFile) -> Void) {
    var pending = [root]
    while let path = pending.popLast() {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        visit(FoundFile(path: path, isNamed: false, failure: FileError(path: path, step: "open")))
        continue
      }
      let type = status.st_mode & S_IFMT
      if type == S_IFREG { visit(FoundFile(path: path, isNamed: false, failure: nil)) }
      guard type == S_IFDIR || path == root else { continue }
      do throws(FileError) {
        // Archivers and Finder leave copies of metadata beside the files.
        let names = try Folder.names(in: path).filter { $0 != "__MACOSX" && !$0.hasPrefix("._") }
        pending += names.reversed().map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
      } catch {
        visit(FoundFile(path: path, isNamed: false, failure: error))
      }
    }
  }
}
