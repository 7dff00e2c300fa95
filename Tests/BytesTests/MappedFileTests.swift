import Bytes
import Glibc
import Testing

/// A folder that is removed with what is in it.
private final class TemporaryFolder {
  let path: String
  private var names: [String] = []

  init() throws {
    var template = Array("/tmp/bytes-tests-XXXXXX".utf8CString)
    _ = try #require(mkdtemp(&template))
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink(path + "/" + name) }
    rmdir(path)
  }

  func entry(_ name: String) -> String {
    names.append(name)
    return path + "/" + name
  }

  func file(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
    let path = entry(name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    return path
  }
}

private func failure(_ path: String) -> FileError? {
  do throws(FileError) {
    _ = try ByteView.mapping(path: path)
    return nil
  } catch { return error }
}

@Suite struct MappedFiles {
  @Test(arguments: [1, 4_095, 4_096, 4_097, 100_000]) func `a file is mapped with all its bytes`(size: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let view = try ByteView.mapping(path: folder.file("file", bytes))
    #expect(view == ByteView(bytes))
    #expect(view.load(at: size, as: UInt8.self) == nil)
  }

  @Test func `the bytes outlive the file's name and the whole view`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("file", Array("some bytes".utf8))
    let slice = try ByteView.mapping(path: path).slice(at: 5, count: 5)
    unlink(path)
    #expect(slice?.text == "bytes")
  }

  @Test func `an empty file is an empty view`() throws {
    let folder = try TemporaryFolder()
    #expect(try ByteView.mapping(path: folder.file("empty", [])).isEmpty)
  }

  @Test func `a missing file, a folder and a loop of links are errors with path, step and reason`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.path + "/missing"
    #expect(failure(missing) == FileError(path: missing, step: "open", errno: ENOENT))
    #expect(failure(missing)?.description == "\(missing): cannot open: No such file or directory")
    #expect(failure(folder.path) == FileError(path: folder.path, step: "map", errno: EISDIR))
    #expect(failure("")?.errno == ENOENT)
    let loop = folder.entry("loop")
    try #require(symlink(loop, loop) == 0)
    #expect(failure(loop)?.errno == ELOOP)
  }

  @Test func `a pipe without a writer is refused at once`() throws {
    let folder = try TemporaryFolder()
    let path = folder.entry("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    #expect(failure(path) == FileError(path: path, step: "map", errno: EINVAL))
  }

  @Test func `a device is refused`() {
    #expect(failure("/dev/zero") == FileError(path: "/dev/zero", step: "map", errno: EINVAL))
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read every file"))
  func `a file without permission is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("secret", [1], mode: 0)
    #expect(failure(path) == FileError(path: path, step: "open", errno: EACCES))
  }
}

@Suite struct Streams {
  private func reading(_ bytes: [UInt8], limit: Int) throws -> ByteView {
    let folder = try TemporaryFolder()
    let descriptor = try open(folder.file("file", bytes), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return try ByteView.reading(descriptor: descriptor, name: "input", limit: limit)
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 200_000]) func `everything up to the limit is read`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    #expect(try reading(bytes, limit: size) == ByteView(bytes))
    #expect(try reading(bytes, limit: .max) == ByteView(bytes))
    guard size > 0 else { return }
    #expect(throws: FileError(path: "input", step: "read", errno: EFBIG)) { try reading(bytes, limit: size - 1) }
  }

  @Test func `a stream without an end stops at the limit`() {
    let zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC)
    defer { close(zeros) }
    #expect(throws: FileError(path: "zeros", step: "read", errno: EFBIG)) {
      try ByteView.reading(descriptor: zeros, name: "zeros", limit: 1 << 20)
    }
  }

  @Test func `a descriptor that cannot be read is an error`() {
    #expect(throws: FileError(path: "closed", step: "read", errno: EBADF)) {
      try ByteView.reading(descriptor: -1, name: "closed", limit: 10)
    }
  }
}
