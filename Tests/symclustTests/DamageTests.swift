import Glibc
import JSON
import TestSupport
import Testing

/// One way to damage a file of a store.
enum Damage: String, CaseIterable, CustomTestStringConvertible {
  case flipped, truncated, emptied
  /// A folder in its place: what cannot be read even by those who may read everything.
  case unreadable

  var testDescription: String { rawValue }

  /// Does it to the file at `path`; `flipping` is the place of the flipped byte.
  func apply(to path: String, flipping place: Int = 0) throws {
    let bytes = try #require(contents(of: path))
    switch self {
    case .flipped:
      var changed = bytes
      changed[min(place, bytes.count - 1)] ^= 0x41
      try write(changed, path)
    case .truncated: try write(Array(bytes[..<(bytes.count / 2)]), path)
    case .emptied: try write([], path)
    case .unreadable:
      try #require(unlink(path) == 0)
      try #require(mkdir(path, 0o700) == 0)
    }
  }
}

/// Replaces the bytes of a file.
private func write(_ bytes: [UInt8], _ path: String) throws {
  let descriptor = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  try #require(bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
}

@Suite("A damaged store", .enabled(if: programIsBuilt, programAbsence))
struct DamageTests {
  /// A few payloads: enough to need the symbols of the app and its framework.
  private let payloads = [Sample.diagnostics + "/compact"]

  /// A store with symbols, a build and counts.
  private func filled() throws -> Store {
    let store = try Store()
    store.uploadSamples()
    #expect(upload(store).code == 0)
    _ = try store.report(payloads)
    return store
  }

  private func upload(_ store: Store, build: String = "120") -> Tool.Outcome {
    store.run(
      "upload-symbols", Sample.symbols + "/1.2-120", "--app", "com.example.lumen", "--version", "1.2", "--build", build)
  }

  private func cluster(_ store: Store) -> Tool.Outcome {
    symclust(["cluster", "--json", "--store", store.path] + payloads)
  }

  private func lookup(_ store: Store) -> Tool.Outcome { store.run("lookup", "--image", Sample.kitID, "0x4000") }

  private func symbolicate(_ store: Store) -> Tool.Outcome {
    store.run("symbolicate", Sample.diagnostics + "/compact/payload-0019.json")
  }

  /// The files of the store below `folder`.
  private func names(_ store: Store, _ folder: String) -> [String] {
    files(below: store.path).filter { $0.hasPrefix(folder) }
  }

  /// A run that must refuse: code 5, the file named, and not a byte changed.
  private func expectRefusal(_ store: Store, _ words: String, _ what: String, _ run: (Store) -> Tool.Outcome) {
    let before = snapshot(of: store.path)
    let outcome = run(store)
    #expect(outcome.code == 5, "\(what): \(outcome.errorText)")
    #expect(outcome.errorText.contains(words), "\(what): \(outcome.errorText)")
    #expect(outcome.output.isEmpty, "\(what)")
    let after = snapshot(of: store.path)
    #expect(Set(after.keys) == Set(before.keys), "\(what)")
    for (name, bytes) in before { #expect(after[name] == bytes, "\(what) changed \(name)") }
  }

  @Test("whose format cannot be read, or is newer, is left as it is by every command")
  func format() throws {
    let original = try filled()
    for damage in Damage.allCases {
      let store = try original.copy()
      try damage.apply(to: store.path + "/format")
      for run in [cluster, { upload($0) }, lookup, symbolicate] {
        expectRefusal(store, store.path + "/format", "\(damage)", run)
      }
    }
    let newer = try original.copy()
    try write(Array("symclust-store 2\n".utf8), newer.path + "/format")
    for run in [cluster, { upload($0) }, lookup, symbolicate] {
      expectRefusal(newer, "\(newer.path): store format 2; this program reads up to 1", "newer", run)
    }
    // A store that lost this file is not taken for an empty place.
    let lost = try original.copy()
    try #require(unlink(lost.path + "/format") == 0)
    expectRefusal(lost, "\(lost.path): the folder is not a store and not empty", "lost", cluster)
    expectRefusal(lost, "\(lost.path): the folder is not a store and not empty", "lost") { upload($0) }
    #expect(lookup(lost).code == 1)
  }

  @Test("whose counts are damaged or newer refuses to count, and goes on to name frames")
  func counts() throws {
    let original = try filled()
    let named = symbolicate(original)
    for damage in Damage.allCases {
      let store = try original.copy()
      try damage.apply(to: store.path + "/symclust.sqlite")
      expectRefusal(store, store.path + "/symclust.sqlite", "\(damage)", cluster)
      #expect(symbolicate(store).output == named.output)
      #expect(lookup(store).code == 0)
    }
    // The version of the schema stands at byte 60 of the file.
    let newer = try original.copy()
    var bytes = try #require(contents(of: newer.path + "/symclust.sqlite"))
    bytes[62] = 1
    try write(bytes, newer.path + "/symclust.sqlite")
    expectRefusal(newer, newer.path + "/symclust.sqlite", "newer", cluster)
    #expect(cluster(newer).errorText.contains("newer version"))
  }

  @Test("whose counts have one wrong byte anywhere never ends the program, and never loses the file")
  func countsAnywhere() throws {
    let original = try filled()
    let bytes = try #require(contents(of: original.path + "/symclust.sqlite"))
    let size = bytes.count
    let store = try original.copy()
    let places = (0..<24).map { $0 * size / 24 + 17 * $0 }
    for place in places {
      var changed = bytes
      changed[place] ^= 0xff
      try write(changed, store.path + "/symclust.sqlite")
      let outcome = cluster(store)
      #expect(outcome.ended, "byte \(place)")
      #expect([3, 5].contains(outcome.code), "byte \(place): \(outcome.code) \(outcome.errorText)")
      if outcome.code == 5 { #expect(!outcome.errorText.isEmpty && outcome.output.isEmpty) }
      #expect(contents(of: store.path + "/symclust.sqlite")?.count ?? 0 >= size)
      for suffix in ["-wal", "-shm"] { unlink(store.path + "/symclust.sqlite" + suffix) }
    }
  }

  @Test("whose build manifest is damaged refuses that build only", arguments: Damage.allCases)
  func manifest(damage: Damage) throws {
    let store = try filled()
    let name = try #require(names(store, "symbols/builds/").first)
    try damage.apply(to: "\(store.path)/\(name)")
    expectRefusal(store, "\(store.path)/\(name)", "\(damage)") { upload($0) }
    #expect(upload(store, build: "121").code == 0)
    #expect(cluster(store).code == 3)
    #expect(lookup(store).code == 0)
  }

  @Test("whose image record is damaged refuses that image only", arguments: Damage.allCases)
  func record(damage: Damage) throws {
    let store = try filled()
    let before = cluster(store)
    let name = try #require(names(store, "symbols/images/").first { $0.contains("ca30ccd8914b") })
    try damage.apply(to: "\(store.path)/\(name)")
    expectRefusal(store, "\(store.path)/\(name)", "\(damage)") { $0.run("upload-symbols", Sample.kit) }
    #expect(store.run("upload-symbols", Sample.symbols + "/1.0-101").code == 0)
    let after = cluster(store)
    #expect(after.code == 3)
    #expect(after.output == before.output)
    #expect(lookup(store).code == 0)
  }

  @Test(
    "whose index is damaged gives the same answers, from the retained slice, and says so", arguments: Damage.allCases)
  func index(damage: Damage) throws {
    let original = try filled()
    let wanted = cluster(original)
    let named = symbolicate(original)
    let store = try original.copy()
    for (number, name) in names(store, "symbols/index/").enumerated() {
      try damage.apply(to: "\(store.path)/\(name)", flipping: [0, 5, 40, 300, 2000, 5000][number % 6])
    }
    let fresh = try store.copy()
    try #require(unlink(fresh.path + "/symclust.sqlite") == 0)
    if damage == .unreadable {
      // The system refuses to read it: that is not the file's fault, and nothing is guessed.
      for run in [lookup, symbolicate, cluster] {
        let outcome = run(store)
        #expect(outcome.code == 5, "\(outcome.errorText)")
        #expect(outcome.errorText.contains(".scx: cannot "))
      }
      return
    }
    let clustered = cluster(store)
    #expect(clustered.code == 3)
    #expect(try text(clustered.json()["clusters"]) == text(wanted.json()["clusters"]))
    let found = try clustered.json()["run"]?["damage"]?.array ?? []
    #expect(!found.isEmpty && found.allSatisfy { $0.string?.contains("rebuilt from the retained files") == true })
    #expect(clustered.errorText.contains(".scx: ") && clustered.errorText.contains("rebuilt from the retained files"))
    // Stacks that are read for the first time get their names, too.
    #expect(try text(cluster(fresh).json()["clusters"]) == text(wanted.json()["clusters"]))
    let shown = symbolicate(store)
    #expect(shown.output == named.output)
    #expect(shown.errorText.contains("rebuilt"))
    #expect(lookup(store).output == lookup(original).output)
    // The same files again mend it.
    #expect(store.run("upload-symbols", Sample.symbols).code == 0)
    #expect(symbolicate(store).errorText.isEmpty)
    #expect(differences(store.path + "/symbols", original.path + "/symbols") == [])
  }

  @Test("whose index is of a newer format refuses to use it, and leaves it")
  func newerIndex() throws {
    let store = try filled()
    let name = try #require(names(store, "symbols/index/").first { $0.contains("ca30ccd8914b") })
    var bytes = try #require(contents(of: "\(store.path)/\(name)"))
    bytes[8] = 99
    try write(bytes, "\(store.path)/\(name)")
    expectRefusal(store, "\(store.path)/\(name)", "newer", lookup)
    #expect(lookup(store).errorText.contains("index format 99; this program reads 1"))
  }

  @Test(
    "whose retained slice is damaged is not needed while its index is whole; the same file mends both",
    arguments: Damage.allCases)
  func source(damage: Damage) throws {
    let original = try filled()
    let store = try original.copy()
    let indexes = names(store, "symbols/index/")
    let sources = names(store, "symbols/sources/")
    for name in sources { try damage.apply(to: "\(store.path)/\(name)", flipping: 400) }
    #expect(lookup(store).code == 0)
    #expect(cluster(store).output == cluster(original).output)
    // Now the index as well: nothing is left to build from.
    for name in indexes { try Damage.truncated.apply(to: "\(store.path)/\(name)") }
    let refused = lookup(store)
    #expect(refused.code == 5)
    #expect(sources.contains { refused.errorText.contains("\(store.path)/\($0)") }, "\(refused.errorText)")
    #expect(symbolicate(store).code == 5)
    if damage == .unreadable { return }
    #expect(store.run("upload-symbols", Sample.symbols).code == 0)
    #expect(differences(store.path + "/symbols", original.path + "/symbols") == [])
  }

  @Test("that was mended names what was counted while it could not be used")
  func mended() throws {
    let original = try Store()
    original.uploadSamples()
    let store = try original.copy()
    for name in names(store, "symbols/index/") + names(store, "symbols/sources/") {
      try Damage.truncated.apply(to: "\(store.path)/\(name)")
    }
    let damaged = symclust(["cluster", "--json", "--store", store.path, Sample.diagnostics])
    #expect(damaged.code == 5)
    #expect(damaged.errorText.contains("\(store.path)/symbols/"))
    #expect(Tool.run("/bin/cp", ["-a", original.path + "/symbols", store.path]).code == 0)
    let wanted = try original.report([Sample.diagnostics])
    let after = try store.report([Sample.diagnostics])
    #expect(try text(after["denominators"]) == text(wanted["denominators"]))
    let clusters = try [after, wanted].map { report in
      Set(try (report["clusters"]?.array ?? []).map { try text($0.without("id").without("aliases")) })
    }
    #expect(clusters[0].symmetricDifference(clusters[1]).count == 0)
    #expect(try text(after["missing_images"]) == text(wanted["missing_images"]))
  }

  @Test("is told from a folder of something else, which is left alone")
  func stray() throws {
    let store = try Store()
    store.folder.write(Array("mine".utf8), to: "store/precious.txt")
    expectRefusal(
      store, "\(store.path): the folder is not a store and not empty (it holds precious.txt)", "stray", cluster)
    expectRefusal(store, "not a store", "stray") { upload($0) }
    // A file where the folder should be.
    let other = try Store()
    other.folder.write(Array("mine".utf8), to: "store")
    let outcome = cluster(other)
    #expect(outcome.code == 5 || outcome.code == 1)
    #expect(outcome.errorText.contains(other.path))
    #expect(contents(of: other.path) == Array("mine".utf8))
  }

  @Test("is swept of what a dead process left, and of nothing else")
  func leftovers() throws {
    let store = try filled()
    let before = snapshot(of: store.path)
    store.folder.write(Array("half".utf8), to: "store/tmp/symclust-1-0")
    store.folder.write(Array("not ours".utf8), to: "store/tmp/letter")
    #expect(upload(store).code == 0)
    #expect(snapshot(of: store.path).keys.sorted() == (before.keys + ["tmp/letter"]).sorted())
  }
}

/// The names of files that are not in both folders alike.
private func differences(_ one: String, _ other: String) -> [String] {
  let (a, b) = (snapshot(of: one), snapshot(of: other))
  return Set(a.keys).union(b.keys).filter { a[$0] != b[$0] }.sorted()
}
