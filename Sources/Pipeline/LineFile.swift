internal import Bytes
internal import Diagnostics
internal import Glibc

/// A large file of JSON Lines, read a part at a time: memory does not grow with the file, and nothing is copied to disk.
///
/// Each byte is read once, so a file that somebody changes meanwhile gives documents of one state or the other, as a pipe
/// would.
struct LineFile: ~Copyable {
  /// Whole lines of the file.
  struct Part {
    var bytes: ByteView
    /// The number of its first line, from 1.
    var line: Int
    /// Where it begins in the file.
    var offset: Int
  }

  /// How much is read at once, in bytes, unless a line is longer.
  static let partBytes = 16 << 20

  private let path: String
  private let descriptor: Int32
  private let lineLimit: Int
  private let partBytes: Int
  /// What was read behind the last line end.
  private var rest = ByteView.empty
  private var line = 1
  private var offset = 0
  private var isAtEnd = false

  /// Opens the file at `path`; `nil` when it does not begin like lines. A line may have as many bytes as an input.
  init?(path: String, limits: ReadingLimits, partBytes: Int = LineFile.partBytes) throws(FileError) {
    let beginning = try ByteView.beginning(of: path, count: partBytes)
    guard DocumentStream.areLines(beginningWith: beginning, limits: limits) else { return nil }
    let file = PathName.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw FileError(path: path, step: "open") }
    descriptor = file
    self.path = path
    self.partBytes = partBytes
    lineLimit = limits.inputBytes
  }

  deinit { close(descriptor) }

  /// The next lines; `nil` at the end.
  mutating func next() throws(FileError) -> Part? {
    while !isAtEnd {
      let bytes = try more()
      isAtEnd = bytes.count < rest.count + max(partBytes, rest.count)
      let size = isAtEnd ? bytes.count : bytes.withBytes { ($0.lastIndex(of: 0x0a) ?? -1) + 1 }
      rest = bytes.suffix(from: UInt64(size)) ?? .empty
      guard rest.count <= lineLimit else { throw FileError(path: path, step: "read", errno: EFBIG) }
      guard size > 0, let lines = bytes.slice(at: 0, count: UInt64(size)) else { continue }
      defer {
        offset += size
        line += lines.withBytes { $0.count { $0 == 0x0a } }
      }
      return Part(bytes: lines, line: line, offset: offset)
    }
    return nil
  }

  /// The rest and what follows it: as much again, and at least a part. Less only at the end of the file.
  private func more() throws(FileError) -> ByteView {
    try ByteView(capacity: rest.count + max(partBytes, rest.count)) { room throws(FileError) in
      rest.withBytes { room.copyBytes(from: $0) }
      var count = rest.count
      while count < room.count {
        let got = Glibc.read(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw FileError(path: path, step: "read") }
        if got == 0 { break }
        count += got
      }
      return count
    }
  }
}
