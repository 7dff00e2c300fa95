import Identity
import JSON
import TestSupport
import Testing

@Suite("An exported bundle", .enabled(if: programIsBuilt, programAbsence))
struct ExportTests {
  /// For each cluster of a report its id, counts by build and raw stacks.
  private func clusters(_ report: JSONValue) throws -> [String] {
    try (report["clusters"]?.array ?? []).map { cluster in
      let builds = (cluster["builds"]?.array ?? []).map {
        "\($0["build"]?.string ?? "?") \($0["mixed"]?.bool ?? false): \($0.count("diagnostics"))"
      }
      // A payload of several diagnostics is several lines, and a build of two generations one: counts are of diagnostics.
      let merged = Dictionary(
        builds.map { ($0.split(separator: ":")[0], Int($0.split(separator: " ").last ?? "") ?? 0) }, uniquingKeysWith: +
      )
      return
        "\(cluster["id"]?.string ?? "?") \(merged.sorted { $0.key < $1.key }) \(try text(cluster["raw_stacks"]))"
    }.sorted()
  }

  /// Exports what `store` holds and counts the bundle in another store, with the same symbols or none.
  private func again(_ store: Store, symbols: Bool) throws -> JSONValue {
    let bundle = store.folder.entry("bundle")
    let outcome = store.run("export", "--output", bundle)
    #expect(outcome.code == 0 && outcome.errorText.isEmpty, "\(outcome.errorText)")
    let other = try Store()
    if symbols { other.uploadSamples() }
    let report = try other.report([bundle])
    #expect(report["run"]?.count("rejected") == 0 && report["run"]?.count("other_files") == 1)
    return report
  }

  @Test("gives the same signatures, counts and raw stacks as what it was made of")
  func samples() throws {
    let store = try Store()
    store.uploadSamples()
    let report = try store.report([Sample.diagnostics])
    let second = try again(store, symbols: true)
    #expect(try clusters(second) == clusters(report))
    #expect(try text(second["missing_images"]) == text(report["missing_images"]))
  }

  @Test(
    "does so for every form that diagnostics come in",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func corpus() throws {
    let store = try Store()
    let report = try store.report([Corpus.path("metrickit"), Corpus.path("reports")])
    #expect(try clusters(again(store, symbols: false)) == clusters(report))
  }

  @Test("keeps what may be odd about a stack: no image, no name, a tree, a reason of any kind, a mixed build")
  func odd() throws {
    let store = try Store()
    let uuid = "9156BE86-D4B6-3A81-8460-8728FA38C978"
    func crash(_ metadata: String, _ frames: String) -> String {
      #"{"crashDiagnostics":[{"diagnosticMetaData":{\#(metadata)},"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frames)]}]}}]}"#
    }
    let frame = #"{"binaryUUID":"\#(uuid)","offsetIntoBinaryTextSegment":64}"#
    let nested =
      #"{"binaryName":"A","binaryUUID":"\#(uuid)","offsetIntoBinaryTextSegment":1,"sampleCount":9,"subFrames":[{"binaryUUID":"\#(uuid)","offsetIntoBinaryTextSegment":2,"sampleCount":5,"subFrames":[{"sampleCount":2,"address":7}]},{"binaryUUID":"\#(uuid)","offsetIntoBinaryTextSegment":2,"sampleCount":3}]}"#
    let lines = [
      crash(#""signal":9,"exceptionType":10,"exceptionCode":0"#, frame),
      crash(#""signal":9,"exceptionType":10,"exceptionCode":0,"terminationReason":"no code""#, frame),
      crash(#""signal":9,"terminationReason":"Namespace SPRINGBOARD, Code 0xdead10cc""#, frame),
      crash(#""exceptionType":11,"exceptionCode":"0x6000000000000000","signal":-1"#, frame),
      crash(
        #""signal":6,"exceptionReason":{"exceptionName":"NSRangeException","composedMessage":"ada@example.com"}"#, frame
      ),
      crash(#""signal":6"#, ""), crash(#""signal":6"#, "{}"), crash(#""signal":6"#, "\(frame),\(frame),\(frame)"),
      #"{"hangDiagnostics":[{"diagnosticMetaData":{"appBuildVersion":"7"},"callStackTree":{"callStacks":[{"callStackRootFrames":[\#(nested)]}]}}]}"#,
      #"{"includesMultipleApplicationVersions":true,\#(crash(#""signal":5"#, frame).dropFirst())"#,
    ]
    let path = store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "odd.jsonl")
    let report = try store.report([path])
    #expect(report["run"]?.count("accepted_payloads") == lines.count)
    #expect(try clusters(again(store, symbols: false)) == clusters(report))
  }

  @Test("keeps that frames are the app's own, whatever it is called")
  func own() throws {
    let store = try Store()
    func line(_ head: String) -> String {
      #"{"schema":"symclust.stack/1","kind":"crash",\#(head)"threads":[{"frames":[{"function":"a::f(int)"},{"image":"libxml2","function":"g"},{"function":"main"}]}]}"#
    }
    let lines = [line(#""app":"org.example.libxml2","#), line(#""app":"Charts","build":"7","#), line("")]
    let path = store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "own.jsonl")
    let report = try store.report([path])
    #expect(report["clusters"]?.array?.count == 1)
    #expect(try text(report["clusters"]?.array?.first?["blame"]).hasSuffix("!a::f\""))
    #expect(try clusters(again(store, symbols: false)) == clusters(report))
  }

  @Test("says in its manifest what is inside, and that is so")
  func manifest() throws {
    let store = try Store()
    _ = try store.report([Sample.diagnostics])
    let bundle = store.folder.entry("bundle")
    #expect(store.run("export", "--build", "112", "--build", "101", "-o", bundle + "/").code == 0)
    #expect(files(below: bundle) == ["diagnostics.jsonl", "manifest.json"])
    let manifest = try JSONValue.parse(contents(of: bundle + "/manifest.json") ?? [])
    #expect(try SchemaChecker(named: "export").problems(manifest).isEmpty)
    let bytes = try #require(contents(of: bundle + "/diagnostics.jsonl"))
    let file = try #require(manifest["files"]?.array?.first)
    #expect(file["sha256"]?.string == ContentDigest(of: bytes).hex && file.count("bytes") == bytes.count)
    let lines = try jsonLinesIn(bytes)
    #expect(file.count("lines") == lines.count && lines.count > 200)
    #expect(Set(lines.compactMap { $0["build"]?.string }) == ["101", "112"])
    let counts = (manifest["builds"]?.array ?? []).map { $0.count("diagnostics") }
    #expect(counts == ["101", "112"].map { build in lines.count { $0["build"]?.string == build } })
    let checker = try SchemaChecker(named: "stack")
    for line in lines { #expect(checker.problems(line).isEmpty) }
    #expect(Set(lines.compactMap { $0["id"]?.string }).count == lines.count)
    #expect(lines.allSatisfy { $0["time"]?.string?.hasSuffix("T12:00:00Z") != false && $0["device"] == nil })
    #expect(lines.contains { $0["time"] != nil })
  }

  @Test("is never half there, and never written over anything")
  func refusals() throws {
    let store = try Store()
    let absent = store.run("export", "--output", store.folder.entry("bundle"))
    #expect(absent.code == 1 && absent.errorText.contains("store"))
    _ = try store.report([Sample.diagnostics])
    let none = store.run("export", "--build", "9", "--output", store.folder.entry("bundle"))
    #expect(none.code == 1 && none.errorText.contains("no diagnostic to export"))
    let there = store.folder.write([7], to: "there")
    #expect(store.run("export", "--output", there).code == 1)
    #expect(contents(of: there) == [7])
    #expect(store.run("export", "--output", "/proc/bundle").code == 1)
    #expect(store.run("export").code == 64)
    #expect(store.run("export", "--days-in", "CET", "--output", store.folder.entry("bundle")).code == 64)
    #expect(!files(below: store.folder.path).contains { $0.hasPrefix("bundle") || $0.contains("partial") })
  }
}
