public import Diagnostics
public import Identity
public import SignatureStore
public import Signatures

/// Why one stack has its signature and its cluster: everything that was decided on the way, each with its reason.
public struct StackExplanation: Sendable {
  /// Which stack is explained.
  public enum Subject: Sendable, Hashable {
    /// The stack of a signature that has the most diagnostics.
    case signature(String)
    /// One diagnostic of a payload.
    case diagnostic(payload: ContentDigest, ordinal: Int)
  }

  /// Which end of the document's stack is innermost, and how that was decided.
  public struct Orientation: Sendable, Hashable {
    /// Which end is innermost.
    public var order: FrameOrder
    /// How that was decided.
    public var basis: FrameOrderBasis
  }

  /// Which stack is explained.
  public var subject: Subject
  /// The ids that led here, when the one that was asked for is an old one.
  public var aliases: [SignatureAlias] = []
  /// How the stack was chosen; `nil` for that of a signature, which stands for many.
  public var attribution: Attribution?
  /// How many stacks there were to choose from; `nil` when only the store is asked, which keeps one.
  public var stacks: Int?
  /// How the stack was read; `nil` when only the store is asked: raw stacks have one direction.
  public var orientation: Orientation?
  /// The stack.
  public var rawStack: RawStack
  /// What it means with the symbols and rules at hand.
  public var signature: Signature
  /// The images without symbols.
  public var waiting: [WaitedImage]
  /// The frames, innermost first, each with its rule.
  public var frames: [ExplainedFrame]
  /// The signature under which the store counts the stack; `nil` when the store does not know it.
  public var recorded: SignatureEntry?
  /// How the signature was judged, or would be; `nil` when there is no store.
  public var judgement: ExplainedJudgement?
  /// Other clusters that may be one problem with its cluster.
  public var suggestions: [SimilarCluster] = []
  /// The share of the samples that a function must have to name a sampled tree.
  public var threshold: Double

  /// The cluster: that of the store, else the one that the signature would have.
  public var cluster: String { recorded?.cluster ?? judgement?.judgement.cluster ?? signature.id }
}

// MARK: Reason

/// How a reason class came about.
public struct ExplainedReason: Sendable, Hashable {
  /// What adds a detail to the family.
  public enum Refinement: String, Sendable, Hashable, CaseIterable {
    /// An inlined marker of the Swift runtime.
    case runtimeFailure = "runtime_failure"
    /// A part of the throw chain.
    case throwChain = "throw_chain"
    /// A wait that somebody wants.
    case expectedWait = "expected_wait"

    /// What the detail comes from, as one full sentence.
    public var sentence: String {
      switch self {
      case .runtimeFailure: "A marker that the compiler left in the function names the check that failed."
      case .throwChain: "The outermost part of the throw chain tells more; that is shown and enters no key."
      case .expectedWait: "At least half of the samples lie in a wait that a rule says somebody wants."
      }
    }
  }

  /// What the family was read from.
  public var basis: ReasonClass.Basis
  /// What added a detail; `nil` for nothing.
  public var refinement: Refinement?
  /// Both in words.
  public var sentences: [String]
}

extension StackExplanation {
  /// How the reason came about.
  public var reason: ExplainedReason {
    let (read, basis) = ReasonClass.reading(kind: rawStack.kind, raw: rawStack.reason)
    let refinement: ExplainedReason.Refinement? =
      signature.isExpected
      ? .expectedWait
      : signature.reason == read ? nil : read.family == .unknown ? .throwChain : .runtimeFailure
    return ExplainedReason(
      basis: basis, refinement: refinement,
      sentences: [basis.sentence(rawStack.reason, read)] + (refinement.map { [$0.sentence] } ?? []))
  }
}

// MARK: Quality

/// Why a signature tells as much as it does.
public enum QualityCause: String, Sendable, Hashable, CaseIterable {
  /// At least two parts are informative.
  case informative
  /// One part is.
  case onePart = "one_part"
  /// No function of the app has a name.
  case noNames = "no_names"
  /// There is no function of the app.
  case systemOnly = "system_only"
  /// No function holds enough of the samples.
  case mixed
  /// There is nothing informative.
  case nothing

  /// The same as one full sentence.
  public var sentence: String {
    switch self {
    case .informative: "At least two parts of the stack tell something of the event."
    case .onePart: "Only one part of the stack tells anything of the event."
    case .noNames: "None of the app's functions in the stack has a name."
    case .systemOnly: "No function of the app is in the stack, only images of the system."
    case .mixed: "No function of the app holds enough of the samples, so several causes are mixed in one event."
    case .nothing:
      "Nothing in the stack tells anything of the event, so its key is the raw stack and no stranger shares it."
    }
  }
}

extension StackExplanation {
  /// Why the signature tells as much as it does.
  public var qualityCause: QualityCause {
    switch signature.quality {
    case .normal: .informative
    case .low: signature.keys.isEmpty ? .systemOnly : signature.hasNames ? .onePart : .noNames
    // Only a mixed tree is called so: every other title of this quality says that no frame is informative.
    case .none: signature.title.hasSuffix(" | mixed") ? .mixed : .nothing
    }
  }

  /// What follows from missing symbols of the app; `nil` when none are missing.
  public var provisionalSentence: String? {
    signature.isProvisional
      ? "Symbols of the app are missing: when they come the signature can get another id, and this one leads to it."
      : nil
  }

  /// Who holds the samples, as one full sentence; `nil` for a stack that is no tree of samples.
  public var samplesSentence: String? {
    guard rawStack.kind.isSampled, !rawStack.frames.isEmpty else { return nil }
    guard signature.dominance != nil, let name = signature.tokens.first else {
      return "No function of the app holds the share of the samples that it takes to name them."
    }
    return "\(name) is the deepest function of the app through which enough of the samples passed."
  }
}

extension Signature {
  /// Whether a function of the app in it has a name.
  fileprivate var hasNames: Bool { zip(tokens, keys).contains { !$0.hasSuffix("!?") && !$1.hasSuffix("!?") } }
}
