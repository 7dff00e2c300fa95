internal import Glibc

/// Why a file could not be read.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The step that failed, for example `open`.
  public let step: String
  /// The system's error number.
  public let errno: Int32

  /// An error of the system call `step` on `path`; by default with the current error number.
  public init(path: String, step: String, errno: Int32? = nil) {
    self.path = path
    self.step = step
    self.errno = errno ?? Glibc.errno
  }

  /// The reason alone, in the system's words.
  public var reason: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The whole message with the path first.
  public var description: String { "\(path): cannot \(step): \(reason)" }
}

extension ByteView {
  /// Maps the regular file at `path` into memory, read-only and private; of a `part` only the pages that hold it.
  ///
  /// Cost: no bytes are read until they are looked at. The file must not be truncated while the view lives: files of
  /// a store are immutable, and what a user gave is copied or read instead.
  /// Throws `ERANGE` when the file does not hold the part.
  public static func mapping(path: String, part: Range<UInt64>? = nil) throws(FileError) -> ByteView {
    let descriptor = PathName.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, step: "stat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path: path, step: "map", errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    let part = part ?? 0..<UInt64(status.st_size)
    guard part.upperBound <= UInt64(status.st_size) else { throw FileError(path: path, step: "map", errno: ERANGE) }
    guard !part.isEmpty else { return .empty }
    let lead = Int(part.lowerBound % UInt64(max(1, sysconf(Int32(_SC_PAGESIZE)))))
    let size = lead + part.count
    let start = off_t(part.lowerBound) - off_t(lead)
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, start), base != MAP_FAILED else {
      throw FileError(path: path, step: "map")
    }
    return ByteView(
      owner: Mapping(base: base, count: size), base: UnsafeRawPointer(base) + lead, count: part.count)
  }

  /// Reads the first `count` bytes of the regular file at `path`, or all when there are fewer.
  public static func beginning(of path: String, count: Int) throws(FileError) -> ByteView {
    let descriptor = PathName.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    defer { close(descriptor) }
    return try ByteView(capacity: count) { room throws(FileError) in
      let got = pread(descriptor, room.baseAddress, room.count, 0)
      guard got >= 0 else { throw FileError(path: path, step: "read") }
      return got
    }
  }

  /// Reads the whole file, pipe or terminal at `path` into memory, at most `limit` bytes.
  ///
  /// Throws `EFBIG` when there is more, `ENODEV` for a device that may never end.
  public static func reading(path: String, limit: Int) throws(FileError) -> ByteView {
    let descriptor = PathName.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, step: "stat") }
    if status.st_mode & S_IFMT == S_IFCHR, isatty(descriptor) == 0 {
      throw FileError(path: path, step: "read", errno: ENODEV)
    }
    return try reading(descriptor: descriptor, name: path, limit: limit)
  }

  /// Reads everything from an open file descriptor, at most `limit` bytes.
  ///
  /// Throws `EFBIG` when there is more than `limit`, `ENOMEM` when there is no memory for it.
  public static func reading(descriptor: Int32, name: String, limit: Int) throws(FileError) -> ByteView {
    var bytes = ByteBuilder()
    while true {
      guard bytes.makeRoom(limit: max(limit, limit &+ 1)) else {
        throw FileError(path: name, step: "read", errno: ENOMEM)
      }
      var got = 0
      bytes.append { room in
        got = Glibc.read(descriptor, room.baseAddress, room.count)
        return max(0, got)
      }
      if got < 0 {
        if Glibc.errno == EINTR { continue }
        throw FileError(path: name, step: "read")
      }
      if got == 0 { return bytes.finish() }
      guard bytes.count <= limit else { throw FileError(path: name, step: "read", errno: EFBIG) }
    }
  }
}

extension ByteView {
  /// Writes all bytes to a file at `path` that only its owner may read; there must be none yet unless `replacing`.
  ///
  /// With `flushing` they are on stable storage when this returns.
  public func write(to path: String, replacing: Bool = false, flushing: Bool = false) throws(FileError) {
    let mode = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
    let descriptor = PathName.open(path, mode, 0o600)
    guard descriptor >= 0 else { throw FileError(path: path, step: "create") }
    defer { close(descriptor) }
    try withBytes { buffer throws(FileError) in
      var done = 0
      while done < buffer.count {
        let written = Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
        if written < 0 && Glibc.errno != EINTR { throw FileError(path: path, step: "write") }
        done += max(0, written)
      }
    }
    if flushing, fsync(descriptor) != 0 { throw FileError(path: path, step: "flush") }
  }
}

/// A mapping that unmaps itself.
private final class Mapping {
  let base: UnsafeMutableRawPointer
  let count: Int

  init(base: UnsafeMutableRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  deinit { munmap(base, count) }
}
