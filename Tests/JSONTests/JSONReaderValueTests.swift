import JSON
import TestSupport
import Testing

/// The first token of `text`, with `body` looking at the reader just after it.
private func first<R>(_ text: String, _ body: (JSONReader) -> R) throws -> R {
  try JSONReader.read(Array(text.utf8)) { (reader) throws in
    _ = try reader.next()
    return body(reader)
  }
}

@Suite("Values of a document")
struct JSONReaderValueTests {
  @Test("come as tokens in document order")
  func tokens() throws {
    let text = #"{"a":[1,"x",true,false,null],"b":{}}"#
    let tokens = try JSONReader.read(Array(text.utf8)) { (reader) throws in
      var tokens: [JSONToken] = []
      while tokens.last != .end { tokens.append(try reader.next()) }
      #expect(try reader.next() == .end)
      return tokens
    }
    #expect(
      tokens == [
        .beginObject, .key, .beginArray, .number, .string, .true, .false, .null, .endArray, .key, .beginObject,
        .endObject, .endObject, .end,
      ])
  }

  @Test(
    "that are integers are exact",
    arguments: [
      ("0", 0, 0), ("-0", 0, 0), ("7", 7, 7), ("12345678", 12_345_678, 12_345_678), ("-1", nil, -1),
      ("18446741874824079528", 18_446_741_874_824_079_528, nil), ("18446744073709551615", UInt64.max, nil),
      ("18446744073709551616", nil, nil), ("9223372036854775807", 9_223_372_036_854_775_807, Int64.max),
      ("9223372036854775808", 9_223_372_036_854_775_808, nil), ("-9223372036854775808", nil, Int64.min),
      ("-9223372036854775809", nil, nil), ("99999999999999999999", nil, nil), ("1.0", nil, nil), ("1e3", nil, nil),
      ("123456789012345678901", nil, nil), ("1234567.9", nil, nil), ("123456789.1", nil, nil),
    ] as [(String, UInt64?, Int64?)])
  func integers(text: String, unsigned: UInt64?, signed: Int64?) throws {
    #expect(try first(text) { $0.uint64 } == unsigned)
    #expect(try first(text) { $0.int64 } == signed)
    #expect(try first(text) { $0.text } == text)
  }

  @Test("that are random integers are read as Swift reads them")
  func randomIntegers() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let value = generator.next() >> UInt64.random(in: 0..<64, using: &generator)
      #expect(try first("\(value)") { $0.uint64 } == value)
      let signed = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
      #expect(try first("\(signed)") { $0.int64 } == signed)
      #expect(try first("\(signed)") { $0.number?.int64 } == signed)
    }
  }

  @Test(
    "that are other numbers are the nearest double",
    arguments: [
      ("1.5", .real(1.5)), ("1e3", .real(1000)), ("5e-324", .real(.leastNonzeroMagnitude)),
      ("18446744073709551616", .real(0x1p64)),
      ("-0.0", .real(-0.0)), ("0.1", .real(0.1)), ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)),
      ("1e-999", .real(0)), ("42", .unsigned(42)), ("-42", .negative(-42)), ("1e999", nil), ("-1e999", nil),
    ] as [(String, JSONNumber?)])
  func numbers(text: String, number: JSONNumber?) throws {
    #expect(try first(text) { $0.number } == number)
  }

  @Test("keep integers that were written as doubles, as long as a double can tell them apart")
  func integralDoubles() {
    #expect(JSONNumber.real(4_303_568_896.0).uint64 == 4_303_568_896)
    #expect(JSONNumber.real(-2.0).int64 == -2)
    #expect(JSONNumber.real(1.5).uint64 == nil)
    #expect(JSONNumber.real(0x1p60).uint64 == nil)
    #expect(JSONNumber.negative(-1).uint64 == nil)
  }

  @Test("of a million digits are validated, and no integer", .timeLimit(.minutes(1)))
  func longNumbers() throws {
    let digits = String(repeating: "9", count: 1_000_000)
    #expect(try first(digits) { $0.uint64 } == nil)
    #expect(try first(digits) { $0.number } == nil)
    #expect(try first("0." + digits) { $0.number } == .real(1))
    #expect(refusal(of: digits + "x")?.offset == 1_000_000)
  }

  @Test(
    "that are strings decode their escapes",
    arguments: [
      (#""a\/b""#, "a/b"), (#""\u00e9\u20AC""#, "é€"), (#""\uD83D\uDE00!""#, "😀!"),
      (#""\"\\\b\f\n\r\t""#, "\"\\\u{8}\u{c}\n\r\t"),
      (#""\u0000""#, "\0"), (#""plain""#, "plain"), (#""é\n""#, "é\n"),
      (#""\uD83D""#, "\u{fffd}"), (#""\uDE00\uD83D""#, "\u{fffd}\u{fffd}"), (#""\uD83Dx""#, "\u{fffd}x"),
      (#""\uD83D\u0041""#, "\u{fffd}A"), (#""\uD83D\uD83D\uDE00""#, "\u{fffd}😀"), (#""\uFFFF""#, "\u{ffff}"),
    ])
  func strings(text: String, decoded: String) throws {
    #expect(try first(text) { $0.text } == decoded)
  }

  @Test("are compared with names without decoding, escapes or not")
  func comparison() throws {
    #expect(try first(#""subFrames""#) { $0.tokenIs("subFrames") })
    #expect(try first(#""sub\u0046rames""#) { $0.tokenIs("subFrames") })
    #expect(try first(#""subframes""#) { !$0.tokenIs("subFrames") })
    #expect(try first(#""subFramesX""#) { !$0.tokenIs("subFrames") })
    #expect(try first(#""""#) { !$0.tokenIs("subFrames") })
    #expect(try first(#""binaryUUID""#) { !$0.tokenIs("binaryName") })
  }

  private enum Colour: String, CaseIterable { case red, green, blue, darkGreen, darkOrange, a, b, c, ab, ba }

  @Test("find their key in a set, and nothing else does")
  func keySets() throws {
    let set = JSONKeySet(Colour.self)
    for colour in Colour.allCases {
      #expect(try first("\"\(colour.rawValue)\"") { $0.key(in: set) } == colour)
      #expect(try first("\"\(colour.rawValue)x\"") { $0.key(in: set) } == nil)
    }
    #expect(try first(#""gr\u0065en""#) { $0.key(in: set) } == .green)
    #expect(try first(#""grean""#) { $0.key(in: set) } == nil)
    #expect(try first(#""""#) { $0.key(in: set) } == nil)
  }

  @Test("can be passed over, and are validated all the same")
  func skipping() throws {
    let text = #"{"skip":{"a":[1,{"b":[]}],"c":"}"},"read":7,"last":[[]]}"#
    let found = try JSONReader.read(Array(text.utf8)) { (reader) throws in
      var found: UInt64?
      #expect(try reader.next() == .beginObject)
      while try reader.nextKey() {
        if reader.tokenIs("read") {
          _ = try reader.next()
          found = reader.uint64
        } else {
          try reader.skipValue()
        }
      }
      #expect(try reader.next() == .end)
      return found
    }
    #expect(found == 7)
    #expect(throws: JSONError(.unexpectedCharacter, at: 5)) {
      try JSONReader.read(Array(#"[{"a"1}]"#.utf8)) { (reader) throws in try reader.skipValue() }
    }
  }

  @Test("can be left half read")
  func leaving() throws {
    try JSONReader.read(Array("[[1,[2],3],4]".utf8)) { (reader) throws in
      for _ in 0..<3 { _ = try reader.next() }
      #expect(reader.depth == 2)
      try reader.leaveContainer()
      #expect(reader.depth == 1)
      #expect(try reader.next() == .number)
      #expect(reader.uint64 == 4)
    }
  }

  @Test("say when they are not what was asked for")
  func wrongType() {
    #expect(throws: JSONError(.wrongType, at: 0)) {
      try JSONReader.read(Array("[1]".utf8)) { (reader) throws in _ = try reader.nextKey() }
    }
  }
}
