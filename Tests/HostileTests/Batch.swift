import JSON
import TestSupport
import Testing

/// Damaged files that the program is given in one upload, with good ones before and behind.
struct Batch {
  private final class Files {
    var cases: [(path: String, name: String)] = []
    var verdicts: [String: Int] = [:]
  }

  private static let offsets = ["0", "0x1000", "0x1008", "0x1010", "0x1050", "0x4000", "0xffffffff"]

  private let folder: TemporaryFolder
  private let files = Files()
  private let program: String

  /// The address space of the program and of each process it starts, in KiB: what docs/symbolication.md states for
  /// files so small that the part that grows with them does not count.
  static let memory = 2 << 20

  /// The verdicts there are; any other is none.
  private static let verdicts: Set<String> = [
    "stored", "already_present", "added_variant", "poorer_variant", "conflict", "no_symbols", "no_debug_id",
    "unsupported", "malformed", "incomplete", "unsafe", "work_limit", "too_large", "unreadable",
  ]

  init() throws {
    folder = try #require(TemporaryFolder("batch"))
    program = try #require(Tool.symclust)
    let sample = try #require(contents(of: SampleSymbols.small.path))
    folder.write(sample, to: "in/0-before/Kit.dSYM/Contents/Resources/DWARF/Kit")
    let other = try #require(contents(of: SampleSymbols.all[1].path))
    folder.write(other, to: "in/9-behind/Kit.dSYM/Contents/Resources/DWARF/Kit")
  }

  /// How often each verdict was given on the damaged files.
  var verdicts: [String: Int] { files.verdicts }

  /// The number of damaged files.
  var count: Int { files.cases.count }

  /// Adds a file. What is only read beside another file is looked up at once, through that one.
  func add(_ damaged: HostileCase) throws {
    let number = String(100_000 + files.cases.count)
    switch damaged.role {
    case .object:
      // Named like the file in a dSYM, so that it is not passed over whatever it begins with.
      let path = "in/5-\(number)/X.dSYM/Contents/Resources/DWARF/X"
      files.cases.append((folder.write(damaged.bytes, to: path), damaged.name))
    case .companion(let main, let name):
      folder.write(damaged.bytes, to: "beside/\(number)/\(name)")
      try look(["--object", folder.write(main, to: "beside/\(number)/main")] + Self.offsets, damaged.name)
    case .symbolMap(let main):
      let map = folder.write(damaged.bytes, to: "map/\(number)/map")
      let path = folder.write(main, to: "map/\(number)/main")
      try look(["--object", path, "--symbol-map", map] + Self.offsets, damaged.name)
    }
  }

  private func look(_ arguments: [String], _ what: String) throws {
    let outcome = Tool.run(program, ["lookup"] + arguments, seconds: 120, memory: Self.memory)
    // Of a fat file the slice must be named.
    expectEnd(outcome, what, codes: [0, 1, 3, 64])
    #expect(!outcome.errorText.contains("the process that read it failed"), "\(what): \(outcome.errorText)")
  }

  private func expectEnd(_ outcome: Tool.Outcome, _ what: String, codes: [Int32] = [0, 1, 3]) {
    #expect(outcome.signal == 0, "\(what): signal \(outcome.signal): \(outcome.errorText.prefix(300))")
    #expect(!outcome.timedOut, "\(what): no end")
    #expect(codes.contains(outcome.code), "\(what): \(outcome.code) \(outcome.errorText.prefix(300))")
  }

  /// Uploads everything into a new store, looks at each verdict, and asks for addresses in what was retained.
  func upload() throws {
    let store = folder.entry("store")
    let outcome = Tool.run(
      program, ["upload-symbols", "--json", "--store", store, folder.entry("in")], seconds: 120 + 2 * count,
      memory: Self.memory)
    expectEnd(outcome, "upload")
    guard outcome.signal == 0, let document = try? JSONValue.parse(outcome.output) else { return }
    let slices = document["slices"]?.array ?? []
    let names = Dictionary(uniqueKeysWithValues: files.cases.map { ($0.path, $0.name) })
    #expect(Set(slices.compactMap { $0["path"]?.string }).count == count + 2)
    var retained: [(id: String, name: String)] = []
    for slice in slices {
      let path = slice["path"]?.string ?? ""
      let name = names[path] ?? "a good file"
      let verdict = slice["verdict"]?.string ?? ""
      let reasons = (slice["reasons"]?.array ?? []).compactMap(\.string)
      #expect(Self.verdicts.contains(verdict), "\(name): \(verdict)")
      #expect(verdict == "stored" || !reasons.isEmpty || slice["index"]?.isNull == false, "\(name): \(verdict)")
      #expect(!reasons.contains { $0.contains("the process that read it failed") }, "\(name): \(reasons)")
      files.verdicts[verdict, default: 0] += 1
      if names[path] == nil { #expect(verdict == "stored", "\(reasons)") }
      // Nobody can refer to it, so it was not read to the end; who names it is answered.
      if verdict == "no_debug_id" { try look(["--object", path] + Self.offsets, name) }
      if verdict == "stored", let id = slice["debug_id"]?.string { retained.append((id, name)) }
    }
    let good = ["lookup", "--image", "4C4C442E-5555-3144-A1FD-CA30CCD8914B", "0x4000", "0x4100"]
    let answer = Tool.run(program, good + ["--store", store])
    #expect(
      answer.code == 0 && answer.text.contains("version (Decoder.swift:8:17)"), "\(answer.text) \(answer.errorText)")
    for image in retained.prefix(8) {
      try look(["--image", image.id, "--store", store, "0", "0x1000", "0x1010", "0x4000", "0xffffffff"], image.name)
    }
  }
}
