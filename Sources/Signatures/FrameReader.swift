internal import Demangling
internal import Diagnostics
internal import Identity
internal import SymbolIndex
internal import Symbolication

/// Reads the frames of one raw stack: each raw frame becomes its inline levels, each with the rule that says what it is.
struct FrameReader {
  /// What a frame may do for a signature.
  enum Role: Hashable {
    /// Takes part as a function of the app.
    case app
    /// Takes part as an unknown function of the app.
    case unsymbolicated
    /// A thunk: takes part only when nothing that it calls does.
    case thunk
    /// The program's entry: takes part only when nothing but carriers was called.
    case entry
    /// An image of the system.
    case system
    /// Says nothing.
    case dropped
  }

  /// One logical call.
  struct Level {
    var frame: SignatureFrame
    var role: Role
    /// What enters the key: the token without the image, or for an unknown function the image's identity and offset.
    var key: String
    /// The key when the place of an unknown function does not matter: `image!?`.
    var looseKey: String
    var throwing = false
    var reporter = false
    var base = false
    /// Whether the image alone makes it a carrier.
    var isCarrier = false
    /// The class of the carrier, by name when there is one.
    var carrier: String?
    var runtimeFailure: String?
    /// The image's name and the function's, as rules see them.
    var image = ""
    var name: CodeName?
    /// The rule by which the callers take no part.
    var stop: String?
    /// Whether the caller is to blame.
    var isPrefix = false
    /// Whether it is to blame wherever it is called.
    var isPinned = false
    /// Whether it is a wait that somebody wants.
    var isExpectedWait = false
    /// What a part of the throw chain says about the reason.
    var reason = ""
  }

  let stack: RawStack
  let rules: Rules
  private let resolutions: [Resolution]
  /// For each image what it is by its name alone.
  private let images: [ImageClass]

  private struct ImageClass {
    var isApp = false
    /// Which rules spare its frames.
    var immunity = Rules.Immunity()
    /// The rule that makes it the system's.
    var system: Rule?
    var throwing: Rule?
    var base: Rule?
    var carrier: Rule?
    var stop: Rule?
    /// The name without control characters; `app` for an image without one.
    var name = "app"
    /// The token of all its frames, for an image of the system.
    var token = ""
  }

  init(stack: RawStack, resolutions: [Resolution], rules: Rules) {
    self.stack = stack
    self.resolutions = resolutions
    self.rules = rules
    images = stack.images.map { image in
      let shown = FrameReader.clean(image.name ?? "app")
      // A rule of the system says nothing about code that is the app's own.
      let owner = image.name.flatMap(rules.owner).flatMap { image.isOwn && $0.stage == .system ? nil : $0 }
      guard let system = owner, system.stage == .system, let name = image.name else {
        return ImageClass(
          isApp: rules.isApp(image), immunity: Rules.Immunity(origin: owner?.origin ?? 0), name: shown)
      }
      return ImageClass(
        system: system, throwing: rules.rule(.throwing, image: name, name: nil),
        base: rules.rule(.base, image: name, name: nil), carrier: rules.rule(.carrier, image: name, name: nil),
        stop: rules.rule(.stop, image: name, name: nil), name: shown, token: shown + "*")
    }
  }

  /// The levels of every raw frame, innermost first each.
  func levels() -> [[Level]] {
    var levels = stack.frames.indices.map(levels)
    if rules.has(.when) { applyContexts(to: &levels) }
    return levels
  }

  private func levels(of index: Int) -> [Level] {
    let place = Int(stack.frames[index].image)
    let resolution = resolutions.indices.contains(index) ? resolutions[index] : Resolution(status: .missingImage)
    guard stack.images.indices.contains(place), images[place].isApp || images[place].system != nil else {
      return [
        Level(
          frame: SignatureFrame(
            rawFrame: index, image: nil, token: "?", isKept: false, rule: Explanation.unknownImage.rawValue),
          role: .dropped, key: "", looseKey: "")
      ]
    }
    let image = stack.images[place]
    if let rule = images[place].system {
      return [systemLevel(index, image, images[place], resolution.frames.first, rule)]
    }
    let named = resolution.frames.filter { !FrameReader.isPlaceholder($0.function) }
    guard !named.isEmpty else { return [unsymbolicated(index, image, images[place])] }
    return named.map { appLevel(index, image, images[place], $0) }
  }

  private func systemLevel(
    _ index: Int, _ image: ImageReference, _ known: ImageClass, _ frame: Frame?, _ rule: Rule
  ) -> Level {
    let name = known.name
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, function: frame?.function, token: known.token, isSystem: true,
        isKept: false,
        rule: (known.throwing ?? known.base ?? known.carrier ?? rule).id),
      role: .system, key: name, looseKey: name)
    // What decides is the image alone, names only refine the explanation: a signature must be the same with and without
    // the system's symbols.
    level.throwing = known.throwing != nil
    level.base = known.base != nil
    level.isCarrier = known.carrier != nil
    level.carrier = known.carrier?.className
    level.stop = known.stop?.id
    level.image = name
    guard let token = frame?.token else { return level }
    let called = CodeName(token, image: name)
    level.name = called
    if let named = rules.rule(.carrier, image: name, name: called) { level.carrier = named.className }
    for stage: RuleStage in [.reporter, .throwing, .base, .carrier] {
      if let named = rules.rule(stage, image: name, name: called) {
        level.frame.rule = named.id
        level.reason = named.reason
        break
      }
    }
    if let wait = rules.rule(.wait, image: name, name: called) {
      level.frame.rule = wait.id
      level.carrier = "wait"
      level.isExpectedWait = wait.isExpected
    }
    return level
  }

  private func unsymbolicated(_ index: Int, _ image: ImageReference, _ known: ImageClass) -> Level {
    let name = known.name
    let place = stack.frames[index].offset.map { String($0, radix: 16) } ?? "?"
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, token: name + "!?", isKept: true, rule: Explanation.unsymbolicated.rawValue),
      role: .unsymbolicated, key: "?" + (image.debugID?.hex ?? name) + "@" + place, looseKey: name + "!?", image: name)
    // Rules for all of an image hold without names, too.
    level.stop = rules.rule(.stop, image: name, name: nil)?.id
    level.isPrefix = rules.rule(.prefix, image: name, name: nil) != nil
    if let rule = rules.rule(.transparent, image: name, name: nil, sparing: known.immunity) {
      level.role = .dropped
      level.frame.isKept = false
      level.frame.rule = rule.id
    }
    return level
  }

  private func appLevel(_ index: Int, _ image: ImageReference, _ known: ImageClass, _ frame: Frame) -> Level {
    let image = (reported: image.name, name: known.name)
    let original = CodeName(FrameReader.clean(frame.token), image: image.name)
    let renaming = rules.renaming(of: original, image: image.name)
    let name = renaming?.name ?? original
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.reported, function: frame.function, token: name.shown(image: image.name),
        file: frame.file, line: frame.line, isInlined: frame.isInlined, knowsInlining: frame.source == .dwarf,
        isKept: true, rule: renaming?.rule.id ?? Explanation.app.rawValue),
      role: .app, key: name.token, looseKey: "", image: image.name, name: name)
    func rule(_ stage: RuleStage, _ immunity: Rules.Immunity = Rules.Immunity()) -> Rule? {
      rules.rule(stage, image: image.name, name: name, sparing: immunity)
    }
    func drop(_ rule: String) {
      level.role = .dropped
      level.frame.isKept = false
      level.frame.rule = rule
    }
    level.stop = rule(.stop)?.id
    level.isPrefix = rule(.prefix) != nil
    level.isExpectedWait = rule(.wait)?.isExpected ?? false
    if frame.traits.contains(.runtimeFailure) {
      level.runtimeFailure = frame.function
      drop(Explanation.runtimeFailure.rawValue)
      return level
    }
    if let pin = rule(.pin) {
      level.isPinned = true
      level.frame.rule = pin.id
      return level
    }
    var immunity = known.immunity
    // An app's rule that names functions spares them wholly: their author declared the very code.
    if let named = rule(.app), named.patterns.contains(where: { !$0.isForAnyName }) {
      immunity = Rules.Immunity(origin: named.origin, isTotal: true)
    }
    if let rule = rule(.reporter, immunity) {
      level.reporter = true
      drop(rule.id)
    } else if let rule = rule(.throwing, immunity) {
      level.reason = rule.reason
      drop(rule.id)
    } else if frame.traits.contains(.outlined) {
      drop(Explanation.outlined.rawValue)
    } else if let rule = rule(.transparent, immunity) ?? rule(.library, immunity) {
      drop(rule.id)
    } else if let rule = rule(.base, immunity) {
      level.role = .entry
      level.frame.rule = rule.id
      // Every program has a `main`: alone it would gather strangers.
      level.key = image.name + "!" + name.token
    } else if frame.traits.contains(.thunk) {
      level.role = .thunk
    }
    return level
  }

  /// Names that stand for an unknown function. They are never equal to each other.
  private static func isPlaceholder(_ name: String) -> Bool {
    name.isEmpty || name == "<redacted>" || name == "<unknown>" || name == "???" || name == "<deduplicated_symbol>"
      || name.hasPrefix("__hidden#") || name.hasPrefix("___lldb_unnamed_symbol")
  }

  /// The text with separators and control characters replaced: names come from strangers and must not forge a key.
  static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
    return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}
