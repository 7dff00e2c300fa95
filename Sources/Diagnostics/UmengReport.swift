internal import Identity

/// The text in which Umeng's reporter keeps a crash: a sentence, one backtrace, and what is needed to look its app up.
///
///     Application received signal SIGSEGV
///     ((
///       3  DemoApp    0x100b32844    UmengSignalHandler (in DemoApp) + 128
///     )
///     dSYM UUID: E5B0A378-6816-3D90-86FD-2AEF15894A85
///     Binary Image: DemoApp
///     Base Address: 0x00000001000e4000
///
/// There is no documentation; files show it. Of all images only the app's has an identifier and a load address, so the
/// frames of all others have names at most. (`Slide Address` is where the app's image was linked to lie.)
enum UmengReport: NeighbourFormat {
  static let format = ReportFormat.textCrash
  static let shapes: DocumentShape = .plain

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    // One thread without a list of images: these are small. A JSON document or an empty one it is not.
    guard document.count <= 1 << 20, let first = document.first(where: { !$0.isTextSpace }), first != 0x7b,
      first != 0x5b
    else { return nil }
    var lines = TextLines(document[...])
    var message: TextLine?
    var frames: [TextFrame] = []
    var fields: [String: TextLine] = [:]
    while let line = lines.next() {
      let text = line.trimmed
      guard let first = text.first else { continue }
      if message == nil { message = text }
      if first >= 0x30, first <= 0x39, let frame = TextFrame(text) {
        frames.append(frame)
      } else if let colon = text.firstIndex(of: 0x3a), names.contains(text[..<colon].text) {
        fields[text[..<colon].text] = text[(colon + 1)...].trimmed
      }
    }
    guard let id = fields["dSYM UUID"], let name = fields["Binary Image"]?.text, !frames.isEmpty else { return nil }
    var builder = DiagnosticBuilder(.crash, limits: limits)
    let base = fields["Base Address"]?.hexNumber
    if base == nil { builder.note(.badNumber, at: "Base Address") }
    let debugID = DebugID(id.text)
    if debugID == nil { builder.note(.badUUID, at: "dSYM UUID") }
    builder.metadata = metadata(message?.text ?? "", fields["CPU Type"]?.text).limited(by: &builder)
    builder.beginStack(isAttributed: true)
    // The backtrace was taken inside the reporter's own signal handler; what it interrupted comes behind the system's.
    if let signal = frames.firstIndex(where: { $0.function == "_sigtramp" }) { frames.removeFirst(signal + 1) }
    for frame in frames {
      let isApp = frame.image == name
      let base = isApp ? base : frame.loadAddress
      builder.frame(
        image: builder.image(isApp ? debugID : nil, named: frame.image), address: frame.address,
        offset: base.flatMap { frame.image != nil && frame.address >= $0 ? frame.address - $0 : nil },
        symbol: builder.symbol(frame.function, file: frame.file, line: frame.line))
    }
    return [builder.finish()]
  }

  private static let names: Set<String> = ["dSYM UUID", "CPU Type", "Slide Address", "Binary Image", "Base Address"]

  private static func metadata(_ message: String, _ cpu: String?) -> DiagnosticMetadata {
    var metadata = DiagnosticMetadata()
    metadata.platformArchitecture = cpu
    metadata.signal = CrashReportWords.signal(in: message)
    if metadata.signal == nil {
      // What an exception said, without its name.
      metadata.signal = 6
      metadata.exceptionReason = ExceptionReason()
      metadata.exceptionReason?.composedMessage = message
    }
    return metadata
  }
}
