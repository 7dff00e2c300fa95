import Glibc
import TestSupport
import Testing

/// How many damaged copies the full run makes; none without `SYMCLUST_HOSTILE`.
private let copies = getenv("SYMCLUST_HOSTILE").flatMap { Int(String(cString: $0)) } ?? 0

/// What `scripts/hostile` runs: every truncation of the corpus' damaged files at the borders of their parts, and thousands
/// of damaged copies of small good files, through the readers and through the program.
///
/// `SYMCLUST_HOSTILE` says how many copies, which enables it. Before each file its name is written to the file that
/// `SYMCLUST_HOSTILE_JOURNAL` names: a trap in the readers ends the process, and what it was reading stands there. An
/// alarm ends it when one file takes too long.
@Suite(.serialized, .enabled(if: copies > 0, "SYMCLUST_HOSTILE is not set"))
struct FullRun {
  /// How many seconds one file may take here, where nothing is optimized.
  private static let seconds: UInt32 = 60
  /// How much memory one file may take here beside `memoryPerByte` times its size, in bytes.
  private static let fixedMemory = 64 << 20
  private static let memoryPerByte = 60
  /// How many files the program is given at a time.
  private static let batchSize = 250

  private let journal: Int32

  init() {
    journal = getenv("SYMCLUST_HOSTILE_JOURNAL").map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) } ?? -1
  }

  private func truncations(_ body: (HostileCase) throws -> Void) throws {
    for file in MalformedCorpus.all {
      for length in file.layout.cuts {
        try body(HostileCase(file, Array(file.bytes[..<length]), "cut at \(length)"))
      }
    }
  }

  private func mutations(_ body: (HostileCase) throws -> Void) throws {
    for number in 0..<copies {
      try body(HostileCase(Seed.all[number % Seed.all.count], UInt64(number / Seed.all.count)))
    }
  }

  private func readHere(_ damaged: HostileCase) throws {
    let line = Array((damaged.name + "\n").utf8)
    if journal >= 0 {
      ftruncate(journal, 0)
      pwrite(journal, line, line.count, 0)
    }
    let before = Memory.startOver()
    alarm(Self.seconds)
    try damaged.readHere()
    alarm(0)
    if let before, let peak = Memory.peak {
      let size = damaged.bytes.count
      #expect(peak - before < Self.fixedMemory + Self.memoryPerByte * size, "\(damaged.name): \(size) bytes")
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `the damaged files of the corpus, cut off at every border, read here`() throws {
    var cuts = 0
    try truncations { damaged in
      try readHere(damaged)
      cuts += 1
    }
    let files = MalformedCorpus.all.count
    print("hostile: \(files) files cut off at \(cuts) places, read in one process")
    #expect(files > 150)
    #expect(cuts > 5_000)
  }

  @Test func `damaged copies, read here`() throws {
    try mutations(readHere)
    print("hostile: \(copies) damaged copies of \(Seed.all.count) files, read in one process")
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    .enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
  func `the damaged files of the corpus, cut off at every border, uploaded`() throws {
    try upload(truncations)
  }

  @Test(.enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
  func `damaged copies, uploaded`() throws { try upload(mutations) }

  /// Gives the program all files that `make` makes, in batches.
  private func upload(_ make: ((HostileCase) throws -> Void) throws -> Void) throws {
    var (count, all) = (0, 0)
    var verdicts: [String: Int] = [:]
    var batch = try Batch()
    func flush() throws {
      try batch.upload()
      count += batch.count
      verdicts.merge(batch.verdicts, uniquingKeysWith: +)
      batch = try Batch()
    }
    try make { damaged in
      try batch.add(damaged)
      all += 1
      if batch.count == Self.batchSize { try flush() }
    }
    try flush()
    let told = verdicts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("hostile: \(count) files uploaded (\(told)), \(all - count) looked up through a good file")
  }
}

/// The memory that this process has resident, in bytes.
private enum Memory {
  /// Begins to look for the peak; what is resident now, `nil` where the system does not tell.
  static func startOver() -> Int? {
    let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return write(descriptor, "5", 1) == 1 ? peak : nil
  }

  /// The most since then.
  static var peak: Int? {
    let status = contents(of: "/proc/self/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let number = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
    return number.map { $0 * 1024 }
  }
}
