import JSON
import Testing

/// Reads `text` to its end; the error when it is refused.
func refusal(of text: [UInt8], depthLimit: Int = JSONReader.defaultDepthLimit) -> JSONError? {
  JSONReader.read(text, depthLimit: depthLimit) { reader in
    do throws(JSONError) {
      while try reader.next() != .end {}
      return nil
    } catch {
      return error
    }
  }
}

func refusal(of text: String) -> JSONError? { refusal(of: Array(text.utf8)) }

@Suite("The grammar of RFC 8259")
struct JSONReaderGrammarTests {
  @Test(
    "is accepted",
    arguments: [
      "{}", "[]", "0", "-0", "1", "-1", "10", "1.5", "-0.25", "1e5", "1E+5", "1e-5", "0e0", "1.0e1", "true", "false",
      "null", "\"\"", "\"a\"", " [ ] ", "\t{\r\n}\n", "[1,2,3]", "{\"a\":1,\"b\":[{}]}", "{\"a\":1,\"a\":2}",
      "{ \"a\" : { } , \"b\" : [ ] }", #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, "\"é漢😀\"", "[[],[[]]]", "{\"\":0}",
      "\"\u{7f}\"", "\"\u{2028}\"", #""\u0000""#, #""\uD800""#, #""\uDC00\uD800""#, "\u{feff}[]",
      "123456789012345678901234567890", "1e999999999999", "[1 ,2 ]", "\"\u{ffff}\"", "\"12345678\"", "\"1234567\\n\"",
    ])
  func accepted(text: String) {
    #expect(refusal(of: text) == nil)
  }

  @Test(
    "is the only thing accepted",
    arguments: [
      ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1),
      ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4),
      ("{\"a\":", .unexpectedEnd, 5), ("\"a", .unexpectedEnd, 2), ("\"a\\", .unexpectedEnd, 3),
      ("\"\\u12", .unexpectedEnd, 5), ("tru", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2),
      ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
      ("[1,]", .unexpectedCharacter, 3), ("[,1]", .unexpectedCharacter, 1), ("{,}", .unexpectedCharacter, 1),
      ("{\"a\":1,}", .unexpectedCharacter, 7), ("{\"a\" 1}", .unexpectedCharacter, 5),
      ("{1:2}", .unexpectedCharacter, 1),
      ("{a:1}", .unexpectedCharacter, 1), ("[1 2]", .unexpectedCharacter, 3), ("[1}", .unexpectedCharacter, 2),
      ("{\"a\":1]", .unexpectedCharacter, 6), ("]", .unexpectedCharacter, 0), ("'a'", .unexpectedCharacter, 0),
      ("nul!", .unexpectedCharacter, 3), ("True", .unexpectedCharacter, 0), ("NaN", .unexpectedCharacter, 0),
      ("Infinity", .unexpectedCharacter, 0), ("+1", .unexpectedCharacter, 0), (".5", .unexpectedCharacter, 0),
      ("[1,//x\n2]", .unexpectedCharacter, 3), ("\u{0c}[]", .unexpectedCharacter, 0),
      ("\u{a0}[]", .unexpectedCharacter, 0), ("\u{feff}\u{feff}[]", .unexpectedCharacter, 3),
      ("[\u{feff}]", .unexpectedCharacter, 1), ("{\"a\"::1}", .unexpectedCharacter, 5),
      ("01", .invalidNumber, 0), ("-01", .invalidNumber, 0), ("1.x", .invalidNumber, 2), ("-x", .invalidNumber, 1),
      ("1ex", .invalidNumber, 2), ("--1", .invalidNumber, 1), ("1.e5", .invalidNumber, 2),
      ("\"\\x\"", .invalidEscape, 1), ("\"\\u12g4\"", .invalidEscape, 1), ("\"\\U0041\"", .invalidEscape, 1),
      ("\"a\nb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1), ("\"\t\"", .controlCharacter, 1),
      ("{}{}", .trailingContent, 2), ("{} x", .trailingContent, 3), ("1 2", .trailingContent, 2),
      ("[]]", .trailingContent, 2), ("\"a\"b", .trailingContent, 3), ("0x10", .trailingContent, 1),
      ("1.5.6", .trailingContent, 3), ("truex", .trailingContent, 4), ("[]\u{0}", .trailingContent, 2),
    ] as [(String, JSONError.Code, Int)])
  func refused(text: String, code: JSONError.Code, offset: Int) {
    #expect(refusal(of: text) == JSONError(code, at: offset))
  }

  @Test(
    "knows UTF-8 from what only resembles it",
    arguments: [
      ([0xc3, 0xa9], true), ([0xe2, 0x82, 0xac], true), ([0xf0, 0x9f, 0x98, 0x80], true), ([0xed, 0x9f, 0xbf], true),
      ([0xee, 0x80, 0x80], true), ([0xf4, 0x8f, 0xbf, 0xbf], true),
      ([0x80], false), ([0xc0, 0x80], false), ([0xc1, 0xbf], false), ([0xe0, 0x9f, 0xbf], false),
      ([0xed, 0xa0, 0x80], false), ([0xf0, 0x8f, 0xbf, 0xbf], false), ([0xf4, 0x90, 0x80, 0x80], false),
      ([0xf5, 0x80, 0x80, 0x80], false), ([0xff], false), ([0xc3, 0x28], false), ([0xe2, 0x82, 0x28], false),
      ([0xf0, 0x9f, 0x98, 0x28], false), ([0xe2, 0x28, 0xac], false),
    ] as [([UInt8], Bool)])
  func utf8(sequence: [UInt8], isGood: Bool) {
    // At every distance from the start, so that each place within a word is met.
    for padding in 0..<17 {
      let text = [0x22] + [UInt8](repeating: 0x61, count: padding) + sequence + Array("tail longer than a word\"".utf8)
      #expect(refusal(of: text) == (isGood ? nil : JSONError(.invalidUTF8, at: 1 + padding)))
    }
  }

  @Test(
    "names other encodings",
    arguments: [
      [0xff, 0xfe, 0x7b, 0x00], [0xfe, 0xff, 0x00, 0x7b], [0x00, 0x7b, 0x00, 0x7d], [0x7b, 0x00, 0x7d, 0x00],
    ] as [[UInt8]])
  func encodings(text: [UInt8]) {
    let code = refusal(of: text)?.code
    #expect(code == .otherEncoding || (text[0] == 0x7b && code == .unexpectedCharacter))
  }

  @Test("finds a special byte at every place of a string and white space of every length")
  func everyAlignment() {
    for length in 0..<40 {
      let plain = String(repeating: "x", count: length)
      #expect(JSONReader.read(Array("\"\(plain)\"".utf8)) { try? $0.next() } == .string)
      #expect(refusal(of: "\"\(plain)\u{1}xxxxxxxxxx\"") == JSONError(.controlCharacter, at: length + 1))
      #expect(refusal(of: "\"\(plain)\\qxxxxxxxxxx\"") == JSONError(.invalidEscape, at: length + 1))
      let digits = String(repeating: "1", count: length + 1)
      #expect(refusal(of: "[\(digits)x        ]") == JSONError(.unexpectedCharacter, at: length + 2))
      for space in [" ", "\n", "\t", "\r\n", "\n  "] {
        let run = String(repeating: space, count: length)
        #expect(refusal(of: "[\(run)1\(run),\(run){\(run)\"a\"\(run):\(run)2\(run)}\(run)]\(run)") == nil)
        #expect(refusal(of: "\(run)!")?.offset == run.utf8.count)
      }
    }
  }

  @Test("places errors by line and column")
  func places() throws {
    let text = Array("{\n  \"a\": 1,\n  \"b\": x\n}".utf8)
    let error = try #require(refusal(of: text))
    let place = text.withUnsafeBytes { JSONPlace(of: error.offset, in: $0) }
    #expect(place.line == 3)
    #expect(place.column == 8)
    #expect(place.description == "line 3, column 8 (byte 19)")
    #expect(error.description == "unexpected character at byte 19")
    #expect(text.withUnsafeBytes { JSONPlace(of: 9999, in: $0).offset } == text.count)
  }
}
