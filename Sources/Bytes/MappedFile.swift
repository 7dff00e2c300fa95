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
  /// Maps the regular file at `path` into memory, read-only and private.
  ///
  /// Cost: no bytes are read until they are looked at. The file must not be truncated while the view lives
  /// (files of a store are immutable; uploads are copied before they are mapped for long).
  public static func mapping(path: String) throws(FileError) -> ByteView {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, step: "stat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path: path, step: "map", errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    guard status.st_size > 0 else { return .empty }
    let size = Int(status.st_size)
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw FileError(path: path, step: "map")
    }
    return ByteView(owner: Mapping(base: base, count: size), base: UnsafeRawPointer(base), count: size)
  }

  /// Reads everything from an open file descriptor, at most `limit` bytes.
  ///
  /// Throws `EFBIG` when there is more than `limit`.
  public static func reading(descriptor: Int32, name: String, limit: Int) throws(FileError) -> ByteView {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if got < 0 {
        if Glibc.errno == EINTR { continue }
        throw FileError(path: name, step: "read")
      }
      if got == 0 { return ByteView(bytes) }
      guard bytes.count + got <= limit else { throw FileError(path: name, step: "read", errno: EFBIG) }
      bytes.append(contentsOf: chunk[..<got])
    }
  }
}

extension ByteView {
  /// Writes all bytes to a file at `path` that only its owner may read; there must be none yet unless `replacing`.
  ///
  /// With `flushing` they are on stable storage when this returns.
  public func write(to path: String, replacing: Bool = false, flushing: Bool = false) throws(FileError) {
    let mode = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
    let descriptor = open(path, mode, 0o600)
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
