public import Diagnostics

/// Which stack of a diagnostic is taken to be the event, why, and how sure that is.
public struct Attribution: Sendable, Hashable {
  /// Why a stack was chosen.
  public enum Basis: String, Sendable, Hashable, CaseIterable {
    /// The device marked this stack, and no other.
    case attributed
    /// There is only one stack: one thread, or all threads merged.
    case onlyStack = "only_stack"
    /// A hang of the main run loop: the first stack is the main thread; the marks of hangs are unreliable.
    case mainRunLoop = "main_run_loop"
    /// Several stacks are marked; the first with a frame of the app was taken.
    case severalAttributed = "several_attributed"
    /// The marked stack is empty; the first stack with frames was taken.
    case attributedEmpty = "attributed_empty"
    /// No stack is marked; the first with a frame of the app was taken.
    case firstWithApp = "first_with_app"
    /// No stack is marked or has a frame of the app; the first with frames was taken.
    case firstNonEmpty = "first_non_empty"
    /// There are no frames at all.
    case noFrames = "no_frames"
  }

  /// How sure the choice is. A guess never raises an alert about something new.
  public enum Confidence: String, Sendable, Hashable, CaseIterable {
    /// The device said so.
    case certain
    /// What devices say is known to mean this.
    case likely
    /// Nothing better was to be had.
    case guess
  }

  /// The index of the stack; `nil` when there is none with frames.
  public var stack: Int?
  /// Why.
  public var basis: Basis
  /// How sure.
  public var confidence: Confidence

  /// An attribution with these parts.
  public init(stack: Int?, basis: Basis, confidence: Confidence) {
    self.stack = stack
    self.basis = basis
    self.confidence = confidence
  }

  /// Chooses the stack of `diagnostic`. `rules` tell images of the app from those of the system.
  ///
  /// Facts behind the order: crashes mark one of their threads; the marked one can be empty (FB18302500); the marks of
  /// main run loop hangs are often unset or on a worker, while the first stack is the main thread.
  public init(_ diagnostic: Diagnostic, rules: Rules = .standard) {
    let stacks = diagnostic.stacks
    let nonEmpty = stacks.indices.filter { !stacks[$0].frames.isEmpty }
    guard let first = nonEmpty.first else {
      self.init(stack: nil, basis: .noFrames, confidence: .guess)
      return
    }
    if diagnostic.metadata.hangType == "Main Runloop Hang", first == 0 {
      self.init(stack: 0, basis: .mainRunLoop, confidence: .likely)
      return
    }
    // Asked only where no mark decides.
    func hasApp(_ index: Int) -> Bool {
      let images = Set(stacks[index].frames.map(\.image))
      return images.contains { diagnostic.images.indices.contains(Int($0)) && rules.isApp(diagnostic.images[Int($0)]) }
    }
    let attributed = stacks.indices.filter { stacks[$0].isAttributed == true }
    let usable = attributed.filter { !stacks[$0].frames.isEmpty }
    if usable.count == 1 {
      self.init(stack: usable[0], basis: .attributed, confidence: attributed.count == 1 ? .certain : .likely)
    } else if usable.count > 1 {
      let chosen = usable.first(where: hasApp)
      self.init(stack: chosen ?? usable[0], basis: .severalAttributed, confidence: chosen == nil ? .guess : .likely)
    } else if stacks.count == 1 {
      self.init(stack: 0, basis: .onlyStack, confidence: .certain)
    } else if !attributed.isEmpty {
      self.init(stack: first, basis: .attributedEmpty, confidence: .guess)
    } else if let chosen = nonEmpty.first(where: hasApp) {
      self.init(stack: chosen, basis: .firstWithApp, confidence: .guess)
    } else {
      self.init(stack: first, basis: .firstNonEmpty, confidence: .guess)
    }
  }
}
