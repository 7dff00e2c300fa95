import JSON
import TestSupport
import Testing

/// The problems of `document` under `schema`, both as text.
private func problems(_ schema: String, _ document: String) throws -> [String] {
  try SchemaChecker(JSONValue.parse(Array(schema.utf8))).problems(JSONValue.parse(Array(document.utf8)))
}

@Suite("The checker that holds output against schemas")
struct SchemaCheckerTests {
  @Test(
    "accepts what keeps a keyword and refuses what breaks it",
    arguments: [
      (#"{"type":"string"}"#, [#""a""#], ["1", "null"]),
      (#"{"type":["integer","null"]}"#, ["1", "-1", "2.0", "null"], ["1.5", #""1""#, "true"]),
      (#"{"type":"number"}"#, ["1", "0.5"], ["null"]),
      (#"{"enum":["a",1]}"#, [#""a""#, "1"], [#""b""#, "2"]),
      (#"{"const":"x/1"}"#, [#""x/1""#], [#""x/2""#]),
      (#"{"properties":{"a":{"type":"null"}},"required":["a"]}"#, [#"{"a":null}"#, "1"], ["{}", #"{"a":1}"#]),
      (#"{"properties":{"a":true},"additionalProperties":false}"#, ["{}", #"{"a":7}"#], [#"{"b":1}"#]),
      (#"{"additionalProperties":{"type":"integer"}}"#, [#"{"b":1}"#], [#"{"b":"1"}"#]),
      (#"{"items":{"type":"integer"},"minItems":1}"#, ["[1]", "[1,2]"], ["[]", "[1,null]"]),
      (#"{"pattern":"^[0-9a-f]{2}$"}"#, [#""0f""#, "5"], [#""0F""#, #""0ff""#]),
      (#"{"minimum":1,"maximum":2}"#, ["1", "2", #""9""#], ["0", "2.5"]),
      (##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"null"}}}"##, ["null"], ["0"]),
      (#"{"anyOf":[{"type":"null"},{"const":1}]}"#, ["null", "1"], ["2"]),
      (#"{"oneOf":[{"minimum":1},{"type":"integer"}]}"#, ["0", "1.5"], ["1", "0.5"]),
    ])
  func keywords(schema: String, good: [String], bad: [String]) throws {
    for document in good { #expect(try problems(schema, document).isEmpty, "\(document)") }
    for document in bad { #expect(try !problems(schema, document).isEmpty, "\(document)") }
  }

  @Test("names the place of a problem")
  func places() throws {
    let schema = #"{"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}}"#
    #expect(try problems(schema, #"{"a":[{"b":""},{"b":1}]}"#) == ["$.a[1].b is no string"])
    #expect(try problems("{}", #"{"a":1,"a":2}"#) == ["$ holds a name twice"])
  }

  @Test(
    "refuses schemas that it would not hold to the letter",
    arguments: [
      #"{"typ":"string"}"#, #"{"properties":{"a":{"maxLength":3}}}"#, ##"{"$ref":"#/$defs/absent"}"##,
      #"{"required":["a"]}"#, #"{"pattern":"("}"#, "[]",
    ])
  func unknown(schema: String) throws {
    let value = try JSONValue.parse(Array(schema.utf8))
    #expect(throws: (any Error).self) { try SchemaChecker(value) }
  }
}
