public import Bytes
internal import JSON

/// A report as a collector wrote it down: what its headers said, and the bytes that were sent.
///
/// Two forms are known:
/// - **the request**: an object with `headers` (names to texts, or to lists of texts) and `body`, as gateways and collectors
///   log requests; a body in base64 says so with `isBase64Encoded`. It is one only when a header of ours is among them.
/// - **the app's**: an object with `kind`, `payload` and `receivedAt`, as an app keeps reports until they are sent.
///
/// A body is a text, a text in base64, or JSON as it stands. Its bytes are the payload, whose digest is made of nothing else:
/// the same report in both forms, and without any, counts once.
public struct ReportEnvelope: Sendable {
  /// The bytes that were sent.
  public var body: ByteView
  /// What the headers said.
  public var headers: ReportHeaders
  /// Whether the body stands in the envelope as JSON, so that its white space may be another than when it was sent.
  public var isRewritten: Bool

  /// The envelope that `document` is; `nil` when it is none.
  ///
  /// Throws what is wrong with its headers or body. Broken JSON is no envelope, and left to the reader to explain. Cost: of a
  /// MetricKit payload, a look at its first key; of an envelope, one pass.
  public init?(_ document: ByteView, limits: ReadingLimits = ReadingLimits()) throws(PayloadRefusal) {
    guard let parts = document.withBytes({ EnvelopeParts($0, limits: limits) }) else { return nil }
    if let fields = parts.fields, parts.body != nil || fields.contains(where: { ReportHeaders.knows($0.name) }) {
      guard fields.contains(where: { ReportHeaders.knows($0.name) }) else { return nil }
      headers = try ReportHeaders(fields: fields)
    } else if parts.isReceived, parts.body != nil, let kind = parts.kind.flatMap(ReportHeaders.Kind.init(header:)) {
      headers = ReportHeaders(kind: kind)
    } else {
      return nil
    }
    isRewritten = false
    switch parts.body {
    case .json(let range):
      isRewritten = true
      body = document.slice(at: UInt64(range.lowerBound), count: UInt64(range.count)) ?? .empty
    case .text(let bytes) where parts.isBase64 ?? !EnvelopeParts.isPlain(bytes):
      if let decoded = [UInt8](base64: bytes) {
        body = ByteView(decoded)
      } else if parts.isBase64 == nil {
        body = ByteView(bytes)
      } else {
        throw PayloadRefusal(.envelopeWithoutBody, detail: "the body is no base64")
      }
    case .text(let bytes): body = ByteView(bytes)
    case nil: throw PayloadRefusal(.envelopeWithoutBody)
    }
  }
}

/// The members of an object that may be an envelope.
private struct EnvelopeParts {
  enum Body {
    /// The text's bytes.
    case text([UInt8])
    /// Where the JSON stands.
    case json(Range<Int>)
  }

  enum Key: String, CaseIterable, Sendable {
    case headers, body, payload, kind, receivedAt, isBase64Encoded

    static let set = JSONKeySet(Key.self)
  }

  var fields: [(name: String, value: String)]?
  var body: Body?
  var kind: String?
  var isReceived = false
  var isBase64: Bool?

  /// More headers than any request has.
  private static let headerLimit = 256

  /// The parts of the object in `raw`; `nil` when it is none, is broken, or has a key of a payload.
  init?(_ raw: UnsafeRawBufferPointer, limits: ReadingLimits) {
    do throws(JSONError) {
      var reader = JSONReader(raw, depthLimit: limits.depth)
      guard try reader.next() == .beginObject else { return nil }
      while try reader.nextKey() {
        if let key = reader.key(in: Key.set) {
          try read(key, &reader)
        } else if reader.key(in: DocumentKey.set) != nil || reader.key(in: MetadataKey.set) != nil {
          return nil
        } else {
          try reader.skipValue()
        }
      }
      guard try reader.next() == .end else { return nil }
    } catch {
      return nil
    }
  }

  private mutating func read(_ key: Key, _ reader: inout JSONReader) throws(JSONError) {
    let token = try reader.next()
    let start = reader.tokenOffset
    switch key {
    case .headers where token == .beginObject: return try readFields(&reader)
    case .body where token == .string, .payload where token == .string:
      var bytes: [UInt8] = []
      reader.appendText(to: &bytes)
      body = .text(bytes)
    case .kind where token == .string && reader.tokenBytes.count <= 64: kind = reader.text
    case .receivedAt: isReceived = token == .string || token == .number
    case .isBase64Encoded: isBase64 = token == .true
    default: break
    }
    guard token == .beginObject || token == .beginArray else { return }
    try reader.leaveContainer()
    if key == .body || key == .payload { body = .json(start..<reader.offset) }
  }

  /// Reads names and values; of a list of values the last counts, as of a name that occurs twice.
  private mutating func readFields(_ reader: inout JSONReader) throws(JSONError) {
    var fields: [(name: String, value: String)] = []
    while try reader.nextKey() {
      let name = reader.tokenBytes.count <= 64 ? reader.text : ""
      var token = try reader.next()
      let isList = token == .beginArray
      var depth = isList || token == .beginObject ? 1 : 0
      while true {
        if token == .string, depth <= 1, fields.count < Self.headerLimit, reader.tokenBytes.count <= 1024 {
          fields.append((name, reader.text))
        }
        if depth == 0 { break }
        token = try reader.next()
        if token == .beginArray || token == .beginObject { depth += 1 }
        if token == .endArray || token == .endObject { depth -= 1 }
        if depth == 0 { break }
      }
    }
    self.fields = fields
  }

  /// Whether a text shows by its first sign that it is JSON, and by a blank that it is no base64.
  static func isPlain(_ text: [UInt8]) -> Bool {
    text.prefix(64).contains { $0 == 0x7b || $0 == 0x5b || $0 == 0x20 || $0 == 0x0a }
  }
}
