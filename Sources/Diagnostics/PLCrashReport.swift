internal import Identity

/// PLCrashReporter's report as it lies on the device, `.plcrash`: seven letters, a version, and one protobuf message.
///
/// Documented by its `PLCrashReport.proto`, of which the numbers of fields are, and by `PLCrashReportTextFormatter`, which
/// makes Apple's text of it. The app's own data and registers are left alone.
enum PLCrashReport: NeighbourFormat {
  static let format = ReportFormat.plCrash
  static let shapes: DocumentShape = .plain

  /// Whether `document` begins as such a report does; the rest is bytes, in which line feeds and brackets mean nothing.
  static func begins(_ document: UnsafeRawBufferPointer) -> Bool { document.starts(with: "plcrash".utf8) }

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard begins(document) else { return nil }
    guard let version = document.dropFirst(7).first else { throw refusal("it ends before its version") }
    guard version == 1 else { throw refusal("version \(version), not 1") }
    var reader = PLCrashReader(limits: limits)
    let diagnostic: Diagnostic
    do throws(ProtobufError) {
      diagnostic = try reader.read(UnsafeRawBufferPointer(rebasing: document[8...]))
    } catch {
      throw refusal("\(ProtobufError(code: error.code, offset: error.offset + 8))")
    }
    guard reader.sawEvent else { throw refusal("it has neither threads nor a signal") }
    return [diagnostic]
  }

  private static func refusal(_ detail: String) -> PayloadRefusal { PayloadRefusal(.plCrashReport, detail: detail) }
}

/// Reads one report. Frames are read last: the images stand behind them.
private struct PLCrashReader {
  fileprivate struct Image {
    var start: UInt64 = 0
    var size: UInt64 = 0
    var debugID: DebugID?
    var name: String?
  }

  fileprivate struct Symbol {
    var name: String?
    var start: UInt64?
    var end: UInt64?
  }

  /// Far more than a process has; what follows is left out.
  private static let imageLimit = 65_536

  /// Whether something is said of what happened.
  private(set) var sawEvent = false
  private var builder: DiagnosticBuilder
  private var metadata = DiagnosticMetadata()
  private var system: (name: String?, version: String?, build: String?)
  private var architecture: String?
  private var isRequested = false
  private var exception: ProtobufField?
  /// By start.
  private var images: [Image] = []

  init(limits: ReadingLimits) { builder = DiagnosticBuilder(.crash, limits: limits) }

  mutating func read(_ report: UnsafeRawBufferPointer) throws(ProtobufError) -> Diagnostic {
    var fields = ProtobufReader(report)
    while let field = try fields.next() { readSection(field) }
    images.sort { ($0.start, $0.size) < ($1.start, $1.size) }
    finishMetadata()
    let isEvent = readExceptionFrames()
    fields = ProtobufReader(report)
    var number = 0
    while let field = try fields.next() {
      guard field.tag == 3 else { continue }
      readThread(field, isException: isEvent, "thread \(number)")
      number += 1
    }
    var diagnostic = builder.finish()
    diagnostic.isPerThread = true
    // A report that the app asked for: nothing had happened.
    if isRequested { diagnostic.kind = .unknown }
    return diagnostic
  }

  /// `CrashReport`
  private mutating func readSection(_ field: ProtobufField) {
    switch field.tag {
    case 1: eachField(of: field, .metadataUnreadable, "system_info") { $0.readSystem($1) }
    case 2: eachField(of: field, .metadataUnreadable, "application_info") { $0.readApplication($1) }
    case 3: sawEvent = true
    case 4: readImage(field)
    case 5:
      exception = field
      sawEvent = true
      metadata.exceptionReason = ExceptionReason()
      eachField(of: field, .metadataUnreadable, "exception") { $0.readException($1) }
    case 6:
      sawEvent = true
      eachField(of: field, .metadataUnreadable, "signal") { $0.readSignal($1) }
    case 7:
      eachField(of: field, .metadataUnreadable, "process_info") { reader, field in
        if field.tag == 2 { reader.metadata.pid = field.number.flatMap { Int64(exactly: $0) } }
      }
    case 8: eachField(of: field, .metadataUnreadable, "machine_info") { $0.readMachine($1) }
    case 9:
      eachField(of: field, .metadataUnreadable, "report_info") { reader, field in
        if field.tag == 1 { reader.isRequested = field.bool == true }
      }
    default: break
    }
  }

  /// Calls `take` for each field of the message in `field`. What is broken ends it, is noted, and costs the rest nothing.
  private mutating func eachField(
    of field: ProtobufField, _ code: DiagnosticNoteCode, _ place: String,
    _ take: (inout PLCrashReader, ProtobufField) -> Void
  ) {
    guard let message = field.bytes else { return builder.note(code, at: place) }
    var fields = ProtobufReader(message)
    do throws(ProtobufError) {
      while let field = try fields.next() { take(&self, field) }
    } catch {
      builder.note(code, at: "\(place), \(error)")
    }
  }

  // MARK: Metadata

  /// `SystemInfo`
  private mutating func readSystem(_ field: ProtobufField) {
    switch field.tag {
    case 1: system.name = field.number.flatMap(PLCrashReader.systemName)
    case 2: system.version = field.text
    case 3: architecture = architecture ?? field.number.flatMap(PLCrashReader.legacyArchitecture)
    case 4:
      // Seconds since 1970; 0 when unknown. The year 9999 bounds them.
      guard let seconds = field.number, (1..<253_402_300_800).contains(seconds) else { return }
      metadata.timeStampBegin = PointInTime(seconds: Int64(seconds), isZoneKnown: true).text
      metadata.timeStampEnd = metadata.timeStampBegin
    case 5: system.build = field.text
    default: break
    }
  }

  /// `ApplicationInfo`: its `version` is the build.
  private mutating func readApplication(_ field: ProtobufField) {
    switch field.tag {
    case 1: metadata.bundleIdentifier = field.text
    case 2: metadata.appBuildVersion = field.text
    case 3: metadata.appVersion = field.text
    default: break
    }
  }

  /// `MachineInfo`
  private mutating func readMachine(_ field: ProtobufField) {
    switch field.tag {
    case 1: metadata.deviceType = field.text
    case 2:
      var (encoding, type, subtype): (UInt64, UInt64, UInt64) = (0, 0, 0)
      eachField(of: field, .metadataUnreadable, "processor") { _, field in
        switch field.tag {
        case 1: encoding = field.number ?? 0
        case 2: type = field.number ?? 0
        case 3: subtype = field.number ?? 0
        default: break
        }
      }
      // Mach's numbers are the only ones that are defined.
      if encoding == 1 { architecture = PLCrashReader.architecture(type: type, subtype: subtype) ?? architecture }
    default: break
    }
  }

  /// `Exception`, without its frames
  private mutating func readException(_ field: ProtobufField) {
    switch field.tag {
    case 1: metadata.exceptionReason?.name = field.text
    case 2: metadata.exceptionReason?.composedMessage = field.text
    default: break
    }
  }

  /// `Signal`
  private mutating func readSignal(_ field: ProtobufField) {
    switch field.tag {
    case 1: metadata.signal = field.text.flatMap { CrashReportWords.signal(in: $0) }
    case 4:
      // Of several codes MetricKit gives the first.
      metadata.exceptionCode = nil
      eachField(of: field, .metadataUnreadable, "mach_exception") { reader, field in
        switch field.tag {
        case 1: reader.metadata.exceptionType = field.number.flatMap { Int64(exactly: $0) }
        case 2: reader.metadata.exceptionCode = reader.metadata.exceptionCode ?? field.firstNumber
        default: break
        }
      }
    default: break
    }
  }

  private mutating func finishMetadata() {
    metadata.osVersion = ReportedValue.system(system.name, system.version, system.build)
    metadata.platformArchitecture = architecture
    // No signal came: the reporter fills in one of its own.
    if isRequested { metadata.signal = nil }
    builder.metadata = metadata.limited(by: &builder)
  }

  /// `OperatingSystem`, in MetricKit's words.
  private static func systemName(_ number: UInt64) -> String? {
    switch number {
    case 0: "macOS"
    case 1: "iPhone OS"
    case 2: "iPhone Simulator"
    case 4: "tvOS"
    default: nil
    }
  }

  /// `Architecture`, which `MachineInfo` has replaced.
  private static func legacyArchitecture(_ number: UInt64) -> String? {
    switch number {
    case 0: "i386"
    case 1: "x86_64"
    case 2: "armv6"
    case 5: "armv7"
    default: nil
    }
  }

  /// A processor of `mach/machine.h`; the highest byte of the subtype tells of capabilities.
  private static func architecture(type: UInt64, subtype: UInt64) -> String? {
    switch (type, subtype & 0xff_ffff) {
    case (0x0100_000c, 2): "arm64e"
    case (0x0100_000c, _): "arm64"
    case (0x0200_000c, _): "arm64_32"
    case (0x0100_0007, _): "x86_64"
    case (7, _): "i386"
    case (12, 6): "armv6"
    case (12, 9): "armv7"
    case (12, 11): "armv7s"
    case (12, 12): "armv7k"
    case (12, _): "arm"
    default: nil
    }
  }

  // MARK: Images

  /// `BinaryImage`
  private mutating func readImage(_ field: ProtobufField) {
    guard images.count < PLCrashReader.imageLimit else { return }
    var image = Image()
    eachField(of: field, .metadataUnreadable, "binary_images \(images.count)") { reader, field in
      switch field.tag {
      case 1: image.start = field.number ?? 0
      case 2: image.size = field.number ?? 0
      case 3: image.name = ReportedValue.fileName(field.text)
      case 4:
        image.debugID = field.bytes.flatMap { DebugID(bytes: $0) }
        // Zeros say that there is none.
        if image.debugID == nil, field.bytes?.allSatisfy({ $0 == 0 }) != true {
          reader.builder.note(.badUUID, at: "binary_images \(reader.images.count)")
        }
      default: break
      }
    }
    images.append(image)
  }

  private func image(holding address: UInt64) -> Image? {
    images.last(startingAtOrBefore: address, by: \.start).flatMap { address - $0.start < $0.size ? $0 : nil }
  }

  // MARK: Frames

  /// The backtrace of the exception as a call stack; gives whether it is the event.
  private mutating func readExceptionFrames() -> Bool {
    guard let message = exception?.bytes else { return false }
    var fields = ProtobufReader(message)
    var number = 0
    var isEvent = false
    // Where the message is broken has been noted.
    while let field = try? fields.next() {
      guard field.tag == 3 else { continue }
      if number == 0 {
        isEvent = CrashReportWords.lastExceptionIsEvent(builder.metadata)
        builder.beginStack(named: CrashReportWords.lastException, isAttributed: isEvent)
      }
      readFrame(field, "exception, frame \(number)")
      number += 1
    }
    return isEvent
  }

  /// `Thread`: the frames stand before the word on whether it crashed.
  private mutating func readThread(_ thread: ProtobufField, isException: Bool, _ place: String) {
    guard let message = thread.bytes else { return builder.note(.stackUnreadable, at: place) }
    var fields = ProtobufReader(message)
    var crashed: Bool?
    while let field = try? fields.next() {
      if field.tag == 3 { crashed = field.bool }
    }
    builder.beginStack(isAttributed: isException ? crashed.map { _ in false } : crashed)
    var number = 0
    eachField(of: thread, .stackUnreadable, place) { reader, field in
      guard field.tag == 2 else { return }
      reader.readFrame(field, "\(place), frame \(number)")
      number += 1
    }
  }

  /// `StackFrame`
  private mutating func readFrame(_ frame: ProtobufField, _ place: String) {
    guard frame.bytes != nil else { return builder.note(.frameUnreadable, at: place) }
    var pc: UInt64?
    var symbol = Symbol()
    eachField(of: frame, .frameUnreadable, place) { reader, field in
      switch field.tag {
      case 3: pc = field.number
      case 6: reader.eachField(of: field, .frameUnreadable, "\(place), symbol") { symbol.take($1) }
      default: break
      }
    }
    if pc == nil { builder.note(.badNumber, at: "\(place), pc") }
    let address = pc.map { ReportedValue.withoutSignature($0, architecture: architecture) }
    let image = address.flatMap(image(holding:))
    builder.frame(
      image: builder.image(image?.debugID, named: image?.name), address: address,
      offset: address.flatMap { address in image.map { address - $0.start } },
      symbol: builder.symbol(symbol.name(at: address, in: image)))
  }
}

extension PLCrashReader.Symbol {
  /// `Symbol`
  fileprivate mutating func take(_ field: ProtobufField) {
    switch field.tag {
    case 1: name = field.text
    case 2: start = field.number
    case 3: end = field.number
    default: break
    }
  }

  /// The name as people know it, unless it only stands for the image or belongs to what lies elsewhere.
  fileprivate func name(at address: UInt64?, in image: PLCrashReader.Image?) -> String? {
    if let start, start == image?.start { return nil }
    if let start, let address {
      // The end is known only from debug information; a call that does not return may lie right before it.
      let isOutside = end.map { address > $0 } ?? CrashReportWords.isNearestOnly(address &- start)
      if start > address || isOutside { return nil }
    }
    // The symbol table's underscore; the system's own tools leave it out as well.
    return name.map { $0.utf8.count > 1 && $0.hasPrefix("_") ? String($0.dropFirst()) : $0 }
  }
}
