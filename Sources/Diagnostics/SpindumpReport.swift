internal import Glibc
internal import Identity
internal import JSON

/// The text of `spindump` (hangs, CPU usage, disk writes; also the microstackshots in `.ips` files of types 142, 145 and
/// 202, whose line of JSON may stand before it) and of `sample`.
///
/// `man spindump` and `man sample` describe them; there is no public grammar, so this follows real reports. Stacks are
/// trees, outermost first, in which indentation is depth. Of a spindump only the target process is read, and its
/// heaviest stack, which repeats a path of the tree, only when there is no tree.
enum SpindumpReport: NeighbourFormat {
  static let format = ReportFormat.spindump
  static let shapes: DocumentShape = [.headed, .plain]

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    var start = document.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    while start < document.count, document[start] <= 0x20 { start += 1 }
    var header: JSONValue?
    if start < document.count, document[start] == 0x7b {
      let end = lineEnd(document, start)
      guard end - start <= 65_536,
        let line = try? JSONValue.parse(UnsafeRawBufferPointer(rebasing: document[start..<end])),
        line["bug_type"] != nil
      else { return nil }
      header = line
      start = end
    }
    guard isReport(document, from: start) else { return nil }
    var reader = SpindumpReader(header: header, limits: limits)
    var number = document[..<start].reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) }
    while start < document.count {
      let end = lineEnd(document, start)
      let isCut = end - start > SpindumpReader.lineLimit
      if isCut { reader.wasCut(line: number) }
      reader.take(ArraySlice(document[start..<(isCut ? start + SpindumpReader.lineLimit : end)]), isCut: isCut)
      start = end + 1
      number += 1
    }
    return [try reader.finish()]
  }

  /// Whether the first lines are those of such a report: a crash report has some of them as well.
  private static func isReport(_ document: UnsafeRawBufferPointer, from first: Int) -> Bool {
    var start = first
    var (hasDate, hasSource, isSample, hasReportVersion) = (false, false, false, false)
    for _ in 0..<200 where start < document.count {
      let end = lineEnd(document, start)
      let line = document[start..<min(end, start + 64)]
      func begins(_ word: String) -> Bool { line.starts(with: word.utf8) }
      if begins("Exception Type:") || begins("Exception Codes:") { return false }
      if begins("Date/Time:") { hasDate = true }
      if begins("Report Version:") { hasReportVersion = true }
      if begins("Event:") || begins("Data Source:") { hasSource = true }
      if begins("Analysis of sampling ") { isSample = true }
      if hasDate, hasSource { return true }
      if isSample, begins("Call graph:") { return true }
      if hasDate, hasReportVersion, begins("Heaviest stack for ") { return true }
      start = end + 1
    }
    return false
  }

  private static func lineEnd(_ document: UnsafeRawBufferPointer, _ start: Int) -> Int {
    guard start < document.count, let base = document.baseAddress else { return document.count }
    // Safety: both the start and the count lie inside.
    guard let found = memchr(base + start, 0x0a, document.count - start) else { return document.count }
    return UnsafeRawPointer(found) - base
  }
}

/// Reads one report line by line.
private struct SpindumpReader {
  static let lineLimit = 16_384

  private enum Section {
    case header, heaviest, target, other, images
  }

  private struct Stack {
    var name: String?
    var isMain = false
    var frames: [(frame: SampledFrame, parent: Int32)] = []
    /// The frames that the next one may hang below, each with the column of its count.
    var open: [(column: Int, index: Int32)] = []
  }

  private let limits: ReadingLimits
  private let header: JSONValue?
  private var section = Section.header
  private var isSample = false
  private var facts: [String: String] = [:]
  private var heaviest: [SampledFrame] = []
  private var stacks: [Stack] = []
  private var stacksCut = 0
  private var framesKept = 0
  private var framesCut = 0
  private var images = SampledImages()
  private var cutLines: [Int] = []
  private var sawTarget = false
  private var processUUID: DebugID?

  init(header: JSONValue?, limits: ReadingLimits) {
    self.header = header
    self.limits = limits
  }

  mutating func wasCut(line: Int) {
    if cutLines.count < limits.notes { cutLines.append(line) }
  }

  // MARK: Lines

  mutating func take(_ raw: ArraySlice<UInt8>, isCut: Bool) {
    let line = raw.last == 0x0d ? raw.dropLast() : raw
    let content = SampledFrame.trimmed(line)
    if content.isEmpty {
      // Behind so many blanks may stand anything.
      if isCut { return }
      if section == .heaviest { section = .header }
      if isSample, section == .target { section = .other }
      return
    }
    if line.first != 0x20, line.first != 0x09, takeHeading(line) { return }
    if content.starts(with: "Binary Images:".utf8) {
      if section == .target || isSample { section = .images }
      return
    }
    switch section {
    case .header: takeFact(line)
    case .heaviest:
      if heaviest.count < limits.frames, let frame = SampledFrame(content) { heaviest.append(frame) }
    case .target: takeStackLine(line, content)
    case .images:
      // Whatever follows the list, it is over.
      if !images.add(content) { section = isSample ? .other : .target }
    case .other: break
    }
  }

  /// A line that begins a section; gives whether it was one.
  private mutating func takeHeading(_ line: ArraySlice<UInt8>) -> Bool {
    if line.starts(with: "Analysis of sampling ".utf8) {
      isSample = true
      let name = line.dropFirst(21)
      if let end = SampledFrame.last(" (pid ", in: name) {
        facts["Command"] = SampledFrame.text(name[..<end])
        facts["PID"] = SampledFrame.text(name[(end + 6)...].prefix { (0x30...0x39).contains($0) })
      }
      return true
    }
    if line.starts(with: "Heaviest stack for ".utf8) {
      // Of the target process, or of its main thread; the first one counts.
      section = heaviest.isEmpty && SampledFrame.first("target process", in: line) != nil ? .heaviest : .other
      return true
    }
    if isSample {
      guard line.starts(with: "Call graph:".utf8) else { return line.starts(with: "Process:".utf8) }
      section = .target
      sawTarget = true
      return true
    }
    for word in ["Process:", "Powerstats for:"] where line.starts(with: word.utf8) {
      section = isTarget(SampledFrame.trimmed(line.dropFirst(word.utf8.count))) ? .target : .other
      if section == .target { sawTarget = true }
      return true
    }
    return false
  }

  /// Whether `DemoApp [27952]` is the process that the report is about.
  private func isTarget(_ name: ArraySlice<UInt8>) -> Bool {
    guard let command = facts["Command"] ?? header?["app_name"]?.string else { return false }
    if let open = SampledFrame.last(" [", in: name), let pid = facts["PID"] {
      return SampledFrame.text(name[(open + 2)...].prefix { $0 != 0x5d }) == pid
    }
    return SampledFrame.text(name.prefix { $0 != 0x5b }).split(separator: " ").joined(separator: " ") == command
  }

  private mutating func takeFact(_ line: ArraySlice<UInt8>) {
    guard let colon = line.firstIndex(of: 0x3a), colon - line.startIndex < 40, facts.count < 256 else { return }
    let name = SampledFrame.text(line[..<colon])
    // The first one counts: the device's architecture comes before the program's.
    if facts[name] == nil { facts[name] = SampledFrame.text(SampledFrame.trimmed(line[(colon + 1)...])) }
  }

  private mutating func takeStackLine(_ line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>) {
    if content.starts(with: "Thread 0x".utf8) { return beginStack(named: threadName(content), content) }
    if !isSample, line.first != 0x20 {
      // Facts about the process; its identifier stands in for a list of images that is missing.
      if line.starts(with: "UUID:".utf8) {
        processUUID = processUUID ?? DebugID(SampledFrame.text(SampledFrame.trimmed(line.dropFirst(5))))
      }
      return
    }
    // `sample` draws lines between the branches.
    let lead = line.prefix { $0 == 0x20 || $0 == 0x2a || (isSample && [0x2b, 0x21, 0x3a, 0x7c].contains($0)) }
    let rest = line.dropFirst(lead.count)
    if isSample, let blank = rest.firstIndex(of: 0x20), rest[blank...].starts(with: " Thread_".utf8) {
      return beginStack(named: sampleThreadName(rest[blank...]), rest)
    }
    guard let frame = SampledFrame(rest) else { return }
    if stacks.isEmpty { beginStack(named: nil, []) }
    add(frame, column: lead.count)
  }

  private mutating func beginStack(named name: String?, _ line: ArraySlice<UInt8>) {
    guard stacks.count < limits.stacks else {
      stacksCut += 1
      return
    }
    stacks.append(Stack(name: name, isMain: SampledFrame.first("com.apple.main-thread", in: line) != nil))
  }

  private mutating func add(_ frame: SampledFrame, column: Int) {
    guard stacksCut == 0, framesKept < limits.frames, let last = stacks.indices.last else {
      framesCut += 1
      return
    }
    while let above = stacks[last].open.last, above.column >= column { stacks[last].open.removeLast() }
    let parent = stacks[last].open.last?.index ?? -1
    stacks[last].open.append((column, Int32(truncatingIfNeeded: stacks[last].frames.count)))
    stacks[last].frames.append((frame, parent))
    framesKept += 1
  }

  /// `Thread 0x2ca9e    DispatchQueue "com.apple.main-thread"(1)    Thread name "x"    49 samples …`: the name in quotes,
  /// the thread's before its queue's.
  private func threadName(_ line: ArraySlice<UInt8>) -> String? {
    for word in ["Thread name \"" as StaticString, "DispatchQueue \""] {
      if let place = SampledFrame.first(word, in: line) {
        let name = line[(place + word.utf8CodeUnitCount)...].prefix { $0 != 0x22 }
        if !name.isEmpty { return SampledFrame.text(name) }
      }
    }
    return nil
  }

  /// `Thread_1166804   DispatchQueue_1: com.apple.main-thread  (serial)`, `Thread_1167037: name`.
  private func sampleThreadName(_ line: ArraySlice<UInt8>) -> String? {
    guard let colon = SampledFrame.first(": ", in: line) else { return nil }
    var name = line[(colon + 2)...]
    if let end = SampledFrame.first("  (", in: name) { name = name[..<end] }
    return SampledFrame.text(SampledFrame.trimmed(name))
  }

  // MARK: The diagnostic

  mutating func finish() throws(PayloadRefusal) -> Diagnostic {
    if !sawTarget, heaviest.isEmpty, facts["Command"] == nil {
      throw PayloadRefusal(.noTarget)
    }
    let kind = self.kind
    var builder = DiagnosticBuilder(kind, limits: limits)
    for line in cutLines { builder.note(.textCut, at: "line \(line)") }
    readMetadata(&builder, kind)
    images.sort()
    func add(_ frame: SampledFrame, parent: Int32?) {
      let image = images.image(of: frame)
      var offset = frame.offset
      if offset == nil, let image, let address = frame.address, address >= image.start, image.start > 0 {
        offset = address - image.start
      }
      let name = ReportedValue.fileName(frame.image)
      // The main image's identifier stands at the head of its process, too.
      let debugID = image?.debugID ?? (images.isEmpty && name != nil && name == executable ? processUUID : nil)
      builder.frame(
        parent: parent, image: builder.image(debugID, named: name ?? image?.name), address: frame.address,
        offset: offset,
        symbol: builder.symbol(frame.function, file: frame.file, line: frame.line), samples: frame.samples)
    }
    let isMerged = kind != .hang && kind != .unknown
    if isMerged { builder.beginStack(order: .outermostFirst) }
    var base: Int32 = 0
    for stack in stacks {
      if !isMerged {
        builder.beginStack(
          named: stack.name, isAttributed: kind == .hang ? stack.isMain : nil, order: .outermostFirst)
        base = 0
      }
      for (frame, parent) in stack.frames { add(frame, parent: parent < 0 ? -1 : base + parent) }
      base += Int32(truncatingIfNeeded: stack.frames.count)
    }
    if framesKept == 0, !heaviest.isEmpty {
      if !isMerged { builder.beginStack(named: "Heaviest stack", isAttributed: true, order: .outermostFirst) }
      for frame in heaviest { add(frame, parent: nil) }
    }
    if stacksCut > 0 { builder.note(.stacksCut, at: "\(stacksCut) more") }
    if framesCut > 0 { builder.note(.framesCut, at: "\(framesCut) more") }
    var diagnostic = builder.finish()
    diagnostic.isPerThread = !isMerged
    return diagnostic
  }

  private var executable: String? { ReportedValue.fileName(facts["Path"]) ?? facts["Command"] }

  private var kind: DiagnosticKind {
    let event = facts["Event"] ?? ""
    if event.hasPrefix("hang") || event.hasPrefix("unresponsive") { return .hang }
    if event.hasPrefix("cpu usage") || event.hasPrefix("wakeups") { return .cpuException }
    if event.hasPrefix("disk writes") { return .diskWriteException }
    return .unknown
  }

  private func readMetadata(_ builder: inout DiagnosticBuilder, _ kind: DiagnosticKind) {
    func fact(_ names: String...) -> String? {
      for name in names {
        if let value = facts[name], !value.isEmpty, !value.hasPrefix("???") { return builder.limited(value) }
      }
      return nil
    }
    func header(_ name: String) -> String? { ReportedValue.text(self.header?[name]).map { builder.limited($0) } }
    builder.metadata.bundleIdentifier = fact("Identifier") ?? header("bundleID")
    // `1.0.14 (14)`
    if let version = fact("Version") {
      let parts = version.split(separator: " (", maxSplits: 1)
      builder.metadata.appVersion = parts.first.map(String.init)
      builder.metadata.appBuildVersion = parts.count > 1 ? String(parts[1].prefix { $0 != ")" }) : nil
    }
    builder.metadata.appVersion = builder.metadata.appVersion ?? header("app_version")
    builder.metadata.appBuildVersion = builder.metadata.appBuildVersion ?? header("build_version")
    builder.metadata.osVersion = fact("OS Version")?.replacing("(Build ", with: "(") ?? header("os_version")
    builder.metadata.deviceType = fact("Hardware model")
    builder.metadata.platformArchitecture = fact("Architecture", "Code Type")
    builder.metadata.pid = facts["PID"].flatMap { Int64($0) }
    builder.metadata.timeStampBegin = fact("Date/Time")
    builder.metadata.timeStampEnd = fact("End time") ?? fact("Date/Time")
    switch kind {
    case .hang: builder.metadata.hangDuration = fact("Duration")
    case .cpuException:
      builder.metadata.totalCPUTime = fact("CPU used", "CPU")
      builder.metadata.totalSampledTime = fact("CPU duration", "Duration")
    case .diskWriteException: builder.metadata.writesCaused = fact("Writes caused", "Writes")
    default: break
    }
  }
}
