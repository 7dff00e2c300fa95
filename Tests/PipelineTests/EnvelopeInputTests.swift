import Bytes
import Diagnostics
import Files
import Identity
import Pipeline
import SignatureStore
import Symbolication
import TestSupport
import Testing

/// A payload of one crash, on one line.
private func crash(_ metadata: String) -> String {
  #"{"crashDiagnostics":[{"diagnosticMetaData":{"signal":11\#(metadata)},"callStackTree":{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978","offsetIntoBinaryTextSegment":64}]}]}}]}"#
}

private func quoted(_ text: String) -> String {
  "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

private func envelope(_ payload: String, kind: String = "diagnostic", build: String? = nil, body: String? = nil)
  -> String
{
  let key = ContentDigest(of: Array(payload.utf8)).hex
  let header = build.map { #","X-App-Build":"\#($0)""# } ?? ""
  return
    #"{"headers":{"X-Report-Kind":"\#(kind)","Idempotency-Key":"\#(key)"\#(header)},"body":\#(body ?? quoted(payload))}"#
}

/// Counts `lines` in a store of its own.
private func count(_ lines: [String]) throws -> (run: RunSummary, report: StoreReport) {
  let folder = try #require(TemporaryFolder("envelopes"))
  let directory = try StoreDirectory(root: folder.entry("store"), creating: true)
  let store = try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName))
  var pipeline = ClusterPipeline(
    store: store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing })), rawTier: directory)
  try pipeline.read([folder.write(Array(lines.joined(separator: "\n").utf8), to: "in.ndjson")])
  for digest in pipeline.summary.payloads { #expect(directory.contains(RawTier.name(digest))) }
  return (pipeline.summary, try store.report())
}

@Suite("Envelopes in a batch")
struct EnvelopeInputTests {
  @Test("count once, however one report was packed")
  func once() throws {
    let payload = crash(#","appBuildVersion":"7""#)
    let (run, report) = try count([
      payload, envelope(payload), envelope(payload, body: payload),
      #"{"kind":"diagnostic","payload":\#(payload),"receivedAt":"2026-05-01T00:00:00Z"}"#,
      envelope(payload, body: quoted(payload) + #","isBase64Encoded":false"#),
    ])
    #expect(run.acceptedPayloads == 1 && run.duplicatePayloads == 4 && run.rejected.isEmpty)
    #expect(run.payloads == [ContentDigest(of: Array(payload.utf8))])
    #expect(report.diagnostics == 1)
  }

  @Test("give the build only to reports that name none, and tell where they contradict")
  func builds() throws {
    let own = crash(#","appBuildVersion":"7""#)
    let none = crash(#","pid":1"#)
    let updated = #"{"includesMultipleApplicationVersions":true,\#(none.dropFirst())"#
    let (run, report) = try count([
      envelope(own, build: "8"), envelope(none, build: "9"), envelope(crash(""), build: "unknown"),
      envelope(updated, build: "10"),
    ])
    #expect(run.acceptedPayloads == 4)
    #expect(run.notes["build_header_mismatch"] == 1)
    #expect(report.builds.map(\.build.build) == [nil, "7", "9", nil])
    #expect(report.builds.map(\.build.isMixed) == [false, false, false, true])
  }

  @Test("are refused with a reason, and cost their neighbours nothing")
  func refused() throws {
    let good = crash("")
    let (run, _) = try count([
      envelope(good).replacing("X-Report-Kind", with: "X-Kind"), envelope(good, kind: "analytics"),
      envelope(good, body: quoted(good + " ")), envelope(good, body: "null"), envelope(good),
    ])
    #expect(run.acceptedPayloads == 1)
    #expect(
      run.rejectedByReason == [
        "missing_report_kind": 1, "other_report_kind": 1, "idempotency_key_mismatch": 1, "envelope_without_body": 1,
      ])
    #expect(run.rejected.map(\.line) == [1, 2, 3, 4])
  }

  @Test("whose body was written anew on its way are taken, and said so")
  func rewritten() throws {
    let payload = crash("")
    let (run, _) = try count([envelope(payload, body: payload.replacing(":11", with: ": 11"))])
    #expect(run.acceptedPayloads == 1 && run.notes["idempotency_key_unverified"] == 1)
  }

  @Test("are opened for reading alone, too")
  func readOnly() throws {
    let folder = try #require(TemporaryFolder("envelopes"))
    let metrics = #"{"cpuMetrics":{},"metaData":{}}"#
    let lines = [envelope(crash(""), build: "9"), envelope(metrics, kind: "metric"), envelope("{}", kind: "x")]
    let path = folder.write(Array(lines.joined(separator: "\n").utf8), to: "in.ndjson")
    var builds: [String?] = []
    var reasons: [String] = []
    DiagnosticReader().read([path], reject: { reasons.append($0.reason) }) { (_, payload) throws(Never) in
      builds += payload.diagnostics.map(\.metadata.appBuildVersion)
    }
    #expect(builds == ["9"] && reasons == ["metric_payload", "other_report_kind"])
  }

  @Test("tell when they name the wrong kind; what a report is, its keys tell")
  func kinds() throws {
    let metrics = #"{"cpuMetrics":{},"metaData":{"appBuildVersion":"7"},"timeStampEnd":"2026-05-02 06:59:00"}"#
    let (run, report) = try count([
      envelope(metrics, kind: "metric"), envelope(crash(""), kind: "metrics"),
      envelope(metrics.replacing("\"7\"", with: "\"8\""), kind: "diagnostics"),
    ])
    #expect(run.notes["report_kind_mismatch"] == 2)
    #expect(run.metricPayloads == 2 && run.reportDays == 2 && report.payloads == [.metrics: 2, .v1: 1])
  }
}
