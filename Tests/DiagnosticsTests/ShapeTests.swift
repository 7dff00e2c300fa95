import Diagnostics
import Identity
import JSON
import Testing

private let tree =
  #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frame(uuid: appUUID, offset: 4096, address: 4_294_971_392))]}]}"#
private let crash =
  #"{"version":"1.0.0","callStackTree":\#(tree),"diagnosticMetaData":{"signal":11,"appBuildVersion":"812"}}"#
private let payload = #"{"timeStampBegin":"b","timeStampEnd":"e","crashDiagnostics":[\#(crash)]}"#

private func quoted(_ text: String) throws -> String {
  var writer = JSONWriter()
  writer.string(text)
  return String(decoding: try writer.finish(), as: UTF8.self)
}

@Suite("The wrappings of a diagnostic")
struct ShapeTests {
  @Test(
    "all lead to it",
    arguments: try [
      payload, crash, #"{"callStackTree":\#(tree)}"#, tree,
      "[\(payload)]", "[[\(crash)]]", #"{"payload":\#(payload)}"#, #"{"payload":[\#(crash)],"receivedAt":"now"}"#,
      #"{"payload":{"report":{"diagnostics":[\#(tree)]}}}"#, #"{"payload":\#(quoted(payload))}"#, "[\(quoted(crash))]",
      #"{"callStackTree":\#(quoted(tree)),"appBuildVersion":"812","signal":11}"#,
      #"{"type":"crash","callStack":\#(quoted(tree))}"#, #"{"crashDiagnostics":[\#(quoted(crash))]}"#,
      #"{"crashDiagnostic":\#(crash)}"#, "\u{feff}\(payload)", "\n \(tree) \n",
    ])
  func accepted(text: String) throws {
    let read = try read(text)
    #expect(read.diagnostics.count == 1)
    let diagnostic = try #require(read.diagnostics.first)
    #expect(diagnostic.ordinal == 0)
    #expect(diagnostic.stacks.count == 1)
    #expect(
      diagnostic.stacks[0].frames == [
        RawFrame(parent: -1, image: 0, address: 4_294_971_392, offset: 4096, offsetBasis: .offset)
      ])
    #expect(diagnostic.images.map(\.debugID?.description) == [appUUID])
    #expect(diagnostic.kind == (text.contains("crash") || text.contains("signal") ? .crash : .unknown))
    #expect(diagnostic.metadata.appBuildVersion == (text.contains("812") ? "812" : nil))
    #expect(read.notes.isEmpty)
    #expect(diagnostic.notes.isEmpty)
  }

  @Test("may come in any order of keys; the window of the payload reaches the diagnostics before it")
  func keyOrder() throws {
    let text =
      #"{"crashDiagnostics":[{"diagnosticMetaData":{"signal":6},"callStackTree":\#(tree)}],"timeStampEnd":"e","timeStampBegin":"b"}"#
    let payload = try read(text)
    #expect(payload.timeStampBegin == "b")
    #expect(payload.diagnostics[0].metadata.timeStampBegin == "b")
    #expect(payload.diagnostics[0].metadata.timeStampEnd == "e")
  }

  @Test("keep the window of each payload in an array")
  func severalPayloads() throws {
    let second = payload.replacing("\"b\"", with: "\"b2\"")
    let read = try read("[\(payload),\(second)]")
    #expect(read.diagnostics.map(\.metadata.timeStampBegin) == ["b", "b2"])
    #expect(read.diagnostics.map(\.ordinal) == [0, 1])
    #expect(read.timeStampBegin == "b")
  }

  @Test("number the diagnostics in document order, with gaps where one could not be read")
  func ordinals() throws {
    let read = try read(
      #"{"hangDiagnostics":[\#(crash),null,7],"crashDiagnostics":["x",\#(crash)],"appLaunchDiagnostics":[{}]}"#)
    #expect(read.diagnostics.map(\.ordinal) == [0, 4, 5])
    #expect(read.diagnostics.map(\.kind) == [.hang, .crash, .appLaunch])
    #expect(read.notes.map(\.code) == ["diagnostic_unreadable", "diagnostic_unreadable", "diagnostic_unreadable"])
    #expect(read.diagnostics[2].notes.map(\.code) == ["no_stack"])
  }

  @Test("number a diagnostic in a text like any other, readable or not")
  func embeddedOrdinals() throws {
    let texts = try ["{", "{]", crash, "[]", "{\"a\":"].map { try quoted($0) }.joined(separator: ",")
    let read = try read(#"{"crashDiagnostics":[\#(texts),\#(crash)]}"#)
    #expect(read.diagnostics.map(\.ordinal) == [2, 5])
    #expect(read.notes.count == 4)
  }

  @Test("do not let a bad neighbour cost a good one")
  func neighbours() throws {
    let v2 = #"{"version":"2.0.0","crashDiagnostic":{}}"#
    let metric = #"{"cpuMetrics":{"cumulativeCPUTime":"1 sec"},"appVersion":"2.1"}"#
    let read = try read(#"[\#(v2),\#(metric),{"x":1},5,\#(quoted("{\"callStacks\":[")),\#(crash)]"#)
    #expect(read.diagnostics.map(\.kind) == [.crash])
    #expect(
      read.notes.map(\.code) == [
        "not_a_diagnostic", "not_a_diagnostic", "not_a_diagnostic", "embedded_text_unreadable",
      ])
    #expect(read.notes[0].place == "byte 1")
    #expect(read.metrics.map(\.metadata.appVersion) == ["2.1"])
    #expect(read.notes[3].place.hasSuffix("unexpected end at byte 15"))
  }

  @Test("tell the kind by the metadata when nothing else does")
  func kinds() throws {
    for (member, kind) in [
      (#""exceptionType":1"#, DiagnosticKind.crash), (#""hangDuration":"20 sec""#, .hang),
      (#""totalCPUTime":"20 sec""#, .cpuException), (#""writesCaused":"2,000 byte""#, .diskWriteException),
      (#""launchDuration":"20000 ms""#, .appLaunch), (#""appVersion":"1""#, .unknown),
    ] {
      #expect(try read(#"{"callStackTree":\#(tree),"diagnosticMetaData":{\#(member)}}"#).diagnostics[0].kind == kind)
      #expect(try read(#"{"callStackTree":\#(tree),\#(member)}"#).diagnostics[0].kind == kind)
    }
    let both = try read(#"{"callStackTree":\#(tree),"diagnosticMetaData":{"signal":9,"hangDuration":"1 sec"}}"#)
      .diagnostics[0]
    #expect(both.kind == .crash)
    #expect(both.notes.map(\.code) == ["kind_ambiguous"])
  }

  @Test("let the last of two equal names count, and say so")
  func duplicates() throws {
    let read = try read(
      #"{"crashDiagnostics":[\#(crash),\#(crash)],"hangDiagnostics":[\#(crash)],"crashDiagnostics":[\#(crash)]}"#)
    #expect(read.diagnostics.map(\.kind) == [.hang, .crash])
    #expect(read.diagnostics.map(\.ordinal) == [2, 3])
    #expect(read.notes.map(\.code) == ["duplicate_key"])

    let trees = try read2(#"{"callStackTree":{"callStacks":[{},{}]},"callStackTree":\#(tree)}"#)
    #expect(trees.stacks.map(\.frames.count) == [1])
    #expect(trees.notes.map(\.code) == ["duplicate_key"])
    let twice = try read2(#"{"signal":1,"diagnosticMetaData":{"signal":2,"signal":3},"callStackTree":\#(tree)}"#)
    #expect(twice.metadata.signal == 3)
  }

  private func read2(_ text: String) throws -> Diagnostic { try read(text).diagnostics[0] }

  @Test("may be a thousand levels of nothing, which is passed over")
  func deepEnvelopes() throws {
    let deep = String(repeating: #"{"payload":["#, count: 500) + String(repeating: "]}", count: 500)
    let read = try read(#"[\#(deep),\#(crash)]"#)
    #expect(read.diagnostics.count == 1)
    #expect(read.notes.map(\.code).contains("envelope_too_deep"))
  }

  @Test("may hold no diagnostic at all, as long as it is a payload")
  func emptyPayload() throws {
    #expect(try read(#"{"crashDiagnostics":[]}"#).diagnostics.isEmpty)
    #expect(try read(#"{"hangDiagnostics":null}"#).diagnostics.isEmpty)
  }
}

@Suite("Documents that are no diagnostics")
struct RefusalTests {
  @Test(
    "are refused for a named reason at a named place",
    arguments: [
      ("", .empty, nil), (" \n ", .empty, nil), ("\u{feff}", .empty, nil), ("{", .truncated, 1),
      (#"{"a":1"#, .truncated, 6), ("{]", .notJSON, 1), ("hello", .notJSON, 0), ("<html>", .notJSON, 0),
      ("{}{}", .severalDocuments, 2), (#"{"callStacks":[]} x"#, .severalDocuments, 18),
      ("{\n    a = 1;\n}", .propertyListDescription, nil), ("{\n    \"a-b\" =     {\n", .propertyListDescription, nil),
      ("(\n    {\n  a = 1;", .propertyListDescription, nil),
      (#"[{"memoryMetrics":{}}]"#, .noDiagnostics, nil),
      (#"{"timeRange":{},"environment":{}}"#, .v2WithoutDiagnostic, nil),
      (#"{"version":"2.0.0","hangDiagnostic":{}}"#, .v2WithoutDiagnostic, nil),
      (#"{"version":"2.0.0","crashDiagnostic":{},"crashDiagnostics":[{}]}"#, .mixedVersions, nil),
      (#"{"callStackTree":{"callStackThreads":[],"callStacks":[]}}"#, .mixedVersions, nil),
      ("{\"bug_type\":\"309\"}\n{\"threads\":[]}", .ipsReport, nil),
      (#"{"bug_type":"309","threads":[]}"#, .ipsReport, nil),
      ("Incident Identifier: 1\nHardware Model: x", .textCrashReport, nil),
      ("{}", .noDiagnostics, nil), ("[]", .noDiagnostics, nil), ("7", .noDiagnostics, nil),
      ("null", .noDiagnostics, nil),
      (#"{"version":"2.0.0"}"#, .noDiagnostics, nil), (#"{"data":"text"}"#, .noDiagnostics, nil),
    ] as [(String, PayloadRefusal.Reason, Int?)])
  func refused(text: String, reason: PayloadRefusal.Reason, offset: Int?) {
    let error = refusal(of: text)
    #expect(error?.reason == reason)
    #expect(error?.place?.offset == offset)
  }

  @Test("say it in a sentence with line and column")
  func sentences() {
    #expect(
      refusal(of: "{\n  \"a\": tru3\n}")?.description
        == "not JSON: unexpected character, at line 2, column 11 (byte 12)")
    #expect(
      refusal(of: "{\n")?.description == "truncated JSON: it ends inside the document, at line 2, column 1 (byte 2)")
    #expect(refusal(of: #"{"gpuMetrics":{}}"#)?.description == "JSON without any diagnostic")
  }
}
