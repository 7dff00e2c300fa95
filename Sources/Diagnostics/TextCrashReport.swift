internal import JSON

/// Apple's text crash report, `.crash`, of iOS and macOS, symbolicated or not; also as KSCrash and PLCrashReporter write
/// it, and as Console exports it ("Translated Report").
///
/// Documented by Apple in "Examining the fields in a crash report" and, for older ones, in Technical Note TN2151. A line
/// of JSON with a `bug_type` may stand before it. Read in one pass over the lines; addresses are put into images at the
/// end, since the list of images comes last.
enum TextCrashReport: NeighbourFormat {
  static let format = ReportFormat.textCrash
  static let shapes: DocumentShape = [.headed, .plain]

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    let start = document.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    var text = document[start...].drop { $0.isTextSpace }
    var header: JSONValue?
    if text.first == 0x7b {
      let end = text.prefix(65_536).firstIndex { $0 == 0x0a || $0 == 0x0d } ?? text.startIndex
      header = try? JSONValue.parse(UnsafeRawBufferPointer(rebasing: text[..<end]))
      guard header?["bug_type"] != nil else { return nil }
      text = text[end...].drop { $0.isTextSpace }
    }
    guard begins(text) else { return nil }
    var reader = TextCrashReader(limits: limits)
    var lines = TextLines(text)
    // Counted in the document, for the notes.
    let before = document[..<text.startIndex].reduce(0) { $0 + ($1 == 0x0a ? 1 : 0) }
    while let line = lines.next() {
      if reader.isCrashReport, line.starts(with: "Incident Identifier:") {
        // Of threads of two crashes no one diagnostic can be made.
        throw PayloadRefusal(.severalDocuments, at: JSONPlace(of: lines.start, in: document))
      }
      if lines.wasCut { reader.builder.note(.textCut, at: "line \(before + lines.number)") }
      if !reader.take(line, number: before + lines.number) { break }
    }
    guard reader.isCrashReport else {
      // `sample` and others begin like a report of macOS.
      guard header != nil || text.starts(with: "Incident Identifier:".utf8) else { return nil }
      throw PayloadRefusal(.textCrashReport)
    }
    return [reader.finish(header: header)]
  }

  /// Whether `text`, which starts with no white space, begins like a crash report.
  static func begins(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    if words.contains(where: { text.starts(with: $0.utf8) }) { return true }
    guard text.first == 0x2d else { return false }
    let title = text.prefix(256).drop { $0 == 0x2d || $0.isTextSpace }
    return title.starts(with: "Translated Report".utf8)
  }

  private static let words = ["Incident Identifier:", "CrashReporter Key:", "Hardware Model:", "Process:"]
}
