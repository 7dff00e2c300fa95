internal import Identity
internal import JSON

/// What the app was doing before the event, as far as a v2 report tells and as far as it is safe to keep.
///
/// States and signposts hold what developers put into them. What looks like a person's (mail, address, path, long
/// number) is dropped and counted, and so is what passes the limits: a cluster must not become a profile
/// (requirements A-75, A-76).
public struct DiagnosticContext: Sendable, Hashable {
  /// One state that was active, by its domain and label.
  public struct State: Sendable, Hashable {
    /// The domain, for example `com.example.player`.
    public var domain: String
    /// The label, for example `buffering`.
    public var label: String

    /// A state of a domain.
    public init(domain: String, label: String) {
      self.domain = domain
      self.label = label
    }
  }

  /// The states, in document order; bounded.
  public internal(set) var states: [State] = []
  /// The signposts' names as `subsystem/category/name`; bounded.
  public internal(set) var signposts: [String] = []
  /// How many states and signposts were left out.
  public internal(set) var droppedCount = 0
  /// The domains of states that were left out, each once, in document order; empty for a domain that cannot be told either.
  public internal(set) var offendingDomains: [String] = []

  /// Nothing known.
  public init() {}

  /// The states, and nothing else: what a store may see.
  var kept: DiagnosticContext {
    var kept = DiagnosticContext()
    kept.states = states
    return kept
  }

  /// Whether a word may be kept: short, and nothing that names a person or a thing of theirs.
  static func isHarmless(_ text: String, _ limits: ReadingLimits) -> Bool {
    guard !text.isEmpty, text.utf8.count <= limits.stateBytes, !text.contains("@"), !text.contains("/"),
      !text.contains("\\")
    else { return false }
    var digits = 0
    for byte in text.utf8 {
      digits = (0x30...0x39).contains(byte) ? digits + 1 : 0
      if digits >= 6 { return false }
    }
    return true
  }
}

/// The members of a v2 report (iOS 27) that stand around its result: `environment`, `timeRange`, `binaryInfo`.
///
/// The encoding is not documented; the forms are those of betas and of Swift's own coding, and all are accepted.
struct ReportEnvironment {
  var metadata = DiagnosticMetadata()
  var context = DiagnosticContext()

  private static let valueLimit = 200_000

  /// Reads the value of `environment`, which is next.
  init(_ reader: inout JSONReader, limits: ReadingLimits) throws(JSONError) {
    let value = try JSONValue.read(&reader, maximumValues: Self.valueLimit)
    func text(_ names: String...) -> String? {
      names.lazy.compactMap { value[$0]?.string }.first.map { Text.cut(Array($0.utf8), to: limits.textBytes) }
    }
    metadata.bundleIdentifier = text("bundleIdentifier")
    metadata.appVersion = text("applicationVersion", "appVersion")
    metadata.appBuildVersion = text("applicationBuildVersion", "appBuildVersion")
    metadata.deviceType = text("deviceType")
    metadata.platformArchitecture = text("platformArchitecture")
    metadata.regionFormat = text("regionFormat")
    metadata.isTestFlightApp = value["isTestFlightApp"]?.bool
    metadata.lowPowerModeEnabled = value["lowPowerModeEnabled"]?.bool
    metadata.pid = value["pid"]?.int
    metadata.osVersion = text("osVersion") ?? value["osVersion"].flatMap(Self.osVersion)
    for state in value["states"]?.array ?? [] { add(state: state, limits) }
    for signpost in value["signpostData"]?.array ?? [] { add(signpost: signpost, limits) }
  }

  /// `{"platform": "iPhone OS", "number": "27.0", "buildNumber": "24A5380h"}` in the spelling of v1.
  private static func osVersion(_ value: JSONValue) -> String? {
    guard let number = value["number"]?.string else { return nil }
    let platform = value["platform"]?.string.map { "\($0) " } ?? ""
    return platform + number + (value["buildNumber"]?.string.map { " (\($0))" } ?? "")
  }

  private mutating func add(state: JSONValue, _ limits: ReadingLimits) {
    let domain = state["domain"]?.string ?? ""
    let label = state["label"]?.string ?? ""
    guard context.states.count < limits.states, DiagnosticContext.isHarmless(domain, limits),
      DiagnosticContext.isHarmless(label, limits)
    else {
      context.droppedCount += 1
      let shown = DiagnosticContext.isHarmless(domain, limits) ? domain : ""
      if context.offendingDomains.count < limits.states, !context.offendingDomains.contains(shown) {
        context.offendingDomains.append(shown)
      }
      return
    }
    context.states.append(.init(domain: domain, label: label))
  }

  private mutating func add(signpost: JSONValue, _ limits: ReadingLimits) {
    let parts = ["subsystem", "category", "name"].compactMap { signpost[$0]?.string }
    guard context.signposts.count < limits.states, !parts.isEmpty,
      parts.allSatisfy({ DiagnosticContext.isHarmless($0, limits) })
    else {
      context.droppedCount += 1
      return
    }
    context.signposts.append(parts.joined(separator: "/"))
  }

  // MARK: Around it

  /// Reads the value of `timeRange`, which is next: `begin` and `end`, or `start` and `duration` as Swift codes a
  /// `DateInterval`; as RFC 3339.
  static func timeRange(_ reader: inout JSONReader) throws(JSONError) -> (begin: String?, end: String?) {
    let value = try JSONValue.read(&reader, maximumValues: valueLimit)
    let begin = value["begin"] ?? value["start"]
    var end = value["end"].flatMap(time)
    if end == nil, let start = begin?.double, let duration = value["duration"]?.double {
      end = time(.number(.real(start + duration)))
    }
    return (begin.flatMap(time), end)
  }

  /// A date as text: as it came, or from a number whose size tells what it counts. In 2026 seconds since 2001 are about
  /// 8 · 10^8, seconds since 1970 about 1.8 · 10^9, milliseconds 1.8 · 10^12.
  private static func time(_ value: JSONValue) -> String? {
    if let text = value.string { return Text.cut(Array(text.utf8), to: 64) }
    guard let number = value.double, number.magnitude < 1e14 else { return nil }
    let seconds = number > 1e11 ? number / 1000 : number > 1.2e9 ? number : number + 978_307_200
    return PointInTime(seconds: Int64(seconds.rounded(.down)), isZoneKnown: true).text
  }

  /// Reads the value of `binaryInfo`, which is next: objects with `uuid` and `name`, in an array, in turn with their
  /// identifiers (as Swift codes a dictionary whose keys are no strings), or as members named by them.
  static func binaryNames(_ reader: inout JSONReader, limits: ReadingLimits) throws(JSONError) -> [DebugID: String] {
    let value = try JSONValue.read(&reader, maximumValues: valueLimit)
    var names: [DebugID: String] = [:]
    func add(_ id: String?, _ name: String?) {
      guard let id = id.flatMap({ DebugID($0) }), let name, !name.isEmpty else { return }
      names[id] = names[id] ?? Text.cut(Array(name.utf8), to: limits.textBytes)
    }
    var pending: String?
    for element in value.array ?? [] {
      if let id = element.string {
        // Two texts in a row: an identifier and the name itself.
        if let earlier = pending { add(earlier, id) }
        pending = pending == nil ? id : nil
      } else {
        add(element["uuid"]?.string ?? pending, element["name"]?.string)
        pending = nil
      }
    }
    for member in value.members ?? [] {
      add(member.value["uuid"]?.string ?? member.name, member.value["name"]?.string ?? member.value.string)
    }
    return names
  }
}
