public import Bytes
internal import Glibc
public import Identity

/// A file of the user's, open for reading. It is read and never mapped: somebody may make it shorter meanwhile.
public struct OriginalFile: ~Copyable {
  /// Where it lies.
  public let path: String
  /// How many bytes it had when it was opened.
  public let byteCount: Int
  private let descriptor: Int32
  private let opened: stat

  /// Opens the regular file at `path`.
  public init(_ path: String) throws(FileError) {
    let descriptor = PathName.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = FileError(path: path, step: "stat")
      close(descriptor)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(path: path, step: "read", errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    (self.path, self.descriptor, opened, byteCount) = (path, descriptor, status, Int(status.st_size))
  }

  deinit { close(descriptor) }

  /// Whether it is another file now than when it was opened: somebody is still writing it.
  public func hasChanged() throws(FileError) -> Bool {
    var now = stat()
    guard fstat(descriptor, &now) == 0 else { throw FileError(path: path, step: "stat") }
    return now.st_size != opened.st_size || now.st_mtim.tv_sec != opened.st_mtim.tv_sec
      || now.st_mtim.tv_nsec != opened.st_mtim.tv_nsec
  }

  /// The bytes of `range`, as many as there are.
  public func bytes(_ range: Range<Int>) throws(FileError) -> ByteView {
    try ByteView(capacity: range.count) { room throws(FileError) in
      let got = pread(descriptor, room.baseAddress, room.count, off_t(range.lowerBound))
      guard got >= 0 else { throw FileError(path: path, step: "read") }
      return got
    }
  }

  /// The digest of the bytes of `range`. Cost: one pass over them, in pieces.
  public func digest(of range: Range<Int>) throws(FileError) -> ContentDigest {
    var digest = DigestStream()
    try read(range) { (part, _, _) throws(FileError) in digest.add(part) }
    return digest.finish()
  }

  /// `SEEK_DATA` and `SEEK_HOLE` of <linux/fs.h>, which are not imported.
  private static let seekData: Int32 = 3
  private static let seekHole: Int32 = 4

  private static let pieceSize = 1 << 20

  /// Gives the bytes of `range` to `visit`, piece by piece, each with whether it is a hole of zeros and where it begins. Where
  /// the file became shorter it reads as zeros.
  func read(
    _ range: Range<Int>, _ visit: (UnsafeRawBufferPointer, _ isHole: Bool, _ position: Int) throws(FileError) -> Void
  ) throws(FileError) {
    let size = min(Self.pieceSize, range.count)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size * 2, alignment: 16)
    defer { room.deallocate() }
    room.initializeMemory(as: UInt8.self, repeating: 0)
    let piece = UnsafeMutableRawBufferPointer(rebasing: room[..<size])
    let zeros = UnsafeMutableRawBufferPointer(rebasing: room[size...])
    var position = range.lowerBound
    while position < range.upperBound {
      let data = nextData(in: position..<range.upperBound)
      while position < data.upperBound {
        var count = min(piece.count, (position < data.lowerBound ? data.lowerBound : data.upperBound) - position)
        var isHole = position < data.lowerBound
        if !isHole {
          let got = pread(descriptor, piece.baseAddress, count, off_t(position))
          if got < 0, errno == EINTR { continue }
          guard got >= 0 else { throw FileError(path: path, step: "read") }
          isHole = got == 0
          if !isHole { count = got }
        }
        try visit(UnsafeRawBufferPointer(rebasing: (isHole ? zeros : piece)[..<count]), isHole, position)
        position += count
      }
    }
  }

  /// The next run of bytes that are no hole; at the end of `range`, and empty, when nothing else comes. File systems that know
  /// no holes answer with the position itself, or not at all.
  private func nextData(in range: Range<Int>) -> Range<Int> {
    let start = lseek(descriptor, off_t(range.lowerBound), Self.seekData)
    if start < 0 { return errno == ENXIO ? range.upperBound..<range.upperBound : range }
    guard start < range.upperBound else { return range.upperBound..<range.upperBound }
    let end = lseek(descriptor, start, Self.seekHole)
    return Int(start)..<(end > start ? min(Int(end), range.upperBound) : range.upperBound)
  }
}
