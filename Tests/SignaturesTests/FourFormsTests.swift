import Bytes
import Diagnostics
import Identity
import Signatures
import TestSupport
import Testing

/// A crash as MetricKit had it, written down as devices write the same crash into other reports.
private struct CrashReport {
  private let diagnostic: Diagnostic
  private let bases: [UInt64]
  private let exception: String
  private let signal: String

  /// `nil` when the crash has what the test's own writers do not know.
  init?(_ diagnostic: Diagnostic) {
    let exceptions: [Int64: String] = [
      1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 6: "EXC_BREAKPOINT", 10: "EXC_CRASH",
      11: "EXC_RESOURCE", 12: "EXC_GUARD",
    ]
    let signals: [Int64: String] = [
      4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV",
    ]
    let metadata = diagnostic.metadata
    guard diagnostic.kind == .crash, let exception = metadata.exceptionType.flatMap({ exceptions[$0] }),
      let signal = metadata.signal.flatMap({ signals[$0] }), metadata.exceptionReason == nil
    else { return nil }
    var bases = [UInt64](repeating: 0, count: diagnostic.images.count)
    for frame in diagnostic.stacks.flatMap(\.frames) {
      guard frame.image >= 0, let address = frame.address, let offset = frame.offset else { return nil }
      bases[Int(frame.image)] = address &- offset
    }
    self.diagnostic = diagnostic
    self.bases = bases
    self.exception = exception
    self.signal = signal
  }

  private func quoted(_ text: String?) -> String {
    "\"" + (text ?? "").replacing("\n", with: "\\n").replacing("\"", with: "\\\"") + "\""
  }

  var ips: String {
    let metadata = diagnostic.metadata
    let threads = diagnostic.stacks.map { stack in
      let frames = stack.frames.map { "{\"imageIndex\":\($0.image),\"imageOffset\":\($0.offset ?? 0)}" }
      return "{\"triggered\":\(stack.isAttributed == true),\"frames\":[\(frames.joined(separator: ","))]}"
    }
    let images = zip(diagnostic.images, bases).map { image, base in
      "{\"uuid\":\(quoted(image.debugID?.description.lowercased())),\"name\":\(quoted(image.name)),\"base\":\(base)}"
    }
    let termination = metadata.terminationReason.map { reason in
      ",\"termination\":{\"namespace\":\"X\",\"indicator\":\(quoted(reason))}"
    }
    return """
      {"bug_type":"309","os_version":\(quoted(metadata.osVersion))}
      {"exception":{"type":"\(exception)","signal":"\(signal)","codes":"0x\(String(metadata.exceptionCode ?? 0, radix: 16))"},
      "threads":[\(threads.joined(separator: ","))],"usedImages":[\(images.joined(separator: ","))]\(termination ?? "")}
      """
  }

  var plCrash: [UInt8] {
    var report = PLCrashFile()
    for (image, base) in zip(diagnostic.images, bases) {
      report.images.append(
        PLCrashFile.Image(base: base, id: image.debugID?.bytes ?? [], path: "/System/" + (image.name ?? "")))
    }
    report.threads = diagnostic.stacks.map { ($0.isAttributed, $0.frames.compactMap(\.address)) }
    report.signal = signal
    report.exception = diagnostic.metadata.exceptionType.map {
      (UInt64($0), diagnostic.metadata.exceptionCode ?? 0)
    }
    return report.bytes
  }

  var text: String {
    let metadata = diagnostic.metadata
    var text = "Incident Identifier: 1\nException Type:  \(exception) (\(signal))\n"
    text += "Exception Codes: 0x\(String(metadata.exceptionCode ?? 0, radix: 16)), 0x0\n"
    if let reason = metadata.terminationReason {
      text += "Termination Reason: \(reason.replacing("\n", with: " "))\n"
    }
    for (number, stack) in diagnostic.stacks.enumerated() {
      text += "\nThread \(number)\(stack.isAttributed == true ? " Crashed" : ""):\n"
      for (index, frame) in stack.frames.enumerated() {
        let image = Int(frame.image)
        text += "\(index)   \(diagnostic.images[image].name ?? "???")    \t"
        text +=
          "0x\(String(frame.address ?? 0, radix: 16)) 0x\(String(bases[image], radix: 16)) + \(frame.offset ?? 0)\n"
      }
    }
    text += "\nBinary Images:\n"
    for (image, base) in zip(diagnostic.images, bases) {
      let name = image.name ?? "???"
      text += "0x\(String(base, radix: 16)) - 0x\(String(base + 0x3ff_ffff, radix: 16)) \(name) arm64  "
      text += "<\(image.debugID?.hex ?? "(null)")> /System/\(name)\n"
    }
    return text
  }
}

@Suite("A crash in four forms")
struct FourFormsTests {
  @Test("is one raw stack: MetricKit's, and those of its .ips, its text report and its .plcrash")
  func sameStack() throws {
    var compared = 0
    for build in ["1.0-101", "1.1-112", "1.2-120"] {
      let path = Corpus.repository + "/fixtures/diagnostics/lines/lumen-\(build).jsonl"
      for document in DocumentStream(try ByteView.mapping(path: path)) {
        for crash in try PayloadReader().read(document.bytes).diagnostics {
          guard let report = CrashReport(crash) else { continue }
          let expected = RawStack.reading(crash, stack: Attribution(crash).stack).stack
          for form in [Array(report.ips.utf8), Array(report.text.utf8), report.plCrash] {
            let read = try PayloadReader().read(ByteView(form)).diagnostics[0]
            #expect(read.notes.isEmpty)
            #expect(RawStack.reading(read, stack: Attribution(read).stack).stack == expected)
          }
          compared += 1
        }
      }
    }
    #expect(compared > 100)
  }
}
