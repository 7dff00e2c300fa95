import Bytes
import Diagnostics
import TestSupport
import Testing

private func split(_ text: String) -> (form: DocumentStream.Form, documents: [(text: String, line: Int, offset: Int)]) {
  let stream = DocumentStream(ByteView(Array(text.utf8)))
  return (stream.form, stream.map { ($0.bytes.text, $0.line, $0.offset) })
}

private let good = #"{"callStacks":[{"callStackRootFrames":[{}]}]}"#
private let pretty = "{\n  \"callStacks\" : [\n    {\n      \"callStackRootFrames\" : [ { } ]\n    }\n  ]\n}"

@Suite("Splitting an input into documents")
struct DocumentStreamTests {
  @Test(
    "leaves one document whole, byte for byte",
    arguments: [
      good, good + "\n", "\n\n" + good + "\r\n\r\n", pretty, pretty + "\n", "[1,\(good)]", "[]", "{\n\"a\":\n[\n]\n}",
      "\u{feff}" + pretty, "", "\n", "hello\nworld",
      "{\n    a = 1;\n}\n",
      "{\"bug_type\":\"309\"}\n{\n  \"threads\" : []\n}\n", "{\"bug_type\":\"109\"}\nIncident Identifier: x\n", "{} {}",
      "1\n2\n", "{\n\"a\": [\n", pretty + " x",
    ])
  func whole(text: String) {
    let read = split(text)
    #expect(read.form == .whole)
    #expect(read.documents.map(\.text) == [text])
    #expect(read.documents.first?.line == 1)
  }

  @Test("takes lines for documents when the first one is complete, without their line ends")
  func lines() {
    let read = split("\u{feff}\n\(good)\r\n\n  \n[\(good)]\n\(good)")
    #expect(read.form == .lines)
    #expect(read.documents.map(\.text) == [good, "[\(good)]", good])
    #expect(read.documents.map(\.line) == [2, 5, 6])
    #expect(read.documents.map(\.offset) == [4, 4 + good.utf8.count + 2 + 1 + 3, 4 + 2 * good.utf8.count + 9])
  }

  @Test(
    "gives each bad line to its reader and goes on",
    arguments: [
      [good, "{\"cut\":", good], [good, "garbage", good], [good, "{} {}", good], ["{\"cut\":[1", good, good],
      ["garbage", good, good], ["{\"a\":1}}", good, good],
    ])
  func badLines(lines: [String]) {
    let read = split(lines.joined(separator: "\n") + "\n")
    #expect(read.form == .lines)
    #expect(read.documents.map(\.text) == lines)
    let results = DocumentStream(ByteView(Array(lines.joined(separator: "\n").utf8))).map { document in
      (try? PayloadReader().read(document.bytes)) != nil
    }
    #expect(results == lines.map { $0 == good })
  }

  @Test("finds documents on several lines one after another")
  func sequence() {
    let read = split("\(pretty)\n\n\(pretty)\r\n\(good)\n\(pretty)")
    #expect(read.form == .sequence)
    #expect(read.documents.map(\.text) == [pretty, pretty, good, pretty])
    #expect(read.documents.map(\.line) == [1, 9, 16, 17])
  }

  @Test("goes on after a broken document at the next line that starts with a bracket")
  func brokenSequence() {
    let cut = "{\n  \"callStacks\" : [\n    {"
    let read = split("\(pretty)\n\(cut)\n\(pretty)\n\(pretty) x\n\(pretty)\n!!!")
    #expect(read.form == .sequence)
    #expect(read.documents.map(\.text) == [pretty, cut + "\n", pretty, pretty + " x", pretty, "!!!"])
  }

  @Test(
    "takes the elements of an array for documents",
    arguments: [
      ("[\(good),\(good)]", [good, good], [1, 1]), (" [\n\(good) ,\n\(pretty)\n] \n", [good, pretty], [2, 3]),
      ("\u{feff}[{\n}\n,\n{}]", ["{\n}", "{}"], [1, 4]),
      // What is broken is given to its reader, and refused.
      ("[\(good),", [good, ""], [1, 1]), ("[\(good)", [good, ""], [1, 1]), ("[\(good)] x", [good, "x"], [1, 1]),
      ("[\(good),{\"a\n,\(good)]", [good, "{\"a\n,\(good)]"], [1, 1]), ("[\(good) {}]", [good, "{}]"], [1, 1]),
      ("[\(good),]", [good, "]"], [1, 1]),
    ])
  func array(text: String, documents: [String], lines: [Int]) {
    let read = split(text)
    #expect(read.form == .array)
    #expect(read.documents.map(\.text) == documents)
    #expect(read.documents.map(\.line) == lines)
  }

  @Test("loses no byte but white space, whatever the input")
  func completeness() {
    var generator = SeededGenerator(seed: 5)
    let parts = [good, pretty, "\n", "\r\n", " ", "{", "}", "[", "]", "x", "\"", ",", "\u{feff}", "{\"bug_type\":1}"]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &generator)]
      }.joined()
      let read = split(text)
      let kept = read.documents.map(\.text).joined().filter { !$0.isWhitespace }
      let all = text.filter { !$0.isWhitespace }
      let mark = all.hasPrefix("\u{feff}") && read.form != .whole
      let wanted = mark ? String(all.unicodeScalars.dropFirst()) : all
      // The brackets and commas of an array belong to none of its elements.
      let isArray = read.form == .array
      #expect(
        kept.filter { !isArray || !"[],".contains($0) } == wanted.filter { !isArray || !"[],".contains($0) })
      for document in read.documents {
        let start = Array(text.utf8)[document.offset...]
        #expect(start.starts(with: document.text.utf8))
        #expect(document.line == 1 + Array(text.utf8)[..<document.offset].count { $0 == 0x0a })
      }
    }
  }
}

@Suite("Hostile payloads")
struct HostilePayloadTests {
  private let seed =
    #"[{"timeStampBegin":"b","crashDiagnostics":[{"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"#
    + #""callStackRootFrames":[{"binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978","offsetIntoBinaryTextSegment":4303568896,"sampleCount":1,"#
    + #""subFrames":[{"binaryName":"dyld","address":18446741874824079528},{}],"binaryName":"App","address":4303603064}]}]},"#
    + #""diagnosticMetaData":{"signal":11,"exceptionReason":{"className":"c"},"hangDuration":{"value":1,"unit":"s"}}}],"#
    + #""hangDiagnostics":[{}]},{"payload":"{\"callStacks\":[{\"callStackRootFrames\":[{}]}]}"},{"version":"2.0.0","crashDiagnostic":{}}]"#

  @Test("never trap, and what is read keeps its promises")
  func mutations() {
    var generator = SeededGenerator(seed: 99)
    var accepted = 0
    let words = [
      "{", "}", "[", "]", ",", "null", "1", "\"x\"", "\"callStacks\":", "\"crashDiagnostics\":[", "\"subFrames\":[{}],",
      "-1", "1e9",
    ]
    for _ in 0..<20_000 {
      var text = Array(seed.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let at = Int.random(in: 0..<text.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text[at] = UInt8.random(in: 0x20...0x7f, using: &generator)
        case 1: text.removeSubrange(at..<min(text.count, at + Int.random(in: 1...20, using: &generator)))
        case 2: text.insert(contentsOf: words[Int.random(in: 0..<words.count, using: &generator)].utf8, at: at)
        default:
          let end = min(text.count, at + Int.random(in: 1...60, using: &generator))
          text.insert(contentsOf: Array(text[at..<end]), at: Int.random(in: 0..<text.count, using: &generator))
        }
      }
      guard let payload = try? PayloadReader().read(ByteView(text)) else { continue }
      accepted += 1
      for diagnostic in payload.diagnostics {
        for stack in diagnostic.stacks {
          for (index, frame) in stack.frames.enumerated() {
            #expect(Int(frame.parent) < index && frame.parent >= -1)
            #expect(Int(frame.image) < diagnostic.images.count && frame.image >= -1)
            #expect((frame.offset == nil) == (frame.offsetBasis == .missing))
          }
        }
      }
    }
    #expect(accepted > 200)
  }

  @Test("of a million equal-looking names are read in linear time", .timeLimit(.minutes(1)))
  func keyFlood() throws {
    let members = (0..<1_000_000).map { "\"k\($0)\":0" }.joined(separator: ",")
    let payload = try read(#"{"callStacks":[],\#(members)}"#)
    #expect(payload.unknownKeys == 1_000_000)
  }

  @Test("of many diagnostics and notes stay bounded")
  func manyDiagnostics() throws {
    let text = "{\"crashDiagnostics\":[" + Array(repeating: "1", count: 50_000).joined(separator: ",") + "]}"
    let payload = try read(text)
    #expect(payload.notes.count == 65)
    #expect(payload.notes.last == DiagnosticNote(code: "notes_cut", place: "49936 more"))
  }
}
