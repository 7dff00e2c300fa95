public import Bytes
internal import Glibc

/// A copy of a file of the user's, which nobody else changes; it goes away with this value.
///
/// What is mapped must not become shorter meanwhile, and what was looked at twice must not have changed: a release
/// script may well write the next build over a file that is being uploaded.
public struct FileCopy: ~Copyable {
  /// Where the copy lies.
  public let path: String
  /// The bytes of the copy, mapped. They stay when the copy has gone away.
  public let bytes: ByteView

  /// Copies the regular file `original` into the folder `folder`. Cost: one pass over its bytes; holes stay holes.
  public init(of original: String, in folder: String) throws(FileError) {
    let path = "\(folder)/\(StoreDirectory.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max).hex)"
    do throws(FileError) {
      try Self.copy(original, to: path)
      bytes = try ByteView.mapping(path: path)
      self.path = path
    } catch {
      unlink(path)
      throw error
    }
  }

  deinit { unlink(path) }

  /// `SEEK_DATA` and `SEEK_HOLE` of <linux/fs.h>, which are not imported.
  private static let seekData: Int32 = 3
  private static let seekHole: Int32 = 4

  private static func copy(_ original: String, to path: String) throws(FileError) {
    let source = open(original, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { throw FileError(path: original, step: "open") }
    defer { close(source) }
    var status = stat()
    guard fstat(source, &status) == 0 else { throw FileError(path: original, step: "stat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path: original, step: "read", errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw FileError(path: path, step: "create") }
    defer { close(target) }
    let size = status.st_size
    guard ftruncate(target, size) == 0 else { throw FileError(path: path, step: "write") }
    var position: off_t = 0
    while position < size {
      // File systems that know no holes answer with the position itself, or not at all.
      var start = lseek(source, position, seekData)
      if start < 0, errno == ENXIO { return }
      var end = start < 0 ? size : lseek(source, start, seekHole)
      if start < 0 { start = position }
      if end <= start { end = size }
      try copy(start..<end, of: source, original, to: target, path)
      position = end
    }
  }

  private static func copy(
    _ range: Range<off_t>, of source: Int32, _ original: String, to target: Int32, _ path: String
  ) throws(FileError) {
    var from = range.lowerBound
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while from < range.upperBound {
      let wanted = min(chunk.count, Int(range.upperBound - from))
      let count = pread(source, &chunk, wanted, from)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(path: original, step: "read") }
      // It became shorter: the copy keeps its size, and reads zeros there.
      if count == 0 { return }
      var done = 0
      while done < count {
        let written = chunk.withUnsafeBytes {
          pwrite(target, $0.baseAddress.map { $0 + done }, count - done, from + off_t(done))
        }
        if written < 0, errno != EINTR { throw FileError(path: path, step: "write") }
        done += max(0, written)
      }
      from += off_t(count)
    }
  }
}
