internal import Identity
internal import JSON

/// KSCrash's JSON report, as KSCrash itself and forks of it (Bugsnag, Raygun, …) write it.
///
/// Documented by KSCrash's `KSCrashReportFields.h` and its `Example-Reports`. When the crash handler itself crashes,
/// `recrash_report` holds what it had written of the first crash, and the rest is about the second: the first is read.
enum KSCrashReport: NeighbourFormat {
  static let format = ReportFormat.ksCrash
  static let shapes: DocumentShape = .json

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard document.holds("\"crash\""), document.holds("\"binary_images\"") || document.holds("\"recrash_report\""),
      let report = try sections(of: document), isReport(report) || report["recrash_report"] != nil
    else { return nil }
    guard let inner = report["recrash_report"], let first = embedded(inner), isReport(first) else {
      guard isReport(report) else { return nil }
      var reader = KSCrashReader(report, around: nil, limits: limits)
      return [reader.read()]
    }
    var reader = KSCrashReader(first, around: report, limits: limits)
    let diagnostic = reader.read()
    if diagnostic.stacks.contains(where: { !$0.frames.isEmpty }) || !isReport(report) { return [diagnostic] }
    // The first one broke off before its threads.
    reader = KSCrashReader(report, around: nil, limits: limits)
    return [reader.read()]
  }

  private static let wanted = ["report", "system", "crash", "binary_images", "recrash_report"]

  /// The members that are read. What apps put beside them (`user`, breadcrumbs) is passed over, however deep it is.
  private static func sections(of document: UnsafeRawBufferPointer) throws(PayloadRefusal) -> JSONValue? {
    do throws(JSONError) {
      var reader = JSONReader(document)
      guard try reader.next() == .beginObject else { return nil }
      var members: [JSONMember] = []
      while try reader.nextKey() {
        let name = reader.tokenBytes.count <= 32 ? reader.text : ""
        if wanted.contains(name) {
          members.append(JSONMember(name, try JSONValue.read(&reader)))
        } else {
          try reader.skipValue()
        }
      }
      return try reader.next() == .end ? .object(members) : nil
    } catch {
      if let refusal = ReportedValue.refusal(for: error, in: document) { throw refusal }
      return nil
    }
  }

  /// The report inside, which may be a text that holds it.
  private static func embedded(_ value: JSONValue) -> JSONValue? {
    if value.members != nil { return value }
    return value.string.flatMap { try? JSONValue.parse(Array($0.utf8)) }
  }

  private static func isReport(_ report: JSONValue) -> Bool {
    guard let crash = report["crash"], crash["threads"]?.array != nil || crash["error"]?.members != nil else {
      return false
    }
    return report["binary_images"]?.array != nil || report["system"]?.members != nil || report["report"]?.members != nil
  }
}

/// Reads one report.
private struct KSCrashReader {
  private struct Image {
    var start: UInt64
    var size: UInt64
    var debugID: DebugID?
    var name: String?
  }

  private let report: JSONValue
  /// The report around a recrash report: the same process, so its images and its system are the same.
  private let outer: JSONValue?
  private let error: JSONValue?
  private let architecture: String?
  private var builder: DiagnosticBuilder
  /// By start.
  private var images: [Image] = []

  init(_ report: JSONValue, around outer: JSONValue?, limits: ReadingLimits) {
    self.report = report
    self.outer = outer
    error = report["crash"]?["error"]
    architecture = (report["system"] ?? outer?["system"])?["cpu_arch"]?.string
    builder = DiagnosticBuilder(KSCrashReader.kind(error?["type"]?.string), limits: limits)
  }

  private static func kind(_ type: String?) -> DiagnosticKind {
    switch type {
    // The main thread did not answer; KSCrash's own watchdogs.
    case "deadlock", "hang": .hang
    case "memory_termination": .memoryException
    // What an app reports itself ended nothing by itself.
    case "user": .unknown
    default: .crash
    }
  }

  mutating func read() -> Diagnostic {
    readImages()
    readMetadata()
    let crash = report["crash"]
    let exception =
      error?["nsexception"]?["backtrace"] ?? crash?["last_exception_backtrace"] ?? report["last_exception_backtrace"]
    let hasException = !(contents(exception) ?? []).isEmpty
    let isEvent = hasException && CrashReportWords.lastExceptionIsEvent(builder.metadata)
    if hasException {
      builder.beginStack(named: CrashReportWords.lastException, isAttributed: isEvent)
      readFrames(exception, "last exception")
    }
    if crash?["threads"]?.array == nil, crash?["threads"]?.isNull == false {
      builder.note(.treeUnreadable, at: "threads")
    }
    for (number, thread) in (crash?["threads"]?.array ?? []).enumerated() {
      guard thread.members != nil else {
        builder.note(.stackUnreadable, at: "thread \(number)")
        continue
      }
      let name = ReportedValue.text(thread["name"]) ?? ReportedValue.text(thread["dispatch_queue"])
      let crashed = thread["crashed"]?.bool
      builder.beginStack(named: name, isAttributed: isEvent ? crashed.map { _ in false } : crashed)
      readFrames(thread["backtrace"], "thread \(number)")
    }
    var diagnostic = builder.finish()
    diagnostic.isPerThread = true
    return diagnostic
  }

  // MARK: Frames

  private func contents(_ backtrace: JSONValue?) -> [JSONValue]? { backtrace?["contents"]?.array ?? backtrace?.array }

  private mutating func readFrames(_ backtrace: JSONValue?, _ place: String) {
    guard let frames = contents(backtrace) else {
      if backtrace?.isNull == false, backtrace?["contents"]?.isNull != true {
        builder.note(.stackUnreadable, at: place)
      }
      return
    }
    if let skipped = ReportedValue.unsigned(backtrace?["skipped"]), skipped > 0 {
      builder.note(.framesCut, at: "\(place): \(skipped) by the device")
    }
    for (number, frame) in frames.enumerated() { readFrame(frame, "\(place), frame \(number)") }
  }

  private mutating func readFrame(_ frame: JSONValue, _ place: String) {
    guard frame.members != nil else { return builder.note(.frameUnreadable, at: place) }
    let address = number(frame["instruction_addr"], place).map {
      ReportedValue.withoutSignature($0, architecture: architecture)
    }
    // Unknown objects are at 0.
    let object = number(frame["object_addr"], place).flatMap { $0 == 0 ? nil : $0 }
    let image = object.flatMap(image(at:)) ?? (object == nil ? address.flatMap(image(holding:)) : nil)
    let name = ReportedValue.fileName(frame["object_name"]?.string) ?? image?.name
    var offset: UInt64?
    if let start = object ?? image?.start, let address {
      if address >= start, address - start < 1 << 32 {
        offset = address - start
      } else {
        builder.note(.offsetUnusable, at: place)
      }
    }
    builder.frame(
      image: builder.image(image?.debugID, named: name), address: address, offset: offset,
      symbol: symbol(frame, address: address, object: object))
  }

  /// The name that the device found, unless it only stands for the file or lies too far before the address.
  private mutating func symbol(_ frame: JSONValue, address: UInt64?, object: UInt64?) -> Int32 {
    if let start = ReportedValue.unsigned(frame["symbol_addr"]), start != 0 {
      if start == object { return -1 }
      if let address, start > address || CrashReportWords.isNearestOnly(address - start) { return -1 }
    }
    return builder.symbol(frame["symbol_name"]?.string)
  }

  private mutating func number(_ value: JSONValue?, _ place: String) -> UInt64? {
    guard let value, !value.isNull else { return nil }
    if let number = ReportedValue.unsigned(value) { return number }
    builder.note(.badNumber, at: place)
    return nil
  }

  // MARK: Images

  private mutating func readImages() {
    for value in (report["binary_images"] ?? outer?["binary_images"])?.array ?? [] {
      guard let start = ReportedValue.unsigned(value["image_addr"]) else { continue }
      images.append(
        Image(
          start: start, size: ReportedValue.unsigned(value["image_size"]) ?? 0,
          debugID: value["uuid"]?.string.flatMap { DebugID($0) }, name: ReportedValue.fileName(value["name"]?.string)))
    }
    images.sort { ($0.start, $0.size) < ($1.start, $1.size) }
  }

  /// The image at the highest start that is not above `address`.
  private func lastImage(notAbove address: UInt64) -> Image? {
    images.last(startingAtOrBefore: address, by: \.start)
  }

  private func image(at start: UInt64) -> Image? {
    lastImage(notAbove: start).flatMap { $0.start == start ? $0 : nil }
  }

  private func image(holding address: UInt64) -> Image? {
    lastImage(notAbove: address).flatMap { address - $0.start < $0.size ? $0 : nil }
  }

  // MARK: Metadata

  private mutating func readMetadata() {
    let system = report["system"] ?? outer?["system"]
    func text(_ name: String) -> String? { ReportedValue.text(system?[name]) }
    builder.metadata.bundleIdentifier = text("CFBundleIdentifier").map { builder.limited($0) }
    builder.metadata.appVersion = text("CFBundleShortVersionString").map { builder.limited($0) }
    builder.metadata.appBuildVersion = text("CFBundleVersion").map { builder.limited($0) }
    builder.metadata.osVersion = ReportedValue.system(text("system_name"), text("system_version"), text("os_version"))
      .map { builder.limited($0) }
    builder.metadata.deviceType = text("machine").map { builder.limited($0) }
    builder.metadata.platformArchitecture = text("cpu_arch").map { builder.limited($0) }
    builder.metadata.pid = ReportedValue.signed(system?["process_id"])
    let time = time((report["report"] ?? outer?["report"])?["timestamp"]).map { builder.limited($0) }
    builder.metadata.timeStampBegin = time
    builder.metadata.timeStampEnd = time
    builder.metadata.exceptionType = ReportedValue.signed(error?["mach"]?["exception"])
    builder.metadata.exceptionCode = ReportedValue.bits(error?["mach"]?["code"])
    builder.metadata.signal = ReportedValue.signed(error?["signal"]?["signal"])
    if let code = ReportedValue.unsigned(error?["exit_reason"]?["code"]), code > 0 {
      builder.metadata.terminationReason = "Code 0x" + String(code, radix: 16)
    }
    readException()
  }

  /// Seconds since 1970, microseconds since then (3.x), or a text.
  private func time(_ value: JSONValue?) -> String? {
    guard let number = ReportedValue.signed(value), number > 0 else { return ReportedValue.text(value) }
    let seconds = number > 100_000_000_000_000 ? number / 1_000_000 : number
    // The year 9999.
    guard seconds < 253_402_300_800 else { return nil }
    return PointInTime(seconds: seconds, isZoneKnown: true).text
  }

  private mutating func readException() {
    var reason = ExceptionReason()
    let message = ReportedValue.text(error?["reason"])
    switch error?["type"]?.string {
    case "nsexception":
      reason.name = ReportedValue.text(error?["nsexception"]?["name"])
      reason.composedMessage = ReportedValue.text(error?["nsexception"]?["reason"]) ?? message
    case "cpp_exception":
      // A C++ type is no name of an Objective-C exception.
      reason.className = ReportedValue.text(error?["cpp_exception"]?["name"])
      reason.composedMessage = message
    case "user":
      reason.type = ReportedValue.text(error?["user_reported"]?["name"])
      reason.composedMessage = message
    default: return
    }
    reason.name = reason.name.map { builder.limited($0) }
    reason.className = reason.className.map { builder.limited($0) }
    reason.type = reason.type.map { builder.limited($0) }
    reason.composedMessage = reason.composedMessage.map { builder.limited($0) }
    builder.metadata.exceptionReason = reason
  }
}
