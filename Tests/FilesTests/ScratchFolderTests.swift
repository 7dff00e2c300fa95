import Bytes
import Files
import Glibc
import Identity
import TestSupport
import Testing

@Suite("Scratch folders")
struct ScratchFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("scratch")) }

  @Test("go away with everything in them")
  func removal() throws {
    do {
      let scratch = try ScratchFolder(in: folder.path)
      #expect(mkdir(scratch.path + "/deep", 0o700) == 0)
      try ByteView([1]).write(to: scratch.path + "/deep/file")
      symlink("/etc", scratch.path + "/link")
    }
    #expect(try Folder.names(in: folder.path) == [])
    #expect(access("/etc/passwd", F_OK) == 0)
  }

  @Test("of a process that was killed go with the next one; those of the living stay")
  func left() throws {
    let living = try ScratchFolder(in: folder.path)
    // As a killed process leaves it: nobody holds its lock.
    folder.write([1], to: "symclust-scratch-1-2/store/file")
    folder.write([1], to: "symclust-other/file")
    folder.write([1], to: "file")
    let next = try ScratchFolder(in: folder.path)
    let names = Set(try Folder.names(in: folder.path))
    #expect(names.count == 4 && names.isSuperset(of: ["symclust-other", "file"]))
    #expect(access(living.path, F_OK) == 0 && access(next.path, F_OK) == 0)
  }
}

@Suite("Files of users")
struct OriginalFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("original")) }

  @Test("are digested with their holes, as a whole and in part", arguments: [0, 1, 3, 1 << 20, (1 << 20) + 5])
  func digest(tail: Int) throws {
    let path = folder.write(Array("head".utf8), to: "file")
    let descriptor = open(path, O_WRONLY)
    #expect(ftruncate(descriptor, 5 << 20) == 0)
    let bytes = [UInt8](repeating: 7, count: tail)
    #expect(bytes.isEmpty || pwrite(descriptor, bytes, tail, 6 << 20) == tail)
    #expect(ftruncate(descriptor, off_t(9 << 20)) == 0)
    close(descriptor)
    let whole = try #require(contents(of: path))
    let file = try OriginalFile(path)
    #expect(try file.digest(of: 0..<file.byteCount) == ContentDigest(of: whole))
    let part = 2..<(7 << 20)
    #expect(try file.digest(of: part) == ContentDigest(of: Array(whole[part])))
    #expect(try !file.hasChanged())
    let copy = try FileCopy(of: path, in: folder.path)
    #expect(copy.digest == ContentDigest(of: whole))
    #expect(copy.bytes.withBytes { $0.elementsEqual(whole) })
  }

  @Test("that are no regular files, or change, are told")
  func others() throws {
    #expect(throws: FileError.self) { _ = try OriginalFile(folder.path) }
    #expect(throws: FileError.self) { _ = try OriginalFile(folder.entry("absent")) }
    #expect(throws: FileError.self) { _ = try OriginalFile("/dev/zero") }
    let path = folder.write([1, 2, 3], to: "file")
    let file = try OriginalFile(path)
    folder.write([1, 2, 3, 4], to: "file")
    #expect(try file.hasChanged())
    // What is not there any more reads as zeros.
    #expect(truncate(path, 1) == 0)
    #expect(try file.digest(of: 0..<3) == ContentDigest(of: [1, 0, 0]))
  }
}
