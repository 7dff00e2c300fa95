import TestSupport
import Testing

/// An upload that dies, or whose disk fails, at every change that it makes: the next one mends it, and nothing half lies
/// under a final name. A few lines of C are preloaded into the real program for it.
@Suite("An upload", .enabled(if: programIsBuilt && Faults.library != nil, "no C compiler for the faults"))
struct UploadFaultTests {
  /// Uploads one dSYM, for a build, into the store.
  private func upload(into store: Store, _ fault: Faults? = nil) -> Tool.Outcome {
    let options = ["--app", "com.example.lumen", "--version", "1.2", "--build", "120", "--store", store.path]
    let settings = (fault?.settings ?? []) + ["TMPDIR=\(store.folder.path)"]
    return Tool.run("/usr/bin/env", settings + [Tool.symclust ?? "", "upload-symbols", Sample.kit] + options)
  }

  /// The files of the store with their digests; what is only for runs is left out.
  private func content(of store: Store) -> [String] {
    let names = files(below: store.path).filter { $0 != "lock" && !$0.hasPrefix("tmp/") }
    return names.sorted().map { name in
      name + " " + Tool.run("/usr/bin/sha256sum", ["--", store.path + "/" + name]).text.prefix(64)
    }
  }

  /// An undisturbed run: what it leaves, and how many changes it makes.
  private func undisturbed() throws -> (content: [String], changes: Int) {
    let store = try Store()
    let log = store.folder.entry("log")
    #expect(upload(into: store, Faults(log: log)).code == 0)
    let changes = contents(of: log)?.count ?? 0
    #expect(changes > 20, "the faults are not in the program")
    return (content(of: store), changes)
  }

  @Test("U-02 that is killed at any change leaves a store that a second run makes whole")
  func killed() throws {
    let whole = try undisturbed()
    for change in 1...whole.changes {
      let store = try Store()
      let first = upload(into: store, Faults("kill", at: change))
      #expect(first.signal == 9 || first.code == 137, "change \(change)")
      let second = upload(into: store)
      #expect(second.code == 0, "change \(change): \(second.errorText)")
      #expect(content(of: store) == whole.content, "change \(change)")
      #expect(files(below: store.path + "/tmp").isEmpty, "change \(change)")
      #expect(store.run("doctor").text == "all is well\n", "change \(change)")
    }
  }

  @Test(
    "U-03 whose disk is full or broken at any change says so, claims nothing, and leaves no half file",
    arguments: ["enospc", "eio"])
  func failing(mode: String) throws {
    let whole = try undisturbed()
    let reason = mode == "eio" ? "Input/output error" : "No space left on device"
    for change in 1...whole.changes {
      let store = try Store()
      let first = upload(into: store, Faults(mode, at: change))
      #expect(first.code == 5 || first.code == 1 || first.code == 3, "change \(change): \(first.code)")
      #expect((first.errorText + first.text).contains(reason), "change \(change): \(first.errorText)\(first.text)")
      // What is there under its final name is whole.
      let half = content(of: store).filter { !whole.content.contains($0) && !$0.hasPrefix("symbols/images/") }
      #expect(half == [], "change \(change)")
      let second = upload(into: store)
      #expect(second.code == 0, "change \(change): \(second.errorText)")
      #expect(content(of: store) == whole.content, "change \(change)")
      #expect(store.run("doctor").text == "all is well\n", "change \(change)")
    }
  }
}

/// What goes wrong in a run of the program.
struct Faults {
  var settings: [String]

  /// The `change`-th change fails in the way that `mode` says.
  init(_ mode: String, at change: Int) {
    settings = ["LD_PRELOAD=\(Faults.library ?? "")", "FAULT_MODE=\(mode)", "FAULT_AT=\(change)"]
  }

  /// Nothing, but each change is a byte in the file `log`.
  init(log: String) { settings = ["LD_PRELOAD=\(Faults.library ?? "")", "FAULT_LOG=\(log)"] }

  /// The library, compiled once; `nil` without a compiler.
  static var library: String? { made?.library }

  // The folder goes away with its value.
  private static let made: (folder: TemporaryFolder, library: String)? = {
    guard let folder = TemporaryFolder("faults") else { return nil }
    let source = Corpus.repository + "/Tests/symclustTests/Faults/faults.c"
    let target = folder.entry("faults.so")
    for compiler in ["clang", "clang-19", "cc"] {
      let outcome = Tool.run("/usr/bin/env", [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", target, source, "-ldl"])
      if outcome.code == 0 { return (folder, target) }
    }
    return nil
  }()
}
