import Bytes
import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("A copy of a file") struct FileCopies {
  let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("copy")) }

  @Test("holds what the original held, whatever becomes of it, and goes away")
  func copying() throws {
    let original = folder.write([1, 2, 3], to: "original")
    var path = ""
    let bytes: ByteView
    do {
      let copy = try FileCopy(of: original, in: folder.path)
      #expect(truncate(original, 0) == 0)
      path = copy.path
      bytes = copy.bytes
      #expect(access(path, F_OK) == 0)
    }
    #expect(access(path, F_OK) != 0)
    #expect(bytes == ByteView([1, 2, 3]))
  }

  @Test("tells that somebody was still writing the original")
  func changing() throws {
    let original = folder.write([1, 2, 3], to: "original")
    #expect(try !FileCopy(of: original, in: folder.path).hasChanged)
    let changes: [() -> Void] = [
      { _ = truncate(original, 2) }, { _ = truncate(original, 9) }, { folder.write([3, 2, 1], to: "original") },
    ]
    for change in changes { #expect(try FileCopy(of: original, in: folder.path, meanwhile: change).hasChanged) }
  }

  @Test("keeps holes: a sparse file costs what it holds")
  func holes() throws {
    let original = folder.write([7], to: "sparse")
    #expect(truncate(original, 4 << 30) == 0)
    let copy = try FileCopy(of: original, in: folder.path)
    #expect(copy.bytes.count == 4 << 30)
    #expect(copy.bytes.load(at: 0, as: UInt8.self) == 7)
    #expect(copy.bytes.load(at: (4 << 30) - 1, as: UInt8.self) == 0)
    var status = stat()
    #expect(stat(copy.path, &status) == 0)
    #expect(status.st_blocks * 512 < 1 << 20)
  }

  @Test("is made of regular files only, and says which file it was")
  func refusals() throws {
    let pipe = folder.entry("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [folder.path, folder.entry("absent"), pipe] {
      let error = #expect(throws: FileError.self) { _ = try FileCopy(of: path, in: folder.path).path }
      #expect(error?.path == path)
    }
    let original = folder.write([1], to: "original")
    let error = #expect(throws: FileError.self) { _ = try FileCopy(of: original, in: folder.entry("absent")).path }
    #expect(error?.path.hasPrefix(folder.entry("absent")) == true)
  }
}
