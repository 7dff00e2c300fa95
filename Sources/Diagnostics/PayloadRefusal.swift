public import JSON

/// Why a document is not read at all.
public struct PayloadRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The finding. The raw value is a fixed word for counting.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// There is nothing but white space.
    case empty
    /// The bytes break the grammar of JSON at the stated place.
    case notJSON = "not_json"
    /// The bytes end inside the document.
    case truncated
    /// Something follows after the document.
    case severalDocuments = "several_documents"
    /// The nesting passes the limit.
    case tooDeep = "too_deep"
    /// UTF-16 or UTF-32.
    case otherEncoding = "other_encoding"
    /// One of symclust's own stacks, of another major.
    case unknownSchema = "unknown_schema"
    /// A report of all processes that says of none that it is about it.
    case noTarget = "no_target"
    /// The description of an `NSDictionary`, as logs show it, instead of JSON.
    case propertyListDescription = "property_list_description"
    /// Keys of a MetricKit v2 `DiagnosticReport` (iOS 27), and no diagnostic.
    case v2WithoutDiagnostic = "v2_without_diagnostic"
    /// One object that holds both v1 and v2 keys.
    case mixedVersions = "mixed_versions"
    /// An Apple `.ips` report that is no crash, or a crash of which nothing is said.
    case ipsReport = "ips_report"
    /// An Apple text crash report in which nothing is said about a crash.
    case textCrashReport = "text_crash_report"
    /// A PLCrashReporter report of an unknown version, broken, or in which nothing is said about a crash.
    case plCrashReport = "plcrash_report"
    /// JSON in which no diagnostic was recognised.
    case noDiagnostics = "no_diagnostics"
    /// An envelope with headers, and no `X-Report-Kind` among them.
    case missingReportKind = "missing_report_kind"
    /// An `X-Report-Kind` that is neither diagnostics nor metrics.
    case otherReportKind = "other_report_kind"
    /// An envelope with headers, and no `Idempotency-Key` among them.
    case missingIdempotencyKey = "missing_idempotency_key"
    /// An `Idempotency-Key` that is not the SHA-256 of the body.
    case idempotencyKeyMismatch = "idempotency_key_mismatch"
    /// An envelope whose body is missing or cannot be decoded.
    case envelopeWithoutBody = "envelope_without_body"
  }

  /// The finding.
  public let reason: Reason
  /// Where, when there is one place.
  public let place: JSONPlace?
  /// What exactly, when the reason alone does not say.
  public let detail: String?

  /// A refusal for `reason`.
  public init(_ reason: Reason, at place: JSONPlace? = nil, detail: String? = nil) {
    self.reason = reason
    self.place = place
    self.detail = detail
  }

  /// The refusal as a sentence without a full stop.
  public var description: String {
    let what =
      switch reason {
      case .empty: "the document is empty"
      case .notJSON: "not JSON"
      case .truncated: "truncated JSON: it ends inside the document"
      case .severalDocuments: "something follows after the document"
      case .tooDeep: "nested deeper than the limit"
      case .otherEncoding: "UTF-16 or UTF-32, not UTF-8"
      case .unknownSchema: "a stack of an unknown schema"
      case .noTarget: "a spindump that names no target process"
      case .propertyListDescription: "the description of an NSDictionary (key = value;), not JSON"
      case .v2WithoutDiagnostic: "keys of a MetricKit v2 DiagnosticReport, and no diagnostic"
      case .mixedVersions: "one object mixes MetricKit v1 and v2 keys"
      case .ipsReport: "an .ips report that cannot be used"
      case .textCrashReport: "a text crash report without a reason and without call stacks"
      case .plCrashReport: "a .plcrash report that cannot be used"
      case .noDiagnostics: "JSON without any diagnostic"
      case .missingReportKind: "an envelope without the header X-Report-Kind"
      case .otherReportKind: "X-Report-Kind names neither diagnostics nor metrics"
      case .missingIdempotencyKey: "an envelope without the header Idempotency-Key"
      case .idempotencyKeyMismatch: "Idempotency-Key is not the SHA-256 of the body"
      case .envelopeWithoutBody: "an envelope without a body that can be read"
      }
    return what + (detail.map { ": \($0)" } ?? "") + (place.map { ", at \($0)" } ?? "")
  }
}
