import Diagnostics
import Identity
import JSON
import Testing

@Suite("Frames")
struct FrameTests {
  @Test("lie flat, each after its parent")
  func flat() throws {
    let tree = frame("A", sub: frame("B", sub: frame("C") + "," + frame("D")) + "," + frame("E")) + "," + frame("F")
    let read = try diagnostic(frames: tree)
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0, 1, 1, 0, -1])
    #expect(read.images.map(\.name) == ["A", "B", "C", "D", "E", "F"])
    #expect(read.stacks[0].frames.map(\.image) == [0, 1, 2, 3, 4, 5])
    #expect(!read.stacks[0].isLinear)
  }

  @Test("share their image by its identifier, however it is written, and take its name from any of them")
  func images() throws {
    let read = try diagnostic(
      frames: [
        frame(nil, uuid: appUUID), frame("App", uuid: appUUID.lowercased()), frame("App", uuid: otherUUID),
        frame("App"),
        frame("App", uuid: appUUID.replacing("-", with: "")), frame(nil), frame("App"),
      ].joined(separator: ","))
    #expect(read.stacks[0].frames.map(\.image) == [0, 0, 1, 2, 0, -1, 2])
    #expect(read.images.map(\.name) == ["App", "App", "App"])
    #expect(read.images.map(\.debugID?.description) == [appUUID, otherUUID, nil])
  }

  @Test("with escapes in names and identifiers mean the same")
  func escapes() throws {
    let read = try diagnostic(
      frames: #"{"binaryUU\u0049D":"\u0039156BE86-D4B6-3A81-8460-8728FA38C978","binaryName":"A\/\u00e9"},"#
        + #"{"binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978"},{"binaryName":"A\/\u00e9"},{"binaryName":"A/é"}"#)
    #expect(read.stacks[0].frames.map(\.image) == [0, 0, 1, 1])
    #expect(read.images.map(\.name) == ["A/é", "A/é"])
  }

  @Test("of many images are told apart")
  func manyImages() throws {
    let uuids = (0..<5000).map { index in
      let hex = String(index + 1, radix: 16, uppercase: true)
      return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - hex.count) + hex
    }
    let frames = (uuids + uuids.reversed()).map { frame(nil, uuid: $0) }.joined(separator: ",")
    let read = try diagnostic(frames: frames)
    #expect(read.images.map(\.debugID?.description) == uuids)
    #expect(read.stacks[0].frames.map(\.image) == Array(0..<5000) + (0..<5000).reversed())
  }

  @Test("are kept when a field, or every field, is missing or of another type")
  func lenient() throws {
    let read = try diagnostic(
      frames: #"""
        {}, {"subFrames":null}, {"address":"4294971392","offsetIntoBinaryTextSegment":"0x1000","sampleCount":"3"},
        {"address":4294971392.0,"sampleCount":2e0}, {"address":null,"binaryUUID":null,"binaryName":null},
        {"address":-5,"sampleCount":1.5}, {"address":[1],"binaryName":[2],"binaryUUID":"nonsense","symbol":{"x":[{}]}},
        {"address":18446744073709551616}, {"binaryUUID":"00000000-0000-0000-0000-000000000000"}, {"address":""}
        """#)
    let frames = read.stacks[0].frames
    #expect(frames.count == 10)
    #expect(frames.map(\.address) == [nil, nil, 4_294_971_392, 4_294_971_392, nil, nil, nil, nil, nil, nil])
    #expect(frames[2].offset == 4096)
    #expect(frames.map(\.sampleCount) == [nil, nil, 3, 2, nil, nil, nil, nil, nil, nil])
    #expect(frames.allSatisfy { $0.image == -1 })
    #expect(
      read.notes.map(\.code) == [
        "bad_number", "bad_number", "bad_number", "bad_uuid", "bad_number", "bad_uuid",
      ])
  }

  @Test("that are none are left out with a note, and the others stay")
  func unreadable() throws {
    let read = try diagnostic(
      frames: #"{"subFrames":7}, 5, [[{}]], "x", null, {"subFrames":{"a":[]}}, {"subFrames":[{}]}"#)
    #expect(read.stacks[0].frames.map(\.parent) == [-1, -1, -1, 2])
    #expect(read.notes.map(\.code) == Array(repeating: "frame_unreadable", count: 6))
  }

  @Test("of stacks and trees in other shapes are missed with a note")
  func otherShapes() throws {
    let payload = try read(
      #"{"crashDiagnostics":[{"callStackTree":{"callStacks":[7,{"callStackRootFrames":{}},{},{"callStackRootFrames":[]},[1]]}},"#
        + #"{"callStackTree":[1]},{"callStackTree":null},{"callStackTree":"none"},{"callStackTree":{"callStacks":{}}}]}"#
    )
    #expect(payload.diagnostics.map(\.stacks.count) == [3, 0, 0, 0, 0])
    #expect(payload.diagnostics[0].notes.map(\.code) == ["stack_unreadable", "stack_unreadable", "stack_unreadable"])
    #expect(payload.diagnostics[1].notes.map(\.code) == ["tree_unreadable", "no_stack"])
    #expect(payload.diagnostics[2].notes.map(\.code) == ["no_stack"])
    #expect(payload.diagnostics[3].notes.map(\.code) == ["tree_unreadable", "no_stack"])
    #expect(payload.diagnostics[4].notes.map(\.code) == ["tree_unreadable", "no_stack"])
  }

  @Test("let the last of two equal names count")
  func duplicates() throws {
    let read = try diagnostic(
      frames: #"{"address":1,"address":2,"subFrames":[{"binaryName":"Old"},{}],"subFrames":[{"binaryName":"New"}]},{}"#)
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0, -1])
    #expect(read.stacks[0].frames[0].address == 2)
    #expect(read.images.map(\.name) == ["New"])
    #expect(read.notes.map(\.code) == ["duplicate_key"])
  }

  @Test("say which stack was attributed, when the document does")
  func attribution() throws {
    let payload = try read(
      #"{"callStacks":[{"threadAttributed":true},{"threadAttributed":false},{},{"threadAttributed":1},{"threadAttributed":"x"}]}"#
    )
    #expect(payload.diagnostics[0].stacks.map(\.isAttributed) == [true, false, nil, true, nil])
    #expect(payload.diagnostics[0].isPerThread == nil)
  }

  @Test("ten thousand deep are read, a million levels are refused with the place")
  func depth() throws {
    let read = try diagnostic(frames: chain(depth: 10_000))
    #expect(read.stacks[0].frames.count == 10_000)
    #expect(read.stacks[0].isLinear)
    #expect(read.stacks[0].frames.last?.parent == 9_998)
    #expect(read.notes.isEmpty)
    let error = refusal(of: #"{"callStacks":[{"callStackRootFrames":["# + chain(depth: 500_000))
    #expect(error?.reason == .tooDeep)
    #expect((error?.place?.offset ?? 0) > 65_536)
  }
}

@Suite("Limits of reading")
struct LimitTests {
  private func limited(_ change: (inout ReadingLimits) -> Void) -> ReadingLimits {
    var limits = ReadingLimits()
    change(&limits)
    return limits
  }

  @Test("cut frames, with everything below them, and say how many")
  func frames() throws {
    let text =
      #"{"callStacks":[{"callStackRootFrames":[{},{},{"subFrames":[{"subFrames":[{}]},{}]},{}]},{"callStackRootFrames":[{}]}]}"#
    let read = try read(text, limits: limited { $0.frames = 3 }).diagnostics[0]
    #expect(read.stacks.map(\.frames.count) == [3, 0])
    #expect(read.notes == [DiagnosticNote(code: "frames_cut", place: "4 more, with all below them")])
  }

  @Test("cut frames over the whole document too")
  func framesInDocument() throws {
    let tree = #"{"callStacks":[{"callStackRootFrames":[{},{}]}]}"#
    let read = try read("[\(tree),\(tree),\(tree)]", limits: limited { $0.framesInDocument = 3 })
    #expect(read.diagnostics.map { $0.stacks[0].frames.count } == [2, 1, 0])
    #expect(read.diagnostics.map(\.notes.count) == [0, 1, 1])
  }

  @Test("cut stacks, diagnostics and texts")
  func others() throws {
    let stacks = try read(#"{"callStacks":[{},{},{},{}]}"#, limits: limited { $0.stacks = 3 }).diagnostics[0]
    #expect(stacks.stacks.count == 3)
    #expect(stacks.notes == [DiagnosticNote(code: "stacks_cut", place: "1 more")])

    let many = try read(#"{"crashDiagnostics":[{},{},{},{}]}"#, limits: limited { $0.diagnostics = 3 })
    #expect(many.diagnostics.map(\.ordinal) == [0, 1, 2])
    #expect(many.notes == [DiagnosticNote(code: "diagnostics_cut", place: "1 more")])

    let text = try read(#"{"callStacks":[],"appVersion":"ab\u00e9d"}"#, limits: limited { $0.textBytes = 3 })
      .diagnostics[0]
    #expect(text.metadata.appVersion == "ab")
    #expect(text.notes.map(\.code) == ["text_cut", "no_stack"])

    let name = try read(
      #"{"callStacks":[{"callStackRootFrames":[{"binaryName":"abcé"}]}]}"#, limits: limited { $0.textBytes = 4 })
    #expect(name.diagnostics[0].images[0].name == "abc")
    #expect(name.diagnostics[0].notes.map(\.code) == ["text_cut"])
  }

  @Test("bound the notes themselves and count the rest")
  func notes() throws {
    let frames = Array(repeating: "7", count: 100).joined(separator: ",")
    let read = try read(#"{"callStacks":[{"callStackRootFrames":[\#(frames)]}]}"#, limits: limited { $0.notes = 5 })
    #expect(read.diagnostics[0].notes.count == 6)
    #expect(read.diagnostics[0].notes.last == DiagnosticNote(code: "notes_cut", place: "95 more"))
  }

  @Test("refuse a document that is too deep, with the place")
  func depth() {
    let error = refusal(of: #"{"a":[[[1]]]}"#, limits: limited { $0.depth = 3 })
    #expect(error?.reason == .tooDeep)
    #expect(error?.place?.offset == 7)
  }
}
