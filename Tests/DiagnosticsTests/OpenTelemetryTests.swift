import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

private func frame(_ name: String, _ offset: String, uuid: String = appUUID) -> String {
  #"{"binaryUUID":"\#(uuid)","binaryName":"\#(name)","offsetAddress":\#(offset)}"#
}

private func tree(_ frames: String...) -> String {
  #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackFrames":[\#(frames.joined(separator: ","))]}]}"#
}

private func quoted(_ text: String) throws -> String {
  var writer = JSONWriter()
  writer.string(text)
  return String(decoding: try writer.finish(), as: UTF8.self)
}

@Suite("OpenTelemetry's stacks")
struct OpenTelemetryTests {
  @Test("are flat, in the order that the data tells")
  func order() throws {
    let crash = try read(tree(frame("App", "165304"), frame("libdyld.dylib", "6948", uuid: otherUUID)))
    #expect(crash.format == .openTelemetry)
    #expect(lines(crash.diagnostics[0]) == ["App!+165304", "libdyld.dylib!+6948"])
    #expect(crash.diagnostics[0].stacks[0].order == .innermostFirst)
    #expect(crash.diagnostics[0].stacks[0].orderBasis == .data)
    #expect(crash.diagnostics[0].stacks[0].isAttributed == true)
    let hang = try read(tree(frame("dyld", "7", uuid: otherUUID), frame("App", "9"))).diagnostics[0]
    #expect(hang.stacks[0].order == .outermostFirst)
    #expect(hang.kind == .unknown)
    let neither = try read(tree(frame("App", "7"), frame("App", "9"))).diagnostics[0]
    #expect(neither.stacks[0].order == .innermostFirst && neither.stacks[0].orderBasis == .assumed)
  }

  @Test("are found in attributes and in an OTLP export, with what is known of the app")
  func wrapped() throws {
    let text = try quoted(tree(frame("App", "7")))
    let flat = try read(
      #"{"name":"metrickit.diagnostic.hang","exception.stacktrace":\#(text),"service.version":"2.1","os.name":"iOS","os.version":"18.5","os.build_id":"22F76"}"#
    )
    #expect(flat.format == .openTelemetry)
    #expect(flat.diagnostics[0].kind == .hang)
    #expect(flat.diagnostics[0].metadata.osVersion == "iOS 18.5 (22F76)")
    #expect(flat.diagnostics[0].metadata.appVersion == "2.1")
    let export =
      #"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"com.example"}}]},"scopeLogs":[{"scope":{"name":"MetricKit"},"logRecords":["#
      + #"{"attributes":[{"key":"metrickit.diagnostic.crash.exception.signal","value":{"intValue":"11"}},{"key":"exception.stacktrace","value":{"stringValue":\#(text)}}]},"#
      + #"{"attributes":[{"key":"exception.stacktrace","value":{"stringValue":\#(text)}},{"key":"event.name","value":{"stringValue":"x"}}]}]}]}]}"#
    let payload = try read(export)
    #expect(payload.diagnostics.map(\.kind) == [.crash, .unknown])
    #expect(payload.diagnostics.map(\.metadata.signal) == [11, nil])
    #expect(payload.diagnostics.map(\.metadata.bundleIdentifier) == ["com.example", "com.example"])
    #expect(payload.diagnostics.map(\.ordinal) == [0, 1])
    #expect(payload.diagnostics.allSatisfy { lines($0) == ["App!+7"] })
    let envelope = try read(#"{"payload":\#(tree(frame("App", "7")))}"#)
    #expect(envelope.format == .openTelemetry && lines(envelope.diagnostics[0]) == ["App!+7"])
  }

  @Test("of systems that put the load address in place of the offset lose it")
  func loadAddress() throws {
    let read = try read(tree(frame("App", "4303568896"), frame("App", "12"))).diagnostics[0]
    #expect(lines(read) == ["App!", "App!+12"])
    #expect(read.notes.map(\.code) == ["offset_unusable"])
  }

  @Test("do not take what is MetricKit's")
  func metricKit() throws {
    let stacks =
      #"{"callStacks":[{"callStackRootFrames":[{"binaryName":"App","binaryUUID":"\#(appUUID)","address":4096}]}]}"#
    #expect(try read(stacks).format == .metricKit1)
    #expect(try read(#"{"callStacks":[]}"#).format == .metricKit1)
    #expect(refusal(of: #"{"note":"callStackFrames"}"#)?.reason == .noDiagnostics)
  }

  @Test("note what cannot be read, and read the rest")
  func damage() throws {
    let read = try read(
      #"{"callStacks":[7,{"callStackFrames":[1,{"binaryUUID":"x","offsetAddress":-1},{"binaryUUID":"","offsetAddress":1.5},{"offsetAddress":"0x10","binaryName":"A"}]},{"callStackFrames":{}}]}"#
    ).diagnostics[0]
    #expect(lines(read) == ["-!", "-!", "A!+16"])
    #expect(
      read.notes.map(\.code) == [
        "stack_unreadable", "frame_unreadable", "bad_uuid", "bad_number", "bad_number", "stack_unreadable",
      ])
  }

  @Test("that are damaged anywhere are read or refused")
  func hostile() throws {
    try survivesDamage(tree(frame("App", "165304"), frame("libdyld.dylib", "6948")))
    try survivesDamage(#"{"exception.stacktrace":\#(quoted(tree(frame("App", "7"))))}"#)
  }
}
