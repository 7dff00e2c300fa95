internal import Identity
internal import JSON

/// Apple's `.ips` crash report: a line of JSON with a `bug_type`, then one JSON object; or both in one object.
///
/// Documented by Apple in "Interpreting the JSON format of a crash report". Bug type 309 is a crash; 109 is one too, but
/// its body is the text that `TextCrashReport` reads. Other bug types are told by name and refused.
enum IPSReport: NeighbourFormat {
  static let format = ReportFormat.ips
  static let shapes: DocumentShape = [.json, .headed]

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard let first = firstObject(of: document, depthLimit: limits.depth) else { return nil }
    let rest = document[first.end...].drop { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
    let header = try value(document, 0..<first.end)
    if rest.isEmpty { return try read(IPSMembers(header: nil, body: header), limits: limits) }
    guard first.hasBugType else { return nil }
    guard rest.first == 0x7b else {
      // The text reader takes the header with its text.
      if TextCrashReport.begins(rest) { return nil }
      if isEnding(rest) { throw PayloadRefusal(.truncated, at: JSONPlace(of: document.count, in: document)) }
      throw refusal(bugType: header["bug_type"], detail: "what follows the header is neither JSON nor a crash report")
    }
    let body = try value(document, rest.startIndex..<document.count)
    return try read(IPSMembers(header: header, body: body), limits: limits)
  }

  /// Where the object at the start ends, when it is the header of such a report or the whole of one.
  private static func firstObject(
    of document: UnsafeRawBufferPointer, depthLimit: Int
  ) -> (end: Int, hasBugType: Bool)? {
    var reader = JSONReader(document, depthLimit: depthLimit)
    var hasBugType = false
    var hasThreads = false
    var hasImages = false
    do throws(JSONError) {
      guard try reader.next() == .beginObject else { return nil }
      while try reader.nextKey() {
        if reader.tokenIs("bug_type") { hasBugType = true }
        if reader.tokenIs("threads") { hasThreads = true }
        if reader.tokenIs("usedImages") { hasImages = true }
        try reader.skipValue()
      }
    } catch {
      return nil
    }
    // A body that lost its header is still a crash report.
    guard hasBugType || (hasThreads && hasImages) else { return nil }
    return (reader.offset, hasBugType)
  }

  private static func value(
    _ document: UnsafeRawBufferPointer, _ range: Range<Int>
  ) throws(PayloadRefusal) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue.parse(UnsafeRawBufferPointer(rebasing: document[range]))
    } catch {
      let place = JSONPlace(of: range.lowerBound + error.offset, in: document)
      switch error.code {
      case .unexpectedEnd: throw PayloadRefusal(.truncated, at: place)
      case .tooDeep: throw PayloadRefusal(.tooDeep, at: place)
      case .trailingContent: throw PayloadRefusal(.severalDocuments, at: place)
      default: throw PayloadRefusal(.notJSON, at: place, detail: error.what)
      }
    }
  }

  /// A text report that ends within its first words.
  private static func isEnding(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool { rest.count < 20 }

  // MARK: Bug types

  private static func refusal(bugType: JSONValue?, detail: String) -> PayloadRefusal {
    let type = bugType.flatMap { $0.string ?? $0.int.map { String($0) } }
    return PayloadRefusal(.ipsReport, detail: (type.map { "bug_type \($0.prefix(16)), " } ?? "") + detail)
  }

  /// What is known of bug types that are no crashes: the names of such files on devices tell.
  private static func otherEvent(_ type: String) -> String {
    switch type {
    case "298": "a Jetsam event: it has no call stacks"
    case "288": "a stackshot: it shows where all processes were, not a crash"
    case "210": "a kernel panic: it has no call stacks of the app"
    case "211": "analytics data: it has no call stacks"
    case "109": "a crash report whose body should be text and is JSON"
    default: "not a crash report"
    }
  }

  // MARK: The crash

  private static func read(_ report: IPSMembers, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic] {
    let bugType = report["bug_type"]
    let type = bugType.flatMap { $0.string ?? $0.int.map { String($0) } }
    if bugType != nil, type != "309" {
      throw refusal(bugType: bugType, detail: otherEvent(type ?? ""))
    }
    let threads = report["threads"]?.array ?? []
    guard !threads.isEmpty || report["exception"]?.members != nil || report["termination"]?.members != nil else {
      throw refusal(bugType: bugType, detail: "a crash report without threads and without a reason")
    }
    var reader = IPSCrashReader(images: report["usedImages"]?.array ?? [], limits: limits)
    reader.readMetadata(report)
    let exception = report["lastExceptionBacktrace"]?.array ?? []
    let isException = !exception.isEmpty && CrashReportWords.lastExceptionIsEvent(reader.builder.metadata)
    if !exception.isEmpty {
      reader.builder.beginStack(named: CrashReportWords.lastException, isAttributed: isException)
      reader.readFrames(exception, of: "lastExceptionBacktrace")
    }
    let marked = threads.contains { $0["triggered"]?.bool == true }
    let faulting = report["faultingThread"]?.uint
    for (number, thread) in threads.enumerated() {
      let isFaulting = marked ? thread["triggered"]?.bool == true : faulting == UInt64(number)
      let name = [thread["name"]?.string, thread["queue"]?.string].compactMap { $0 }.first { !$0.isEmpty }
      reader.builder.beginStack(named: name, isAttributed: isFaulting && !isException)
      if let frames = thread["frames"]?.array {
        reader.readFrames(frames, of: "thread \(number)")
      } else if thread.members == nil {
        reader.builder.note(.stackUnreadable, at: "thread \(number)")
      }
    }
    var diagnostic = reader.builder.finish()
    diagnostic.isPerThread = true
    return [diagnostic]
  }
}

/// The members of header and body as those of one object; the body knows better.
struct IPSMembers {
  let header: JSONValue?
  let body: JSONValue

  subscript(name: String) -> JSONValue? {
    if let value = body[name], !value.isNull { return value }
    return header?[name]
  }

  /// The first of these members that is a text with something in it.
  func text(_ names: String...) -> String? {
    for name in names {
      if let text = self[name]?.string, !text.isEmpty { return text }
    }
    return nil
  }
}
