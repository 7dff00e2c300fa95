import Bytes
import Files
import Glibc
import Identity
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

/// What a store does when one of its files is not as it was written.
@Suite struct DamagedStores {
  private let test: TestStore
  private let id: DebugID

  init() throws {
    test = try TestStore()
    id = Sample.id
    try test.upload(Sample.dsym(), build: BuildName(app: "a", version: "1", build: "1"))
  }

  private func damage(_ ending: String, _ change: (inout [UInt8]) -> Void) throws {
    let path = try test.path(ending: ending)
    var bytes = try #require(contents(of: path))
    change(&bytes)
    test.folder.write(bytes, to: String(path.dropFirst(test.folder.path.count + 1)))
  }

  private func open() throws -> (name: String?, damage: [StoreError]) {
    var damage: [StoreError] = []
    let index = try test.store().index(of: id) { damage.append($0) }
    guard case .frames(let frames)? = index?.lookup(0x10) else { return (nil, damage) }
    return (frames[0].function, damage)
  }

  private func error(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch let error as StoreError { return error } catch { return nil }
  }

  @Test(arguments: ["flipped", "cut off", "emptied", "of another image"])
  func `a damaged index is rebuilt from the retained files, and told`(kind: String) throws {
    let other = try product(Sample.dsym(uuid: 2))
    try damage(".scx") { bytes in
      switch kind {
      case "flipped": bytes[bytes.count - 3] ^= 1
      case "cut off": bytes.removeLast(100)
      case "emptied": bytes = []
      default: bytes = other
      }
    }
    let (name, damage) = try open()
    #expect(name == "known1")
    #expect(damage.map(\.code) == [.damaged])
    #expect(damage.first?.path.hasSuffix(".scx") == true)
  }

  @Test func `an index of an older program is built anew once, quietly, and stays readable where that fails`() throws {
    let path = try test.path(ending: ".scx")
    let fresh = try #require(contents(of: path))
    func age() throws {
      try damage(".scx") { bytes in
        bytes[28..<32] = [1, 0, 0, 0]
        bytes[12..<16] = [0, 0, 0, 0]
        let count = Int(bytes[128]) | Int(bytes[129]) << 8
        let checksum = bytes[..<(136 + count * 32)].crc32c
        for place in 0..<4 { bytes[12 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(place))) }
      }
    }
    try age()
    #expect(try open() == ("known1", []))
    #expect(contents(of: path) == fresh)
    // Without its source the old index still answers.
    try age()
    let old = contents(of: path)
    unlink(try test.path(ending: ".zst"))
    #expect(try open() == ("known1", []))
    #expect(contents(of: path) == old)
  }

  private func product(_ bytes: [UInt8]) throws -> [UInt8] {
    let other = try TestStore()
    try other.upload(bytes)
    return try #require(contents(of: other.path(ending: ".scx")))
  }

  @Test func `a missing index is rebuilt and told`() throws {
    unlink(try test.path(ending: ".scx"))
    let (name, damage) = try open()
    #expect(name == "known1")
    #expect(damage.count == 1)
  }

  @Test func `an upload of the same file mends a damaged index`() throws {
    let before = test.files
    try damage(".scx") { $0[$0.count - 3] ^= 1 }
    try test.upload(Sample.dsym(), build: BuildName(app: "a", version: "1", build: "1"))
    #expect(test.files == before)
  }

  @Test func `an index of a newer format is refused, and not overwritten`() throws {
    try damage(".scx") { $0[8] = 9 }
    let before = test.files
    #expect(error { _ = try open() }?.code == .newer)
    #expect(test.files == before)
  }

  @Test(arguments: ["flipped", "cut off", "missing", "other bytes"])
  func `a damaged retained file is named when it is needed`(kind: String) throws {
    let path = try test.path(ending: ".zst")
    let other = try TestStore()
    try other.upload(Sample.dsym(uuid: 2))
    let otherBytes = try #require(contents(of: other.path(ending: ".zst")))
    switch kind {
    case "missing": unlink(path)
    default:
      try damage(".zst") { bytes in
        switch kind {
        case "flipped": bytes[bytes.count / 2] ^= 1
        case "cut off": bytes.removeLast(3)
        default: bytes = otherBytes
        }
      }
    }
    // Reading the index needs no retained file.
    #expect(try open().name == "known1")
    unlink(try test.path(ending: ".scx"))
    let failure = try #require(error { _ = try open() })
    #expect(failure.code == .damaged)
    #expect(failure.path.hasSuffix(".zst"))
    // A better file of the image is taken without the one that is gone, which is told.
    let report = try #require(try test.upload(Sample.dsym(functions: 12)).first)
    #expect(report.verdict == .addedVariant)
    #expect(report.reasons.contains { $0.contains(".zst: ") && $0.contains("upload it again") })
    // Which mends it.
    _ = try test.upload(Sample.dsym())
    unlink(try test.path(ending: ".scx"))
    #expect(try open().name == "known1")
  }

  @Test(arguments: ["", "{", "[]", "{\"schema\":\"symclust.image/2\"}", "{\"schema\":\"symclust.image/1\"}"])
  func `a damaged record of an image is an error that names it, never an empty store`(text: String) throws {
    try damage("\(id.hex).json") { $0 = Array(text.utf8) }
    let failure = try #require(error { _ = try test.store().record(of: id) })
    #expect(failure.code == .damaged)
    #expect(failure.path.hasSuffix("\(id.hex).json"))
    let before = test.files
    #expect(error { try test.upload(Sample.dsym(functions: 12)) }?.code == .damaged)
    #expect(test.files == before)
  }

  @Test func `the revision of an image changes with what its index is built from, and damage is no revision`() throws {
    let first = try #require(try test.store().revision(of: id))
    try test.upload(Sample.dsym())
    #expect(try test.store().revision(of: id) == first)
    try test.upload(Sample.dsym(functions: 12))
    let second = try test.store().revision(of: id)
    #expect(second != nil && second != first)
    try damage("\(id.hex).json") { $0 = [] }
    #expect(try test.store().revision(of: id) == nil)
  }

  @Test func `files left half-written by a dead process are swept by the next upload`() throws {
    test.folder.write([1, 2, 3], to: "store/tmp/symclust-99-0xabc")
    let before = test.files.filter { !$0.key.hasPrefix("tmp/") }
    try test.upload(Sample.dsym(), build: BuildName(app: "a", version: "1", build: "1"))
    #expect(test.files == before)
  }

  @Test func `what is not retained is no index and no record`() throws {
    let other = try #require(DebugID(bytes: [9, 9]))
    #expect(try test.store().index(of: other) == nil)
    #expect(try test.store().record(of: other) == nil)
  }

  @Test func `files and folders of the store are their owner's alone`() throws {
    let found = Tool.run("/usr/bin/find", [test.root, "-perm", "/077"])
    #expect(found.text == "")
    #expect(Tool.run("/usr/bin/find", [test.root]).lines.count > 10)
  }
}

/// The same from outside: the program as other processes meet it.
@Suite(.enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
struct StoresFromOutside {
  private let folder: TemporaryFolder
  private let dsym: String
  private let program: String

  init() throws {
    folder = try #require(TemporaryFolder("outside"))
    program = try #require(Tool.symclust)
    dsym = folder.write(Sample.dsym(), to: "App")
  }

  private func upload(_ file: String) -> Tool.Outcome {
    Tool.run(program, ["upload-symbols", file, "--store", folder.entry("store"), "--json"])
  }

  @Test func `a store of a newer program is refused with its own exit code, and not touched`() {
    #expect(upload(dsym).code == 0)
    folder.write(Array("symclust-store 9\n".utf8), to: "store/format")
    let before = snapshot(of: folder.entry("store"))
    let outcome = upload(dsym)
    #expect(outcome.code == 5)
    #expect(outcome.errorText.contains("format 9"))
    #expect(snapshot(of: folder.entry("store")) == before)
  }

  @Test func `a store that may only be read ends an upload with an error and no change`() {
    #expect(upload(dsym).code == 0)
    let better = folder.write(Sample.dsym(functions: 12), to: "Better")
    chmod(folder.path, 0o755)
    _ = Tool.run("/bin/chmod", ["-R", "a+rX,a-w", folder.path])
    let before = snapshot(of: folder.entry("store"))
    let words = [program, "upload-symbols", better, "--store", folder.entry("store")]
    // Root may write everywhere: then the upload runs as nobody.
    let outcome =
      geteuid() == 0
      ? Tool.run("/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + words)
      : Tool.run(words[0], Array(words.dropFirst()))
    #expect(outcome.code == 5, "\(outcome.errorText)")
    #expect(outcome.errorText.contains("lock"))
    #expect(snapshot(of: folder.entry("store")) == before)
  }

  @Test func `two uploads at once both end well`() throws {
    var names: [String] = []
    for number: UInt8 in 1...4 { names.append(folder.write(Sample.dsym(uuid: number), to: "App\(number)")) }
    #expect(upload(dsym).code == 0)
    let script = names.map { "\"$0\" upload-symbols '\($0)' --store \"$1\" & " }.joined() + "wait"
    #expect(Tool.run("/bin/sh", ["-c", script, program, folder.entry("store")]).code == 0)
    for number: UInt8 in 1...4 {
      let id = [UInt8](repeating: number, count: 16).hex
      let outcome = Tool.run(program, ["lookup", "--image", id, "--store", folder.entry("store"), "0x10", "--json"])
      #expect(outcome.text.contains("known1"), "\(outcome.errorText)")
    }
  }
}
