import CommandLine
import Files
import Glibc
import JSON
import TestSupport
import Testing

@testable import symclust

@Suite("Symbol files that are broken", .enabled(if: programIsBuilt, programAbsence))
struct HostileSymbolTests {
  /// Address space for each run, in KiB: 4 GiB.
  private let memory = 4 << 20

  private func expectEnd(_ outcome: Tool.Outcome, _ what: String) {
    #expect(outcome.signal == 0, "\(what): signal \(outcome.signal)")
    #expect(!outcome.timedOut, "\(what): no end")
    #expect([0, 1, 3].contains(outcome.code), "\(what): \(outcome.code) \(outcome.errorText.prefix(300))")
  }

  @Test(
    "in the corpus get a verdict with a reason, and never end the program",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func corpus() throws {
    let root = Corpus.path("symbols/malformed")
    let names = files(below: root)
    #expect(names.count > 150)
    let all = symclust(["check", "--json"] + names.map { root + "/" + $0 }, seconds: 120, memory: memory)
    expectEnd(all, "all")
    let slices = try #require(try all.json()["slices"]?.array)
    #expect(Set(slices.compactMap { $0["path"]?.string }) == Set(names.map { root + "/" + $0 }))
    for slice in slices where slice["index"]?.isNull != false {
      #expect(slice["reasons"]?.array?.isEmpty == false, "\(slice["path"]?.string ?? "")")
    }
    // One by one, and read for names as well: files without an identifier go further there than in check.
    for name in names {
      let path = root + "/" + name
      expectEnd(symclust(["check", path], seconds: 30, memory: memory), "check \(name)")
      let outcome = symclust(["lookup", "--object", path, "0", "0x1000", "0x4000"], seconds: 30, memory: memory)
      #expect(outcome.ended, "lookup \(name)")
      #expect([0, 1, 3, 64].contains(outcome.code), "lookup \(name)")
    }
  }

  @Test("made of a good one by wrong bytes get a verdict, and neighbours theirs")
  func mutated() throws {
    let store = try Store()
    let bytes = try #require(contents(of: Sample.kitFile))
    var state: UInt64 = 1
    for number in 0..<40 {
      var changed = bytes
      for _ in 0..<(1 + number % 8) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        changed[Int(state >> 33) % changed.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      if number % 5 == 4 { changed = Array(changed[..<(Int(state >> 33) % changed.count)]) }
      store.folder.write(changed, to: "in/\(100 + number)/Kit")
    }
    let outcome = symclust(
      ["upload-symbols", "--json", "--store", store.path, store.folder.entry("in"), Sample.symbols + "/1.0-101"],
      seconds: 120, memory: memory)
    expectEnd(outcome, "mutated")
    let slices = try #require(try outcome.json()["slices"]?.array)
    #expect(slices.suffix(2).compactMap { $0["verdict"]?.string } == ["stored", "stored"])
    #expect(store.run("lookup", "--image", "4C4C44F8-5555-3144-A176-265CE8BD98E8", "0x4000").ended)
  }
}

@Suite("A store that another process writes to", .enabled(if: programIsBuilt, programAbsence))
struct LockTests {
  private func lock(_ store: Store) throws -> Int32 {
    let descriptor = open(store.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor
  }

  @Test("can be read, and is waited for by those who write")
  func waits() throws {
    let store = try Store()
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    let descriptor = try lock(store)
    #expect(store.run("lookup", "--image", Sample.kitID, "0x4000").code == 0)
    #expect(store.run("symbolicate", Sample.diagnostics + "/compact/payload-0019.json").code == 3)
    // Still waiting after a while, with nothing done; done soon after the lock is given back.
    let script = #"("$symclust" upload-symbols "$2" --store "$1" > "$3" 2>&1; echo $? > "$3.code") & sleep 1; cat "$3""#
    let log = store.folder.entry("log")
    let outcome = bash(script, [store.path, Sample.symbols + "/1.0-101", log])
    #expect(outcome.text.isEmpty)
    close(descriptor)
    for _ in 0..<300 where contents(of: log + ".code")?.isEmpty != false { usleep(100_000) }
    #expect(contents(of: log + ".code") == Array("0\n".utf8))
  }

  // The program waits a minute before it gives up: longer than a test should take.
  @Test("ends with 5 when it stays so")
  func givesUp() throws {
    let store = try Store()
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    let descriptor = try lock(store)
    defer { close(descriptor) }
    let directory = try StoreDirectory(root: store.path, creating: false)
    do throws(StoreError) {
      _ = try StoreLock(directory, seconds: 0)
      Issue.record("locked twice")
    } catch {
      #expect(error.code == .locked)
      #expect(error.path == store.path)
      #expect(CommandFailure(error).code == .store)
    }
  }
}
