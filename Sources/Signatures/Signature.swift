internal import Bytes
public import Diagnostics
public import Identity

/// How much a signature tells.
public enum SignatureQuality: String, Sendable, Hashable, CaseIterable {
  /// At least two informative parts.
  case normal
  /// One informative part, or images of the system only.
  case low
  /// Nothing informative: the key is the raw stack itself, so that strangers never share it.
  case none
}

/// One frame of the stack that a signature was derived from, with what became of it and by which rule.
public struct SignatureFrame: Sendable, Hashable {
  /// Index into the frames of the raw stack.
  public var rawFrame: Int
  /// The image's name; `nil` when the diagnostic gave none.
  public var image: String?
  /// The name to show; `nil` when unknown.
  public var function: String?
  /// The token, `image!name`.
  public var token: String
  /// The source file; `nil` when unknown.
  public var file: String?
  /// The line; `nil` when unknown.
  public var line: UInt32?
  /// Whether the call was inlined into the next frame.
  public var isInlined: Bool
  /// Whether debug information named it: then the calls that were inlined into it are frames, too.
  public var knowsInlining: Bool
  /// Whether the image is the system's.
  public var isSystem: Bool
  /// Whether the token entered the signature.
  public var isKept: Bool
  /// The rule that kept or dropped it: the id of a rule of the table, or a word of `Explanation`.
  public var rule: String

  /// A frame with the given parts.
  public init(
    rawFrame: Int, image: String?, function: String? = nil, token: String, file: String? = nil, line: UInt32? = nil,
    isInlined: Bool = false, knowsInlining: Bool = false, isSystem: Bool = false, isKept: Bool, rule: String
  ) {
    self.rawFrame = rawFrame
    self.image = image
    self.function = function
    self.token = token
    self.file = file
    self.line = line
    self.isInlined = isInlined
    self.knowsInlining = knowsInlining
    self.isSystem = isSystem
    self.isKept = isKept
    self.rule = rule
  }
}

/// Why a frame was kept or dropped when no rule of the table says it. The raw value is the word that stands for a rule's id.
public enum Explanation: String, Sendable, Hashable, CaseIterable {
  /// A function of the app.
  case app
  /// A function of the app without a name.
  case unsymbolicated = "app.unsymbolicated"
  /// An image of the system, where no function of the app is.
  case systemOnly = "system.only"
  /// A thunk, beside the function that it leads to.
  case thunk
  /// Code that the compiler moved out of functions.
  case outlined
  /// The marker of a failed check of the Swift runtime: it is the reason and no place.
  case runtimeFailure = "runtime-failure"
  /// A round of a recursion, or a closure that its own function calls.
  case repeated
  /// Beyond the number of tokens that a signature holds.
  case limit
  /// The diagnostic names no image, or none that can be told.
  case unknownImage = "image.unknown"
  /// Called by a crash reporter.
  case underReporter = "reporter.below"
  /// Off the functions that hold most samples.
  case noDominance = "not-dominating"
  /// The stack as a whole says nothing.
  case noInformation = "no-information"
}

/// One of the heaviest paths of a sampled tree.
public struct SignaturePath: Sendable, Hashable {
  /// The app's tokens, innermost first.
  public var tokens: [String]
  /// Samples that ended there, of all samples of the stack.
  public var share: Double

  /// A path with these tokens and share.
  public init(tokens: [String], share: Double) {
    self.tokens = tokens
    self.share = share
  }
}

/// The identity of a problem as far as one stack shows it: what was kept of its frames, its kind and its reason.
///
/// A pure function of the raw stack, the resolutions of its frames and the rules.
public struct Signature: Sendable, Hashable {
  /// The version of the algorithm. It rises whenever one stack would get another id; ids of different versions never
  /// equal, since the version is part of the key.
  public static let algorithmVersion = 1

  /// `sig-` and the first 16 hex digits of the SHA-256 of the key.
  public var id: String
  /// What happened.
  public var kind: DiagnosticKind
  /// Why, with the detail that this stack shows.
  public var reason: ReasonClass
  /// What entered the key, innermost first, as `image!name`; for a system-only stack the images as `UIKitCore*`.
  public var tokens: [String]
  /// The fields whose digest is the id, as they were hashed: `symclust-sig`, the version of the algorithm, the kind; then
  /// `app`, the reason family and the names of the app's functions; or `system`, the reason and the images; or `raw` and the
  /// digest of the raw stack.
  public var keyFields: [String]
  /// The fields of the blame key; empty when nothing is to blame. See `blameID`.
  public var blameFields: [String] = []
  /// The debug identifier of the image in which the innermost function of the key stands: one compilation of the app's code.
  /// `nil` when the diagnostic tells none. Never part of the key.
  public var compilation: DebugID?
  /// One line for people: kind, reason, and the innermost tokens.
  public var title: String
  /// The token to blame: the innermost of the app; `nil` when there is none.
  public var blame: String?
  /// The class of the carrier that the blamed frame called (`release`, `lock`, `memory`, …) or, for samples, in which
  /// most of the weight below it ended; `nil` when there is none. Shown, never part of the key: it depends on whether
  /// the system's symbols are at hand and on how its libraries call each other.
  public var carrier: String?
  /// How much the signature tells.
  public var quality: SignatureQuality
  /// Whether frames of the app without symbols take part, so that late symbols can change the id.
  public var isProvisional: Bool
  /// Whether the hang is a wait that somebody wants, by a rule: counted, and no news. Shown, never part of the key.
  public var isExpected = false
  /// Of a sampled tree: the share of the samples that passed through the blamed frame. `nil` for others.
  public var dominance: Double?
  /// The heaviest paths of a sampled tree, at most five; empty for others.
  public var paths: [SignaturePath]
  /// The frames of the stack, innermost first, each with its rule; of a sampled tree those of the heaviest path.
  public var frames: [SignatureFrame]
  /// The digest of the rules.
  public var rulesDigest: ContentDigest

  /// For each token of the app what of it entered the key: the name without the image. Empty for a system-only stack.
  public var keys: [String] { keyFields.count > 4 && keyFields[3] == "app" ? Array(keyFields[5...]) : [] }

  /// The blame key: `blm-` and 16 hex digits over kind, reason family and the blamed function; `nil` when there is none.
  ///
  /// A coarse index for people: all that ends in one function, whoever called it. It is no identity, and nothing is counted or
  /// alerted by it. The carrier stays out, since it depends on whether the system's symbols are at hand.
  public var blameID: String? { blameFields.isEmpty ? nil : "blm-" + Signature.digits(of: blameFields) }

  /// What is hashed of the fields of a key: their UTF-8, with U+001F between them.
  public static func keyBytes(_ fields: [String]) -> [UInt8] { Array(fields.joined(separator: "\u{1f}").utf8) }

  /// The first 16 hex digits of the SHA-256 of a key.
  static func digits(of fields: [String]) -> String { ContentDigest(of: keyBytes(fields)).bytes.prefix(8).hex }

  /// The frames that entered the key.
  public var keptFrames: [SignatureFrame] { frames.filter(\.isKept) }
  /// The frames that did not.
  public var droppedFrames: [SignatureFrame] { frames.filter { !$0.isKept } }

  /// Says that the hang is a wait that somebody wants, in the reason and in the title.
  mutating func markAsExpected() {
    isExpected = true
    mark("expected-wait")
  }

  /// Puts a finer reason into the reason and into the title, where the key does not see it.
  mutating func mark(_ detail: String) {
    reason.detail = detail
    title = "\(kind.rawValue) \(detail)" + title.dropFirst(kind.rawValue.count)
  }
}
