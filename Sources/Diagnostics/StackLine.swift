internal import Identity
internal import JSON

/// symclust's own form of a stack, for whoever has stacks that no other format carries: one JSON object a line.
///
/// Documented by `docs/schemas/stack.schema.json`. Frames come with names, with offsets, or with both; offsets need a
/// `debug_id`, names need nothing. Keys that are not known here are passed over.
enum StackLine: NeighbourFormat {
  static let format = ReportFormat.stackLine
  static let shapes: DocumentShape = .json

  /// What stands in `schema`.
  private static let schema = "symclust.stack/1"

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard document.holds("symclust.stack/") else { return nil }
    let line: JSONValue
    do throws(JSONError) {
      line = try JSONValue.parse(document)
    } catch {
      if let refusal = ReportedValue.refusal(for: error, in: document) { throw refusal }
      return nil
    }
    guard let named = line["schema"]?.string, named.hasPrefix("symclust.stack/") else { return nil }
    guard named == schema else {
      throw PayloadRefusal(.unknownSchema, detail: "\(named.prefix(32)), not \(schema)")
    }
    var reader = StackLineReader(line, limits: limits)
    return [reader.read()]
  }
}

/// Reads one line.
private struct StackLineReader {
  private let line: JSONValue
  private var builder: DiagnosticBuilder
  /// The name of the image that frames without one belong to.
  private var appName = "app"

  init(_ line: JSONValue, limits: ReadingLimits) {
    self.line = line
    let word = line["kind"]?.string
    let kind = word.flatMap { DiagnosticKind(rawValue: $0) ?? DiagnosticKind(word: $0) }
    builder = DiagnosticBuilder(kind ?? .unknown, limits: limits)
    let isStated = word == nil || word == DiagnosticKind.unknown.rawValue
    if kind == nil, !isStated || (word == nil && line["kind"]?.isNull == false) {
      builder.note(.metadataUnreadable, at: "kind")
    }
  }

  mutating func read() -> Diagnostic {
    readMetadata()
    if let name = builder.metadata.bundleIdentifier?.split(whereSeparator: { $0 == "." || $0 == "/" }).last {
      appName = String(name)
    }
    let threads = line["threads"]
    if threads?.array == nil, threads?.isNull == false { builder.note(.treeUnreadable, at: "threads") }
    for (number, thread) in (threads?.array ?? []).enumerated() {
      guard thread.members != nil else {
        builder.note(.stackUnreadable, at: "thread \(number)")
        continue
      }
      readThread(thread, "thread \(number)")
    }
    var diagnostic = builder.finish()
    diagnostic.isPerThread = true
    return diagnostic
  }

  // MARK: Frames

  private mutating func readThread(_ thread: JSONValue, _ place: String) {
    var order = FrameOrder.innermostFirst
    if let stated = thread["order"], !stated.isNull {
      if let known = stated.string.flatMap(FrameOrder.init(rawValue:)) {
        order = known
      } else {
        builder.note(.stackUnreadable, at: "\(place), order")
      }
    }
    builder.beginStack(named: thread["name"]?.string, isAttributed: thread["attributed"]?.bool, order: order)
    let frames = thread["frames"]
    if frames?.array == nil, frames?.isNull == false { builder.note(.stackUnreadable, at: place) }
    // Where each element of the document went; an element that is no frame has no place.
    var places: [Int32?] = []
    for (number, frame) in (frames?.array ?? []).enumerated() {
      places.append(readFrame(frame, after: places, "\(place), frame \(number)"))
    }
  }

  private mutating func readFrame(_ frame: JSONValue, after places: [Int32?], _ place: String) -> Int32? {
    guard frame.members != nil else {
      builder.note(.frameUnreadable, at: place)
      return nil
    }
    let previous = places.last { $0 != nil } ?? nil
    var parent = previous ?? -1
    if let stated = frame["parent"], !stated.isNull {
      if let index = stated.uint.flatMap(Int.init(exactly:)), places.indices.contains(index), let known = places[index]
      {
        parent = known
      } else if stated.int == -1 {
        parent = -1
      } else {
        // Forward, to itself, or to nothing: the frame stays where it stands.
        builder.note(.badNumber, at: "\(place), parent")
      }
    }
    let identifier = frame["debug_id"]?.string
    let debugID = identifier.flatMap { DebugID($0) }
    if debugID == nil, let stated = frame["debug_id"], !stated.isNull, identifier != "" {
      builder.note(.badUUID, at: place)
    }
    let stated = frame["image"]?.string
    // An image with an identifier needs no name; an empty one says that the frame lies in no known image.
    let name = ReportedValue.fileName(stated)
    let isOwn = name == nil && debugID == nil && stated != ""
    return builder.frame(
      parent: parent, image: builder.image(debugID, named: isOwn ? appName : name, isOwn: isOwn),
      address: number(frame["address"], "\(place), address"), offset: number(frame["offset"], "\(place), offset"),
      symbol: builder.symbol(
        frame["function"]?.string, file: frame["file"]?.string, line: number(frame["line"], "\(place), line")),
      samples: number(frame["samples"], "\(place), samples"))
  }

  private mutating func number(_ value: JSONValue?, _ place: @autoclosure () -> String) -> UInt64? {
    guard let value, !value.isNull else { return nil }
    if let number = ReportedValue.unsigned(value) { return number }
    builder.note(.badNumber, at: place())
    return nil
  }

  // MARK: Metadata

  private mutating func readMetadata() {
    builder.metadata.bundleIdentifier = text("app")
    builder.metadata.appVersion = text("version")
    builder.metadata.appBuildVersion = text("build")
    builder.metadata.spansVersions = line["spans_versions"]?.bool
    builder.metadata.osVersion = text("os")
    builder.metadata.deviceType = text("device")
    builder.metadata.timeStampBegin = text("time")
    builder.metadata.timeStampEnd = text("time")
    guard let reason = line["reason"], !reason.isNull else { return }
    guard reason.members != nil else { return builder.note(.metadataUnreadable, at: "reason") }
    builder.metadata.exceptionType = signed(reason, "exception_type")
    builder.metadata.exceptionCode = number(reason["exception_code"], "reason, exception_code")
    builder.metadata.signal = signed(reason, "signal")
    builder.metadata.terminationReason = reason["termination"]?.string.map { builder.limited($0) }
    let name = reason["exception_name"]?.string
    let message = reason["message"]?.string
    guard name != nil || message != nil else { return }
    var exception = ExceptionReason()
    exception.name = name.map { builder.limited($0) }
    exception.composedMessage = message.map { builder.limited($0) }
    builder.metadata.exceptionReason = exception
  }

  private mutating func signed(_ reason: JSONValue, _ name: String) -> Int64? {
    guard let value = reason[name], !value.isNull else { return nil }
    if let number = ReportedValue.signed(value) { return number }
    builder.note(.badNumber, at: "reason, \(name)")
    return nil
  }

  private mutating func text(_ name: String) -> String? {
    guard let value = line[name], !value.isNull else { return nil }
    guard let text = value.string ?? ReportedValue.text(value) else {
      builder.note(.metadataUnreadable, at: name)
      return nil
    }
    return builder.limited(text)
  }
}
