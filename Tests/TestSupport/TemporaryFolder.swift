import Glibc

/// A folder that is removed, with everything in it, when its last user is gone.
public final class TemporaryFolder: Sendable {
  /// Its path.
  public let path: String

  /// Makes an empty folder; `nil` when the system gives none.
  public init?(_ purpose: String) {
    var template = Array("/tmp/symclust-\(purpose)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    _ = Tool.run("/bin/chmod", ["-R", "u+rwX", path])
    _ = Tool.run("/bin/rm", ["-rf", path])
  }

  /// The path of `name` in the folder.
  public func entry(_ name: String) -> String { path + "/" + name }

  /// Writes a file, making the folders above it, and gives back its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) -> String {
    let file = entry(name)
    makeFolders(above: name)
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return file }
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let step = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if step <= 0 { return file }
      done += step
    }
    return file
  }

  /// Makes the folders that `name` stands in.
  public func makeFolders(above name: String) {
    var current = path
    for part in name.split(separator: "/").dropLast() {
      current += "/" + part
      mkdir(current, 0o700)
    }
  }
}

/// The bytes of a file; `nil` when it cannot be read.
public func contents(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let got = read(descriptor, &chunk, chunk.count)
    if got < 0 { return nil }
    if got == 0 { return bytes }
    bytes += chunk[..<got]
  }
}

/// The regular files below `root`, as paths from it, sorted.
public func files(below root: String) -> [String] {
  let found = Tool.run("/usr/bin/find", [root, "-type", "f", "-print0"])
  return found.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    .map { String($0.dropFirst(root.utf8.count + 1)) }.sorted()
}

/// Every file below `root` with its bytes: two equal snapshots mean that nothing changed.
public func snapshot(of root: String) -> [String: [UInt8]] {
  var result: [String: [UInt8]] = [:]
  for name in files(below: root) { result[name] = contents(of: root + "/" + name) ?? [] }
  return result
}
