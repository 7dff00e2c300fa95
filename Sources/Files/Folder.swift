public import Bytes
internal import Glibc

/// Reads folders.
public enum Folder {
  /// The names of the entries, sorted, without `.` and `..`.
  public static func names(in path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else { throw FileError(path: path, step: "list") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
