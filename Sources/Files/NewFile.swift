internal import Bytes
internal import Glibc

/// A file that is being written, one part after another.
public struct NewFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// A new file at `path`, where none may be, for its owner alone.
  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = PathName.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(FileError(path: path, step: "create")) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds all of `bytes`.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var done = 0
    while done < bytes.count {
      let written = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if written < 0, errno != EINTR { throw StoreError(FileError(path: path, step: "write")) }
      done += max(0, written)
    }
  }

  /// Waits until it is on the disk.
  func flush() throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw StoreError(FileError(path: path, step: "flush")) }
  }
}
