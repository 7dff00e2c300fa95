import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

/// MetricKit v2 (iOS 27): what betas wrote, and what Swift's own coding would.
@Suite("Reports of MetricKit v2")
struct Version2Tests {
  private static let uuid = "11111111-1111-1111-1111-111111111111"
  private let id = DebugID(uuid)

  private func tree(_ binaryInfo: String = #"[{"uuid":"\#(uuid)","name":"Shop"}]"#) -> String {
    #"""
    {"callStackPerThread":true,"binaryInfo":\#(binaryInfo),"callStackThreads":[{"threadAttributed":true,"rootFrames":[\#
    {"binaryUUID":"\#(Self.uuid)","address":4295000010,"offsetIntoBinaryTextSegment":32714,"subFrames":[\#
    {"offsetIntoBinaryTextSegment":12,"sampleCount":2,"subFrames":[]}]}]}]}
    """#
  }

  private let environment = #"""
    {"platformArchitecture":"arm64e","isTestFlightApp":false,"bundleIdentifier":"com.example.app",\#
    "osVersion":{"platform":"iPhone OS","number":"27.0","buildNumber":"24A5380h"},"deviceType":"iPhone17,2",\#
    "applicationBuildVersion":"12","pid":-1,"regionFormat":"US","lowPowerModeEnabled":true,"applicationVersion":"1.0",\#
    "signpostData":[{"subsystem":"com.example","category":"feed","name":"load","interval":{}}],\#
    "states":[{"domain":"player","label":"buffering","duration":3}]}
    """#

  private func report(_ result: String, time: String = #"{"begin":802000000.0,"end":802000060}"#) -> String {
    #"{"timeRange":\#(time),\#(result),"environment":\#(environment),"version":"2.0.0"}"#
  }

  private func read(_ text: String) throws -> Payload { try PayloadReader().read(ByteView(Array(text.utf8))) }

  @Test("give the diagnostic, the environment in the words of v1, and the interval")
  func whole() throws {
    let payload = try read(
      report(#""crashDiagnostic":{"callStackTree":\#(tree()),"signal":9,"exceptionType":10,"exceptionCode":0}"#))
    #expect(payload.format == .metricKit2)
    let crash = try #require(payload.diagnostics.first)
    #expect(payload.diagnostics.count == 1)
    #expect(crash.kind == .crash)
    #expect(crash.isPerThread == true)
    #expect(crash.images == [ImageReference(debugID: id, name: "Shop")])
    #expect(crash.stacks.map(\.isAttributed) == [true])
    #expect(crash.stacks[0].frames.map(\.offset) == [32714, 12])
    #expect(crash.stacks[0].frames.map(\.parent) == [-1, 0])
    #expect(crash.stacks[0].order == .innermostFirst)
    let metadata = crash.metadata
    #expect(metadata.osVersion == "iPhone OS 27.0 (24A5380h)")
    #expect(metadata.appVersion == "1.0" && metadata.appBuildVersion == "12")
    #expect(metadata.bundleIdentifier == "com.example.app" && metadata.deviceType == "iPhone17,2")
    #expect(metadata.signal == 9 && metadata.exceptionType == 10 && metadata.exceptionCode == 0 && metadata.pid == -1)
    #expect(metadata.timeStampBegin == "2026-06-01T09:46:40Z" && metadata.timeStampEnd == "2026-06-01T09:47:40Z")
    #expect(crash.context.states == [.init(domain: "player", label: "buffering")])
    #expect(crash.context.signposts == ["com.example/feed/load"])
    #expect(payload.notes.isEmpty && crash.notes.isEmpty)
  }

  @Test(
    "have one result each, named by its key",
    arguments: [
      ("crash", DiagnosticKind.crash), ("hang", .hang), ("cpuException", .cpuException),
      ("diskWriteException", .diskWriteException), ("appLaunch", .appLaunch), ("memoryException", .memoryException),
    ])
  func kinds(name: String, kind: DiagnosticKind) throws {
    for result in [
      #""\#(name)Diagnostic":{"callStackTree":\#(tree())}"#,
      // As Swift codes an enumeration with a value.
      #""result":{"\#(name)":{"_0":{"callStackTree":\#(tree())}}}"#,
    ] {
      let payload = try read(report(result))
      #expect(payload.diagnostics.map(\.kind) == [kind])
      #expect(payload.format == .metricKit2)
      #expect(payload.diagnostics[0].metadata.appBuildVersion == "12")
    }
  }

  @Test("with a result that nobody knows yet keep its stacks and its name")
  func unknownResult() throws {
    let value = #"{"callStackTree":\#(tree()),"charge":3}"#
    for (result, name, unknownKeys) in [
      (#""batteryDiagnostic":\#(value)"#, "batteryDiagnostic", 1),
      (#""result":{"battery":\#(value)}"#, "battery", 2),
      (#""result":{"battery":{"_0":\#(value)}}"#, "battery", 2),
    ] {
      let payload = try read(report(result))
      #expect(payload.format == .metricKit2)
      #expect(payload.diagnostics.map(\.kind) == [.unknown])
      #expect(payload.diagnostics[0].stacks[0].frames.count == 2)
      #expect(payload.diagnostics[0].metadata.appBuildVersion == "12")
      #expect(payload.unknownKeys == unknownKeys)
      #expect(payload.notes.map(\.code) == ["unknown_kind"])
      #expect(payload.notes.map(\.place) == [name])
    }
  }

  @Test("whose result holds other things beside it are read as if it stood alone")
  func envelope() throws {
    let result = #""hang":{"_0":{"callStackTree":\#(tree())}}"#
    let payload = try read(report(#""result":{"status":"ok","meta":{"id":7},\#(result)}"#))
    #expect(payload.diagnostics.map(\.kind) == [.hang])
    #expect(payload.notes.isEmpty)
    #expect(payload.unknownKeys == 3)
  }

  @Test(
    "name their images in an array, in turn, or as members",
    arguments: [
      #"[{"uuid":"\#(uuid)","name":"Shop"}]"#, #"["\#(uuid)",{"name":"Shop"}]"#, #"["\#(uuid)","Shop"]"#,
      #"{"\#(uuid)":{"uuid":"\#(uuid)","name":"Shop"}}"#, #"{"\#(uuid)":"Shop"}"#,
    ])
  func binaryInfo(text: String) throws {
    let payload = try read(report(#""hangDiagnostic":{"callStackTree":\#(tree(text))}"#))
    #expect(payload.diagnostics[0].images == [ImageReference(debugID: id, name: "Shop")])
  }

  @Test(arguments: ["[]", "null", "7", #"[{"uuid":1}]"#, #"{"x":{"name":"Shop"}}"#])
  func `whose images have no names are read all the same`(text: String) throws {
    let payload = try read(report(#""hangDiagnostic":{"callStackTree":\#(tree(text))}"#))
    #expect(payload.diagnostics[0].images == [ImageReference(debugID: id, name: nil)])
  }

  @Test(
    "state their time in any of these ways",
    arguments: [
      (#"{"begin":802000000,"end":802000060}"#, "2026-06-01T09:46:40Z", "2026-06-01T09:47:40Z"),
      (#"{"start":802000000,"duration":60}"#, "2026-06-01T09:46:40Z", "2026-06-01T09:47:40Z"),
      (#"{"begin":1780307600,"end":1780307660}"#, "2026-06-01T09:53:20Z", "2026-06-01T09:54:20Z"),
      (#"{"begin":1780307600000,"end":1780307660000}"#, "2026-06-01T09:53:20Z", "2026-06-01T09:54:20Z"),
      (#"{"begin":"2026-06-01T09:46:40Z","end":"x"}"#, "2026-06-01T09:46:40Z", "x"),
      (#"{"begin":1e300}"#, nil, nil), ("[]", nil, nil),
    ] as [(String, String?, String?)])
  func times(text: String, begin: String?, end: String?) throws {
    let payload = try read(report(#""hangDiagnostic":{"callStackTree":\#(tree())}"#, time: text))
    #expect(payload.diagnostics[0].metadata.timeStampBegin == begin)
    #expect(payload.diagnostics[0].metadata.timeStampEnd == end)
  }

  @Test("give measurements with their unit, and words wrapped in a value")
  func measurements() throws {
    let hang = try read(
      report(#""hangDiagnostic":{"callStackTree":\#(tree()),"hangDuration":{"value":1500,"unit":"ms"}}"#))
    #expect(hang.diagnostics[0].metadata.hangDuration == "1500 ms")
    let disk = try read(
      report(
        #""diskWriteExceptionDiagnostic":{"callStackTree":\#(tree()),"totalBytesWritten":{"value":2,"unit":{"symbol":"GB"}}}"#
      ))
    #expect(disk.diagnostics[0].metadata.writesCaused == "2 GB")
    let crash = try read(
      report(
        #""crashDiagnostic":{"callStackTree":\#(tree()),"terminationReason":{"rawValue":"code:0x8BADF00D"},"terminationCategory":{"rawValue":"watchdog"}}"#
      ))
    #expect(crash.diagnostics[0].metadata.terminationReason == "code:0x8BADF00D")
    #expect(crash.diagnostics[0].metadata.terminationCategory == "watchdog")
  }

  @Test("keep of states and signposts what names nobody, and count the rest")
  func context() throws {
    let states =
      [
        ("user", "ada@example.com"), ("file", "/var/mobile/x"), ("id", "12345678"),
        ("long", String(repeating: "x", count: 65)),
        ("", "empty"), ("fine", "ok"),
      ].map { #"{"domain":"\#($0)","label":"\#($1)"}"# } + (0..<40).map { #"{"domain":"d","label":"l\#($0)"}"# }
    let text = report(#""hangDiagnostic":{"callStackTree":\#(tree())}"#)
      .replacing(#"[{"domain":"player","label":"buffering","duration":3}]"#, with: "[\(states.joined(separator: ","))]")
    let context = try read(text).diagnostics[0].context
    #expect(context.states.count == 16)
    #expect(context.states.first == .init(domain: "fine", label: "ok"))
    #expect(context.droppedCount == 46 - 16)
  }

  @Test("that also hold keys of v1 are refused whole")
  func mixed() throws {
    let v1 = #"{"callStackTree":{"callStacks":[]},"diagnosticMetaData":{}}"#
    for text in [
      report(#""crashDiagnostic":{"callStackTree":\#(tree())},"crashDiagnostics":[\#(v1)]"#),
      report(#""crashDiagnostic":\#(v1)"#),
    ] {
      #expect(throws: PayloadRefusal(.mixedVersions)) { try read(text) }
    }
    // A neighbour is not refused with it.
    let both = try read("[\(report(#""crashDiagnostic":\#(v1)"#)),\(v1)]")
    #expect(both.diagnostics.count == 1)
    #expect(both.notes.map(\.code) == ["mixed_versions"])
  }

  @Test("cut anywhere end in a refusal", arguments: [1, 7])
  func cut(step: Int) throws {
    let bytes = Array(report(#""crashDiagnostic":{"callStackTree":\#(tree())}"#).utf8)
    for end in stride(from: 1, to: bytes.count - 1, by: step) {
      #expect(throws: PayloadRefusal.self) { try PayloadReader().read(ByteView(Array(bytes[..<end]))) }
    }
  }
}
