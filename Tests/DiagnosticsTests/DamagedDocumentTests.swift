import Bytes
import Diagnostics
import Glibc
import TestSupport
import Testing

/// Damages documents where their readers decide: at numbers, names, quotes and brackets, and anywhere.
private struct TextMutator {
  var random: SeededGenerator

  private static let words = [
    "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud800", "null", "true", "-", "1e999", "0x", "-1",
    "18446744073709551615", "18446744073709551616", "9223372036854775808", "1.5", "\0", "\u{feff}", "\n", "\r\n",
    "\"callStackTree\":", "\"callStacks\":[", "\"subFrames\":[", "\"callStackThreads\":[", "\"binaryInfo\":[",
    "\"crashDiagnostics\":[", "\"payload\":", "\"result\":{\"crash\":{\"_0\":", "\"environment\":{", "\"timeRange\":",
    "\"usedImages\":[", "\"threads\":[", "\"bug_type\":\"309\"", "Thread 0 Crashed:\n", "Binary Images:\n",
    "0xffffffffffffffff", "\u{202e}", "ÿ",
  ].map { Array($0.utf8) }

  mutating func damaged(_ document: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = document
    if below(2) == 0 {
      // What stays JSON gets further.
      for _ in 0..<(1 << below(4)) { changeValue(&bytes) }
      return bytes
    }
    for _ in 0..<(1 << Int.random(in: 0...3, using: &random)) where !bytes.isEmpty { change(&bytes, other) }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int.random(in: 0..<limit, using: &random) }

  /// Another number in the place of one, or another letter in a name or text.
  private mutating func changeValue(_ bytes: inout [UInt8]) {
    let start = below(bytes.count)
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    if below(2) == 0, let first = bytes[start...].firstIndex(where: isDigit) {
      let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
      let numbers = ["0", "1", "4096", "4294967296", "9223372036854775807", "18446744073709551615"]
      bytes.replaceSubrange(first..<end, with: Array(numbers[below(numbers.count)].utf8))
    } else if let first = bytes[start...].firstIndex(where: isLetter) {
      bytes[first] = 0x61 + UInt8(below(26))
    }
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let start = place(in: bytes)
    switch below(9) {
    case 0: bytes[start] = UInt8(below(256))
    case 1: bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: start)
    case 2:
      bytes.replaceSubrange(start..<min(bytes.count, start + 1 + below(8)), with: Self.words[below(Self.words.count)])
    case 3: bytes.removeSubrange(start..<min(bytes.count, start + 1 + below(64)))
    case 4: bytes.insert(contentsOf: bytes[start..<min(bytes.count, start + 1 + below(200))], at: place(in: bytes))
    case 5 where below(4) == 0: bytes.removeSubrange(start...)
    case 6 where !other.isEmpty:
      let from = below(other.count)
      bytes.insert(contentsOf: other[from..<min(other.count, from + 1 + below(400))], at: start)
    case 7:
      // A whole number of the document becomes another.
      var end = start
      while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
      bytes.replaceSubrange(start..<end, with: Self.words[12 + below(8)])
    default: bytes[start] ^= 1 << UInt8(below(8))
    }
  }

  /// Mostly behind a character of the grammar.
  private mutating func place(in bytes: [UInt8]) -> Int {
    let start = below(bytes.count)
    if below(4) == 0 { return start }
    let marks = Set("\"{}[]:,\n ".utf8)
    let next = bytes[start...].firstIndex { marks.contains($0) } ?? start
    return min(next + 1, bytes.count - 1)
  }
}

@Suite("Documents damaged by the thousand")
struct DamagedDocumentTests {
  /// Small documents of every format that is at hand.
  private func seeds() -> [[UInt8]] {
    var paths: [String] = []
    for folder in ["compact", "single", "lines"] {
      let root = Corpus.repository + "/fixtures/diagnostics/" + folder
      paths += files(below: root).prefix(6).map { root + "/" + $0 }
    }
    if Corpus.isPresent {
      for folder in ["metrickit", "reports"] {
        let root = Corpus.path(folder)
        paths += files(below: root).filter { !$0.hasSuffix(".md") }.map { root + "/" + $0 }
      }
    }
    return paths.compactMap { contents(of: $0) }.filter { $0.count < 200_000 } + [binarySeed]
  }

  /// A report of bytes, small, so that much of the damage falls on what its reader decides by.
  private var binarySeed: [UInt8] {
    var report = PLCrashFile()
    for number in 1...3 {
      let base = UInt64(number) << 32
      report.images.append(PLCrashFile.Image(base: base, id: Array(1...16), path: "/a/Image\(number)"))
      report.threads.append((number == 1, (0..<4).map { base + $0 << 4 }))
    }
    report.exception = (1, 2)
    return report.bytes
      + ProtobufWriter { report in
        report.message(5) { exception in
          exception.text(1, "NSRangeException")
          exception.message(3) { frame in
            frame.number(3, 1 << 32)
            frame.message(6) { $0.text(1, "_main") }
          }
        }
        report.message(8) { machine in
          machine.message(2) { processor in
            for (tag, value) in [(1, 1), (2, 0x0100_000c), (3, 2)] as [(UInt64, UInt64)] {
              processor.number(tag, value)
            }
          }
        }
      }.bytes
  }

  /// Reads copies number `numbers`; gives how many were accepted, and which reasons refused the others.
  private func run(_ numbers: some Sequence<Int>, until deadline: ContinuousClock.Instant? = nil) -> (
    count: Int, accepted: Int, reasons: Set<PayloadRefusal.Reason>
  ) {
    let seeds = seeds()
    var result = (count: 0, accepted: 0, reasons: Set<PayloadRefusal.Reason>())
    for number in numbers {
      if let deadline, ContinuousClock.now > deadline { break }
      var mutator = TextMutator(random: SeededGenerator(seed: UInt64(number)))
      let bytes = mutator.damaged(seeds[number % seeds.count], with: seeds[(number / 7) % seeds.count])
      result.count += 1
      for document in DocumentStream(ByteView(bytes)) {
        do throws(PayloadRefusal) {
          let payload = try PayloadReader().read(document.bytes)
          result.accepted += 1
          for diagnostic in payload.diagnostics { check(diagnostic, "copy \(number)") }
        } catch {
          result.reasons.insert(error.reason)
        }
      }
    }
    return result
  }

  /// What every diagnostic promises, whatever the document was.
  private func check(_ diagnostic: Diagnostic, _ what: String) {
    #expect(diagnostic.notes.count <= 65, "\(what)")
    for stack in diagnostic.stacks {
      for (index, frame) in stack.frames.enumerated() {
        guard frame.parent < index, frame.parent >= -1, frame.image < diagnostic.images.count, frame.image >= -1,
          frame.symbol < diagnostic.symbols.count, frame.symbol >= -1
        else {
          Issue.record("\(what): frame \(index) points outside")
          return
        }
      }
    }
  }

  @Test("are read or refused for a named reason, and the damage reaches every reader")
  func sample() {
    let result = run(0..<4_000)
    // Damage that is always refused at once would prove nothing.
    #expect(result.accepted > result.count / 5)
    #expect(result.reasons.isSuperset(of: [.notJSON, .truncated, .noDiagnostics, .plCrashReport]))
  }

  @Test(
    "and for as long as is asked",
    .enabled(if: getenv("SYMCLUST_HOSTILE_SECONDS") != nil, "set SYMCLUST_HOSTILE_SECONDS for the long run"))
  func long() {
    let seconds = getenv("SYMCLUST_HOSTILE_SECONDS").flatMap { Int(String(cString: $0)) } ?? 0
    let result = run(10_000..<Int.max, until: .now + .seconds(seconds))
    print(
      "\(result.count) damaged documents, \(result.accepted) accepted, \(result.reasons.count) reasons for refusing")
    #expect(result.count > 0)
  }
}
