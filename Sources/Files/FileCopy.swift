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
  /// Whether the original changed while it was copied: somebody is still writing it, and the copy may be no state that
  /// it ever had.
  public let hasChanged: Bool

  /// Copies the regular file `original` into the folder `folder`. Cost: one pass over its bytes; holes stay holes.
  public init(of original: String, in folder: String) throws(FileError) {
    try self.init(of: original, in: folder) {}
  }

  /// The same; `meanwhile` is called once the bytes are copied and before it is seen whether they changed.
  init(of original: String, in folder: String, meanwhile: () -> Void) throws(FileError) {
    let path = Self.newPath(in: folder)
    do throws(FileError) {
      let hasChanged = try Self.copy(original, to: path, meanwhile)
      bytes = try ByteView.mapping(path: path)
      (self.path, self.hasChanged) = (path, hasChanged)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Takes over the file at `path`, which only this program knows: it goes away with this value.
  public init(taking path: String) throws(FileError) {
    do throws(FileError) {
      bytes = try ByteView.mapping(path: path)
      (self.path, hasChanged) = (path, false)
    } catch {
      unlink(path)
      throw error
    }
  }

  deinit { unlink(path) }

  /// A path in `folder` that nobody uses.
  public static func newPath(in folder: String) -> String {
    "\(folder)/\(StoreDirectory.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max).hex)"
  }

  /// `SEEK_DATA` and `SEEK_HOLE` of <linux/fs.h>, which are not imported.
  private static let seekData: Int32 = 3
  private static let seekHole: Int32 = 4

  /// Copies, and tells whether the original changed.
  private static func copy(
    _ original: String, to path: String, _ meanwhile: () -> Void
  ) throws(FileError) -> Bool {
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
    try copy(size, of: source, original, to: target, path)
    meanwhile()
    var later = stat()
    guard fstat(source, &later) == 0 else { throw FileError(path: original, step: "stat") }
    return later.st_size != size || later.st_mtim.tv_sec != status.st_mtim.tv_sec
      || later.st_mtim.tv_nsec != status.st_mtim.tv_nsec
  }

  private static func copy(
    _ size: off_t, of source: Int32, _ original: String, to target: Int32, _ path: String
  ) throws(FileError) {
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
