internal import JSON

/// A format beside MetricKit's: how it is recognised and read.
///
/// One file for each of them. A reader is asked only after MetricKit's own found nothing, and about documents of the shapes
/// that it may have, so that it costs the others nothing; it must not take what is not its own.
protocol NeighbourFormat: Sendable {
  /// The name of the format.
  static var format: ReportFormat { get }
  /// The shapes that its documents have.
  static var shapes: DocumentShape { get }
  /// The diagnostics in `document`; `nil` when it is of another format.
  ///
  /// Throws a refusal when it is of this format and cannot be read.
  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]?
}

/// Asks the neighbouring formats one after another.
enum NeighbourReader {
  /// In the order they are asked; a format that is told by less comes later.
  private static var formats: [any NeighbourFormat.Type] {
    [
      PLCrashReport.self, StackLine.self, KSCrashReport.self, AppStoreConnectLogs.self, OpenTelemetryStack.self,
      // Before those that know a report by its header line alone.
      SpindumpReport.self, IPSReport.self, TextCrashReport.self, UmengReport.self,
    ]
  }

  /// The payload in `document`, which has one of these shapes; `nil` when no format knows it.
  static func read(
    _ document: UnsafeRawBufferPointer, of shape: DocumentShape, limits: ReadingLimits
  ) throws(PayloadRefusal) -> Payload? {
    for format in formats where !shape.isDisjoint(with: format.shapes) {
      guard let diagnostics = try format.read(document, limits: limits) else { continue }
      var payload = Payload(diagnostics: Array(diagnostics.prefix(limits.diagnostics)))
      payload.format = format.format
      if diagnostics.count > limits.diagnostics {
        let code = DiagnosticNoteCode.diagnosticsCut.rawValue
        payload.notes = [DiagnosticNote(code: code, place: "\(diagnostics.count - limits.diagnostics) more")]
      }
      return payload
    }
    return nil
  }
}
