internal import Bytes
internal import Diagnostics
internal import Identity
internal import SignatureStore
internal import Signatures
internal import Workers

/// Reads documents into what is recorded of them: no symbols, no store, no order.
struct DocumentReader: Sendable {
  /// What one document holds, or why it was refused.
  struct Result: Sendable {
    var diagnostics: [RecordedDiagnostic] = []
    /// The report-days.
    var reportDays: [RecordedReportDay] = []
    /// The format of the document.
    var format = ReportFormat.metricKit1
    var refusal: PayloadRefusal?
    /// What the reader repaired, guessed or left out, by word.
    var notes: [String: Int] = [:]
    /// Diagnostics that Xcode simulated.
    var simulated = 0
    var unknownKeys = 0
    /// Results of unknown kinds, by their name.
    var unknownResults: [String: Int] = [:]
    /// States that were dropped, by domain.
    var droppedStates: [String: Int] = [:]

    mutating func count(_ notes: [DiagnosticNote]) {
      for note in notes {
        self.notes[note.code, default: 0] += 1
        if note.code == DiagnosticNoteCode.unknownKind.rawValue {
          unknownResults[Redaction.word(note.place), default: 0] += 1
        }
      }
    }
  }

  private let reader: PayloadReader
  private let rules: Rules

  init(limits: ReadingLimits, rules: Rules) {
    reader = PayloadReader(limits: limits)
    self.rules = rules
  }

  /// The result of each document, in their order.
  func read(_ documents: [SourceDocument], _ workers: Workers) -> [Result] {
    workers.map(documents.count) {
      KnownTexts()
    } _: { texts, number in
      read(documents[number], &texts)
    }
  }

  private func read(_ document: SourceDocument, _ texts: inout KnownTexts) -> Result {
    var result = Result()
    do throws(PayloadRefusal) {
      let payload = try document.payload(reader)
      result.format = payload.format
      result.count(payload.notes)
      result.unknownKeys = payload.unknownKeys
      for diagnostic in payload.diagnostics {
        if diagnostic.isSimulated { result.simulated += 1 }
        for domain in diagnostic.context.offendingDomains { result.droppedStates[domain, default: 0] += 1 }
        add(diagnostic.kept, to: &result, &texts)
      }
      result.reportDays = payload.metrics.map { RecordedReportDay($0.kept) }
    } catch {
      result.refusal = error
    }
    return result
  }

  private func add(_ diagnostic: Diagnostic, to result: inout Result, _ texts: inout KnownTexts) {
    let attribution = Attribution(diagnostic, rules: rules)
    let reading = RawStack.reading(diagnostic, stack: attribution.stack)
    result.diagnostics.append(
      RecordedDiagnostic(
        ordinal: diagnostic.ordinal, rawStack: reading.stack, attribution: attribution,
        build: BuildOfRecord(diagnostic.metadata), system: texts.system(diagnostic.metadata.osVersion),
        interval: ReportInterval(
          begin: texts.time(diagnostic.metadata.timeStampBegin), end: texts.time(diagnostic.metadata.timeStampEnd)),
        states: diagnostic.context.states, measures: diagnostic.metadata.measuredValues))
    result.count(diagnostic.notes)
    if reading.framesLeftOut > 0 { result.notes["inverted_paths_cut", default: 0] += 1 }
  }
}

/// What short texts mean that many documents repeat. Each thread has its own.
struct KnownTexts {
  private var systems: [String: OperatingSystem] = [:]
  private var times: [String: PointInTime?] = [:]
  /// So that texts from outside do not fill the memory.
  private static let limit = 4096

  /// The system that `text` names.
  mutating func system(_ text: String?) -> OperatingSystem {
    guard let text else { return OperatingSystem(parsing: nil) }
    if let known = systems[text] { return known }
    let system = OperatingSystem(parsing: text)
    if systems.count < Self.limit { systems[text] = system }
    return system
  }

  /// The time that `text` states; `nil` when it is none.
  mutating func time(_ text: String?) -> PointInTime? {
    guard let text else { return nil }
    if let known = times[text] { return known }
    let time = PointInTime(parsing: text)
    if times.count < Self.limit { times[text] = time }
    return time
  }
}

extension DocumentReader.Result {
  /// With which payloads the document is counted.
  var generation: PayloadGeneration {
    if simulated > 0, simulated == diagnostics.count { return .simulated }
    switch format {
    case .metricKit1: return .v1
    case .metricKit2: return .v2
    case .metricPayload: return .metrics
    default: return .other
    }
  }
}

extension [SourceDocument] {
  /// The digest of each document.
  func digests(_ workers: Workers) -> [ContentDigest] {
    workers.map(count) {
    } _: { _, number in
      ContentDigest(of: self[number].bytes)
    }
  }
}
