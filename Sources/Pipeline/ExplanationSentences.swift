public import Diagnostics
public import SignatureStore
public import Signatures

// The words of the program as full sentences. Every switch is complete, so a new word cannot come without one.

extension Attribution.Basis {
  /// Why the stack was chosen, as one full sentence.
  public var sentence: String {
    switch self {
    case .attributed: "The device marked this stack as the one of the event."
    case .onlyStack: "There is only this one stack."
    case .mainRunLoop:
      """
      The main run loop hung, which is the main thread's, and that is the first stack; what the device marks in such hangs \
      is unreliable.
      """
    case .severalAttributed:
      "The device marked several stacks; this is the first of them with a frame of the app, or the first if none has one."
    case .attributedEmpty: "The stack that the device marked is empty; this is the first with frames."
    case .firstWithApp: "The device marked no stack; this is the first with a frame of the app."
    case .firstNonEmpty: "The device marked no stack and none has a frame of the app; this is the first with frames."
    case .noFrames: "No stack has any frames."
    }
  }
}

extension Attribution.Confidence {
  /// How sure the choice of the stack is, as one full sentence.
  public var sentence: String {
    switch self {
    case .certain: "That is certain."
    case .likely: "That is likely, from what devices are known to do."
    case .guess: "That is a guess, which never counts as proof of something new."
    }
  }
}

extension FrameOrder {
  /// Which way the stack stood in the document, as one full sentence.
  public var sentence: String {
    switch self {
    case .innermostFirst: "The document has the innermost call first."
    case .outermostFirst: "The document has the outermost call first."
    }
  }
}

extension FrameOrderBasis {
  /// How the order was decided, as one full sentence.
  public var sentence: String {
    switch self {
    case .kind: "The kind of the diagnostic says so; the images neither confirm nor contradict it."
    case .confirmed: "The kind of the diagnostic says so, and the image in which threads begin stands where it belongs."
    case .data: "The image in which threads begin stands at that end, whatever the kind says."
    case .assumed: "That is assumed: neither the kind nor the images tell."
    }
  }
}

extension ReasonClass.Basis {
  /// How the reason was read from `raw`, as one full sentence.
  public func sentence(_ raw: RawReason, _ reason: ReasonClass) -> String {
    switch self {
    case .kind: "The kind of the diagnostic is the reason."
    case .exceptionName: "Nobody caught an exception called \(raw.exceptionName ?? "?")."
    case .terminationCode:
      reason.family == .watchdog
        ? "The system's watchdog ended the process: its code says so, or a kill for which the system gives no reason."
        : "The system ended the process with the code 0x\(String(raw.terminationCode ?? 0, radix: 16))."
    case .machException:
      "Mach exception \(ReasonClass.name(raw.exceptionType, ReasonClass.machExceptions)) means \(reason.family.rawValue)."
    case .signal: "Signal \(ReasonClass.name(raw.signal, ReasonClass.signals)) means \(reason.family.rawValue)."
    case .nothing: "The diagnostic does not say why the process ended."
    }
  }
}

extension ReasonClass {
  /// Names in mach/exception_types.h.
  fileprivate static let machExceptions: [Int64: String] = [
    1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 6: "EXC_BREAKPOINT", 11: "EXC_RESOURCE",
    12: "EXC_GUARD",
  ]
  /// Names in sys/signal.h; 7 is Linux's bus error and Darwin's emulator trap.
  fileprivate static let signals: [Int64: String] = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS on Linux", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS",
    11: "SIGSEGV",
  ]

  fileprivate static func name(_ number: Int64?, _ names: [Int64: String]) -> String {
    guard let number else { return "?" }
    return names[number].map { "\(number) (\($0))" } ?? "\(number)"
  }
}

extension SignatureAlias.Kind {
  /// What became of the old id, as one full sentence.
  public var sentence: String {
    switch self {
    case .renamed: "All of its raw stacks have a new id."
    case .joined: "All of its raw stacks have an id now that others had already."
    case .divided: "A part of its raw stacks has this id now."
    }
  }
}

extension Judgement.Outcome {
  /// What became of the signature, as one full sentence.
  public var sentence: String {
    switch self {
    case .founded: "It is a cluster of its own."
    case .attached: "It joined a cluster that was known, because it is nearly the same."
    case .linked:
      "It joined a cluster that another new signature of the same run founded, because it is nearly the same."
    case .continued: "It goes on with the cluster of the signatures that it was made of."
    case .pinned: "Somebody said where it belongs."
    }
  }
}

extension Judgement.Barrier {
  /// Why the signature did not join another cluster, as one full sentence.
  public var sentence: String {
    switch self {
    case .lowInformation: "It says too little to be compared: fewer than two of its parts are informative."
    case .provisionalOnly: "It is not compared while no function of the app in it has a name."
    case .noRareFrame: "All functions of the app that it shares with others are so common that they mean nothing."
    case .belowThreshold: "The score with the nearest cluster is too low to join it, and high enough to suggest it."
    case .otherBlame: "The innermost functions of the app differ from those of the nearest cluster."
    case .ambiguous: "Another cluster is as near as the nearest, or almost."
    case .oddExemplar: "Only some members of the nearest cluster are near; the mean over them is too low."
    case .off: "Similarity was switched off when it was judged."
    }
  }
}

extension ExplainedJudgement {
  /// What was decided, as full sentences.
  public var sentences: [String] {
    let callers =
      "No build shows this one and the nearest cluster both, so callers that only one of them has hardly count: "
      + "an optimiser may have taken them."
    return [judgement.outcome.sentence] + (judgement.barrier.map { [$0.sentence] } ?? [])
      + (neighbours.first?.passesOverCallers == true ? [callers] : [])
  }
}

extension Alignment.Credit {
  /// Why two tokens are a pair, as one full sentence.
  public var sentence: String {
    switch self {
    case .same: "The names are equal."
    case .entity: "They are one entity with other labels, or another accessor of it."
    case .unknown: "Both have no name, lie in one image, and stand between equal neighbours."
    case .type: "They are members of one type."
    }
  }
}
