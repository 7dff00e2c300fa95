import JSON
import TestSupport
import Testing

/// What the corpus holds that is no MetricKit diagnostic, and the reason for refusing it.
private let refused: [(file: String, reason: String, words: String)] = [
  ("ios27-environment-literal.json", "v2_without_diagnostic", "v2"),
  ("npk-ios14-simulated-nsdictionary-description.txt", "property_list_description", "NSDictionary"),
  ("npk-metric-payload-nsdictionary-description.txt", "property_list_description", "MXMetricPayload"),
  ("sentry-truncated-garbage.json", "truncated", "line 24, column 1 (byte 624)"),
]

@Suite("Payloads of the corpus", .enabled(if: programIsBuilt && Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct CorpusInputTests {
  private var accepted: [String] {
    files(below: Corpus.path("metrickit")).filter { name in
      name.hasSuffix(".json") && !refused.contains { $0.file == name }
    }
  }

  @Test("of MetricKit are accepted, each on its own and all together")
  func metricKit() throws {
    #expect(accepted.count == 21)
    let store = try Store()
    var diagnostics = 0
    for name in accepted {
      let report = try store.report([Corpus.path("metrickit/\(name)")])
      let run = try #require(report["run"])
      // One file holds an array of two.
      let isArray = contents(of: Corpus.path("metrickit/\(name)"))?.first { $0 != 0x20 && $0 != 0x0a } == 0x5b
      #expect(run.count("accepted_payloads") == (isArray ? 2 : 1), "\(name)")
      #expect(run.count("accepted_diagnostics") > 0, "\(name)")
      #expect(run["notes"] == .object([]) || run["notes"]?["no_stack"] != nil, "\(name)")
      diagnostics += run.count("accepted_diagnostics")
    }
    let together = try Store()
    let report = try together.report(accepted.map { Corpus.path("metrickit/\($0)") })
    #expect(report["run"]?.count("accepted_diagnostics") == diagnostics)
    #expect(
      try text(report.without("run"))
        == text(
          store.report(accepted.map { Corpus.path("metrickit/\($0)") })
            .without("run")))
    // What Xcode simulated is counted, and told.
    #expect(report["run"]?.count("simulated_diagnostics") == 13)
  }

  @Test("of other kinds are refused with file, place and reason", arguments: refused.map(\.file))
  func others(file: String) throws {
    let expected = try #require(refused.first { $0.file == file })
    let store = try Store()
    let path = Corpus.path("metrickit/\(file)")
    let outcome = store.run("cluster", path, "--json")
    #expect(outcome.code == 1)
    #expect(outcome.errorText.contains("\(path): "))
    #expect(outcome.errorText.contains(expected.words))
    let run = try #require(try outcome.json()["run"])
    #expect(run["rejected_by_reason"] == .object([JSONMember(expected.reason, .number(.unsigned(1)))]))
    #expect(run["rejected_items"]?[0]?["path"]?.string == path)
    #expect(run["rejected_items"]?[0]?["message"]?.string?.contains(expected.words) == true)
  }

  @Test("that are bad never touch their neighbours")
  func mixed() throws {
    let alone = try Store()
    let wanted = try alone.report(accepted.map { Corpus.path("metrickit/\($0)") })
    let store = try Store()
    let outcome = store.run("cluster", Corpus.path("metrickit"), "--json")
    #expect(outcome.code == 3)
    let report = try outcome.json()
    #expect(try text(report.without("run")) == text(wanted.without("run")))
    // The two descriptions have names that are no diagnostics' in a folder, as has the page about the sources.
    #expect(report["run"]?.count("rejected") == 2)
    #expect(report["run"]?.count("other_files") == 3)
    for item in refused where item.file.hasSuffix(".json") { #expect(outcome.errorText.contains(item.file)) }
  }
}

@Suite("One event through both interfaces", .enabled(if: programIsBuilt, programAbsence))
struct TwinTests {
  private func frame(_ offset: Int) -> String {
    #"{"binaryUUID":"11111111-1111-1111-1111-111111111111","binaryName":"App","address":\#(4_294_967_296 + offset),"offsetIntoBinaryTextSegment":\#(offset)}"#
  }

  private func v1(_ offset: Int, build: String) -> String {
    #"{"crashDiagnostics":[{"diagnosticMetaData":{"signal":11,"osVersion":"iPhone OS 27.0 (24A1)","appBuildVersion":"\#(build)"},"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frame(offset))]}]}}]}"#
  }

  private func v2(_ offset: Int, build: String) -> String {
    #"{"version":"2.0.0","timeRange":{"begin":1,"end":1},"environment":{"osVersion":{"platform":"iPhone OS","number":"27.0","buildNumber":"24A1"},"applicationBuildVersion":"\#(build)"},"crashDiagnostic":{"signal":11,"callStackTree":{"callStackPerThread":true,"binaryInfo":[{"uuid":"11111111-1111-1111-1111-111111111111","name":"App"}],"callStackThreads":[{"threadAttributed":true,"rootFrames":[\#(frame(offset))]}]}}}"#
  }

  @Test("is told as a suspicion, counted twice and in one cluster")
  func twins() throws {
    let store = try Store()
    // One twin; another build, another place and a second of the same kind are none.
    let lines = [
      v1(4096, build: "1"), v2(4096, build: "1"), v1(4096, build: "2"), v2(8192, build: "2"), v1(12_288, build: "1"),
    ]
    store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "twins.jsonl")
    let report = try store.report([store.folder.entry("twins.jsonl")])
    #expect(report["run"]?.count("accepted_diagnostics") == 5)
    #expect(report.count("suspected_twins") == 1)
    #expect(store.run("cluster", store.folder.entry("twins.jsonl")).text.contains("1 stack came as v1 and as v2"))
  }
}

@Suite("Documents that are broken", .enabled(if: programIsBuilt, programAbsence))
struct BrokenInputTests {
  private let good = Sample.diagnostics + "/single/payload-0102.json"

  @Test("are refused wherever a payload was cut, with the place of the cut, and never end the program")
  func cut() throws {
    let bytes = try #require(contents(of: good))
    let store = try Store()
    var ends: [Int] = []
    for end in stride(from: 0, to: bytes.count - 2, by: 97) {
      store.folder.write(Array(bytes[..<end]), to: "cut/\(String(end + 100_000)).json")
      ends.append(end)
    }
    let outcome = store.run("cluster", store.folder.entry("cut"), "--json")
    #expect(outcome.ended)
    #expect(outcome.code == 1)
    let report = try outcome.json()
    #expect(report["clusters"] == .array([]))
    let items = try #require(report["run"]?["rejected_items"]?.array)
    #expect(items.count == ends.count)
    for (item, end) in zip(items, ends) {
      #expect(item["path"]?.string?.hasSuffix("/\(end + 100_000).json") == true)
      #expect(item["reason"]?.string == (end == 0 ? "empty" : "truncated"))
      if end > 0 { #expect(item["message"]?.string?.hasSuffix("(byte \(end))") == true, "\(end)") }
    }
    // As one line of many, every cut is refused alone, with the number of its line.
    let line = try #require(contents(of: Sample.diagnostics + "/compact/payload-0002.json")).filter { $0 != 0x0a }
    let input = Array(line[..<(line.count / 2)]) + [0x0a] + line + [0x0a] + Array(line[..<9]) + [0x0a]
    let lines = store.run("cluster", "-", "--json", input: input)
    #expect(lines.code == 3)
    let run = try #require(try lines.json()["run"])
    #expect(run.count("accepted_payloads") == 1)
    #expect(run["rejected_items"]?.array?.map { $0.count("line") } == [1, 3])
    #expect(lines.errorText.contains("-:1: ") && lines.errorText.contains("-:3: "))
  }

  @Test("among good ones leave them as they are, and the run says 3")
  func mixed() throws {
    let store = try Store()
    let folder = store.folder
    for (name, text) in [
      ("a.json", "{"), ("b.json", "[1,2]"), ("c.json", "\u{0}\u{1}"), ("d.json.gz", "\u{1f}\u{8b}xx"),
    ] {
      folder.write(Array(text.utf8), to: "in/\(name)")
    }
    folder.write([0x1f, 0x8b, 8, 0, 1], to: "in/d.json.gz")
    folder.write(try #require(contents(of: good)), to: "in/e.json")
    folder.write(Array("no diagnostics by its name".utf8), to: "in/notes.md")
    let outcome = store.run("cluster", folder.entry("in"), folder.entry("absent.json"), "--json")
    #expect(outcome.code == 3)
    let run = try #require(try outcome.json()["run"])
    #expect(run.count("accepted_payloads") == 1)
    #expect(run.count("other_files") == 1)
    #expect(run.count("rejected") == 5)
    for name in ["a.json", "b.json", "c.json", "d.json.gz", "absent.json"] {
      #expect(outcome.errorText.split(separator: "\n").filter { $0.contains("\(name): ") }.count == 1, "\(name)")
    }
    let alone = try Store()
    #expect(try text(outcome.json().without("run")) == text(alone.report([good]).without("run")))
    // Alone they leave nothing behind: a refused document is read again next time.
    #expect(store.run("cluster", folder.entry("in/a.json")).code == 1)
    folder.write(try #require(contents(of: Sample.diagnostics + "/compact/payload-0002.json")), to: "in/a.json")
    #expect(try store.report([folder.entry("in/a.json")])["run"]?.count("accepted_payloads") == 1)
  }

  @Test("are each refused, however often they come")
  func twice() throws {
    let store = try Store()
    for name in ["a.json", "b.json", "c.json"] { store.folder.write(Array("{\"crash".utf8), to: "in/\(name)") }
    let outcome = store.run("cluster", store.folder.entry("in"), "--json")
    let run = try #require(try outcome.json()["run"])
    #expect(run.count("rejected") == 3)
    #expect(run.count("duplicate_payloads") == 0)
    #expect(outcome.code == 1)
  }

  @Test("are told in the order they were given")
  func order() throws {
    let store = try Store()
    let bad = store.folder.write(Array("{\"crash".utf8), to: "b.json")
    let outcome = store.run("cluster", store.folder.entry("a.json"), bad, store.folder.entry("c.json"), "--json")
    let items = try outcome.json()["run"]?["rejected_items"]?.array ?? []
    let names = items.compactMap { $0["path"]?.string?.split(separator: "/").last }
    #expect(names == ["a.json", "b.json", "c.json"])
  }

  @Test("do not end when put together without line ends between them")
  func concatenated() throws {
    let store = try Store()
    let outcome = bash(
      "cat \"$1\"/single/payload-00*.json | \"$symclust\" cluster - --json --store \"$2\"",
      [Sample.diagnostics, store.path])
    let run = try #require(try outcome.json()["run"])
    #expect(run.count("accepted_payloads") > 20)
    #expect(run.count("rejected") == 0)
  }

  @Test("are the same payloads one by one, on lines and in an array")
  func packings() throws {
    let folder = Sample.diagnostics + "/single"
    let files = files(below: folder).sorted().prefix(8).map { "\(folder)/\($0)" }
    try #require(files.count > 3)
    let bodies = try files.map { try #require(contents(of: $0)) }
    let packed = [
      Array("[".utf8) + bodies.joined(separator: Array(",\n".utf8)) + Array("]\n".utf8),
      Array(" [\n".utf8) + bodies.joined(separator: [0x2c]) + Array("\n]".utf8),
      Array(bodies.joined(separator: [0x0a])),
    ]
    for input in packed {
      let store = try Store()
      let one = try #require(try store.report(files)["run"])
      #expect(one.count("accepted_payloads") == files.count)
      let again = try #require(try store.run("cluster", "-", "--json", input: input).json()["run"])
      #expect(again.count("duplicate_payloads") == files.count)
      #expect(again.count("accepted_payloads") == 0 && again.count("rejected") == 0)
    }
    // A broken array loses only what cannot be told apart.
    let store = try Store()
    for (input, rejected) in [
      (Array("[".utf8) + bodies[0] + [0x2c], 1), (Array("[".utf8) + bodies[1] + Array(",{\"a".utf8), 1),
      (Array("[".utf8) + bodies[2] + Array("] x".utf8), 1),
    ] {
      let run = try #require(try store.run("cluster", "-", "--json", input: input).json()["run"])
      #expect(run.count("accepted_payloads") == 1)
      #expect(run.count("rejected") == rejected)
    }
  }

  @Test("and devices that never end are not read")
  func devices() throws {
    let store = try Store()
    let outcome = store.run("cluster", good, "/dev/zero")
    #expect(outcome.code == 3)
    #expect(outcome.errorText.contains("/dev/zero: cannot read: No such device"))
  }

  @Test("that cannot be written to are named", arguments: ["/absent/folder/lines", "/"])
  func assignments(path: String) throws {
    let store = try Store()
    let outcome = store.run("cluster", good, "--assignments", path)
    #expect(outcome.code == 1)
    #expect(outcome.errorText.contains("\(path): cannot create"))
  }

  @Test("are told all the same when their assignments cannot be written")
  func fullAssignments() throws {
    let store = try Store()
    let outcome = store.run("cluster", good, "--json", "--assignments", "/dev/full")
    #expect(outcome.code == 3)
    #expect(outcome.errorText.contains("/dev/full: cannot write: No space left on device"))
    #expect(try outcome.json()["run"]?.count("accepted_payloads") == 1)
  }

  @Test("keep their bytes in the store with --keep-raw")
  func raw() throws {
    let store = try Store()
    let line = try #require(contents(of: Sample.diagnostics + "/compact/payload-0002.json")).filter { $0 != 0x0a }
    #expect(store.run("cluster", good, "--keep-raw").code == 3)
    #expect(store.run("cluster", "-", "--keep-raw", input: line + [0x0a, 0x7b, 0x0a] + line + [0x0a]).code == 3)
    let kept = files(below: store.path + "/raw")
    #expect(kept.count == 2)
    for (bytes, mode) in [(try #require(contents(of: good)), "file"), (line, "line")] {
      let sum = Tool.run("/usr/bin/sha256sum", [], input: bytes).text.prefix(64)
      let file = try #require(kept.first { $0.hasSuffix("\(sum).zst") }, "\(mode)")
      let unpacked = Tool.run("/usr/bin/zstd", ["-dc", store.path + "/raw/" + file])
      if unpacked.code == 0 { #expect(unpacked.output == bytes) }
    }
    let modes = bash(
      #"find "$1" -type f -printf '%m\n' | sort -u; find "$1" -type d -printf '%m\n' | sort -u"#, [store.path])
    #expect(modes.text == "600\n700\n")
  }
}
