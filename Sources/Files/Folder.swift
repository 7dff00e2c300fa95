public import Bytes
internal import Glibc

/// Reads folders.
public enum Folder {
  /// The names of the entries, in the order of their bytes, without `.` and `..`.
  public static func names(in path: String) throws(FileError) -> [String] {
    guard let directory = PathName.openFolder(path) else { throw FileError(path: path, step: "list") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { PathName.text($0.prefix { $0 != 0 }) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted(by: PathName.precedes)
  }
}
