import Bytes
import Diagnostics
import TestSupport
import Testing

/// Frames in Apple's form are read by a loop of their own, which must never say anything else than the general reader.
/// A document whose keys are spelt with an escape means the same and is read by the general one.
@Suite("Frames in the usual form")
struct PlainFrameTests {
  @Test("are read the same by both readers, whatever was done to the document")
  func agree() throws {
    var documents = try ["compact/payload-0002.json", "single"].flatMap { try fixtures($0) }
    documents.append(Array(Self.everyKey.utf8))
    var random = SeededGenerator(seed: 11)
    var compared = 0
    for document in documents {
      try compare(document)
      for _ in 0..<60 {
        try compare(changed(document, &random))
        compared += 1
      }
    }
    #expect(compared > 150)
  }

  @Test(
    "in an unusual form are read by the general reader",
    arguments: [
      #"{"binaryName":"Caf\#u{e9}","address":1}"#, #"{"binaryName":"A\"B","address":1}"#,
      #"{"binaryName":"App","binaryName":"Other","address":1}"#, #"{"address":"0x10","binaryName":"App"}"#,
      #"{"address":18446744073709551615,"binaryName":"App"}"#, #"{"address":01,"binaryName":"App"}"#,
      #"{"address":1.0,"binaryName":"App"}"#, #"{"address":-1,"binaryName":"App"}"#,
      #"{"address":null,"binaryName":null,"subFrames":null}"#, #"{"symbol":"f","binaryName":"App"}"#,
      #"{"subFrames":[],"subFrames":[{"binaryName":"App"}]}"#, #"{"subFrames":[7,{"binaryName":"App"}]}"#,
      #"{"binaryUUID":"no identifier","binaryName":"App"}"#, #"{"binaryUUID":"","binaryName":""}"#,
      #"{"binaryName":"App",}"#, #"{"binaryName":"App" "address":1}"#, #"{"subFrames":[{"binaryName":"App"},]}"#,
    ])
  func declined(frame: String) throws {
    let padding = #","diagnosticMetaData":{"signal":11,"bundleIdentifier":"com.example.padding.behind.the.frames"}"#
    try compare(Array((#"{"callStackTree":{"callStacks":[{"callStackRootFrames":[\#(frame)]}]}\#(padding)}"#).utf8))
  }

  @Test("beyond a limit are cut by the general reader, which says so")
  func limits() throws {
    var limits = ReadingLimits()
    limits.frames = 10
    let payload = try read(
      #"{"callStackTree":{"callStacks":[{"callStackRootFrames":[\#(chain(depth: 20))]}]}}"#, limits: limits)
    #expect(payload.diagnostics[0].stacks[0].frames.count == 10)
    #expect(payload.diagnostics[0].notes.contains { $0.code == "frames_cut" })
  }

  private static let everyKey =
    #"{"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":["#
    + frame(uuid: appUUID, offset: 64, address: 4_294_967_360, samples: 3, sub: frame("UIKitCore", uuid: otherUUID))
    + "," + frame(nil, uuid: appUUID, offset: 0, address: 0) + "," + frame("dyld") + "]}]},"
    + #""diagnosticMetaData":{"signal":11,"bundleIdentifier":"com.example.app","appVersion":"1.0"}}"#

  /// The compared documents must be as good as each other: read to equal diagnostics, or refused for one reason.
  private func compare(_ document: [UInt8], _ location: SourceLocation = #_sourceLocation) throws {
    let plain = Result { try PayloadReader().read(ByteView(document)) }
    let general = Result { try PayloadReader().read(ByteView(escapingKeys(of: document))) }
    switch (plain, general) {
    case (.success(let a), .success(let b)):
      #expect(a.diagnostics.map(withoutPlaces) == b.diagnostics.map(withoutPlaces), sourceLocation: location)
    case (.failure(let a as PayloadRefusal), .failure(let b as PayloadRefusal)):
      #expect(a.reason == b.reason, sourceLocation: location)
    default: Issue.record("one reads what the other refuses: \(plain) \(general)", sourceLocation: location)
    }
  }

  private func withoutPlaces(_ diagnostic: Diagnostic) -> Diagnostic {
    var diagnostic = diagnostic
    for index in diagnostic.notes.indices { diagnostic.notes[index].place = "" }
    return diagnostic
  }

  private func escapingKeys(of document: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = document[...]
    let keys = ["\"subFrames\"", "\"address\"", "\"binaryName\"", "\"binaryUUID\""].map { Array($0.utf8) }
    while let first = rest.first {
      if let key = keys.first(where: { rest.starts(with: $0) }) {
        // "s… becomes "\u0073…
        result += Array("\"\\u00".utf8) + Array(String(key[1], radix: 16).utf8) + key[2...]
        rest = rest.dropFirst(key.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private func changed(_ document: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var changed = document
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let at = Int.random(in: 0..<changed.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: changed[at] = UInt8.random(in: 0x20...0x7e, using: &random)
      case 1:
        changed.insert(
          contentsOf: Array((["\"", ",", "]", "}", " ", "0", "\\"].randomElement(using: &random) ?? "").utf8), at: at)
      case 2: changed.insert(0x20, at: at)
      default: changed.remove(at: at)
      }
    }
    return changed
  }

  private func fixtures(_ name: String) throws -> [[UInt8]] {
    let top = "fixtures/diagnostics/\(name)"
    let paths = name.hasSuffix(".json") ? [top] : files(below: top).prefix(2).map { "\(top)/\($0)" }
    return try paths.map { try ByteView.mapping(path: $0).withBytes { Array($0) } }
  }
}
