import Diagnostics
import Identity
import TestSupport
import Testing

private func log(_ stacks: String, metadata: String = #""event":"disk writes","writesCaused":"1 MB""#) -> String {
  #"{"diagnosticMetaData":{\#(metadata)},"callStackTree":[{"callStackPerThread":false,"callStacks":[\#(stacks)]}]}"#
}

private func document(_ logs: String...) -> String {
  #"{"productData":[{"signatureId":"s","diagnosticInsights":[{"insightsString":"x"}],"diagnosticLogs":[\#(logs.joined(separator: ","))]}],"version":"1.0"}"#
}

private func stack(_ frames: String) -> String { #"{"callStackRootFrames":[\#(frames)]}"# }

private let pair =
  #"{"subFrames":[{"symbolName":"inner","binaryName":"App","binaryUUID":"\#(appUUID)","address":"0x102f48b78","lineNumber":"7","#
  + #""fileName":"a.swift","isBlameFrame":true,"sampleCount":2,"offsetIntoBinaryTextSegment":""}],"#
  + #""symbolName":"outer","binaryName":"libdispatch.dylib","sampleCount":5,"offsetIntoBinaryTextSegment":"4096"}"#

@Suite("App Store Connect's logs")
struct AppStoreConnectTests {
  @Test("are trees, outermost first, with the names that Apple found")
  func tree() throws {
    let payload = try read(document(log(stack(pair))))
    #expect(payload.format == .appStoreConnect)
    let read = payload.diagnostics[0]
    #expect(lines(read) == ["libdispatch.dylib!outer+4096", "App!inner"])
    #expect(read.stacks[0].order == .outermostFirst)
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0])
    #expect(read.stacks[0].frames.map(\.sampleCount) == [5, 2])
    #expect(read.stacks[0].frames[1].address == 0x1_02f4_8b78)
    #expect(read.symbols[1] == ReportedSymbol(function: "inner", file: "a.swift", line: 7))
    #expect(read.stacks[0].isAttributed == true)
    #expect(read.isPerThread == false)
    #expect(read.notes.isEmpty)
  }

  @Test(
    "tell their kind by the event",
    arguments: [
      ("disk writes", DiagnosticKind.diskWriteException), ("hang", .hang), ("Hangs", .hang), ("launches", .appLaunch),
      ("cpu usage", .cpuException), ("tea", .unknown),
    ])
  func kinds(event: String, kind: DiagnosticKind) throws {
    let read = try read(
      document(
        log(
          stack(pair),
          metadata:
            #""event":"\#(event)","eventDetail":"2.5 secs","bundleId":"com.a","buildVersion":"7","deviceType":"iPhone13_3""#
        ))
    ).diagnostics[0]
    #expect(read.kind == kind)
    #expect(read.stacks[0].order == .outermostFirst)
    #expect(read.metadata.bundleIdentifier == "com.a" && read.metadata.appBuildVersion == "7")
    #expect(read.metadata.deviceType == "iPhone13,3")
    #expect(read.metadata.hangDuration == (kind == .hang ? "2.5 secs" : nil))
    #expect(read.metadata.launchDuration == (kind == .appLaunch ? "2.5 secs" : nil))
  }

  @Test("are read alone, as a list, and several of them in several products")
  func wrappings() throws {
    let one = log(stack(pair))
    #expect(try read(one).format == .appStoreConnect)
    #expect(try read(#"{"diagnosticLogs":[\#(one),\#(one)]}"#).diagnostics.map(\.ordinal) == [0, 1])
    let twice = document(one, one).replacing(
      "\"productData\":[", with: "\"productData\":[{\"diagnosticLogs\":[\(one)]},")
    #expect(try read(twice).diagnostics.count == 3)
    #expect(try read(document()).diagnostics.isEmpty)
    // Metrics come under the same name.
    #expect(refusal(of: #"{"productData":[{"metricCategories":[]}]}"#)?.reason == .noDiagnostics)
    // A tree that is an object is MetricKit's.
    let tree = #"{"callStackTree":{"callStacks":[{"callStackRootFrames":[\#(frame(uuid: appUUID, offset: 1))]}]}}"#
    #expect(try read(tree).format == .metricKit1)
  }

  @Test("fall back on the raw frame")
  func rawFrames() throws {
    let raw = #"{"rawFrame":"44 a::f(int) (in libx.dylib) + 32 (init.c:1466) [0x19f7cda84]"}"#
    let read = try read(
      document(log(stack(raw + #",{"rawFrame":"3 ??? (App + 77) [0x104d]","symbolName":""},{"rawFrame":"?"}"#)))
    ).diagnostics[0]
    #expect(lines(read) == ["libx.dylib!a::f(int)", "App!+77", "-!"])
    #expect(read.symbols[0] == ReportedSymbol(function: "a::f(int)", file: "init.c", line: 1466))
    #expect(read.stacks[0].frames[0].address == 0x1_9f7c_da84)
    #expect(read.stacks[0].frames.map(\.sampleCount) == [44, 3, nil])
  }

  @Test("may be deeper than any JSON parser of Foundation goes")
  func depth() throws {
    let deep =
      String(repeating: #"{"symbolName":"f","binaryName":"App","subFrames":["#, count: 5000)
      + String(repeating: "]}", count: 5000)
    let read = try read(document(log(stack(deep)))).diagnostics[0]
    #expect(read.stacks[0].frames.count == 5000)
    #expect(read.stacks[0].isLinear)
  }

  @Test("note what cannot be read, and read the rest")
  func damage() throws {
    let bad =
      #"7,[],{"address":"zz","binaryUUID":"no","lineNumber":-1,"sampleCount":"-3","subFrames":{"a":[1]}},{"symbolName":["x"],"subFrames":null}"#
    let read = try read(document(log(stack(bad)))).diagnostics[0]
    #expect(lines(read) == ["-!", "-!"])
    #expect(
      read.notes.map(\.code) == [
        "frame_unreadable", "frame_unreadable", "bad_number", "bad_uuid", "bad_number", "bad_number",
        "frame_unreadable",
        "metadata_unreadable",
      ])
    let odd = try DiagnosticsTests.read(
      #"{"diagnosticLogs":[3,{"callStackTree":[4,{"callStacks":{}}]},{"callStackTree":{}}]}"#)
    #expect(odd.diagnostics.count == 2)
    #expect(odd.diagnostics.allSatisfy { $0.notes.map(\.code).contains("no_stack") })
  }

  @Test("are cut at the limits, with notes")
  func limits() throws {
    var limits = ReadingLimits()
    limits.frames = 3
    limits.stacks = 2
    let text = document(log([stack(pair), stack(pair), stack(pair)].joined(separator: ",")))
    let read = try read(text, limits: limits).diagnostics[0]
    expectSound(Payload(diagnostics: [read]), limits: limits)
    #expect(read.notes.map(\.code).contains("frames_cut"))
    #expect(read.notes.map(\.code).contains("stacks_cut"))
  }

  @Test("that are damaged anywhere are read or refused")
  func hostile() throws { try survivesDamage(document(log(stack(pair)), log(stack(pair)))) }
}
