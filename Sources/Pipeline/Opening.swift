internal import Bytes
internal import Compression
internal import Diagnostics
internal import Identity
internal import Workers

extension [SourceDocument] {
  /// The documents without the envelopes that they came in. One whose envelope cannot be opened says why.
  func opened(limits: ReadingLimits, _ workers: Workers) -> [SourceDocument] {
    workers.map(count) {
    } _: { _, number in
      self[number].opened(limits: limits)
    }
  }
}

extension SourceDocument {
  /// The document without the envelope that it came in: its bytes are what was sent, decompressed.
  func opened(limits: ReadingLimits) -> SourceDocument {
    var document = self
    do throws(PayloadRefusal) {
      guard let envelope = try ReportEnvelope(bytes, limits: limits) else { return self }
      document.bytes = try SourceDocument.decompressed(envelope.body, limits: limits)
      document.envelope = envelope
      // JSON that stands in its envelope may have been written anew on its way; nothing else can have been.
      if !envelope.isRewritten, let key = envelope.headers.idempotencyKey, key != ContentDigest(of: document.bytes) {
        throw PayloadRefusal(.idempotencyKeyMismatch)
      }
    } catch {
      document = self
      document.refusal = error
    }
    return document
  }

  /// The payload that the document holds, after its headers had their say.
  func payload(_ reader: PayloadReader) throws(PayloadRefusal) -> Payload {
    if let refusal { throw refusal }
    var payload = try reader.read(bytes)
    if let envelope { payload.apply(envelope) }
    return payload
  }

  private static func decompressed(_ body: ByteView, limits: ReadingLimits) throws(PayloadRefusal) -> ByteView {
    guard Gzip.matches(body) else { return body }
    do throws(CompressionError) {
      return try Gzip.decompress(body, limit: OutputLimit(bytes: limits.inputBytes))
    } catch {
      throw PayloadRefusal(.envelopeWithoutBody, detail: "the body cannot be decompressed: \(error)")
    }
  }
}

extension Payload {
  /// Takes over what the headers of `envelope` say and the payload does not, and tells where they contradict it.
  ///
  /// The build of record is the payload's own. The header's is that of the uploader: it stands in only where a payload
  /// names none, and not for an interval in which the app was updated.
  fileprivate mutating func apply(_ envelope: ReportEnvelope) {
    let headers = envelope.headers
    func note(_ code: DiagnosticNoteCode) { notes.append(DiagnosticNote(code: code.rawValue, place: "headers")) }
    if envelope.isRewritten, let key = headers.idempotencyKey, key != ContentDigest(of: envelope.body) {
      note(.idempotencyKeyUnverified)
    }
    if headers.kind == .metric ? !diagnostics.isEmpty : diagnostics.isEmpty && !metrics.isEmpty {
      note(.reportKindMismatch)
    }
    guard let build = headers.appBuild else { return }
    var isMismatch = false
    func settle(_ metadata: inout DiagnosticMetadata) {
      if let own = metadata.appBuildVersion {
        isMismatch = isMismatch || own != build
      } else if metadata.spansVersions != true {
        metadata.appBuildVersion = build
      }
    }
    for index in diagnostics.indices { settle(&diagnostics[index].metadata) }
    for index in metrics.indices { settle(&metrics[index].metadata) }
    if isMismatch { note(.buildHeaderMismatch) }
  }
}
