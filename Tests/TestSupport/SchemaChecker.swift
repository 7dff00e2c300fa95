public import JSON

/// Holds JSON documents against a JSON Schema (draft 2020-12), as far as this project's schemas use it.
///
/// A keyword that is not known here is refused when the schema is read, so that none is passed over in silence.
public struct SchemaChecker {
  /// Why a schema cannot be used.
  public struct SchemaError: Error, CustomStringConvertible {
    /// Where in the schema, and why.
    public var description: String
  }

  private let root: JSONValue
  private var patterns: [String: Regex<AnyRegexOutput>] = [:]

  private static let annotations = ["$schema", "$id", "title", "description"]
  private static let keywords = [
    "$ref", "$defs", "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems",
    "pattern", "minimum", "maximum", "anyOf", "oneOf",
  ]

  /// A checker for `schema`, with every keyword and reference in it looked at.
  public init(_ schema: JSONValue) throws {
    root = schema
    try examine(schema, "#")
  }

  /// A checker for the schema in `docs/schemas`.
  public init(named name: String) throws {
    let path = "\(Corpus.repository)/docs/schemas/\(name).schema.json"
    guard let bytes = contents(of: path) else { throw SchemaError(description: "\(path) cannot be read") }
    try self.init(try JSONValue.parse(bytes))
  }

  /// Where and how `document` breaks the schema; empty when it keeps it.
  public func problems(_ document: JSONValue) -> [String] { problems(document, root, "$") }

  // MARK: Reading the schema

  private mutating func examine(_ schema: JSONValue, _ place: String) throws {
    if schema.bool != nil { return }
    guard let members = schema.members else { throw SchemaError(description: "\(place) is no schema") }
    for member in members where !Self.annotations.contains(member.name) {
      let here = "\(place)/\(member.name)"
      guard Self.keywords.contains(member.name) else { throw SchemaError(description: "\(here) is not known") }
      switch member.name {
      case "properties", "$defs":
        for child in member.value.members ?? [] { try examine(child.value, "\(here)/\(child.name)") }
      case "additionalProperties", "items": try examine(member.value, here)
      case "anyOf", "oneOf": for child in member.value.array ?? [] { try examine(child, here) }
      case "$ref":
        guard definition(member.value) != nil else { throw SchemaError(description: "\(here) leads nowhere") }
      case "pattern": patterns[member.value.string ?? ""] = try Regex(member.value.string ?? "")
      default: break
      }
    }
    for name in schema["required"]?.array ?? [] where schema["properties"]?[name.string ?? ""] == nil {
      throw SchemaError(description: "\(place) requires \(name.string ?? "?"), which it does not describe")
    }
  }

  private func definition(_ reference: JSONValue) -> JSONValue? {
    guard let text = reference.string, text.hasPrefix("#/$defs/") else { return nil }
    return root["$defs"]?[String(text.dropFirst("#/$defs/".count))]
  }

  // MARK: Checking a document

  // Depth is bounded: JSONValue holds at most 64 levels.
  private func problems(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
    if let isAllowed = schema.bool { return isAllowed ? [] : ["\(place) is not allowed"] }
    var found: [String] = []
    if let reference = schema["$ref"], let target = definition(reference) { found += problems(value, target, place) }
    if let types = schema["type"] {
      let names = types.string.map { [$0] } ?? (types.array ?? []).compactMap(\.string)
      if !names.contains(where: { Self.is(value, $0) }) {
        return found + ["\(place) is no \(names.joined(separator: " or "))"]
      }
    }
    if let allowed = schema["enum"]?.array, !allowed.contains(value) { found.append("\(place) is not in the list") }
    if let only = schema["const"], only != value { found.append("\(place) is not the constant") }
    if let text = value.string, let pattern = schema["pattern"]?.string {
      let match = try? patterns[pattern]?.firstMatch(in: text)
      if match == nil { found.append("\(place) does not match \(pattern)") }
    }
    if let number = value.double {
      if let minimum = schema["minimum"]?.double, number < minimum { found.append("\(place) is below \(minimum)") }
      if let maximum = schema["maximum"]?.double, number > maximum { found.append("\(place) is above \(maximum)") }
    }
    found += choiceProblems(value, schema, place)
    if let members = value.members { found += objectProblems(members, value, schema, place) }
    if let elements = value.array {
      if let least = schema["minItems"]?.uint, elements.count < least { found.append("\(place) has too few elements") }
      if let items = schema["items"] {
        for (index, element) in elements.enumerated() { found += problems(element, items, "\(place)[\(index)]") }
      }
    }
    return found
  }

  private func choiceProblems(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
    var found: [String] = []
    if let choices = schema["anyOf"]?.array {
      let results = choices.map { problems(value, $0, place) }
      if !results.contains(where: \.isEmpty) { found += ["\(place) fits no choice"] + results.joined() }
    }
    if let choices = schema["oneOf"]?.array {
      let fitting = choices.count { problems(value, $0, place).isEmpty }
      if fitting != 1 { found.append("\(place) fits \(fitting) choices") }
    }
    return found
  }

  private func objectProblems(
    _ members: [JSONMember], _ value: JSONValue, _ schema: JSONValue, _ place: String
  ) -> [String] {
    var found: [String] = []
    for name in (schema["required"]?.array ?? []).compactMap(\.string) where value[name] == nil {
      found.append("\(place).\(name) is missing")
    }
    if Set(members.map(\.name)).count < members.count { found.append("\(place) holds a name twice") }
    for member in members {
      let here = "\(place).\(member.name)"
      if let known = schema["properties"]?[member.name] {
        found += problems(member.value, known, here)
      } else if let other = schema["additionalProperties"] {
        found += problems(member.value, other, here)
      }
    }
    return found
  }

  private static func `is`(_ value: JSONValue, _ type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"), (.object, "object"),
      (.number, "number"):
      true
    case (.number, "integer"): value.int != nil || value.uint != nil
    default: false
    }
  }
}
