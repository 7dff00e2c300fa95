public import Bytes
internal import Glibc
internal import JSON

/// One document of an input: the bytes that its digest is made of, and where they stand.
public struct InputDocument: Sendable {
  /// The bytes, without the line end when it is a line.
  public let bytes: ByteView
  /// The line of the input on which it starts, from 1.
  public let line: Int
  /// The byte of the input at which it starts, from 0.
  public let offset: Int
}

/// Splits an input into documents: one JSON document, JSON Lines, an array of documents, or one after another.
///
/// The content decides, never the name:
/// - **lines**: the first line that is not blank is a complete object or array and another line follows. Each such line
///   is one document, whether it can be read or not.
/// - **sequence**: the first document spans several lines, ends, and another one starts. After a broken
///   document it goes on at the next line that starts with `{` or `[`.
/// - **array**: the input is one array of objects. Each of them is a document: a payload is the same, and counts the
///   same, however it was packed. Behind a broken one nothing can be told apart; the rest is one document.
/// - **whole**: everything else is one document: all bytes of the input, a byte order mark included. So are `.ips`, text and
///   `.plcrash` reports, although the first begins with a line of JSON and the others may have such lines inside.
///
/// A line that is broken at the very start of an input does not hide its neighbours: when one of the next lines is a
/// complete document, they are lines. Cost: the first lines are read once more; a sequence is read twice.
public struct DocumentStream: Sequence, IteratorProtocol, Sendable {
  /// How the documents lie in the input.
  public enum Form: String, Sendable, Hashable {
    /// The input is one document.
    case whole
    /// Each line that is not blank is one.
    case lines
    /// They follow each other, each on several lines.
    case sequence
    /// They are the elements of one array.
    case array
  }

  /// How the documents lie in the input.
  public let form: Form
  private let input: ByteView
  private let depthLimit: Int
  private var offset = 0
  private var line = 1
  private var isDone = false

  /// The documents of `input`.
  public init(_ input: ByteView, limits: ReadingLimits = ReadingLimits()) {
    self.input = input
    depthLimit = limits.depth
    form = input.withBytes { DocumentStream.form(of: $0, depthLimit: limits.depth) }
    switch form {
    case .whole: break
    case .lines, .sequence: offset = input.withBytes(DocumentStream.lengthOfMark)
    case .array:
      let bracket = input.withBytes { $0.firstIndex(of: 0x5b) } ?? 0
      line += lineFeeds(0..<bracket)
      offset = bracket + 1
    }
  }

  /// The documents of whole lines of an input of which `areLines` says so; the first of them has the number `line`.
  public init(lines: ByteView, startingAt line: Int, limits: ReadingLimits = ReadingLimits()) {
    input = lines
    depthLimit = limits.depth
    form = .lines
    self.line = line
    if line == 1 { offset = lines.withBytes(DocumentStream.lengthOfMark) }
  }

  /// Whether an input that begins with these bytes is lines, whatever follows.
  public static func areLines(beginningWith bytes: ByteView, limits: ReadingLimits = ReadingLimits()) -> Bool {
    bytes.withBytes { raw in
      let lines = firstLines(of: raw, count: 3)
      // The last one may be cut off.
      guard lines.count > 2, !PLCrashReport.begins(raw), !TextCrashReport.begins(raw[lines[0].lowerBound...]) else {
        return false
      }
      return beginsWithLine(raw, lines[0], depthLimit: limits.depth) == .lines
    }
  }

  /// The next document; `nil` at the end. An input without any has none, but an empty input is one empty document.
  public mutating func next() -> InputDocument? {
    if isDone { return nil }
    switch form {
    case .whole:
      isDone = true
      return InputDocument(bytes: input, line: 1, offset: 0)
    case .lines: return nextLine()
    case .sequence: return nextInSequence()
    case .array: return nextInArray()
    }
  }

  private mutating func nextLine() -> InputDocument? {
    while offset < input.count {
      let start = offset
      let number = line
      let (end, isBlank) = input.withBytes { raw in
        let end = DocumentStream.endOfLine(raw, from: start)
        return (end, DocumentStream.isBlank(raw, start..<end))
      }
      offset = end + 1
      line += 1
      if isBlank { continue }
      return document(start..<trimmed(start..<end), line: number)
    }
    isDone = true
    return nil
  }

  private mutating func nextInSequence() -> InputDocument? {
    let depth = depthLimit
    let from = offset
    let found = input.withBytes { raw -> Range<Int>? in
      guard let start = raw[from...].firstIndex(where: { !DocumentStream.isSpace($0) }) else { return nil }
      return start..<DocumentStream.endOfDocument(raw, from: start, depthLimit: depth)
    }
    guard let found else {
      isDone = true
      return nil
    }
    line += lineFeeds(from..<found.lowerBound)
    let number = line
    line += lineFeeds(found)
    offset = found.upperBound
    return document(found, line: number)
  }

  private mutating func nextInArray() -> InputDocument? {
    let depth = depthLimit
    let from = offset
    let (found, isLast) = input.withBytes { raw in DocumentStream.element(raw, from: from, depthLimit: depth) }
    isDone = isLast
    guard let found else { return nil }
    line += lineFeeds(from..<found.lowerBound)
    let number = line
    line += lineFeeds(found)
    offset = found.upperBound
    return document(found, line: number)
  }

  private func document(_ range: Range<Int>, line: Int) -> InputDocument? {
    input.slice(at: UInt64(range.lowerBound), count: UInt64(range.count)).map {
      InputDocument(bytes: $0, line: line, offset: range.lowerBound)
    }
  }

  /// The end of a line without its carriage return.
  private func trimmed(_ range: Range<Int>) -> Int {
    let last: UInt8? = input.load(at: range.upperBound - 1)
    return range.isEmpty || last != 0x0d ? range.upperBound : range.upperBound - 1
  }

  private func lineFeeds(_ range: Range<Int>) -> Int {
    input.withBytes { raw in raw[range].reduce(0) { $0 + ($1 == 0x0a ? 1 : 0) } }
  }
}

// MARK: What the content says

extension DocumentStream {
  private static func form(of raw: UnsafeRawBufferPointer, depthLimit: Int) -> Form {
    // Bytes, among which line feeds and brackets mean nothing.
    if PLCrashReport.begins(raw) { return .whole }
    let form = formOfLines(raw, depthLimit: depthLimit)
    guard form == .whole, let start = raw[lengthOfMark(raw)...].firstIndex(where: { !isSpace($0) }) else { return form }
    let isArray = raw[start] == 0x5b && raw[(start + 1)...].first(where: { !isSpace($0) }) == 0x7b
    return isArray ? .array : .whole
  }

  /// The next element of an array at or behind `from`, which is behind the bracket or another element, and whether
  /// nothing follows it.
  private static func element(
    _ raw: UnsafeRawBufferPointer, from: Int, depthLimit: Int
  ) -> (range: Range<Int>?, isLast: Bool) {
    func afterSpace(_ start: Int) -> Int { raw[start...].firstIndex { !isSpace($0) } ?? raw.count }
    var at = afterSpace(from)
    let isFirst = from > 0 && raw[from - 1] == 0x5b
    if at < raw.count, !isFirst, raw[at] == 0x2c {
      at = afterSpace(at + 1)
    } else if at < raw.count, !isFirst, raw[at] != 0x5d {
      return (at..<raw.count, true)
    } else if at < raw.count, raw[at] == 0x5d {
      // What stands behind the array belongs to nothing, and will be refused.
      at = afterSpace(at + 1)
      return (at < raw.count ? at..<raw.count : nil, true)
    }
    // An array that was cut off ends in an empty document, which is told.
    guard at < raw.count else { return (at..<at, true) }
    var reader = JSONReader(UnsafeRawBufferPointer(rebasing: raw[at...]), depthLimit: depthLimit)
    guard (try? reader.skipValue()) != nil else { return (at..<raw.count, true) }
    return (at..<at + reader.offset, false)
  }

  private static func formOfLines(_ raw: UnsafeRawBufferPointer, depthLimit: Int) -> Form {
    let lines = firstLines(of: raw, count: 16)
    guard let first = lines.first, lines.count > 1 else { return .whole }
    // Lines of a text report may start with brackets: an app's last words are JSON as well as not.
    if TextCrashReport.begins(raw[first.lowerBound...]) { return .whole }
    if let form = beginsWithLine(raw, first, depthLimit: depthLimit) { return form }
    let isContainer = isBracket(raw[first.lowerBound])
    // A document that spans lines starts none of them but its first with a bracket, unless it is laid out oddly.
    guard nextStart(raw, from: first.upperBound, orAfterBrace: true) != nil else { return .whole }
    var reader = JSONReader(raw, depthLimit: depthLimit)
    if isContainer, (try? reader.skipValue()) != nil {
      let rest = raw[reader.offset...]
      guard let next = rest.firstIndex(where: { !isSpace($0) }) else { return .whole }
      // Files that end without a line feed, put together, leave none between two documents.
      if raw[reader.offset..<next].contains(0x0a) || raw[next] == 0x7b { return .sequence }
    }
    for line in lines.dropFirst() where isBracket(raw[line.lowerBound]) {
      if isComplete(raw, line, depthLimit: depthLimit) { return .lines }
    }
    return .whole
  }

  /// What the first line tells of an input that has more of them; `nil` when it is no complete object or array.
  private static func beginsWithLine(_ raw: UnsafeRawBufferPointer, _ first: Range<Int>, depthLimit: Int) -> Form? {
    guard isBracket(raw[first.lowerBound]), isComplete(raw, first, depthLimit: depthLimit) else { return nil }
    // An .ips report is one line of JSON and then a JSON document or text: one whole.
    return isReportHeader(raw, first) ? .whole : .lines
  }

  private static func isBracket(_ byte: UInt8) -> Bool { byte == 0x7b || byte == 0x5b }

  /// Where the document at `start` ends; a broken one ends before the next line that starts with a bracket.
  private static func endOfDocument(_ raw: UnsafeRawBufferPointer, from start: Int, depthLimit: Int) -> Int {
    var reader = JSONReader(UnsafeRawBufferPointer(rebasing: raw[start...]), depthLimit: depthLimit)
    do throws(JSONError) {
      try reader.skipValue()
      let end = start + reader.offset
      let lineEnd = endOfLine(raw, from: end)
      // What follows on the same line belongs to this document, and will refuse it; another object does not.
      return isBlank(raw, end..<lineEnd) || raw[end] == 0x7b ? end : lineEnd
    } catch {
      // Not where the error shows: a document cut in the middle first swallows the beginning of the next.
      return nextStart(raw, from: start) ?? raw.count
    }
  }

  /// The first line after `from` that starts with a bracket, or with one behind a closing brace.
  private static func nextStart(_ raw: UnsafeRawBufferPointer, from: Int, orAfterBrace: Bool = false) -> Int? {
    var at = from
    while at < raw.count {
      let next = endOfLine(raw, from: at) + 1
      guard next < raw.count else { return nil }
      if isBracket(raw[next]) { return next }
      if orAfterBrace, raw[next] == 0x7d, next + 1 < raw.count, raw[next + 1] == 0x7b { return next + 1 }
      at = next
    }
    return nil
  }

  /// The first lines that are not blank, from their first to after their last character.
  private static func firstLines(of raw: UnsafeRawBufferPointer, count: Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var at = lengthOfMark(raw)
    while at < raw.count, lines.count < count {
      let end = endOfLine(raw, from: at)
      if let start = raw[at..<end].firstIndex(where: { !isSpace($0) }) { lines.append(start..<end) }
      at = end + 1
    }
    return lines
  }

  private static func isComplete(_ raw: UnsafeRawBufferPointer, _ range: Range<Int>, depthLimit: Int) -> Bool {
    var reader = JSONReader(UnsafeRawBufferPointer(rebasing: raw[range]), depthLimit: depthLimit)
    do throws(JSONError) {
      try reader.skipValue()
      return try reader.next() == .end
    } catch {
      return false
    }
  }

  /// Whether the line has a `bug_type` and is not the whole report: those may stand one a line.
  private static func isReportHeader(_ raw: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var reader = JSONReader(UnsafeRawBufferPointer(rebasing: raw[range]))
    do throws(JSONError) {
      guard try reader.next() == .beginObject else { return false }
      var hasBugType = false
      while try reader.nextKey() {
        if reader.tokenIs("bug_type") { hasBugType = true }
        if reader.tokenIs("threads") { return false }
        try reader.skipValue()
      }
      return hasBugType
    } catch {
      return false
    }
  }

  private static func lengthOfMark(_ raw: UnsafeRawBufferPointer) -> Int {
    raw.count >= 3 && raw[0] == 0xef && raw[1] == 0xbb && raw[2] == 0xbf ? 3 : 0
  }

  private static func endOfLine(_ raw: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard start < raw.count, let base = raw.baseAddress else { return raw.count }
    // Safety: both the start and the count lie inside.
    guard let found = memchr(base + start, 0x0a, raw.count - start) else { return raw.count }
    return UnsafeRawPointer(found) - base
  }

  private static func isBlank(_ raw: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    raw[range].allSatisfy(isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }
}
