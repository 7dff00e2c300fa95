public import Diagnostics
public import Identity
public import Signatures

/// Which generation of payloads a document belongs to. Payloads of different generations are never added up: of the
/// first one payload holds a day's diagnostics, of the second just one.
public enum PayloadGeneration: String, Sendable, Hashable, CaseIterable {
  /// `MXDiagnosticPayload`.
  case v1
  /// `DiagnosticReport`.
  case v2
  /// Any other document: a neighbouring format.
  case other
  /// What Xcode simulates: it proves delivery, and belongs in no rate.
  case simulated
  /// `MXMetricPayload`: report-days, and no diagnostics.
  case metrics
}

/// One accepted diagnostic on its way into the store.
public struct RecordedDiagnostic: Sendable, Hashable {
  /// Position within its payload.
  public var ordinal: Int
  /// The chosen stack.
  public let rawStack: RawStack
  /// Its key, digested once.
  public let rawStackKey: ContentDigest
  /// How the stack was chosen.
  public var attribution: Attribution
  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// When it was reported.
  public var interval: ReportInterval
  /// What the app was doing, as the report says.
  public var states: [DiagnosticContext.State]
  /// What it measured, each measure at most once.
  public var measures: [MeasuredValue]

  /// A diagnostic with the given parts.
  public init(
    ordinal: Int, rawStack: RawStack, attribution: Attribution, build: BuildOfRecord, system: OperatingSystem,
    interval: ReportInterval = ReportInterval(), states: [DiagnosticContext.State] = [], measures: [MeasuredValue] = []
  ) {
    self.ordinal = ordinal
    self.rawStack = rawStack
    rawStackKey = rawStack.key
    self.attribution = attribution
    self.build = build
    self.system = system
    self.interval = interval
    self.states = states
    self.measures = measures
  }
}

/// The time that a payload or one of its diagnostics covers, as far as it can be read.
public struct ReportInterval: Sendable, Hashable {
  /// `timeStampBegin`.
  public var begin: PointInTime?
  /// `timeStampEnd`.
  public var end: PointInTime?

  /// The interval between these times.
  public init(begin: PointInTime? = nil, end: PointInTime? = nil) {
    self.begin = begin
    self.end = end
  }

  /// The interval that `metadata` states.
  public init(_ metadata: DiagnosticMetadata) {
    self.init(
      begin: metadata.timeStampBegin.flatMap { PointInTime(parsing: $0) },
      end: metadata.timeStampEnd.flatMap { PointInTime(parsing: $0) })
  }
}

/// One accepted report-day on its way into the store: the interval of one metric payload.
public struct RecordedReportDay: Sendable, Hashable {
  /// The build of record.
  public var build: BuildOfRecord
  /// The operating system.
  public var system: OperatingSystem
  /// When it was reported.
  public var interval: ReportInterval

  /// A report-day with the given parts.
  public init(build: BuildOfRecord, system: OperatingSystem, interval: ReportInterval) {
    self.build = build
    self.system = system
    self.interval = interval
  }

  /// What is recorded of `report`.
  public init(_ report: MetricReport) {
    self.init(
      build: BuildOfRecord(ofInterval: report.metadata), system: OperatingSystem(parsing: report.metadata.osVersion),
      interval: ReportInterval(report.metadata))
  }
}

/// One accepted payload with its diagnostics.
public struct RecordedPayload: Sendable, Hashable {
  /// The digest of its bytes.
  public var digest: ContentDigest
  /// Its generation.
  public var generation: PayloadGeneration
  /// Its accepted diagnostics.
  public var diagnostics: [RecordedDiagnostic]
  /// Its report-days: one for each metric payload in it.
  public var reportDays: [RecordedReportDay]

  /// A payload with the given parts.
  public init(
    digest: ContentDigest, generation: PayloadGeneration, diagnostics: [RecordedDiagnostic],
    reportDays: [RecordedReportDay] = []
  ) {
    self.digest = digest
    self.generation = generation
    self.diagnostics = diagnostics
    self.reportDays = reportDays
  }
}

/// What was derived from one raw stack: its signature and what could not be resolved.
public struct Derivation: Sendable, Hashable {
  /// The signature.
  public var signature: Signature
  /// The images without symbols, each once.
  public var waiting: [WaitedImage]

  /// A derivation with the given parts.
  public init(signature: Signature, waiting: [WaitedImage] = []) {
    self.signature = signature
    self.waiting = waiting
  }
}

/// What is recorded in one transaction.
public struct Batch: Sendable {
  /// The payloads. Those that the store has already, by digest, change nothing.
  public var payloads: [RecordedPayload]
  /// For each raw stack that the store does not know, by key, what was derived from it. One that the store knows is
  /// remapped when the derivation differs.
  public var derivations: [ContentDigest: Derivation]

  /// A batch of these payloads.
  public init(payloads: [RecordedPayload] = [], derivations: [ContentDigest: Derivation] = [:]) {
    self.payloads = payloads
    self.derivations = derivations
  }
}

/// What recording a batch did.
public struct RecordOutcome: Sendable, Hashable {
  /// Payloads that are now in the store and were not before.
  public var acceptedPayloads = 0
  /// Payloads that were there before, or came twice in the batch, sorted.
  public var duplicatePayloads: [ContentDigest] = []
  /// Diagnostics that are now in the store and were not before.
  public var diagnostics = 0
  /// Report-days that are now in the store and were not before.
  public var reportDays = 0
  /// Signatures that the store had never seen, sorted.
  public var newSignatures: [String] = []
  /// What changed for raw stacks that the store had already.
  public var remap = RemapOutcome()

  /// An outcome of nothing.
  public init() {}
}

/// What remapping raw stacks did.
public struct RemapOutcome: Sendable, Hashable {
  /// Raw stacks whose signature is another one now.
  public var moved = 0
  /// Raw stacks whose signature is the same but reads differently.
  public var refreshed = 0
  /// The aliases that were left behind, sorted.
  public var aliases: [SignatureAlias] = []

  /// An outcome of nothing.
  public init() {}
}

/// A signature id that leads to another. Aliases are permanent.
public struct SignatureAlias: Sendable, Hashable, Comparable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// All of the old one's raw stacks are now under a new id.
    case renamed
    /// All of the old one's raw stacks are now under an id that others had already.
    case joined
    /// The old one's raw stacks are now under several ids.
    case divided
  }

  /// The id that was.
  public var old: String
  /// The id that its raw stacks, or a part of them, have now.
  public var new: String
  /// What happened.
  public var kind: Kind

  /// An alias from `old` to `new`.
  public init(old: String, new: String, kind: Kind) {
    self.old = old
    self.new = new
    self.kind = kind
  }

  /// By ids.
  public static func < (a: SignatureAlias, b: SignatureAlias) -> Bool { (a.old, a.new) < (b.old, b.new) }
}
