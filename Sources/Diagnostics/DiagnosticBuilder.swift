internal import Identity

/// Puts a diagnostic together from what a neighbouring format says, within the reading limits.
///
/// The readers of `.ips`, text reports and the like find threads, images and frames in their own ways; what a diagnostic
/// is made of, and what is cut when there is too much of it, is one for all of them.
struct DiagnosticBuilder {
  private(set) var diagnostic: Diagnostic
  private let limits: ReadingLimits
  private var notes: Notebook
  private var images: [ImageReference: Int32] = [:]
  private var symbols: [ReportedSymbol: Int32] = [:]
  private var frameCount = 0
  private var framesCut = 0
  private var stacksCut = 0

  init(_ kind: DiagnosticKind, limits: ReadingLimits) {
    diagnostic = Diagnostic(kind: kind)
    self.limits = limits
    notes = Notebook(limit: limits.notes)
  }

  /// What the device said about itself and the event.
  var metadata: DiagnosticMetadata {
    get { diagnostic.metadata }
    set { diagnostic.metadata = newValue }
  }

  /// The number of an image; -1 when nothing is known of it.
  mutating func image(_ debugID: DebugID?, named name: String?, isOwn: Bool = false) -> Int32 {
    let image = ImageReference(debugID: debugID, name: name.flatMap { $0.isEmpty ? nil : limited($0) }, isOwn: isOwn)
    if image.debugID == nil, image.name == nil { return -1 }
    if let known = images[image] { return known }
    let number = Int32(truncatingIfNeeded: diagnostic.images.count)
    diagnostic.images.append(image)
    images[image] = number
    return number
  }

  /// The number of a name that the report gives; -1 for a name that says nothing.
  mutating func symbol(_ function: String?, file: String? = nil, line: UInt64? = nil) -> Int32 {
    guard let function, !function.isEmpty, !Self.placeholders.contains(function) else { return -1 }
    let symbol = ReportedSymbol(
      function: limited(function), file: file.flatMap { $0.isEmpty ? nil : limited($0) },
      line: line.flatMap { $0 == 0 ? nil : UInt32(exactly: $0) })
    if let known = symbols[symbol] { return known }
    let number = Int32(truncatingIfNeeded: diagnostic.symbols.count)
    diagnostic.symbols.append(symbol)
    symbols[symbol] = number
    return number
  }

  /// What reports write where they know no name, or several (the linker folded equal functions into one).
  private static let placeholders: Set<String> = [
    "???", "<redacted>", "<unknown>", "0x0", "(null)", "_mh_execute_header", "<deduplicated_symbol>",
  ]

  /// Begins a call stack; the frames that follow belong to it.
  mutating func beginStack(named name: String? = nil, isAttributed: Bool? = nil, order: FrameOrder = .innermostFirst) {
    guard diagnostic.stacks.count < limits.stacks else {
      stacksCut += 1
      return
    }
    var stack = CallStack(isAttributed: isAttributed, order: order, orderBasis: .kind)
    stack.name = name.map { limited($0) }
    diagnostic.stacks.append(stack)
  }

  /// Adds a frame to the stack that was begun last; gives its index there, `nil` when it was cut.
  ///
  /// Without `parent` it hangs below the frame before it, as in a chain.
  @discardableResult
  mutating func frame(
    parent: Int32? = nil, image: Int32, address: UInt64? = nil, offset: UInt64?, symbol: Int32 = -1,
    samples: UInt64? = nil
  ) -> Int32? {
    guard stacksCut == 0, let last = diagnostic.stacks.indices.last, frameCount < limits.frames else {
      framesCut += 1
      return nil
    }
    let number = Int32(truncatingIfNeeded: diagnostic.stacks[last].frames.count)
    var frame = RawFrame(
      parent: parent ?? number - 1, image: image, address: address, offset: offset,
      offsetBasis: offset == nil ? .missing : .offset, sampleCount: samples)
    frame.symbol = symbol
    diagnostic.stacks[last].frames.append(frame)
    frameCount += 1
    return number
  }

  /// Notes what was repaired or left out; `place` is for example `line 12`.
  mutating func note(_ code: DiagnosticNoteCode, at place: String) { notes.add(code, at: place) }

  /// The text, cut to the limit.
  mutating func limited(_ text: String) -> String {
    guard text.utf8.count > limits.textBytes else { return text }
    notes.add(.textCut, at: "text")
    return Text.cut(Array(text.utf8), to: limits.textBytes)
  }

  /// The diagnostic, with notes on what was cut.
  mutating func finish(ordinal: Int = 0) -> Diagnostic {
    if stacksCut > 0 { notes.add(.stacksCut, at: "\(stacksCut) more") }
    if framesCut > 0 { notes.add(.framesCut, at: "\(framesCut) more") }
    if diagnostic.stacks.allSatisfy(\.frames.isEmpty) { notes.add(.noStack, at: "report") }
    diagnostic.ordinal = ordinal
    diagnostic.notes = notes.closed
    return diagnostic
  }
}
