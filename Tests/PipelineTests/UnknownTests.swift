import Diagnostics
import Files
import Pipeline
import SignatureStore
import Symbolication
import TestSupport
import Testing

@Suite("What a document says that nobody knows yet")
struct UnknownTests {
  private func summary(_ lines: [String]) throws -> (run: RunSummary, report: StoreReport) {
    let folder = try #require(TemporaryFolder("unknown"))
    let directory = try StoreDirectory(root: folder.entry("store"), creating: true)
    let store = try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName))
    var pipeline = ClusterPipeline(
      store: store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing })))
    try pipeline.read([folder.write(Array(lines.joined(separator: "\n").utf8), to: "in.jsonl")])
    return (pipeline.summary, try store.report())
  }

  private let tree =
    #""callStackTree":{"callStackThreads":[{"threadAttributed":true,"rootFrames":[{"binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978","offsetIntoBinaryTextSegment":64}]}]}"#

  private func report(_ result: String, states: String = "") -> String {
    #"{"version":"2.0.0","timeRange":{"begin":1,"end":2},"\#(result)":{\#(tree)},"environment":{"states":[\#(states)]}}"#
  }

  @Test("is kept and counted by its name, and what is no name is not")
  func results() throws {
    let (run, report) = try summary([
      report("batteryDiagnostic"), report("batteryDiagnostic", states: "{}"), report("ada@example.comDiagnostic"),
      report("crashDiagnostic").replacing(#""version""#, with: #""novelty":[{}],"version""#),
    ])
    #expect(run.acceptedDiagnostics == 4 && run.unknownResults == ["batteryDiagnostic": 2, "<redacted>": 1])
    #expect(run.notes["unknown_kind"] == 3 && run.unknownKeys == 1)
    #expect(report.clusters.map(\.kind.rawValue).sorted() == ["crash", "unknown"])
  }

  @Test("about states is counted for each cluster; what may be a person's is dropped and its domain told")
  func states() throws {
    func state(_ domain: String, _ label: String) -> String { #"{"domain":"\#(domain)","label":"\#(label)"}"# }
    let (run, report) = try summary([
      report("crashDiagnostic", states: state("player", "buffering") + "," + state("screen", "editor")),
      report("crashDiagnostic", states: state("player", "buffering") + "," + state("user", "ada@example.com")),
      report("crashDiagnostic", states: state("player", "paused") + "," + state("/Users/ada", "x")),
    ])
    let states = try #require(report.clusters.first?.states)
    #expect(
      states == [
        StateCount(domain: "player", label: "buffering", diagnostics: 2, carrying: 3),
        StateCount(domain: "player", label: "paused", diagnostics: 1, carrying: 3),
        StateCount(domain: "screen", label: "editor", diagnostics: 1, carrying: 1),
      ])
    #expect(run.droppedStates == ["user": 1, "": 1])
  }

  @Test("does not fill the report, however many names there are")
  func many() throws {
    let (run, _) = try summary((0..<1_100).map { report("x\($0)yDiagnostic") })
    #expect(run.unknownResults.count == 1_001 && run.unknownResults["other"] == 100)
  }
}
