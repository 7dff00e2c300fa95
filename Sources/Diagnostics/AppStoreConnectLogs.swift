internal import Identity
internal import JSON

/// The diagnostic logs of App Store Connect's API (`GET /v1/diagnosticSignatures/{id}/logs`): disk writes, hangs, launches.
///
/// Documented by Apple as `DiagnosticLogs`. The names are MetricKit's, the shapes are not: `callStackTree` is an array,
/// numbers are texts and may be empty, and frames come symbolicated. A single log out of such a document is read, too.
/// Trees start at the outermost call. Insights are left alone.
enum AppStoreConnectLogs: NeighbourFormat {
  static let format = ReportFormat.appStoreConnect
  static let shapes: DocumentShape = .json

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard document.holds("\"diagnosticLogs\"") || document.holds("\"callStackTree\"") else { return nil }
    var logs = LogReader(limits: limits)
    do throws(JSONError) {
      var reader = JSONReader(document, depthLimit: limits.depth)
      guard try reader.next() == .beginObject else { return nil }
      try logs.readLevel(&reader)
      guard try reader.next() == .end else { return nil }
    } catch {
      return nil
    }
    return logs.isRecognised ? logs.diagnostics : nil
  }
}

/// Reads the document in one pass, with a list of the open frames instead of recursion: stacks are deep.
private struct LogReader {
  private struct Frame {
    var parent: Int32
    var debugID: DebugID?
    var image: String?
    var function: String?
    var file: String?
    var line: UInt64?
    var address: UInt64?
    var offset: UInt64?
    var samples: UInt64?
    var isBlamed = false
    var raw: String?

    init(parent: Int32) { self.parent = parent }

    /// Takes from `rawFrame` what the members did not say.
    mutating func complete() {
      guard image == nil || function == nil || address == nil,
        let line = raw.flatMap({ SampledFrame(ArraySlice($0.utf8)) })
      else { return }
      image = image ?? line.image
      function = function ?? line.function
      address = address ?? line.address
      offset = offset ?? line.offset
      file = file ?? line.file
      self.line = self.line ?? line.line
      samples = samples ?? line.samples
    }
  }

  private struct Log {
    var metadata = MetadataReader()
    var event: String?
    var detail: String?
    var stacks: [[Frame]] = []
    var isPerThread: Bool?
    var frames = 0
    var framesCut = 0
    var stacksCut = 0
    var hasTrees = false
    var notes: Notebook
  }

  let limits: ReadingLimits
  private(set) var diagnostics: [Diagnostic] = []
  private(set) var isRecognised = false
  private var log: Log
  private var framesInDocument = 0

  init(limits: ReadingLimits) {
    self.limits = limits
    log = Log(notes: Notebook(limit: limits.notes))
  }

  // MARK: The way to the logs

  /// The object that has been opened: the whole document, a product, or one log.
  mutating func readLevel(_ reader: inout JSONReader) throws(JSONError) {
    while try reader.nextKey() {
      if reader.tokenIs("productData") {
        try eachObject(&reader) { (logs, reader) throws(JSONError) in try logs.readProduct(&reader) }
      } else if reader.tokenIs("diagnosticLogs") {
        try readLogs(&reader)
      } else {
        try readLogMember(&reader)
      }
    }
    if log.hasTrees { finishLog() }
  }

  private mutating func readProduct(_ reader: inout JSONReader) throws(JSONError) {
    while try reader.nextKey() {
      if reader.tokenIs("diagnosticLogs") { try readLogs(&reader) } else { try reader.skipValue() }
    }
  }

  private mutating func readLogs(_ reader: inout JSONReader) throws(JSONError) {
    let outer = log
    let isList = try eachObject(&reader) { (logs, reader) throws(JSONError) in
      logs.log = Log(notes: Notebook(limit: logs.limits.notes))
      while try reader.nextKey() { try logs.readLogMember(&reader) }
      logs.finishLog()
    }
    log = outer
    if isList { isRecognised = true }
  }

  /// Calls `body` inside each object of the array that is next; it leaves the object. Gives whether it was an array.
  @discardableResult
  private mutating func eachObject(
    _ reader: inout JSONReader, _ body: (inout LogReader, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) -> Bool {
    let token = try reader.next()
    if token == .beginObject { try reader.leaveContainer() }
    guard token == .beginArray else { return false }
    while true {
      switch try reader.next() {
      case .endArray: return true
      case .beginObject: try body(&self, &reader)
      case .beginArray:
        log.notes.add(.notADiagnostic, byte: reader.tokenOffset)
        try reader.leaveContainer()
      default: log.notes.add(.notADiagnostic, byte: reader.tokenOffset)
      }
    }
  }

  private mutating func readLogMember(_ reader: inout JSONReader) throws(JSONError) {
    if reader.tokenIs("callStackTree") {
      try readTrees(&reader)
    } else if reader.tokenIs("diagnosticMetaData") {
      try readMetadata(&reader)
    } else {
      try reader.skipValue()
    }
  }

  private mutating func readMetadata(_ reader: inout JSONReader) throws(JSONError) {
    let token = try reader.next()
    guard token == .beginObject else {
      if token == .beginArray { try reader.leaveContainer() }
      if token != .null { log.notes.add(.metadataUnreadable, byte: reader.tokenOffset) }
      return
    }
    while try reader.nextKey() {
      let limit = limits.textBytes
      if reader.tokenIs("event") {
        log.event = try MetadataValue.text(&reader, limit: limit, notes: &log.notes)
      } else if reader.tokenIs("eventDetail") {
        log.detail = try MetadataValue.text(&reader, limit: limit, notes: &log.notes)
      } else if reader.tokenIs("bundleId") {
        log.metadata.metadata.bundleIdentifier = try MetadataValue.text(&reader, limit: limit, notes: &log.notes)
      } else if reader.tokenIs("buildVersion") {
        log.metadata.metadata.appBuildVersion = try MetadataValue.text(&reader, limit: limit, notes: &log.notes)
      } else if let key = reader.key(in: MetadataKey.set) {
        try log.metadata.readMember(key, &reader, limits: limits, notes: &log.notes)
      } else {
        try reader.skipValue()
      }
    }
  }

  // MARK: Stacks

  /// `callStackTree`: an array of trees. A single one, as MetricKit has it, is not of this format.
  private mutating func readTrees(_ reader: inout JSONReader) throws(JSONError) {
    let token = try reader.next()
    guard token == .beginArray else {
      if token == .beginObject { try reader.leaveContainer() }
      return
    }
    log.hasTrees = true
    isRecognised = true
    while true {
      switch try reader.next() {
      case .endArray: return
      case .beginObject:
        while try reader.nextKey() {
          if reader.tokenIs("callStacks") {
            try eachObject(&reader) { (logs, reader) throws(JSONError) in try logs.readStack(&reader) }
          } else if reader.tokenIs("callStackPerThread") {
            log.isPerThread = try MetadataValue.bool(&reader)
          } else {
            try reader.skipValue()
          }
        }
      case .beginArray:
        log.notes.add(.treeUnreadable, byte: reader.tokenOffset)
        try reader.leaveContainer()
      default: log.notes.add(.treeUnreadable, byte: reader.tokenOffset)
      }
    }
  }

  private mutating func readStack(_ reader: inout JSONReader) throws(JSONError) {
    var frames: [Frame] = []
    while try reader.nextKey() {
      guard reader.tokenIs("callStackRootFrames") else {
        try reader.skipValue()
        continue
      }
      let token = try reader.next()
      if token == .beginArray {
        frames = try readFrames(&reader)
      } else if token != .null {
        log.notes.add(.stackUnreadable, byte: reader.tokenOffset)
        if token == .beginObject { try reader.leaveContainer() }
      }
    }
    guard log.stacks.count < limits.stacks else {
      log.stacksCut += 1
      return
    }
    log.stacks.append(frames)
  }

  /// All frames of one stack; the `[` of its root frames has been read.
  private mutating func readFrames(_ reader: inout JSONReader) throws(JSONError) -> [Frame] {
    var frames: [Frame] = []
    var open: [Int] = []
    while true {
      switch try reader.next() {
      case .beginObject:
        guard log.frames < limits.frames, framesInDocument < limits.framesInDocument else {
          log.framesCut += 1
          try reader.leaveContainer()
          continue
        }
        log.frames += 1
        framesInDocument += 1
        frames.append(Frame(parent: open.last.map { Int32(truncatingIfNeeded: $0) } ?? -1))
        open.append(frames.count - 1)
      case .endArray:
        if open.isEmpty { return frames }
      case .beginArray:
        log.notes.add(.frameUnreadable, byte: reader.tokenOffset)
        try reader.leaveContainer()
        continue
      default:
        log.notes.add(.frameUnreadable, byte: reader.tokenOffset)
        continue
      }
      // Inside the innermost open frame, until its sub-frames begin or it ends.
      guard let index = open.last else { continue }
      if try !readMembers(&reader, of: &frames[index]) {
        frames[index].complete()
        open.removeLast()
      }
    }
  }

  /// Reads members of a frame; gives whether its `subFrames` array has begun, and otherwise the frame has ended.
  private mutating func readMembers(_ reader: inout JSONReader, of frame: inout Frame) throws(JSONError) -> Bool {
    while try reader.nextKey() {
      if reader.tokenIs("subFrames") {
        let token = try reader.next()
        if token == .beginArray { return true }
        if token != .null { log.notes.add(.frameUnreadable, byte: reader.tokenOffset) }
        if token == .beginObject { try reader.leaveContainer() }
      } else if reader.tokenIs("binaryUUID") {
        let place = reader.tokenOffset
        let text = try self.text(&reader)
        frame.debugID = text.flatMap { DebugID($0) }
        if text != nil, frame.debugID == nil { log.notes.add(.badUUID, byte: place) }
      } else if reader.tokenIs("binaryName") {
        frame.image = try text(&reader)
      } else if reader.tokenIs("symbolName") {
        frame.function = try text(&reader)
      } else if reader.tokenIs("fileName") {
        frame.file = try text(&reader)
      } else if reader.tokenIs("rawFrame") {
        frame.raw = try text(&reader)
      } else if reader.tokenIs("lineNumber") {
        frame.line = try MetadataValue.unsigned(&reader, notes: &log.notes)
      } else if reader.tokenIs("address") {
        frame.address = try MetadataValue.unsigned(&reader, notes: &log.notes)
      } else if reader.tokenIs("offsetIntoBinaryTextSegment") {
        frame.offset = try MetadataValue.unsigned(&reader, notes: &log.notes)
      } else if reader.tokenIs("sampleCount") {
        frame.samples = try MetadataValue.unsigned(&reader, notes: &log.notes)
      } else if reader.tokenIs("isBlameFrame") {
        frame.isBlamed = try MetadataValue.bool(&reader) == true
      } else {
        try reader.skipValue()
      }
    }
    return false
  }

  private mutating func text(_ reader: inout JSONReader) throws(JSONError) -> String? {
    let text = try MetadataValue.text(&reader, limit: limits.textBytes, notes: &log.notes)
    return text?.isEmpty == true ? nil : text
  }

  // MARK: The diagnostics

  private mutating func finishLog() {
    let ordinal = diagnostics.count
    var metadata = log.metadata.metadata
    let kind = kind(metadata)
    if let detail = log.detail, Quantity(detail) != nil {
      if kind == .hang { metadata.hangDuration = metadata.hangDuration ?? detail }
      if kind == .appLaunch { metadata.launchDuration = metadata.launchDuration ?? detail }
    }
    var builder = DiagnosticBuilder(kind, limits: limits)
    // The API writes `iPhone13_3`.
    metadata.deviceType = metadata.deviceType?.replacing("_", with: ",")
    builder.metadata = metadata
    for note in log.notes.notes { DiagnosticNoteCode(rawValue: note.code).map { builder.note($0, at: note.place) } }
    if log.stacksCut > 0 { builder.note(.stacksCut, at: "\(log.stacksCut) more") }
    if log.framesCut > 0 { builder.note(.framesCut, at: "\(log.framesCut) more, with all below them") }
    for frames in log.stacks {
      // Apple blames a frame, and with it its thread.
      let isBlamed = frames.contains(where: \.isBlamed)
      builder.beginStack(isAttributed: isBlamed ? true : nil, order: .outermostFirst)
      for frame in frames {
        builder.frame(
          parent: frame.parent, image: builder.image(frame.debugID, named: frame.image), address: frame.address,
          offset: frame.offset, symbol: builder.symbol(frame.function, file: frame.file, line: frame.line),
          samples: frame.samples)
      }
    }
    var diagnostic = builder.finish(ordinal: ordinal)
    diagnostic.isPerThread = log.isPerThread
    diagnostic.decideOffsets(limits: limits)
    diagnostics.append(diagnostic)
    log = Log(notes: Notebook(limit: limits.notes))
  }

  private func kind(_ metadata: DiagnosticMetadata) -> DiagnosticKind {
    let event = log.event?.lowercased() ?? ""
    if event.hasPrefix("disk write") { return .diskWriteException }
    if event.hasPrefix("hang") { return .hang }
    if event.hasPrefix("launch") || event.hasPrefix("app launch") { return .appLaunch }
    if event.hasPrefix("cpu") { return .cpuException }
    return DiagnosticKind(word: event) ?? metadata.possibleKinds.first ?? .unknown
  }
}
