public import Identity
public import SymbolIndex

/// What became of one slice or file that was handed to a store or checked.
public enum Verdict: String, Sendable, Hashable, CaseIterable {
  /// Retained and indexed; nothing of this image was here before.
  case stored
  /// The same bytes are here already; nothing was done.
  case alreadyPresent = "already_present"
  /// Retained beside another file of the same image, and at least as good as it.
  case addedVariant = "added_variant"
  /// Retained beside a better file of the same image, which stays the one that lines come from.
  case poorerVariant = "poorer_variant"
  /// A part of an image's debug information (`.dwo`, `.dwp`, what dwz moved out), retained with that image.
  case companion
  /// Other code under an identifier that is taken. Kept and shown; the first stays in use.
  case conflict
  /// Read, and it names nothing: no debug information, no symbols.
  case noSymbols = "no_symbols"
  /// It has no debug identifier, so no frame can ever refer to it.
  case noDebugID = "no_debug_id"
  /// Not an object file of a known kind.
  case unsupported
  /// It contradicts its format.
  case malformed
  /// It is shorter than its headers say, or changed while it was read: cut off, or still being written.
  case incomplete
  /// In an archive, a path or a link that leads out of it.
  case unsafe
  /// It costs more time to read than its size allows.
  case workLimit = "work_limit"
  /// It would need more memory than is allowed.
  case tooLarge = "too_large"
  /// It cannot be opened or read.
  case unreadable

  /// Whether the slice is in the store now.
  public var isRetained: Bool {
    switch self {
    case .stored, .alreadyPresent, .addedVariant, .poorerVariant, .companion, .conflict: true
    case .noSymbols, .noDebugID, .unsupported, .malformed, .incomplete, .unsafe, .workLimit, .tooLarge, .unreadable:
      false
    }
  }
}

/// The best that can be said of an address with the symbols at hand.
public enum SymbolLevel: String, Sendable, Hashable {
  /// Functions, files, lines and inlined calls.
  case lines
  /// Functions only.
  case names
  /// Nothing.
  case nothing
}

/// The verdict on one slice, with what was seen.
public struct SliceReport: Sendable, Hashable {
  /// The file as it was named.
  public var path: String
  /// The architecture; `nil` when the file could not be read so far.
  public var architecture: String?
  /// The debug identifier.
  public var debugID: DebugID?
  /// The SHA-256 of the slice's bytes.
  public var digest: ContentDigest?
  /// The size of the slice in bytes.
  public var byteCount: Int
  /// The verdict.
  public var verdict: Verdict
  /// Why, in words, most important first.
  public var reasons: [String]
  /// What the image's index holds now, with this slice in it.
  public var summary: IndexSummary?

  /// A report with the given parts.
  public init(
    path: String, architecture: String? = nil, debugID: DebugID? = nil, digest: ContentDigest? = nil,
    byteCount: Int = 0, verdict: Verdict, reasons: [String] = [], summary: IndexSummary? = nil
  ) {
    self.path = path
    self.architecture = architecture
    self.debugID = debugID
    self.digest = digest
    self.byteCount = byteCount
    self.verdict = verdict
    self.reasons = reasons
    self.summary = summary
  }

  /// What addresses of this image can be told now; `nil` when it has no index.
  public var level: SymbolLevel? {
    summary.map { $0.lineBytes > 0 ? .lines : $0.functionCount > 0 ? .names : .nothing }
  }
}
