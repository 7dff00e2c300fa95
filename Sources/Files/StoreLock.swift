internal import Bytes
internal import Glibc

/// The right to change a store, held by one process at a time; given back when this is released.
public struct StoreLock: ~Copyable {
  private let descriptor: Int32

  /// Waits up to `seconds` for the right to change the store in `directory`.
  ///
  /// Throws `locked` when another process still holds it. What crashed processes left in `tmp/` is swept away; what
  /// somebody else put there stays.
  public init(_ directory: StoreDirectory, seconds: Int = 60) throws(StoreError) {
    descriptor = try StoreLock.acquire(directory, seconds: seconds)
  }

  private static func acquire(_ directory: StoreDirectory, seconds: Int) throws(StoreError) -> Int32 {
    let path = directory.path("lock")
    let descriptor = PathName.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(FileError(path: path, step: "open")) }
    var attempts = max(1, seconds * 20)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      attempts -= 1
      guard errno == EWOULDBLOCK || errno == EINTR, attempts > 0 else {
        let reason = errno == EWOULDBLOCK ? "another process has been writing for \(seconds) s" : "cannot be locked"
        close(descriptor)
        throw StoreError(.locked, directory.root, reason)
      }
      usleep(50_000)
    }
    // A file that cannot be removed costs space and nothing else.
    for name in (try? directory.list("tmp")) ?? [] where name.hasPrefix(StoreDirectory.temporaryPrefix) {
      PathName.unlink(directory.path("tmp/\(name)"))
    }
    ScratchFolder.sweep(directory.path("tmp"))
    sweepFirstSteps(in: directory)
    return descriptor
  }

  /// What a process left that was killed while it made the store. One that is at it just now is alive.
  private static func sweepFirstSteps(in directory: StoreDirectory) {
    for name in (try? directory.list("")) ?? [] where name.hasPrefix(StoreDirectory.firstStepPrefix) {
      let process = name.dropFirst(StoreDirectory.firstStepPrefix.count).prefix { $0 != "-" }
      if let process = Int32(process), process > 0, kill(process, 0) != 0, errno == ESRCH {
        PathName.unlink(directory.path(name))
      }
    }
  }

  deinit { close(descriptor) }
}
