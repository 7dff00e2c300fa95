import Bytes
import Files
import Glibc
import TestSupport
import Testing

@Suite struct StoreDirectories {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("files")) }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch let error as StoreError { return error.code } catch { return nil }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    lstat(path, &status)
    return status.st_mode & 0o777
  }

  @Test func `a new store is made only when asked for, and opens again`() throws {
    let root = folder.entry("a/b/store")
    #expect(code { _ = try StoreDirectory(root: root, creating: false) } == .absent)
    #expect(access(root, F_OK) != 0)
    _ = try StoreDirectory(root: root, creating: true)
    _ = try StoreDirectory(root: root, creating: false)
    _ = try StoreDirectory(root: root, creating: true)
  }

  @Test func `a folder that holds something else is not taken for a store`() throws {
    folder.write([1], to: "mine/letter.txt")
    let error = try #require(
      throws: StoreError.self,
      performing: { try StoreDirectory(root: folder.entry("mine"), creating: true) })
    #expect(error.code == .damaged)
    #expect(error.description.contains("letter.txt"))
    #expect(files(below: folder.entry("mine")) == ["letter.txt"])
  }

  @Test func `a folder with somebody's temporary files is not taken for a store`() throws {
    folder.write([1], to: "home/tmp/thesis")
    let error = try #require(
      throws: StoreError.self,
      performing: { try StoreDirectory(root: folder.entry("home"), creating: true) })
    #expect(error.description.contains("tmp/thesis"))
    #expect(files(below: folder.entry("home")) == ["tmp/thesis"])
  }

  @Test func `what an interrupted first run leaves is taken over`() throws {
    folder.write([1], to: "store/tmp/symclust-half")
    folder.write([], to: "store/lock")
    _ = try StoreDirectory(root: folder.entry("store"), creating: true)
  }

  @Test(arguments: [("symclust-store 2\n", StoreError.Code.newer), ("symclust-store 99999\n", .newer)])
  func `a store of a newer program is refused and not touched`(text: String, wanted: StoreError.Code) throws {
    folder.write(Array(text.utf8), to: "store/format")
    folder.write([1, 2], to: "store/symbols/x")
    let before = snapshot(of: folder.entry("store"))
    for creating in [false, true] {
      #expect(code { _ = try StoreDirectory(root: folder.entry("store"), creating: creating) } == wanted)
    }
    #expect(snapshot(of: folder.entry("store")) == before)
  }

  @Test(arguments: ["", "other 1\n", "symclust-store\n", "symclust-store one\n", "symclust-store 1 2\n"])
  func `a format file that says something else is damage`(text: String) throws {
    folder.write(Array(text.utf8), to: "store/format")
    #expect(code { _ = try StoreDirectory(root: folder.entry("store"), creating: false) } == .damaged)
  }

  @Test func `a file in the place of the store is an error`() throws {
    folder.write([1], to: "store")
    #expect(code { _ = try StoreDirectory(root: folder.entry("store"), creating: false) } == .absent)
    #expect(code { _ = try StoreDirectory(root: folder.entry("store"), creating: true) } != nil)
    #expect(contents(of: folder.entry("store")) == [1])
  }

  @Test func `files and folders are their owner's alone`() throws {
    let store = try StoreDirectory(root: folder.entry("store"), creating: true)
    try store.publish([1, 2, 3], to: "a/b/c")
    #expect(mode(store.root) == 0o700)
    #expect(mode(store.path("a")) == 0o700)
    #expect(mode(store.path("a/b")) == 0o700)
    #expect(mode(store.path("a/b/c")) == 0o600)
    #expect(mode(store.path("format")) == 0o600)
    #expect(mode(store.path("tmp")) == 0o700)
  }

  @Test func `publishing replaces the whole file and leaves nothing in between`() throws {
    let store = try StoreDirectory(root: folder.entry("store"), creating: true)
    try store.publish([1, 2, 3], to: "a/c")
    let old = try #require(try store.read("a/c"))
    try store.publish([4], to: "a/c")
    #expect(try store.read("a/c") == ByteView([4]))
    #expect(old == ByteView([1, 2, 3]), "who reads the older file goes on reading it")
    #expect(try store.list("tmp") == [])
    #expect(try store.list("a") == ["c"])
  }

  @Test func `a file that cannot be put in its place leaves nothing behind`() throws {
    let store = try StoreDirectory(root: folder.entry("store"), creating: true)
    try store.publish([1], to: "a/folder/x")
    #expect(code { try store.publish([2], to: "a/folder") } == .inputOutput)
    #expect(try store.list("tmp") == [])
    #expect(try store.read("a/folder/x") == ByteView([1]))
  }

  @Test func `reading and listing what is not there is no error`() throws {
    let store = try StoreDirectory(root: folder.entry("store"), creating: true)
    #expect(try store.read("nothing/here") == nil)
    #expect(try store.list("nothing") == [])
    #expect(!store.contains("nothing"))
    #expect(!store.contains("x"))
    try store.publish([1], to: "x")
    #expect(store.contains("x"))
  }

  @Test func `names are listed in order`() throws {
    let store = try StoreDirectory(root: folder.entry("store"), creating: true)
    for name in ["b", "a", "c", "B"] { try store.publish([1], to: "f/\(name)") }
    #expect(try store.list("f") == ["B", "a", "b", "c"])
  }
}

@Suite struct StoreLocks {
  private let store: StoreDirectory
  private let folder: TemporaryFolder

  init() throws {
    folder = try #require(TemporaryFolder("lock"))
    store = try StoreDirectory(root: folder.entry("store"), creating: true)
  }

  private func tryLock(seconds: Int = 0) -> StoreError.Code? {
    do throws(StoreError) {
      _ = try StoreLock(store, seconds: seconds)
      return nil
    } catch { return error.code }
  }

  @Test func `one holder at a time, and the next when it is done`() throws {
    do {
      let lock = try StoreLock(store, seconds: 5)
      #expect(tryLock() == .locked)
      _ = consume lock
    }
    // Processes that other tests start hold our files open for a moment.
    #expect(tryLock(seconds: 5) == nil)
  }

  @Test(.enabled(if: access("/usr/bin/flock", X_OK) == 0, "flock(1) is absent"))
  func `another process is kept out as long as we hold the lock`() throws {
    do {
      let lock = try StoreLock(store, seconds: 5)
      #expect(Tool.run("/usr/bin/flock", ["-n", store.path("lock"), "/bin/true"]).code == 1)
      _ = consume lock
    }
    #expect(Tool.run("/usr/bin/flock", ["-w", "5", store.path("lock"), "/bin/true"]).code == 0)
  }

  @Test func `what a dead process left half-written is swept, and nothing else`() throws {
    folder.write([1], to: "store/tmp/symclust-123-0x5")
    folder.write([2], to: "store/symbols/kept")
    folder.write([3], to: "store/tmp/letter")
    folder.write([4], to: "store/tmp/folder/photo")
    let lock = try StoreLock(store, seconds: 5)
    #expect(try store.list("tmp") == ["folder", "letter"])
    #expect(store.contains("symbols/kept"))
    _ = consume lock
  }

  @Test(.enabled(if: geteuid() != 0, "root writes everywhere"))
  func `a folder that cannot be written cannot be locked`() {
    chmod(store.root, 0o500)
    #expect(tryLock() == .inputOutput)
  }
}

@Suite struct FileWalks {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("walk")) }

  private func walk(_ names: [String]) -> [String] {
    var found: [String] = []
    FileWalk.files(below: names.map { folder.entry($0) }) { file in
      found.append(
        file.path.dropFirst(folder.path.count + 1) + (file.isNamed ? " named" : "")
          + (file.failure == nil ? "" : " failed"))
    }
    return found
  }

  @Test func `files come in the order of their names, at any depth`() {
    for name in ["a/z", "a/b/c", "a/b/a", "a/B"] { folder.write([1], to: name) }
    #expect(walk(["a"]) == ["a/B", "a/b/a", "a/b/c", "a/z"])
    #expect(walk(["a/z", "a/b"]) == ["a/z named", "a/b/a", "a/b/c"])
  }

  @Test func `what archivers leave beside files is passed over`() {
    for name in ["a/x", "a/._x", "a/__MACOSX/x", "a/b/._y"] { folder.write([1], to: name) }
    #expect(walk(["a"]) == ["a/x"])
    #expect(walk(["a/._x"]) == ["a/._x named"])
  }

  @Test func `links are followed only where the user named them`() {
    folder.write([1], to: "a/file")
    folder.write([1], to: "outside/secret")
    symlink(folder.entry("outside"), folder.entry("a/link"))
    symlink(folder.entry("outside/secret"), folder.entry("a/filelink"))
    symlink(folder.entry("a"), folder.entry("a/circle"))
    symlink(folder.entry("a"), folder.entry("named"))
    symlink(folder.entry("nowhere"), folder.entry("broken"))
    #expect(walk(["a"]) == ["a/file"])
    #expect(walk(["named"]) == ["named/file"])
    #expect(walk(["a/filelink"]) == ["a/filelink named"])
    #expect(walk(["broken", "missing"]) == ["broken named failed", "missing named failed"])
  }

  @Test func `pipes do not hold the walk`() {
    folder.write([1], to: "a/file")
    mkfifo(folder.entry("a/pipe"), 0o600)
    #expect(walk(["a"]) == ["a/file"])
    #expect(throws: FileError.self) { try ByteView.mapping(path: folder.entry("a/pipe")) }
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything")) func `a folder that cannot be read is told`() {
    folder.write([1], to: "a/closed/x")
    folder.write([1], to: "a/open")
    chmod(folder.entry("a/closed"), 0)
    #expect(walk(["a"]) == ["a/closed failed", "a/open"])
  }

  @Test func `names that are no UTF-8 are names like others`() throws {
    let name = "a/" + PathName.text([0x78, 0xff])
    folder.write([1], to: "a/file")
    try ByteView([7]).write(to: folder.entry(name))
    #expect(walk(["a"]) == ["a/file", name])
    #expect(walk([name]) == [name + " named"])
    #expect(try ByteView.mapping(path: folder.entry(name)).count == 1)
  }

  @Test func `two Unicode forms of a name are two files, in the order of their bytes`() {
    for name in ["a/\u{e9}", "a/e\u{301}", "a/f"] { folder.write([1], to: name) }
    #expect(walk(["a"]).map { Array($0.utf8) } == ["a/e\u{301}", "a/f", "a/\u{e9}"].map { Array($0.utf8) })
  }

  @Test func `a store inside a folder is no input, but one that is named is`() throws {
    _ = try StoreDirectory(root: folder.entry("a/store"), creating: true)
    folder.write([1], to: "a/x")
    folder.write(Array("symclust-storehouse".utf8), to: "a/other/format.txt")
    #expect(walk(["a"]) == ["a/other/format.txt", "a/x"])
    #expect(walk(["a/store"]) == ["a/store/format"])
    #expect(!StoreDirectory.isStore(folder.entry("a")) && StoreDirectory.isStore(folder.entry("a/store")))
  }

  @Test func `what is done with a file may fail, and ends the walk`() {
    struct Stop: Error {}
    for name in ["a/1", "a/2", "a/3"] { folder.write([1], to: name) }
    var seen = 0
    #expect(throws: Stop.self) {
      try FileWalk.files(below: [folder.entry("a")]) { (_) throws(Stop) in
        seen += 1
        if seen == 2 { throw Stop() }
      }
    }
    #expect(seen == 2)
  }

  @Test func `two hundred levels of folders are walked to their end`() {
    var name = "deep"
    for _ in 0..<200 { name += "/d" }
    folder.write([1], to: name + "/file")
    #expect(walk(["deep"]) == [name + "/file"])
  }
}
