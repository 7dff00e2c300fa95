/// The levels of one chain of calls, innermost first, and the steps that decide which of them enter the key.
struct FrameChain {
  /// One token on its way into the key.
  struct Entry {
    /// Its place in `levels`.
    var place: Int
    var key: String
    var token: String
    var isUnsymbolicated: Bool
    /// Whether its caller is to blame.
    var isPrefix = false
    /// Whether it is to blame wherever it stands.
    var isPinned = false
  }

  private(set) var levels: [FrameReader.Level]

  init(levels: [FrameReader.Level]) { self.levels = levels }

  /// Whether a frame of the system says something about the event: not a carrier, not a part of raising it, not where
  /// threads begin.
  var hasInformativeSystem: Bool { levels.contains(where: FrameChain.isInformativeSystem) }

  private static func isInformativeSystem(_ level: FrameReader.Level) -> Bool {
    level.role == .system && !level.isCarrier && !level.throwing && !level.base
  }

  /// The class of the carrier that the innermost kept frame called.
  var carrier: String? {
    let inner = levels.prefix { !$0.frame.isKept || $0.role == .system }
    return inner.last { $0.role == .system }?.carrier
  }

  /// Drops what a crash reporter added: its frames and all that they called. Nothing is dropped when nothing else is left.
  ///
  /// The place of the first frame behind it.
  @discardableResult
  mutating func cutReporter() -> Int {
    guard let cut = levels.lastIndex(where: \.reporter),
      levels[(cut + 1)...].contains(where: { $0.role != .dropped })
    else { return 0 }
    for place in 0...cut where levels[place].role != .dropped {
      drop(place, levels[place].reporter ? levels[place].frame.rule : Explanation.underReporter.rawValue)
    }
    return cut + 1
  }

  /// Drops the callers of the innermost frame at or behind `start` that a rule makes the last one. Nothing is dropped when
  /// nothing else is left.
  mutating func cutCallers(from start: Int) {
    guard let cut = levels[start...].firstIndex(where: { $0.stop != nil }), let rule = levels[cut].stop,
      levels[...cut].contains(where: { $0.role != .dropped })
    else { return }
    for place in (cut + 1)..<levels.count where levels[place].role != .dropped { drop(place, rule) }
  }

  /// The call to blame: the innermost pinned one, else the innermost whose caller is not to blame instead.
  static func blame(_ entries: [Entry]) -> Entry? {
    entries.first(where: \.isPinned) ?? entries.first { !$0.isPrefix } ?? entries.first
  }

  /// Thunks and the program's entry take part only when they are all there is.
  mutating func settleThunksAndEntries() {
    var calledApp = false
    var calledAnything = false
    for place in levels.indices {
      switch levels[place].role {
      case .app, .unsymbolicated:
        calledApp = true
        calledAnything = true
      case .thunk:
        // What the thunk stands for is called by it, unless the compiler put it inside without a trace.
        if calledApp { drop(place, Explanation.thunk.rawValue) } else { levels[place].role = .app }
        calledApp = true
        calledAnything = true
      case .entry:
        if calledAnything {
          drop(place, levels[place].frame.rule)
        } else {
          levels[place].role = .app
          levels[place].frame.rule = Explanation.app.rawValue
          calledAnything = true
        }
        calledApp = true
      case .system:
        calledApp = false
        if FrameChain.isInformativeSystem(levels[place]) { calledAnything = true }
      case .dropped: break
      }
    }
  }

  /// The reason with what an inlined marker inside the innermost function of the app says.
  func refine(_ reason: ReasonClass) -> ReasonClass {
    for level in levels {
      if let failure = level.runtimeFailure { return reason.refined(byRuntimeFailure: failure) }
      if level.role == .app || level.role == .unsymbolicated { break }
    }
    return reason
  }

  /// The reason to show: where the diagnostic says nothing, what the outermost part of the throw chain says, which is the
  /// nearest to the cause. It depends on names of the system's functions, so it never enters the key.
  func shown(_ reason: ReasonClass) -> ReasonClass {
    guard reason == ReasonClass(.unknown) else { return reason }
    let chain = levels.prefix { $0.role != .app && $0.role != .unsymbolicated }
    return ReasonClass(.unknown, detail: chain.last { !$0.reason.isEmpty }?.reason)
  }

  /// The app's tokens, innermost first, with unknown functions as strict or loose as their place demands.
  func appEntries() -> [Entry] {
    let places = levels.indices.filter { levels[$0].role == .app || levels[$0].role == .unsymbolicated }
    let firstNamed = places.first { levels[$0].role == .app } ?? Int.max
    var entries = places.map { place in
      let level = levels[place]
      let isUnsymbolicated = level.role == .unsymbolicated
      return Entry(
        place: place, key: isUnsymbolicated && place > firstNamed ? level.looseKey : level.key,
        token: level.frame.token, isUnsymbolicated: isUnsymbolicated, isPrefix: level.isPrefix,
        isPinned: level.isPinned)
    }
    // From the outermost inwards, so that a closure in a closure reaches the function.
    for index in entries.indices.dropLast().reversed()
    where FrameChain.isClosure(entries[index].key, of: entries[index + 1].key) {
      entries[index].key = entries[index + 1].key
      entries[index].token = entries[index + 1].token
    }
    return entries
  }

  /// Whether `call` is a closure of the function `caller`, or of one of its closures.
  ///
  /// A closure that its own function calls, maybe by way of `map` or `sorted`, is that function's code: the optimiser
  /// often leaves no trace of it, so it must not be told apart. One that is called later, by somebody else, is.
  static func isClosure(_ call: String, of caller: String) -> Bool {
    let word = "closure in "
    guard call.hasPrefix(word), call.utf8.count > caller.utf8.count else { return false }
    var (inner, outer) = (call[...], caller[...])
    while inner.hasPrefix(word) { inner = inner.dropFirst(word.count) }
    while outer.hasPrefix(word) { outer = outer.dropFirst(word.count) }
    return inner == outer
  }

  /// Whether the chain ends where no thread begins.
  private var isCut: Bool {
    guard let last = levels.last else { return false }
    return !last.base && last.role != .system && last.role != .dropped
  }

  /// Takes repetitions out of `entries` and cuts them to `limit`. The levels of those that stay are the kept ones.
  mutating func keep(_ entries: [Entry], limit: Int) -> [Entry] {
    let all = Recursion.kept(entries.map(\.key), isCut: isCut)
    let kept = Array(all.prefix(limit))
    let staying = Set(kept)
    let unlimited = Set(all)
    for index in entries.indices where !staying.contains(index) {
      drop(entries[index].place, unlimited.contains(index) ? Explanation.limit.rawValue : Explanation.repeated.rawValue)
    }
    return kept.map { entries[$0] }
  }

  /// The images of the system in order, innermost first, each run once, without the throw chain and the thread's base.
  mutating func keepSystem() -> [String] {
    var start = 0
    let leading = levels.prefix { $0.role == .dropped || $0.throwing || $0.isCarrier }
    if let last = leading.lastIndex(where: \.throwing) { start = last + 1 }
    var end = levels.count
    while end > start, levels[end - 1].base || levels[end - 1].role == .dropped { end -= 1 }
    var images: [String] = []
    for place in start..<end where levels[place].role == .system {
      if images.last == levels[place].key {
        levels[place].frame.rule = Explanation.repeated.rawValue
        continue
      }
      levels[place].frame.isKept = true
      levels[place].frame.rule = Explanation.systemOnly.rawValue
      images.append(levels[place].key)
    }
    return images
  }

  /// Marks every level as dropped; those that were kept say that nothing informative was there.
  mutating func dropAll() {
    for place in levels.indices where levels[place].frame.isKept { drop(place, Explanation.noInformation.rawValue) }
  }

  mutating func drop(_ place: Int, _ rule: String) {
    levels[place].role = .dropped
    levels[place].frame.isKept = false
    levels[place].frame.rule = rule
  }

  /// Lets the thunk at `place` take part: it stands for the function that it leads to.
  mutating func takePart(_ place: Int) { levels[place].role = .app }

  /// Marks the level at `place` as one that takes part or not, by `rule`, and leaves its role.
  mutating func mark(_ place: Int, kept: Bool, _ rule: String) {
    levels[place].frame.isKept = kept
    levels[place].frame.rule = rule
  }
}
