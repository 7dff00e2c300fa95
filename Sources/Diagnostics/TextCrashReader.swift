internal import JSON

/// Takes up the lines of a text crash report, and makes a diagnostic of them.
struct TextCrashReader {
  private struct Thread {
    /// The number in `Thread 3:`; `nil` for the backtrace of an exception.
    var number: UInt64?
    var name: String?
    var hasCrashed = false
    var frames: [TextFrame] = []
  }

  private enum Section {
    case header, information, thread, images, other
  }

  var builder: DiagnosticBuilder
  private let limits: ReadingLimits
  private var section = Section.header
  private var fields: [String: String] = [:]
  private var threads: [Thread] = []
  private var exception: Thread?
  private var isInException = false
  private var isInAddressList = false
  private var names: [UInt64: String] = [:]
  private var images = TextImageList()
  private var frameCount = 0
  private var information: String?

  init(limits: ReadingLimits) {
    self.limits = limits
    builder = DiagnosticBuilder(.crash, limits: limits)
  }

  /// Whether what was read is a crash report and not another text that begins like one.
  var isCrashReport: Bool { fields["Exception Type"] != nil || exception != nil || !threads.isEmpty }

  // MARK: Lines

  /// Takes up one line; `false` when nothing of the report follows.
  mutating func take(_ line: TextLine, number: Int) -> Bool {
    if line.starts(with: "Full Report"), isCrashReport {
      // Console appends the same report once more as JSON.
      return false
    }
    if line.starts(with: "Thread "), takeThreadHeading(line) { return true }
    if line.starts(with: "Last Exception Backtrace:") || line.starts(with: "Application Specific Backtrace ") {
      // macOS of old has only the second; of several the first counts.
      isInException = exception == nil
      if isInException { exception = Thread(name: CrashReportWords.lastException) }
      section = isInException ? .thread : .other
      return true
    }
    if line.starts(with: "Binary Images:") {
      section = .images
      return true
    }
    switch section {
    case .header: takeField(line)
    case .information: takeInformation(line)
    case .thread: takeFrame(line, number: number)
    case .images: takeImage(line, number: number)
    case .other: break
    }
    return true
  }

  /// `Key:   value`
  private mutating func takeField(_ line: TextLine) {
    guard let colon = line.firstIndex(of: 0x3a), colon - line.startIndex <= 64 else { return }
    let key = line[..<colon].trimmed.text
    if key == "Application Specific Information" { section = .information }
    guard fields.count < 256, fields[key] == nil else { return }
    fields[key] = line[(colon + 1)...].trimmed.text
  }

  /// What the app or a library said at last: lines up to the next empty one.
  private mutating func takeInformation(_ line: TextLine) {
    if line.trimmed.isEmpty {
      section = .header
    } else if information == nil || line.place(of: "uncaught exception") != nil {
      information = line.trimmed.text
    }
  }

  /// `Thread 5 name:  …`, `Thread 5 Crashed:`, `Thread 5:`, on macOS also `Thread 5 Crashed:: name`.
  private mutating func takeThreadHeading(_ line: TextLine) -> Bool {
    var rest = line.dropFirst(7)
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard let number = digits.decimalNumber else { return false }
    rest = rest[digits.endIndex...]
    if rest.starts(with: " name:") {
      if names.count < limits.stacks { names[number] = TextCrashReader.threadName(rest.dropFirst(6)) }
      section = .other
      return true
    }
    var thread = Thread(number: number)
    for mark in [" Crashed", " (Crashed)", " Highlighted"] where rest.starts(with: mark) {
      thread.hasCrashed = true
      rest = rest.dropFirst(mark.utf8.count)
    }
    guard rest.first == 0x3a else {
      // `Thread 0 crashed with ARM Thread State`: registers.
      section = .other
      return line.place(of: "crashed with") != nil
    }
    rest = rest.dropFirst()
    thread.name = TextCrashReader.threadName(rest.first == 0x3a ? rest.dropFirst() : rest) ?? names[number]
    threads.append(thread)
    isInException = false
    section = .thread
    return true
  }

  /// The name of a thread, or else that of its queue.
  private static func threadName(_ text: TextLine) -> String? {
    var name = text.trimmed
    if let queue = name.place(of: "Dispatch queue:") {
      let before = name[..<queue.lowerBound].trimmed
      name = before.isEmpty ? name[queue.upperBound...].trimmed : before
    }
    return name.isEmpty ? nil : name.text
  }

  private mutating func takeFrame(_ line: TextLine, number: Int) {
    let text = line.trimmed
    guard let first = text.first else {
      // An empty line ends a thread; before the first frame it does not.
      if threads.last?.frames.isEmpty == false || isInException { section = .other }
      if isInException, exception?.frames.isEmpty == true { section = .thread }
      isInAddressList = false
      return
    }
    if isInException, first == 0x28 || isInAddressList { return takeAddressList(text) }
    guard first >= 0x30, first <= 0x39 else { return }
    if frameCount >= limits.frames { return frameCount += 1 }
    guard let frame = TextFrame(text) else { return builder.note(.frameUnreadable, at: "line \(number)") }
    add(frame)
  }

  /// `(0x1a2b3c4d5 0x1a2b3c4e6 …)`: an exception's backtrace that nobody has looked up yet.
  private mutating func takeAddressList(_ text: TextLine) {
    isInAddressList = text.last != 0x29
    for word in text.split(whereSeparator: { $0.isTextSpace || $0 == 0x28 || $0 == 0x29 }) {
      if let address = word.hexNumber { add(TextFrame(address: address)) }
    }
  }

  /// Beyond the limit frames are counted only, when the diagnostic is built.
  private mutating func add(_ frame: TextFrame) {
    frameCount += 1
    guard frameCount <= limits.frames else { return }
    if isInException {
      exception?.frames.append(frame)
    } else if !threads.isEmpty {
      threads[threads.count - 1].frames.append(frame)
    }
  }

  private mutating func takeImage(_ line: TextLine, number: Int) {
    guard !images.add(line), line.trimmed.starts(with: "0x") else { return }
    builder.note(.frameUnreadable, at: "line \(number)")
  }
}

// MARK: The diagnostic

extension TextCrashReader {
  /// The diagnostic; `header` is the line of JSON that stood before the text.
  mutating func finish(header: JSONValue?) -> Diagnostic {
    images.close()
    let metadata = metadata(header: header)
    builder.metadata = metadata.limited(by: &builder)
    let isException = exception?.frames.isEmpty == false && CrashReportWords.lastExceptionIsEvent(metadata)
    if let exception, !exception.frames.isEmpty { build(exception, isAttributed: isException) }
    let crashed = crashedThread
    for thread in threads { build(thread, isAttributed: !isException && thread.number == crashed) }
    if frameCount > limits.frames { builder.note(.framesCut, at: "\(frameCount - limits.frames) more") }
    var diagnostic = builder.finish()
    diagnostic.isPerThread = true
    return diagnostic
  }

  private var crashedThread: UInt64? {
    if let marked = threads.first(where: \.hasCrashed)?.number { return marked }
    let stated = fields["Triggered by Thread"] ?? fields["Crashed Thread"] ?? fields["Highlighted Thread"]
    return stated.flatMap { Array($0.utf8)[...].prefix { $0 >= 0x30 && $0 <= 0x39 }.decimalNumber }
  }

  private mutating func build(_ thread: Thread, isAttributed: Bool) {
    builder.beginStack(named: thread.name, isAttributed: isAttributed)
    for frame in thread.frames { build(frame) }
  }

  private mutating func build(_ frame: TextFrame) {
    let symbol = builder.symbol(frame.function, file: frame.file, line: frame.line)
    let loaded = frame.loadAddress.flatMap { images.image(loadedAt: $0) }
    if let image = loaded ?? images.image(at: frame.address) {
      let number = builder.image(image.debugID, named: image.name)
      let offset = frame.address >= image.start ? frame.address - image.start : nil
      builder.frame(image: number, address: frame.address, offset: offset, symbol: symbol)
      return
    }
    // Outside all images of the list, or there is none: what the line itself says.
    let named = frame.image.flatMap { images.image(named: $0) }
    let number = builder.image(named?.debugID, named: frame.image)
    let base = frame.loadAddress
    let offset = base.flatMap { frame.image != nil && frame.address >= $0 ? frame.address - $0 : nil }
    builder.frame(image: number, address: frame.address, offset: offset, symbol: symbol)
  }

  private func metadata(header: JSONValue?) -> DiagnosticMetadata {
    var metadata = DiagnosticMetadata()
    func known(_ text: String?) -> String? {
      guard let text, !text.isEmpty, text != "???", text != "(null)" else { return nil }
      return text
    }
    metadata.bundleIdentifier = known(fields["Identifier"]) ?? header?["bundleID"]?.string
    (metadata.appVersion, metadata.appBuildVersion) = TextCrashReader.versions(known(fields["Version"]))
    metadata.appVersion = metadata.appVersion ?? header?["app_version"]?.string
    metadata.appBuildVersion = metadata.appBuildVersion ?? header?["build_version"]?.string
    metadata.osVersion = known(fields["OS Version"]) ?? header?["os_version"]?.string
    metadata.deviceType = known(fields["Hardware Model"])
    metadata.platformArchitecture = fields["Code Type"].flatMap { CrashReportWords.architecture($0) }
    if fields["Beta"] == "YES" || fields["Distributor ID"] == "com.apple.TestFlight" { metadata.isTestFlightApp = true }
    // `Process:   App [455]`
    if let process = fields["Process"], process.last == "]", let open = process.lastIndex(of: "[") {
      metadata.pid = Int64(process[process.index(after: open)...].dropLast())
    }
    metadata.timeStampBegin = known(fields["Date/Time"]) ?? header?["timestamp"]?.string
    metadata.timeStampEnd = metadata.timeStampBegin
    if let type = fields["Exception Type"] {
      metadata.exceptionType = CrashReportWords.exceptionType(in: type)
      metadata.signal = CrashReportWords.signal(in: type)
    }
    metadata.exceptionCode = fields["Exception Codes"].flatMap { CrashReportWords.exceptionCode(in: $0) }
    metadata.virtualMemoryRegionInfo = known(fields["VM Region Info"])
    metadata.exceptionReason = information.flatMap { CrashReportWords.exceptionReason(inInformation: $0) }
    metadata.terminationReason = terminationReason(code: metadata.exceptionCode)
    return metadata
  }

  private func terminationReason(code: UInt64?) -> String? {
    if let reason = fields["Termination Reason"] {
      let more = fields["Termination Description"].map { " " + $0 } ?? ""
      return CrashReportWords.terminationReason(from: reason) + more
    }
    // Before iOS 9 a kill by the system has no Mach exception, and its reason stands in the codes.
    guard let code, code > 0xffff, fields["Exception Type"]?.hasPrefix("0000") == true else { return nil }
    return "Code 0x" + String(code, radix: 16)
  }

  /// `1.0 (34)`: the version and the build.
  private static func versions(_ text: String?) -> (String?, String?) {
    guard let text else { return (nil, nil) }
    guard text.last == ")", let open = text.firstIndex(of: "(") else { return (text, nil) }
    let version = text[..<open].utf8.split(separator: 0x20).first.map { String($0) } ?? nil
    let build = String(text[text.index(after: open)...].dropLast())
    return (version, build.isEmpty || build == "???" ? nil : build)
  }
}

extension TextFrame {
  /// A frame of which only the address is known.
  init(address: UInt64) { self.address = address }
}
