public import Signatures

/// One frame of an explained stack: what became of it, by which rule, and why in words.
public struct ExplainedFrame: Sendable, Hashable {
  /// The frame.
  public var frame: SignatureFrame
  /// The stage of the rule; `nil` when no rule of the table decided.
  public var stage: RuleStage?
  /// What the rule says that the frame does, for example `lock`; `nil` when it says nothing.
  public var className: String?
  /// The rule as `rules show` prints it; `nil` when no rule of the table decided.
  public var line: String?
  /// Why, as one full sentence.
  public var sentence: String
}

/// Puts into words what became of frames, by one table of rules.
public struct FrameExplainer: Sendable {
  private let rules: [String: Rule]

  /// An explainer for frames of signatures that `rules` made.
  public init(rules: Rules) {
    self.rules = Dictionary(rules.rules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// What became of `frame`.
  public func explain(_ frame: SignatureFrame) -> ExplainedFrame {
    if let word = Explanation(rawValue: frame.rule) { return ExplainedFrame(frame: frame, sentence: word.sentence) }
    guard let rule = rules[frame.rule] else {
      return ExplainedFrame(
        frame: frame, sentence: "Rule \(frame.rule) decided this; it is none of the rules in force.")
    }
    return ExplainedFrame(
      frame: frame, stage: rule.stage, className: rule.className.isEmpty ? nil : rule.className,
      line: rule.description, sentence: rule.sentence(isKept: frame.isKept))
  }
}

extension Rule {
  /// What the rule does with a frame, as one full sentence.
  public func sentence(isKept: Bool) -> String {
    let consequence =
      switch stage {
      case .app: "says that the image is the app's, whose functions take part."
      case .system:
        "says that the image is the system's; its frames change with every version of the system, so they take no part."
      case .rename: "gives the function another name, under which it takes part."
      case .reporter: "says that it is a crash reporter's, which ran after the event; so did all that it called."
      case .throwing: "says that it is a part of raising the event, which is its caller's."
      case .carrier:
        "says that it only carries out what it is asked\(className.isEmpty ? "" : " (\(className))"); its caller matters."
      case .base: "says that threads, run loops or programs begin here, whatever they do later."
      case .transparent: "says that it is a helper to look through."
      case .library: "says that it is library code, which the compiler put into the app."
      case .stop: "ends the stack at a frame that was called from here, so its callers take no part."
      case .prefix: "keeps it and says that its caller is to blame."
      case .pin: "keeps it and says that it is to blame wherever it is called."
      case .wait: "says that it is a wait\(isExpected ? " that somebody wants" : "")."
      case .when:
        isKept
          ? "keeps it for what it called or who called it." : "drops it for what it called or who called it."
      }
    return "Rule \(id) \(consequence)"
  }
}

extension Explanation {
  /// Why the frame was kept or dropped, as one full sentence.
  public var sentence: String {
    switch self {
    case .app: "It is a function of the app, so it takes part."
    case .unsymbolicated:
      "It is a function of the app whose symbols are missing, so it takes part by its place and not by its name."
    case .systemOnly: "No function of the app is in the stack, so the image takes part in its stead."
    case .thunk: "It is a thunk that the compiler made; the function that it leads to takes part instead."
    case .outlined: "It is code that the compiler moved out of several functions, so it stands for none of them."
    case .runtimeFailure: "It marks a failed check of the Swift runtime, which is the reason and no place."
    case .repeated:
      """
      It repeats a frame that takes part already: a round of a recursion, a closure that its own function calls, or \
      one more frame of the same image.
      """
    case .limit: "So many frames further in take part that the limit of a signature is reached."
    case .unknownImage: "The diagnostic does not tell its image, so nothing is known of it."
    case .underReporter: "A crash reporter called it, after the event."
    case .noDominance: "Too few of the samples passed through it for it to stand for all of them."
    case .noInformation: "Nothing in the stack tells anything of the event, so no frame takes part."
    }
  }
}
