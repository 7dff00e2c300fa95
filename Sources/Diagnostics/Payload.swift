/// One document as a device or a vendor's pipeline delivered it, read.
public struct Payload: Sendable, Hashable {
  /// `timeStampBegin` of the first payload in the document, as it came.
  public var timeStampBegin: String?
  /// `timeStampEnd` of the first payload in the document, as it came.
  public var timeStampEnd: String?
  /// The diagnostics in document order. Their ordinals count every element of the kinds' arrays, so an element
  /// that could not be read leaves a gap.
  public var diagnostics: [Diagnostic]
  /// What was found outside the diagnostics, or instead of one; bounded.
  public var notes: [DiagnosticNote]
  /// How many members with names that this reader does not know were passed over outside call stack trees.
  public var unknownKeys: Int

  /// A payload with the given parts.
  public init(
    timeStampBegin: String? = nil, timeStampEnd: String? = nil, diagnostics: [Diagnostic] = [],
    notes: [DiagnosticNote] = [], unknownKeys: Int = 0
  ) {
    self.timeStampBegin = timeStampBegin
    self.timeStampEnd = timeStampEnd
    self.diagnostics = diagnostics
    self.notes = notes
    self.unknownKeys = unknownKeys
  }
}

extension Diagnostic {
  /// Whether this is the sample that Xcode's "Simulate MetricKit Payloads" delivers: all its frames lie in an image
  /// called `testBinaryName`. It proves delivery, and belongs in no rate.
  public var isSimulated: Bool { !images.isEmpty && images.allSatisfy { $0.name == "testBinaryName" } }
}
