public import Diagnostics
public import Identity
internal import JSON

/// When an alert fires, and who is told: a small file of JSON with a version.
public struct AlertRules: Sendable, Hashable {
  /// The thresholds for some kinds of diagnostics.
  public struct Rule: Sendable, Hashable {
    /// Its name, for people.
    public var name: String
    /// Who acts on it. Nobody owns an alert that nobody reads, so there is no rule without.
    public var owner: String
    /// The kinds it is for; empty for all.
    public var kinds: [DiagnosticKind] = []
    /// When builds can be compared.
    public var comparison = ComparisonRules()
    /// How much larger a share must be at least, as a part of the former: the lower end of the ratio's interval is held against
    /// it.
    public var relativeChange = 0.25
    /// How much larger a share must be at least, in itself.
    public var floor = 0.002
    /// On how many reporting days in a row the share must be larger by the relative change.
    public var sustainedDays = 2
    /// The fewest payloads of a day that counts among them.
    public var minimumDay = 50
    /// In how many builds in a row a cluster must be missed before it is resolved.
    public var resolvedAfter = 2

    /// A rule with the default thresholds.
    public init(name: String, owner: String) { (self.name, self.owner) = (name, owner) }
  }

  /// Why a file of rules is refused.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place and the reason.
    public let description: String
  }

  /// The rules; the first that is for a kind counts.
  public var rules: [Rule]
  /// How many alerts of one build are told one by one; with more there is one notice.
  public var stormLimit = 25
  /// Whether reports of interfaces that are not released yet are counted.
  public var includesPreview = false

  /// The SHA-256 of the file that they came from; `nil` without one.
  public var digest: ContentDigest?

  /// What counts without a file: one rule for everything, owned by whoever runs the job.
  public static let standard = AlertRules(rules: [Rule(name: "default", owner: "unassigned")])

  /// Rules with these parts.
  public init(rules: [Rule]) { self.rules = rules }

  /// The rule for a kind; `nil` when none is.
  public func rule(for kind: DiagnosticKind) -> Rule? { rules.first { $0.kinds.isEmpty || $0.kinds.contains(kind) } }

  static let schema = "symclust.alert-rules/1"

  /// The rules that the JSON document in `bytes` says (docs/schemas/alert-rules.schema.json).
  public init(json bytes: UnsafeRawBufferPointer) throws(Problem) {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue.parse(bytes)
    } catch {
      throw Problem(description: "\(error)")
    }
    guard document["schema"]?.string == Self.schema else {
      throw Problem(description: "\"schema\" must be \"\(Self.schema)\"")
    }
    var top = Fields(document, "")
    rules = []
    digest = ContentDigest(of: Array(bytes))
    for (index, value) in (try top.array("rules") ?? []).enumerated() {
      rules.append(try Self.rule(Fields(value, "rules[\(index)].")))
    }
    guard !rules.isEmpty else { throw Problem(description: "\"rules\" must hold a rule") }
    stormLimit = Int(try top.number("storm_limit", 1...100_000, whole: true) ?? 25)
    includesPreview = try top.bool("include_preview") ?? false
    try top.finish(besides: ["schema"])
  }

  private static func rule(_ given: Fields) throws(Problem) -> Rule {
    var fields = given
    guard let owner = try fields.string("owner"), !owner.isEmpty else {
      throw Problem(description: "\(given.path)owner is missing: who acts on it?")
    }
    var rule = Rule(name: try fields.string("name") ?? "default", owner: owner)
    for value in try fields.array("kinds") ?? [] {
      guard let kind = value.string.flatMap(DiagnosticKind.init(rawValue:)) else {
        throw Problem(description: "\(given.path)kinds must hold kinds of diagnostics")
      }
      rule.kinds.append(kind)
    }
    func whole(_ name: String, _ range: ClosedRange<Double>, _ value: inout Int) throws(Problem) {
      if let number = try fields.number(name, range, whole: true) { value = Int(number) }
    }
    func part(_ name: String, _ range: ClosedRange<Double>, _ value: inout Double) throws(Problem) {
      if let number = try fields.number(name, range, whole: false) { value = number }
    }
    try whole("minimum_cohort", 1...1e9, &rule.comparison.minimumCohort)
    try whole("minimum_cases", 1...1e9, &rule.comparison.minimumCases)
    try part("minimum_coverage", 0...1, &rule.comparison.minimumCoverage)
    try part("level", 1e-9...0.5, &rule.comparison.level)
    try part("informative_absence", 0.1...1000, &rule.comparison.informativeAbsence)
    try part("relative_change", 0...1000, &rule.relativeChange)
    try part("floor", 0...1, &rule.floor)
    try whole("sustained_days", 1...60, &rule.sustainedDays)
    try whole("minimum_day", 1...1e9, &rule.minimumDay)
    try whole("resolved_after", 1...100, &rule.resolvedAfter)
    try fields.finish()
    return rule
  }
}

/// The members of one object, each asked for once, so that a misspelled one is told.
private struct Fields {
  let path: String
  private let value: JSONValue
  private var asked: Set<String> = []

  init(_ value: JSONValue, _ path: String) { (self.value, self.path) = (value, path) }

  private mutating func member(_ name: String) -> JSONValue? {
    asked.insert(name)
    guard let member = value[name], member != .null else { return nil }
    return member
  }

  mutating func string(_ name: String) throws(AlertRules.Problem) -> String? {
    try read(name, "a text") { $0.string }
  }

  mutating func bool(_ name: String) throws(AlertRules.Problem) -> Bool? { try read(name, "true or false") { $0.bool } }

  mutating func array(_ name: String) throws(AlertRules.Problem) -> [JSONValue]? {
    try read(name, "a list") { $0.array }
  }

  mutating func number(
    _ name: String, _ range: ClosedRange<Double>, whole: Bool
  ) throws(AlertRules.Problem) -> Double? {
    let wanted = "\(whole ? "a whole number" : "a number") from \(range.lowerBound) to \(range.upperBound)"
    return try read(name, wanted) { value in
      guard let number = value.double ?? value.int.map(Double.init), range.contains(number),
        !whole || number == number.rounded()
      else { return nil }
      return number
    }
  }

  private mutating func read<Value>(
    _ name: String, _ wanted: String, _ convert: (JSONValue) -> Value?
  ) throws(AlertRules.Problem) -> Value? {
    guard let member = member(name) else { return nil }
    guard let value = convert(member) else {
      throw AlertRules.Problem(description: "\(path)\(name) must be \(wanted)")
    }
    return value
  }

  func finish(besides known: Set<String> = []) throws(AlertRules.Problem) {
    guard let members = value.members else { throw AlertRules.Problem(description: "\(path) must be an object") }
    for member in members where !asked.contains(member.name) && !known.contains(member.name) {
      throw AlertRules.Problem(description: "\(path)\(member.name) is not known")
    }
  }
}
