import Bytes
import Diagnostics
import Identity
import Testing

private let key = String(repeating: "0a", count: 32)

private func envelope(_ text: String) throws -> ReportEnvelope? { try ReportEnvelope(ByteView(Array(text.utf8))) }

private func headers(_ fields: String, body: String = "\"{}\"") -> String {
  #"{"headers":{\#(fields)},"body":\#(body)}"#
}

@Suite("An envelope of a report")
struct ReportEnvelopeTests {
  private let good = #""X-Report-Kind":"diagnostic","Idempotency-Key":"\#(key)","X-App-Build":"812""#

  @Test("gives the headers, in any case and order, also lists of values")
  func fields() throws {
    for text in [
      headers(good), headers(good.lowercased()),
      headers(
        #""x-app-build":["7","812"],"Host":"a","IDEMPOTENCY-KEY":"\#(key)","X-Report-Kind":" Diagnostics ","N":{"X-App-Build":"9"}"#
      ),
      #"{"body":"{}","requestContext":{"x":[1]},"headers":{\#(good)}}"#,
    ] {
      let opened = try #require(try envelope(text))
      #expect(opened.headers.kind == .diagnostic && opened.headers.appBuild == "812")
      #expect(opened.headers.idempotencyKey?.hex == key)
      #expect(opened.body.text == "{}" && !opened.isRewritten)
    }
  }

  @Test(
    "is refused for headers that are missing or wrong",
    arguments: [
      (#""Idempotency-Key":"\#(key)""#, PayloadRefusal.Reason.missingReportKind),
      (#""X-Report-Kind":"","Idempotency-Key":"\#(key)""#, .missingReportKind),
      (#""X-Report-Kind":"analytics","Idempotency-Key":"\#(key)""#, .otherReportKind),
      (#""X-Report-Kind":"metric""#, .missingIdempotencyKey),
      (#""X-Report-Kind":"metric","Idempotency-Key":"abc""#, .idempotencyKeyMismatch),
      (#""X-App-Build":"812""#, .missingReportKind),
    ])
  func refused(fields: String, reason: PayloadRefusal.Reason) {
    let error = #expect(throws: PayloadRefusal.self) { try envelope(headers(fields)) }
    #expect(error?.reason == reason)
  }

  @Test("does not know a build that the client did not know")
  func unknownBuild() throws {
    let text = headers(good.replacing("812", with: "unknown"))
    #expect(try envelope(text)?.headers.appBuild == nil)
  }

  @Test("is also what an app keeps: kind, payload and time of receipt")
  func kept() throws {
    for body in [#"{"a":1}"#, #""{\"a\":1}""#, #""eyJhIjoxfQ==""#] {
      let opened = try #require(try envelope(#"{"kind":"diagnostic","payload":\#(body),"receivedAt":798724800.5}"#))
      #expect(opened.body.text == #"{"a":1}"#)
      #expect(opened.headers.kind == .diagnostic && opened.headers.idempotencyKey == nil)
    }
  }

  @Test("has a body as text, in base64, or as JSON with the white space it has")
  func bodies() throws {
    #expect(try envelope(headers(good, body: #""e30=","isBase64Encoded":true"#))?.body.text == "{}")
    #expect(try envelope(headers(good, body: #""e30=","isBase64Encoded":false"#))?.body.text == "e30=")
    #expect(try envelope(headers(good, body: #""Incident Identifier: 1\n""#))?.body.text == "Incident Identifier: 1\n")
    let spaced = try #require(try envelope(headers(good, body: "{ \"a\" : [1, 2] }")))
    #expect(spaced.body.text == "{ \"a\" : [1, 2] }" && spaced.isRewritten)
    for body in ["7", "null", #""!","isBase64Encoded":true"#] {
      let error = #expect(throws: PayloadRefusal.self) { try envelope(headers(good, body: body)) }
      #expect(error?.reason == .envelopeWithoutBody)
    }
    let error = #expect(throws: PayloadRefusal.self) { try envelope(#"{"headers":{\#(good)}}"#) }
    #expect(error?.reason == .envelopeWithoutBody)
  }

  @Test(
    "is nothing else",
    arguments: [
      "", "[]", "{", "{}", #"{"crashDiagnostics":[]}"#, #"{"payload":{"crashDiagnostics":[]},"type":"x"}"#,
      #"{"headers":{"Host":"a"},"body":"{}"}"#, #"{"kind":"diagnostic","payload":"{}"}"#,
      #"{"kind":"crash","payload":"{}","receivedAt":1}"#, #"{"headers":{"X-Report-Kind":"metric"},"body":"{}"} x"#,
      #"{"headers":"X-Report-Kind","body":"{}"}"#,
    ])
  func none(text: String) throws { #expect(try envelope(text)?.body.text == nil) }

  @Test("is cut anywhere without harm, and is then none")
  func truncated() throws {
    let whole = Array(headers(good, body: #"{"a":"\u00e9"}"#).utf8)
    for count in whole.indices { #expect(try ReportEnvelope(ByteView(whole[..<count]))?.body.text == nil) }
  }
}
