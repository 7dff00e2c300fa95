import Diagnostics
import Identity
import Signatures

/// What a document was read as, in lines that a person can hold against the document, and that say nothing twice.
///
/// Texts that may be long or hold a user's data are cut, with the digest of the whole: the documents are not ours to copy.
struct ReadingText {
  private(set) var lines: [String] = []

  /// A reading.
  init(_ payload: Payload) {
    lines.append("format \(payload.format.rawValue)")
    add("", [("begin", payload.timeStampBegin), ("end", payload.timeStampEnd)])
    if payload.unknownKeys > 0 { lines.append("unknown keys \(payload.unknownKeys)") }
    add(payload.notes, indent: "")
    for diagnostic in payload.diagnostics { add(diagnostic, in: payload) }
  }

  /// No reading.
  init(_ refusal: PayloadRefusal) {
    lines = ["refused \(refusal.reason.rawValue)", "  \(refusal)"]
  }

  // MARK: A diagnostic

  private mutating func add(_ diagnostic: Diagnostic, in payload: Payload) {
    let metadata = diagnostic.metadata
    lines += ["", "\(diagnostic.ordinal) \(diagnostic.kind.rawValue)"]
    add(metadata)
    if metadata.timeStampBegin != payload.timeStampBegin { add("  ", [("begin", metadata.timeStampBegin)]) }
    if metadata.timeStampEnd != payload.timeStampEnd { add("  ", [("end", metadata.timeStampEnd)]) }
    lines.append("  reason \(ReasonClass(kind: diagnostic.kind, raw: RawReason(metadata)))")
    add(diagnostic.context)
    let perThread = diagnostic.isPerThread.map { $0 ? "true" : "false" } ?? "not said"
    var shape = "  per thread \(perThread), images \(diagnostic.images.count)"
    if !diagnostic.symbols.isEmpty { shape += ", symbols \(diagnostic.symbols.count)" }
    lines.append(shape + (diagnostic.isSimulated ? ", simulated" : ""))
    add(diagnostic.notes, indent: "  ")
    let attribution = Attribution(diagnostic)
    let chosen = attribution.stack.map { "\($0)" } ?? "none"
    lines.append("  chosen \(chosen), \(attribution.basis.rawValue), \(attribution.confidence.rawValue)")
    for index in diagnostic.stacks.indices { add(index, of: diagnostic, isChosen: index == attribution.stack) }
  }

  private mutating func add(_ metadata: DiagnosticMetadata) {
    let exception = metadata.exceptionReason
    add(
      "  ",
      [
        ("bundle", metadata.bundleIdentifier), ("version", metadata.appVersion), ("build", metadata.appBuildVersion),
        ("os", metadata.osVersion), ("device", metadata.deviceType), ("architecture", metadata.platformArchitecture),
        ("region", metadata.regionFormat), ("testflight", metadata.isTestFlightApp.map(String.init)),
        ("low power", metadata.lowPowerModeEnabled.map(String.init)), ("pid", metadata.pid.map(String.init)),
        ("signal", metadata.signal.map(String.init)), ("exception type", metadata.exceptionType.map(String.init)),
        ("exception code", metadata.exceptionCode.map(Self.hex)), ("termination", metadata.terminationReason),
        ("termination category", metadata.terminationCategory), ("memory region", metadata.virtualMemoryRegionInfo),
        ("exception name", exception?.name), ("exception's type", exception?.type),
        ("exception class", exception?.className), ("exception format", exception?.formatString),
        ("exception message", exception?.composedMessage), ("hang type", metadata.hangType),
        ("hang duration", metadata.hangDuration), ("cpu time", metadata.totalCPUTime),
        ("sampled time", metadata.totalSampledTime), ("writes", metadata.writesCaused),
        ("launch duration", metadata.launchDuration),
      ])
  }

  private mutating func add(_ context: DiagnosticContext) {
    for state in context.states { lines.append("  state \(Self.cut(state.domain)): \(Self.cut(state.label))") }
    for signpost in context.signposts { lines.append("  signpost \(Self.cut(signpost))") }
    if context.droppedCount > 0 { lines.append("  states and signposts dropped \(context.droppedCount)") }
  }

  // MARK: A call stack

  private mutating func add(_ index: Int, of diagnostic: Diagnostic, isChosen: Bool) {
    let stack = diagnostic.stacks[index]
    var words = ["\(stack.frames.count) frames"]
    if let isAttributed = stack.isAttributed { words.append(isAttributed ? "attributed" : "not attributed") }
    words.append("\(stack.order.rawValue) by \(stack.orderBasis.rawValue)")
    if !stack.isLinear { words.append("branching") }
    if let name = stack.name { words.append("named \"\(Self.cut(name))\"") }
    lines.append("  stack \(index): \(words.joined(separator: ", "))")
    add(stack.frames.prefix(isChosen ? 12 : 1), of: diagnostic)
    if stack.frames.count > 1 { lines.append("    \(Self.digest(stack, of: diagnostic)) of all frames") }
    guard isChosen else { return }
    var seen: Set<Int32> = []
    for frame in stack.frames where frame.image >= 0 && seen.insert(frame.image).inserted {
      let image = diagnostic.images[Int(frame.image)]
      lines.append("    image \(image.debugID?.description ?? "-") \(image.name.map(Self.cut) ?? "-")")
    }
  }

  private mutating func add(_ frames: ArraySlice<RawFrame>, of diagnostic: Diagnostic) {
    for (index, frame) in frames.enumerated() {
      var words = ["    " + Self.place(of: frame, in: diagnostic), "(\(frame.offsetBasis.word))"]
      if let count = frame.sampleCount { words.append("x\(count)") }
      if Int(frame.parent) != index - 1 { words.append("below \(frame.parent)") }
      if frame.symbol >= 0 {
        let symbol = diagnostic.symbols[Int(frame.symbol)]
        words.append(Self.cut(symbol.function))
        if let file = symbol.file { words.append("(\(Self.cut(file))\(symbol.line.map { ":\($0)" } ?? ""))") }
      }
      lines.append(words.joined(separator: " "))
    }
  }

  private static func place(of frame: RawFrame, in diagnostic: Diagnostic) -> String {
    let image = frame.image < 0 ? nil : diagnostic.images[Int(frame.image)]
    let name = image.map { $0.name.map(cut) ?? $0.debugID?.description ?? "-" } ?? "-"
    if let offset = frame.offset { return "\(name) + \(offset)" }
    return name + (frame.address.map { " [\(hex($0))]" } ?? "")
  }

  /// Eight digits that change with any place, image, name, count or parent in the stack.
  private static func digest(_ stack: CallStack, of diagnostic: Diagnostic) -> String {
    let lines = stack.frames.map { frame in
      let image = frame.image < 0 ? nil : diagnostic.images[Int(frame.image)]
      let symbol = frame.symbol < 0 ? nil : diagnostic.symbols[Int(frame.symbol)]
      let parts: [String?] = [
        String(frame.parent), image?.debugID?.description, image?.name, frame.address.map(String.init),
        frame.offset.map(String.init), frame.offsetBasis.word, frame.sampleCount.map(String.init), symbol?.function,
        symbol?.file, symbol?.line.map(String.init),
      ]
      return parts.map { $0 ?? "-" }.joined(separator: " ")
    }
    return digest(lines.joined(separator: "\n"))
  }

  // MARK: Words

  private mutating func add(_ indent: String, _ fields: [(name: String, text: String?)]) {
    for (name, text) in fields {
      if let text { lines.append("\(indent)\(name) \(text.isEmpty ? "\"\"" : Self.cut(text))") }
    }
  }

  private mutating func add(_ notes: [DiagnosticNote], indent: String) {
    for note in notes { lines.append("\(indent)note \(note.code) at \(Self.cut(note.place))") }
  }

  /// At most 48 characters of the first line, with the digest of a longer text.
  private static func cut(_ text: String) -> String {
    let start = text.prefix { !$0.isNewline }.prefix(48)
    return start.count == text.count ? text : "\(start)… (\(text.utf8.count) bytes, \(digest(text)))"
  }

  private static func digest(_ text: String) -> String {
    "sha256 " + ContentDigest(of: Array(text.utf8)).hex.prefix(8)
  }

  private static func hex(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }
}
