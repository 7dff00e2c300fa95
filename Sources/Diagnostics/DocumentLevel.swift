internal import JSON

/// What an element of a document should be.
enum ExpectedElement {
  /// Anything: a payload, a diagnostic, a tree, an envelope around one of these.
  case anything
  /// A diagnostic of this kind: an element of a kind's array.
  case diagnostic(DiagnosticKind)
}

/// One object or array of a document that is being read, and what has been found in it.
struct DocumentLevel {
  let isObject: Bool
  let expected: ExpectedElement
  /// The first byte.
  let place: Int
  /// How many diagnostics there were before it.
  let firstDiagnostic: Int

  /// Position of the diagnostic that this object is, when it stands in a kind's array.
  var ordinal: Int?
  /// The kind by the name of the member whose value this is.
  var namedKind: DiagnosticKind?
  /// The kind by a word in `type`, `kind` or `diagnosticType`.
  var statedKind: DiagnosticKind?
  var tree: CallStackTree?
  /// `diagnosticMetaData`.
  var metadata: MetadataReader?
  /// `metaData` of a metric payload.
  var metricMetadata: DiagnosticMetadata?
  /// The same members directly in this object.
  var beside = MetadataReader()
  var notes: Notebook

  /// Where the diagnostics of each kind's array stand in the result, to undo them when the name occurs twice.
  var lists: [(kind: DiagnosticKind, diagnostics: Range<Int>)] = []
  var openList: (kind: DiagnosticKind, start: Int)?
  /// Members whose names end as those of metrics do.
  var metricKeys = 0
  var hasVersion2 = false
  var hasSingleKind = false
  var hasVersion2Environment = false
  /// Whether this is the value of v2's `result`, whose only member is named after what happened.
  var isResult = false
  /// The name of this result, when no kind has it.
  var unknownResult: String?
  /// v2 `environment`.
  var environment: ReportEnvironment?
  /// v2 `timeRange`.
  var timeRange: (begin: String?, end: String?)?
  var isIPSHeader = false
  /// Whether something inside was recognised, so that this is an envelope.
  var holdsFinding = false

  init(
    isObject: Bool, expected: ExpectedElement, place: Int, firstDiagnostic: Int, noteLimit: Int
  ) {
    self.isObject = isObject
    self.expected = expected
    self.place = place
    self.firstDiagnostic = firstDiagnostic
    self.notes = Notebook(limit: noteLimit)
  }

  var isVersion2: Bool {
    tree?.isVersion2 == true || hasVersion2Environment || (hasVersion2 && hasSingleKind)
      || (timeRange != nil && environment != nil)
  }

  var isVersion1: Bool { !lists.isEmpty || tree?.hasStacks == true }

  /// Whether this object is an `MXMetricPayload`: it has metrics, and says whose or when.
  var isMetricPayload: Bool { metricKeys > 0 && (metricMetadata != nil || beside.isUsed) }

  /// Whether this object is one diagnostic.
  var isDiagnostic: Bool {
    if case .diagnostic = expected { return true }
    return tree != nil || metadata?.isUsed == true || (namedKind != nil && beside.isUsed)
  }

  /// Reads the value, which is next, of a member that holds metadata.
  mutating func readBeside(
    _ key: MetadataKey, _ reader: inout JSONReader, limits: ReadingLimits
  ) throws(JSONError) {
    try beside.readMember(key, &reader, limits: limits, notes: &notes)
  }
}
