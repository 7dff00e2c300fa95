import Diagnostics
import Identity
import TestSupport
import Testing

private func line(_ frames: String, thread: String = "", more: String = "") -> String {
  #"{"schema":"symclust.stack/1","kind":"crash","app":"com.example.lumen"\#(more),"threads":[{\#(thread)"frames":[\#(frames)]}]}"#
}

@Suite("symclust's own stacks")
struct StackLineTests {
  @Test("say everything that a diagnostic holds")
  func everything() throws {
    let payload = try read(
      #"{"schema":"symclust.stack/1","id":"a-1","kind":"hang","reason":{"exception_type":1,"signal":11,"termination":"Code 0x8badf00d","exception_name":"NSRangeException","message":"m"},"#
        + #""app":"com.example.lumen","version":"1.0","build":"101","os":"iOS 18.5 (22F76)","device":"iPhone14,6","time":"2026-04-19T10:28:00Z","#
        + #""threads":[{"name":"main","attributed":true,"order":"outermost_first","frames":[{"image":"/usr/lib/Kit","debug_id":"\#(appUUID)","offset":"0x10","address":4295000000,"function":"f()","file":"a.swift","line":7,"samples":3,"parent":-1}]}]}"#
    )
    #expect(payload.format == .stackLine)
    let read = payload.diagnostics[0]
    #expect(read.kind == .hang)
    #expect(read.metadata.exceptionType == 1 && read.metadata.signal == 11)
    #expect(read.metadata.terminationReason == "Code 0x8badf00d")
    #expect(read.metadata.exceptionReason?.name == "NSRangeException")
    #expect(read.metadata.exceptionReason?.composedMessage == "m")
    #expect(read.metadata.bundleIdentifier == "com.example.lumen")
    #expect(read.metadata.appVersion == "1.0" && read.metadata.appBuildVersion == "101")
    #expect(read.metadata.osVersion == "iOS 18.5 (22F76)" && read.metadata.deviceType == "iPhone14,6")
    #expect(read.metadata.timeStampBegin == "2026-04-19T10:28:00Z")
    #expect(read.stacks[0].name == "main" && read.stacks[0].isAttributed == true)
    #expect(read.stacks[0].order == .outermostFirst)
    #expect(lines(read) == ["Kit!f()+16"])
    #expect(read.stacks[0].frames[0].address == 4_295_000_000 && read.stacks[0].frames[0].sampleCount == 3)
    #expect(read.images[0].debugID?.description == appUUID)
    #expect(read.symbols[0] == ReportedSymbol(function: "f()", file: "a.swift", line: 7))
    #expect(read.notes.isEmpty)
  }

  @Test("need hardly anything: frames are innermost first and the app's")
  func little() throws {
    let read = try read(line(#"{"function":"inner"},{"function":"outer","image":null}"#)).diagnostics[0]
    #expect(lines(read) == ["lumen!inner", "lumen!outer"])
    #expect(read.stacks[0].order == .innermostFirst && read.stacks[0].isLinear)
    let bare = try DiagnosticsTests.read(#"{"schema":"symclust.stack/1","threads":[{"frames":[{"function":"f"}]}]}"#)
    #expect(bare.diagnostics[0].kind == .unknown)
    #expect(lines(bare.diagnostics[0]) == ["app!f"])
    #expect(bare.diagnostics[0].notes.isEmpty)
  }

  @Test("say which frames are the app's own, whatever the app is called")
  func own() throws {
    let read = try DiagnosticsTests.read(
      #"{"schema":"symclust.stack/1","kind":"crash","app":"libxml2","threads":[{"frames":["#
        + #"{"function":"f"},{"image":"libxml2","function":"g"},{"debug_id":"\#(appUUID)"},{"image":""}]}]}"#
    ).diagnostics[0]
    #expect(
      read.images == [
        ImageReference(debugID: nil, name: "libxml2", isOwn: true), ImageReference(debugID: nil, name: "libxml2"),
        ImageReference(debugID: DebugID(appUUID), name: nil),
      ])
    #expect(read.stacks[0].frames.map(\.image) == [0, 1, 2, -1])
  }

  @Test("may branch by parents that stand before, and only by those")
  func parents() throws {
    func parents(_ frames: String) throws -> ([Int32], [String]) {
      let read = try read(line(frames)).diagnostics[0]
      return (read.stacks[0].frames.map(\.parent), read.notes.map(\.code))
    }
    #expect(try parents(#"{},{},{"parent":0},{"parent":-1},{}"#) == ([-1, 0, 0, -1, 3], []))
    // Forward, to itself, far away, of another type: the frame hangs below the one before it.
    #expect(
      try parents(#"{"parent":1},{"parent":1},{"parent":99},{"parent":"x"},{"parent":-2}"#).0 == [-1, 0, 1, 2, 3])
    #expect(try parents(#"{"parent":1},{"parent":1},{"parent":99},{"parent":"x"},{"parent":-2}"#).1.count == 5)
    // Elements that are no frames keep their number and have no children.
    #expect(try parents(#"{},7,{},{"parent":1},{"parent":2}"#) == ([-1, 0, 1, 1], ["frame_unreadable", "bad_number"]))
  }

  @Test("of another major are refused by its name")
  func majors() {
    let refused = refusal(of: #"{"schema":"symclust.stack/2","threads":[]}"#)
    #expect(refused?.reason == .unknownSchema)
    #expect(refused?.description == "a stack of an unknown schema: symclust.stack/2, not symclust.stack/1")
    #expect(refusal(of: #"{"schema":7,"x":"symclust.stack/1"}"#)?.reason == .noDiagnostics)
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(refusal(of: line("", more: #","x":\#(deep)"#))?.reason == .tooDeep)
  }

  @Test("note what cannot be read, and read the rest")
  func damage() throws {
    let read = try read(
      line(
        #"{"offset":-1,"address":"zz","line":1e40,"samples":[],"debug_id":"no","function":7},{"line":99999999999,"function":"f"}"#,
        thread: #""order":"up","#,
        more: #","reason":{"signal":"SEGV","exception_type":1.5},"version":{"a":1},"build":812"#)
    ).diagnostics[0]
    #expect(lines(read) == ["lumen!", "lumen!f"])
    #expect(read.symbols[0].line == nil)
    #expect(read.metadata.appBuildVersion == "812")
    #expect(
      read.notes.map(\.code).sorted()
        == [
          "bad_number", "bad_number", "bad_number", "bad_number", "bad_number", "bad_number", "bad_uuid",
          "metadata_unreadable", "stack_unreadable",
        ])
    let odd = try DiagnosticsTests.read(#"{"schema":"symclust.stack/1","kind":"tea","threads":[1,{"frames":{}},{}]}"#)
      .diagnostics[0]
    #expect(odd.kind == .unknown && odd.stacks.count == 2)
    #expect(odd.notes.map(\.code) == ["metadata_unreadable", "stack_unreadable", "stack_unreadable", "no_stack"])
    let long = String(repeating: "f", count: 1 << 20)
    let cut = try DiagnosticsTests.read(line(#"{"function":"\#(long)\u0000"}"#)).diagnostics[0]
    #expect(cut.symbols[0].function.utf8.count == ReadingLimits().textBytes && cut.notes.map(\.code) == ["text_cut"])
  }

  @Test("that are damaged anywhere are read or refused")
  func hostile() throws {
    try survivesDamage(
      line(#"{"image":"A","debug_id":"\#(appUUID)","offset":16,"parent":-1},{"function":"f","parent":0}"#))
  }
}
