public import Identity

/// What the headers of an upload say about its body. The names are those that clients of a MetricKit endpoint send:
/// `X-Report-Kind`, `X-App-Build` and `Idempotency-Key`.
public struct ReportHeaders: Sendable, Hashable {
  /// What the body is said to be. What it is, its own keys tell.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Crashes, hangs and the like.
    case diagnostic
    /// A day's metrics.
    case metric

    /// The kind that a header's value names, in singular or plural, in any case.
    init?(header text: String) {
      let word = text.lowercased()
      guard let kind = Kind.allCases.first(where: { word == $0.rawValue || word == $0.rawValue + "s" }) else {
        return nil
      }
      self = kind
    }
  }

  /// `X-Report-Kind`.
  public var kind: Kind
  /// `Idempotency-Key`: the SHA-256 of the body; `nil` in an envelope that needs none.
  public var idempotencyKey: ContentDigest?
  /// `X-App-Build`: the build that *uploaded*, which may be a later one than the build of the report; `nil` when the
  /// client did not know it.
  public var appBuild: String?

  /// The headers of these names and values, names in any case; others are passed over.
  ///
  /// A kind that is missing or no report's, and a key that is missing or none, refuse the report for good.
  public init(fields: [(name: String, value: String)]) throws(PayloadRefusal) {
    func value(_ name: String) -> String? {
      fields.last { $0.name.lowercased() == name }?.value.trimmed.nonEmpty
    }
    guard let kind = value(Self.kindName) else { throw PayloadRefusal(.missingReportKind) }
    guard let known = Kind(header: kind) else {
      throw PayloadRefusal(.otherReportKind, detail: String(kind.prefix(32)))
    }
    guard let key = value(Self.keyName) else { throw PayloadRefusal(.missingIdempotencyKey) }
    guard let digest = ContentDigest(hex: key) else {
      throw PayloadRefusal(.idempotencyKeyMismatch, detail: "it is no SHA-256 in 64 hexadecimal digits")
    }
    self.kind = known
    idempotencyKey = digest
    appBuild = value(Self.buildName).flatMap { $0.lowercased() == "unknown" ? nil : $0 }
  }

  /// The headers of a report that came in an envelope of an app, which states its kind and nothing else.
  init(kind: Kind) { self.kind = kind }

  /// Whether a header of this name is one of these.
  static func knows(_ name: String) -> Bool { [kindName, keyName, buildName].contains(name.lowercased()) }

  private static let kindName = "x-report-kind"
  private static let keyName = "idempotency-key"
  private static let buildName = "x-app-build"
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
