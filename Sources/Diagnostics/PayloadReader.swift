public import Bytes
internal import JSON

/// Reads MetricKit diagnostics, v1 (iOS 14 to 26) and the v2 of iOS 27's betas, in whatever wrapping they arrive, and
/// the formats beside it that `NeighbourReader` knows.
///
/// Accepted are a whole payload; one diagnostic (`callStackTree` with `diagnosticMetaData`); `{"callStackTree": …}`;
/// the bare tree; and any of these inside a vendor's envelope: under `payload`, `diagnostics`, `report` and the like,
/// in arrays, or as a JSON text in a string. What an object is, its keys tell, never its file name or OS version.
/// A broken frame, call stack or diagnostic is noted and the rest is read; broken JSON refuses the document.
///
/// One rule for a name that occurs twice in an object: the last one counts, with a note where it cost something.
public struct PayloadReader: Sendable {
  /// How much is read.
  public var limits: ReadingLimits

  /// A reader with these limits.
  public init(limits: ReadingLimits = ReadingLimits()) { self.limits = limits }

  /// The diagnostics of the document in `bytes`. Cost: one pass and flat arrays.
  public func read(_ bytes: ByteView) throws(PayloadRefusal) -> Payload {
    try bytes.withBytes { (raw) throws(PayloadRefusal) in try read(raw) }
  }

  private func read(_ raw: UnsafeRawBufferPointer) throws(PayloadRefusal) -> Payload {
    var document = DocumentReader(limits: limits)
    do throws(JSONError) {
      var reader = JSONReader(raw, depthLimit: limits.depth)
      try document.read(&reader, expecting: .anything)
      if try reader.next() != .end { throw JSONError(.trailingContent, at: reader.tokenOffset) }
    } catch {
      let shape = DocumentShape(of: raw, after: error)
      if let payload = try NeighbourReader.read(raw, of: shape, limits: limits) { return payload }
      throw PayloadReader.refusal(for: error, of: raw)
    }
    if document.diagnosticsCut > 0 { document.notes.add(.diagnosticsCut, at: "\(document.diagnosticsCut) more") }
    document.payload.notes = document.notes.closed
    if document.sawVersion2 { document.payload.format = .metricKit2 }
    // The names are MetricKit's and the shape is not: what was read of it has no frames.
    if document.sawNeighbourTree, document.payload.diagnostics.allSatisfy({ $0.stacks.allSatisfy(\.frames.isEmpty) }),
      let payload = try NeighbourReader.read(raw, of: .json, limits: limits)
    {
      return payload
    }
    if document.payload.diagnostics.isEmpty, !document.payload.metrics.isEmpty, !document.hasLists {
      document.payload.format = .metricPayload
    } else if document.payload.diagnostics.isEmpty {
      if !document.hasLists, !document.sawMixedVersions, !document.sawVersion2,
        let payload = try NeighbourReader.read(raw, of: .json, limits: limits)
      {
        return payload
      }
      if document.sawMixedVersions { throw PayloadRefusal(.mixedVersions) }
      if document.sawVersion2 { throw PayloadRefusal(.v2WithoutDiagnostic) }
      guard document.hasLists else {
        if document.sawIPSHeader { throw PayloadRefusal(.ipsReport) }
        let first = document.payload.notes.first
        throw PayloadRefusal(.noDiagnostics, detail: first.map { "\($0.code) at \($0.place)" })
      }
    }
    return document.payload
  }

  // MARK: Naming what is no JSON

  private static func refusal(for error: JSONError, of raw: UnsafeRawBufferPointer) -> PayloadRefusal {
    let place = JSONPlace(of: error.offset, in: raw)
    let start = raw.first == 0xef ? min(3, raw.count) : 0
    let text = raw[start...].drop { $0 <= 0x20 }
    if text.isEmpty { return PayloadRefusal(.empty) }
    switch error.code {
    case .unexpectedEnd: return PayloadRefusal(.truncated, at: place)
    case .tooDeep: return PayloadRefusal(.tooDeep, at: place)
    case .otherEncoding: return PayloadRefusal(.otherEncoding)
    case .trailingContent: return PayloadRefusal(.severalDocuments, at: place)
    default:
      if isPropertyListDescription(text) {
        let isMetric = contains("Metrics = ", in: text)
        return PayloadRefusal(.propertyListDescription, detail: isMetric ? "of an MXMetricPayload" : nil)
      }
      return PayloadRefusal(.notJSON, at: place, detail: error.what)
    }
  }

  /// `{` or `(`, and after it a word or a quoted text and then ` = `: how `NSDictionary` describes itself.
  private static func isPropertyListDescription(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = text.first, first == 0x7b || first == 0x28 else { return false }
    let inner = text.dropFirst().drop { $0 <= 0x20 || $0 == 0x7b || $0 == 0x28 }
    let word = inner.prefix(256).prefix { $0 > 0x20 && $0 != 0x3d && $0 != 0x3a }
    return !word.isEmpty && inner.dropFirst(word.count).prefix(4096).drop { $0 == 0x20 }.first == 0x3d
  }

  private static func contains(_ word: String, in text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let wanted = Array(word.utf8)
    let window = text.prefix(65_536)
    return window.indices.contains { text[$0...].prefix(wanted.count).elementsEqual(wanted) }
  }
}
