import JSON
import Testing

private func written(_ layout: JSONWriter.Layout = .compact, _ body: (inout JSONWriter) -> Void) throws -> String {
  var writer = JSONWriter(layout)
  body(&writer)
  return String(decoding: try writer.finish(), as: UTF8.self)
}

@Suite("Writing JSON")
struct JSONWriterTests {
  private func report(_ writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("schema")
    writer.string("symclust.x/1")
    writer.key("counts")
    writer.beginArray()
    writer.integer(UInt64.max)
    writer.integer(Int8(-1))
    writer.double(0.1)
    writer.endArray()
    writer.key("none")
    writer.beginObject()
    writer.endObject()
    writer.key("empty")
    writer.beginArray()
    writer.endArray()
    writer.key("ok")
    writer.bool(true)
    writer.key("what")
    writer.null()
    writer.endObject()
  }

  @Test("keeps the order of the calls, compact")
  func compact() throws {
    #expect(
      try written { report(&$0) }
        == #"{"schema":"symclust.x/1","counts":[18446744073709551615,-1,0.1],"none":{},"empty":[],"ok":true,"what":null}"#
    )
  }

  @Test("says what is unknown instead of leaving it out")
  func members() throws {
    let text = try written {
      $0.beginObject()
      $0.member("name", "x")
      $0.member("count", 7)
      $0.member("share", 0.5)
      $0.member("ok", true)
      $0.member("none", nil as String?)
      $0.member("no_count", nil as UInt64?)
      $0.member("no_share", nil as Double?)
      $0.member("no_truth", nil as Bool?)
      $0.endObject()
    }
    #expect(
      text
        == #"{"name":"x","count":7,"share":0.5,"ok":true,"none":null,"no_count":null,"no_share":null,"no_truth":null}"#
    )
  }

  @Test("is laid out for people when asked")
  func pretty() throws {
    #expect(
      try written(.pretty) { report(&$0) } == """
        {
          "schema": "symclust.x/1",
          "counts": [
            18446744073709551615,
            -1,
            0.1
          ],
          "none": {},
          "empty": [],
          "ok": true,
          "what": null
        }

        """)
  }

  @Test(
    "escapes what could break a line, a terminal or the eye",
    arguments: [
      ("\"\\", #""\"\\""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\0\u{1b}[31m", #""\u0000\u001b[31m""#),
      ("\u{7f}\u{80}\u{9f}\u{a0}", "\"\\u007f\\u0080\\u009f\u{a0}\""), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
      ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}e", #""a\u202eb\u2066c\u200fd\u061ce""#), ("\u{feff}", #""\ufeff""#),
      ("é漢😀 /<>", "\"é漢😀 /<>\""), ("", "\"\""),
      ("\u{2027}\u{202f}\u{fefe}\u{61b}", "\"\u{2027}\u{202f}\u{fefe}\u{61b}\""),
    ])
  func escapes(text: String, expected: String) throws {
    #expect(try written { $0.string(text) } == expected)
    for padding in 1..<18 {
      let plain = String(repeating: "p", count: padding)
      let both = try written { $0.string(plain + text + plain) }
      #expect(both == "\"" + plain + expected.dropFirst().dropLast() + plain + "\"")
    }
  }

  @Test("gives every scalar back as it was")
  func everyScalar() throws {
    for block in stride(from: UInt32(0), to: 0x11_0000, by: 0x400) {
      let text = String(String.UnicodeScalarView((block..<(block + 0x400)).compactMap(Unicode.Scalar.init)))
      var writer = JSONWriter()
      writer.string(text)
      let bytes = try writer.finish()
      #expect(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
      #expect(try JSONValue.parse(bytes).string == text)
    }
  }

  @Test(
    "writes doubles in the shortest form that reads back",
    arguments: [
      0, -0.0, 1, 0.1, 1e16, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1.0 / 3, 1e-7, 123_456_789.125,
    ] as [Double])
  func doubles(value: Double) throws {
    let text = try written { $0.double(value) }
    let back = try JSONValue.parse(Array(text.utf8)).double
    #expect(back?.bitPattern == value.bitPattern)
  }

  @Test("writes null for doubles that JSON lacks", arguments: [Double.nan, .infinity, -.infinity])
  func noNumbers(value: Double) throws {
    #expect(try written { $0.double(value) } == "null")
  }

  @Test("reports the first call in an impossible order instead of giving a document")
  func misuse() {
    func code(_ body: (inout JSONWriter) -> Void) -> JSONWriterError.Code? {
      var writer = JSONWriter()
      body(&writer)
      do throws(JSONWriterError) {
        _ = try writer.finish()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code { _ in } == .incomplete)
    #expect(code { $0.beginArray() } == .incomplete)
    #expect(code { $0.endArray() } == .misplacedEnd)
    #expect(code { $0.key("a") } == .misplacedKey)
    #expect(
      code {
        $0.beginObject()
        $0.null()
      } == .valueWithoutKey)
    #expect(
      code {
        $0.beginObject()
        $0.key("a")
        $0.key("b")
      } == .misplacedKey)
    #expect(
      code {
        $0.beginObject()
        $0.key("a")
        $0.endObject()
      } == .misplacedEnd)
    #expect(
      code {
        $0.beginObject()
        $0.endArray()
      } == .misplacedEnd)
    #expect(
      code {
        $0.null()
        $0.null()
      } == .secondDocument)
  }

  @Test("can be taken away while it grows, and starts anew after a document")
  func taking() throws {
    var writer = JSONWriter()
    writer.beginArray()
    writer.integer(1)
    var all = writer.takeWritten()
    writer.integer(2)
    writer.endArray()
    all += try writer.finish()
    #expect(String(decoding: all, as: UTF8.self) == "[1,2]")
    writer.bool(false)
    #expect(try writer.finish() == Array("false".utf8))
  }

  @Test("goes a million levels deep")
  func depth() throws {
    var writer = JSONWriter()
    for _ in 0..<1_000_000 { writer.beginArray() }
    for _ in 0..<1_000_000 { writer.endArray() }
    #expect(try writer.finish().count == 2_000_000)
  }
}
