/// One document as a device or a vendor's pipeline delivered it, read.
public struct Payload: Sendable, Hashable {
  /// The format of the document.
  public var format = ReportFormat.metricKit1
  /// `timeStampBegin` of the first payload in the document, as it came.
  public var timeStampBegin: String?
  /// `timeStampEnd` of the first payload in the document, as it came.
  public var timeStampEnd: String?
  /// The diagnostics in document order. Their ordinals count every element of the kinds' arrays, so an element
  /// that could not be read leaves a gap.
  public var diagnostics: [Diagnostic]
  /// The metric payloads in the document, in its order: devices that reported, which is what rates are held against.
  public var metrics: [MetricReport] = []
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

/// One `MXMetricPayload`. Of its metrics nothing is read: it says that a device reported for an interval.
public struct MetricReport: Sendable, Hashable {
  /// The build, the system and the interval; everything else is unknown.
  public var metadata: DiagnosticMetadata

  /// A report with this metadata.
  public init(metadata: DiagnosticMetadata) { self.metadata = metadata }
}

/// The formats that documents come in.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
  /// `MXDiagnosticPayload` (iOS 14 to 26), whole or in parts.
  case metricKit1 = "metrickit_v1"
  /// `DiagnosticReport` (iOS 27), in the form that betas showed.
  case metricKit2 = "metrickit_v2_preview"
  /// `MXMetricPayload`, which holds no diagnostics.
  case metricPayload = "metric_payload"
  /// Apple's `.ips` crash report.
  case ips
  /// Apple's text crash report.
  case textCrash = "text_crash"
  /// KSCrash's JSON report.
  case ksCrash = "kscrash"
  /// PLCrashReporter's protobuf crash report.
  case plCrash = "plcrash"
  /// App Store Connect's `diagnosticLogs`.
  case appStoreConnect = "app_store_connect"
  /// The text of `spindump` or `sample`.
  case spindump
  /// OpenTelemetry-Swift's flat stacks.
  case openTelemetry = "opentelemetry"
  /// symclust's own stacks, one a line.
  case stackLine = "stack_line"
}

extension Diagnostic {
  /// Whether this is the sample that Xcode's "Simulate MetricKit Payloads" delivers: all its frames lie in an image
  /// called `testBinaryName`. It proves delivery, and belongs in no rate.
  public var isSimulated: Bool { !images.isEmpty && images.allSatisfy { $0.name == "testBinaryName" } }
}
