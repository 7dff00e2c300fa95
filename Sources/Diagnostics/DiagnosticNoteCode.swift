/// The words that a `DiagnosticNote` may have as its code.
public enum DiagnosticNoteCode: String, Sendable, Hashable, CaseIterable {
  /// An element of a kind's array is no object.
  case diagnosticUnreadable = "diagnostic_unreadable"
  /// More diagnostics than the limit.
  case diagnosticsCut = "diagnostics_cut"
  /// An object among payloads holds no diagnostic.
  case notADiagnostic = "not_a_diagnostic"
  /// A v2 report holds a result that this reader does not know; the place is its name.
  case unknownKind = "unknown_kind"
  /// An object among payloads holds both v1 and v2 keys; nothing of it was read.
  case mixedVersions = "mixed_versions"
  /// Envelopes inside each other beyond the limit.
  case envelopeTooDeep = "envelope_too_deep"
  /// A text that should hold JSON does not.
  case embeddedTextUnreadable = "embedded_text_unreadable"
  /// A name occurs twice in one object; the last one counts.
  case duplicateKey = "duplicate_key"
  /// There is no call stack at all.
  case noStack = "no_stack"
  /// A call stack tree is of another shape.
  case treeUnreadable = "tree_unreadable"
  /// A call stack is no object, or its root frames are no array.
  case stackUnreadable = "stack_unreadable"
  /// More call stacks than the limit.
  case stacksCut = "stacks_cut"
  /// A frame is no object, or its `subFrames` are no array.
  case frameUnreadable = "frame_unreadable"
  /// More frames than the limit.
  case framesCut = "frames_cut"
  /// `binaryUUID` is no identifier.
  case badUUID = "bad_uuid"
  /// A number is none, is out of range, or is no integer.
  case badNumber = "bad_number"
  /// A text is longer than the limit.
  case textCut = "text_cut"
  /// A member of the metadata is of a type that cannot be read.
  case metadataUnreadable = "metadata_unreadable"
  /// The metadata fits several kinds.
  case kindAmbiguous = "kind_ambiguous"
  /// The offset field is neither an offset nor a load address.
  case offsetUnusable = "offset_unusable"
  /// A frame gives another load address than most frames of its image.
  case loadAddressDisagrees = "load_address_disagrees"
  /// The header `X-App-Build` names another build than the report: it came from a later one, or counts for it.
  case buildHeaderMismatch = "build_header_mismatch"
  /// The header `X-Report-Kind` says metrics of diagnostics, or the other way round.
  case reportKindMismatch = "report_kind_mismatch"
  /// A body that stands in its envelope as JSON does not have the digest of its `Idempotency-Key`: it was written anew.
  case idempotencyKeyUnverified = "idempotency_key_unverified"
  /// There were more notes than the limit.
  case notesCut = "notes_cut"
}

/// Collects notes up to a limit and counts the rest.
struct Notebook {
  private(set) var notes: [DiagnosticNote] = []
  private var dropped = 0
  let limit: Int

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { notes.isEmpty }

  mutating func add(_ code: DiagnosticNoteCode, at place: @autoclosure () -> String) {
    guard notes.count < limit else {
      dropped += 1
      return
    }
    notes.append(DiagnosticNote(code: code.rawValue, place: place()))
  }

  mutating func add(_ code: DiagnosticNoteCode, byte offset: Int) { add(code, at: "byte \(offset)") }

  /// Takes over what `other` holds.
  mutating func add(_ other: Notebook) {
    for note in other.notes {
      if notes.count < limit { notes.append(note) } else { dropped += 1 }
    }
    dropped += other.dropped
  }

  /// All notes, the last one saying how many were left out.
  var closed: [DiagnosticNote] {
    guard dropped > 0 else { return notes }
    return notes + [DiagnosticNote(code: DiagnosticNoteCode.notesCut.rawValue, place: "\(dropped) more")]
  }
}
