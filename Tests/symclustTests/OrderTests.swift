import JSON
import TestSupport
import Testing

/// D8: the report is a function of the set of inputs.
@Suite("The cluster report does not depend on", .enabled(if: programIsBuilt, programAbsence))
struct OrderTests {
  /// The sample files, in an order that `seed` decides.
  private func shuffled(_ seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    return files(below: Sample.diagnostics).map { Sample.diagnostics + "/" + $0 }.shuffled(using: &generator)
  }

  private func parts(_ report: JSONValue) throws -> String { try text(report.without("run")) }

  @Test("the order of the files, the number of threads, the runs, or the way they come in")
  func ways() throws {
    let symbols = try Store()
    symbols.uploadSamples()
    let lines = symbols.folder.entry("a.jsonl")
    let plain = try symbols.copy()
    let report = try plain.report([Sample.diagnostics], ["--assignments", lines])
    let wanted = try parts(report)
    let assignments = contents(of: lines)

    for (seed, jobs) in [(UInt64(1), "1"), (2, "3"), (3, "64")] {
      let store = try symbols.copy()
      let other = try store.report(shuffled(seed), ["--jobs", jobs, "--assignments", lines])
      #expect(try parts(other) == wanted, "seed \(seed), \(jobs) threads")
      #expect(try text(other["run"]) == text(report["run"]))
      #expect(contents(of: lines) == assignments)
    }

    // In many runs: the counts grow to the same sums, and clusters keep the ids of a single run.
    let store = try symbols.copy()
    var accepted = 0
    let order = shuffled(4)
    for start in stride(from: 0, to: order.count, by: 24) {
      let part = Array(order[start..<min(start + 24, order.count)])
      accepted += try store.report(part)["run"]?.count("accepted_payloads") ?? 0
    }
    #expect(accepted == report["run"]?.count("accepted_payloads"))
    #expect(try parts(store.report([Sample.diagnostics])) == wanted)

    // As JSON Lines on standard input: every document of every file on a line of its own.
    let stream = try symbols.copy()
    let outcome = stream.run("cluster", "-", "--json", input: try jsonLines())
    #expect(outcome.code == 3)
    #expect(outcome.errorText.isEmpty)
    let streamed = try outcome.json()
    // The digests of reprinted documents differ, and with them the samples; every count is the same.
    #expect(streamed["run"]?.count("accepted_diagnostics") == report["run"]?.count("accepted_diagnostics"))
    #expect(try text(streamed["denominators"]) == text(report["denominators"]))
    #expect(try clustersWithoutSamples(streamed) == clustersWithoutSamples(report))
  }

  @Test("whether files are compressed")
  func compressed() throws {
    let symbols = try Store()
    symbols.uploadSamples()
    let folder = try #require(TemporaryFolder("gz"))
    let script = """
      cp -r "$1" "$2/in" && cd "$2/in" && find . -name '*.gz' -exec gunzip -f {} + && cp -r . ../packed \
        && cd ../packed && find . -type f -exec gzip -f {} +
      """
    #expect(bash(script, [Sample.diagnostics, folder.path]).code == 0)
    #expect(!files(below: folder.entry("in")).contains { $0.hasSuffix(".gz") })
    #expect(files(below: folder.entry("packed")).allSatisfy { $0.hasSuffix(".gz") })
    let plain = try symbols.copy()
    let packed = try symbols.copy()
    let wanted = try plain.report([folder.entry("in")])
    #expect(try text(packed.report([folder.entry("packed")])) == text(wanted))
    // What was read plain is known when it comes compressed.
    let again = try plain.report([folder.entry("packed")])
    #expect(again["run"]?.count("accepted_payloads") == 0)
    #expect(try text(again.without("run")) == text(wanted.without("run")))
  }

  /// Each document of the sample on a line. Depth is no matter here: white space outside strings is dropped.
  private func jsonLines() throws -> [UInt8] {
    let script =
      #"find "$1" -type f | sort | while read -r f; do case $f in *.gz) zcat "$f";; *) cat "$f";; esac; echo; done"#
    let all = bash(script, [Sample.diagnostics]).output
    var lines: [UInt8] = []
    var depth = 0
    var inString = false
    var escaped = false
    for byte in all {
      if inString {
        lines.append(byte)
        if escaped { escaped = false } else if byte == 0x5c { escaped = true } else if byte == 0x22 { inString = false }
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d: continue
      case 0x22: inString = true
      case 0x7b, 0x5b: depth += 1
      case 0x7d, 0x5d: depth -= 1
      default: break
      }
      lines.append(byte)
      if depth == 0 { lines.append(0x0a) }
    }
    return lines
  }

  private func clustersWithoutSamples(_ report: JSONValue) throws -> [String] {
    try (report["clusters"]?.array ?? []).map { try text($0.without("samples")) }
  }
}
