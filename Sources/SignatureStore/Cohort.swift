public import Diagnostics

/// The build of record: the one in the diagnostic's own metadata. Unknown parts are `nil`, never empty.
public struct BuildOfRecord: Hashable, Sendable, Comparable {
  /// The bundle identifier.
  public var app: String?
  /// The marketing version, for example `2.1`.
  public var version: String?
  /// The build number, for example `812`.
  public var build: String?
  /// Whether this is no build but the bucket of what was reported over an update of the app: it is shown beside the builds
  /// and never compared with them. Its version and build are unknown.
  public var isMixed: Bool

  /// A build with these parts; empty texts are unknown.
  public init(app: String?, version: String?, build: String?, isMixed: Bool = false) {
    self.app = app.known
    self.version = isMixed ? nil : version.known
    self.build = isMixed ? nil : build.known
    self.isMixed = isMixed
  }

  /// The build that a diagnostic's `metadata` names. What it names itself counts, also when the app was updated within
  /// the payload's interval.
  public init(_ metadata: DiagnosticMetadata) {
    self.init(
      app: metadata.bundleIdentifier, version: metadata.appVersion, build: metadata.appBuildVersion,
      isMixed: metadata.spansVersions == true && metadata.appBuildVersion.known == nil)
  }

  /// The build that a whole interval belongs to. The one that a metric payload names is only the latest of its interval.
  public init(ofInterval metadata: DiagnosticMetadata) {
    self.init(
      app: metadata.bundleIdentifier, version: metadata.appVersion, build: metadata.appBuildVersion,
      isMixed: metadata.spansVersions == true)
  }

  /// By app, version and build as texts: an order for output, not of releases. What is mixed comes last of its app.
  public static func < (a: BuildOfRecord, b: BuildOfRecord) -> Bool {
    func texts(_ build: BuildOfRecord) -> [String] {
      [build.app ?? "", build.isMixed ? "1" : "0", build.version ?? "", build.build ?? ""]
    }
    return texts(a).lexicographicallyPrecedes(texts(b))
  }
}

/// The operating system in a diagnostic's metadata. Unknown parts are `nil`.
public struct OperatingSystem: Hashable, Sendable, Comparable {
  /// For example `iPhone OS`.
  public var platform: String?
  /// For example `18.5`.
  public var version: String?
  /// For example `22F76`.
  public var build: String?

  /// A system with these parts; empty texts are unknown.
  public init(platform: String?, version: String?, build: String?) {
    self.platform = platform.known
    self.version = version.known
    self.build = build.known
  }

  /// The system that `text` names: `iPhone OS 18.5 (22F76)`, or a bare version; any other text is a platform.
  public init(parsing text: String?) {
    guard let text = text.known else {
      self.init(platform: nil, version: nil, build: nil)
      return
    }
    var words = text.split(separator: " ").map(String.init)
    var build: String?
    if let last = words.last, last.hasPrefix("("), last.hasSuffix(")") {
      build = String(last.dropFirst().dropLast())
      words.removeLast()
    }
    var version: String?
    if let last = words.last, last.utf8.allSatisfy({ $0 == 0x2e || ($0 >= 0x30 && $0 <= 0x39) }) {
      version = last
      words.removeLast()
    }
    self.init(platform: words.joined(separator: " "), version: version, build: build)
  }

  /// By platform, version and build as texts: an order for output, not of releases.
  public static func < (a: OperatingSystem, b: OperatingSystem) -> Bool {
    [a.platform ?? "", a.version ?? "", a.build ?? ""]
      .lexicographicallyPrecedes([b.platform ?? "", b.version ?? "", b.build ?? ""])
  }
}

extension Optional where Wrapped == String {
  /// The text, bounded; `nil` when it is missing or empty. Names come from strangers and are no place for a novel.
  fileprivate var known: String? {
    guard let text = self, !text.isEmpty else { return nil }
    return text.utf8.count <= 256 ? text : String(decoding: text.utf8.prefix(256), as: UTF8.self)
  }
}
