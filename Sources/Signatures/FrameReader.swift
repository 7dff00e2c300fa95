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
  }

  let stack: RawStack
  let rules: Rules
  private let resolutions: [Resolution]
  /// For each image what it is by its name alone.
  private let images: [ImageClass]

  private struct ImageClass {
    var isApp = false
    /// The rule that makes it the system's.
    var system: Rule?
    var throwing: Rule?
    var base: Rule?
    var carrier: Rule?
  }

  init(stack: RawStack, resolutions: [Resolution], rules: Rules) {
    self.stack = stack
    self.resolutions = resolutions
    self.rules = rules
    images = stack.images.map { image in
      guard let name = image.name, let system = rules.systemRule(imageNamed: name) else {
        return ImageClass(isApp: rules.isApp(image))
      }
      return ImageClass(
        system: system, throwing: rules.rule(.throwing, image: name, token: nil),
        base: rules.rule(.base, image: name, token: nil), carrier: rules.rule(.carrier, image: name, token: nil))
    }
  }

  /// The levels of raw frame `index`, innermost first.
  func levels(of index: Int) -> [Level] {
    let place = Int(stack.frames[index].image)
    let resolution = resolutions.indices.contains(index) ? resolutions[index] : Resolution(status: .missingImage)
    guard stack.images.indices.contains(place), images[place].isApp || images[place].system != nil else {
      return [
        Level(
          frame: SignatureFrame(rawFrame: index, image: nil, token: "?", isKept: false, rule: Explanation.unknownImage),
          role: .dropped, key: "", looseKey: "")
      ]
    }
    let image = stack.images[place]
    if let rule = images[place].system {
      return [systemLevel(index, image, images[place], resolution.frames.first, rule)]
    }
    let isPlaceholder = resolution.frames.count == 1 && FrameReader.isPlaceholder(resolution.frames[0].function)
    guard resolution.status == .resolved, !resolution.frames.isEmpty, !isPlaceholder else {
      return [unsymbolicated(index, image)]
    }
    return resolution.frames.map { appLevel(index, image, $0) }
  }

  private func systemLevel(
    _ index: Int, _ image: ImageReference, _ known: ImageClass, _ frame: Frame?, _ rule: Rule
  ) -> Level {
    let name = FrameReader.clean(image.name ?? "?")
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, function: frame?.function, token: name + "*", isSystem: true, isKept: false,
        rule: (known.throwing ?? known.base ?? known.carrier ?? rule).id),
      role: .system, key: name, looseKey: name)
    // What decides is the image alone, names only refine the explanation: a signature must be the same with and without
    // the system's symbols.
    level.throwing = known.throwing != nil
    level.base = known.base != nil
    level.isCarrier = known.carrier != nil
    level.carrier = known.carrier?.carrierClass
    guard let token = frame?.token else { return level }
    if let named = rules.rule(.carrier, image: name, token: token) { level.carrier = named.carrierClass }
    for stage: RuleStage in [.reporter, .throwing, .base, .carrier] {
      if let named = rules.rule(stage, image: name, token: token) {
        level.frame.rule = named.id
        break
      }
    }
    return level
  }

  private func unsymbolicated(_ index: Int, _ image: ImageReference) -> Level {
    let name = FrameReader.clean(image.name ?? "app")
    let place = stack.frames[index].offset.map { String($0, radix: 16) } ?? "?"
    return Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, token: name + "!?", isKept: true, rule: Explanation.unsymbolicated),
      role: .unsymbolicated, key: "?" + (image.debugID?.hex ?? name) + "@" + place, looseKey: name + "!?")
  }

  private func appLevel(_ index: Int, _ image: ImageReference, _ frame: Frame) -> Level {
    let name = image.name ?? "app"
    let token = FrameReader.clean(frame.token)
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, function: frame.function, token: FrameReader.shown(token, image: name),
        file: frame.file, line: frame.line, isInlined: frame.isInlined, isKept: true, rule: Explanation.app),
      role: .app, key: token, looseKey: FrameReader.clean(name) + "!?")
    func drop(_ rule: String) {
      level.role = .dropped
      level.frame.isKept = false
      level.frame.rule = rule
    }
    if frame.traits.contains(.runtimeFailure) {
      level.runtimeFailure = frame.function
      drop(Explanation.runtimeFailure)
    } else if let rule = rules.rule(.reporter, image: name, token: token) {
      level.reporter = true
      drop(rule.id)
    } else if let rule = rules.rule(.throwing, image: name, token: token) {
      drop(rule.id)
    } else if frame.traits.contains(.outlined) {
      drop(Explanation.outlined)
    } else if let rule = rules.rule(.transparent, image: name, token: token) {
      drop(rule.id)
    } else if let rule = rules.rule(.library, image: name, token: token) {
      drop(rule.id)
    } else if let rule = rules.rule(.base, image: name, token: token) {
      level.role = .entry
      level.frame.rule = rule.id
    } else if frame.traits.contains(.thunk) {
      level.role = .thunk
    }
    return level
  }

  /// Names that stand for an unknown function. They are never equal to each other.
  private static func isPlaceholder(_ name: String) -> Bool {
    name.isEmpty || name == "<redacted>" || name == "<unknown>" || name == "???" || name == "<deduplicated_symbol>"
      || name.hasPrefix("__hidden#")
  }

  /// The token with its image; the module of a Swift name is left out when it says the same.
  static func shown(_ token: String, image: String) -> String {
    var shown = token
    if shown.hasPrefix(image + ".") {
      shown = String(shown.dropFirst(image.count + 1))
    } else if shown.hasPrefix("closure in ") || shown.contains(" in ") {
      var levels = shown.components(separatedBy: " in ")
      if let last = levels.last, last.hasPrefix(image + ".") {
        levels[levels.count - 1] = String(last.dropFirst(image.count + 1))
        shown = levels.joined(separator: " in ")
      }
    }
    return clean(image) + "!" + shown
  }

  /// The text with separators and control characters replaced: names come from strangers and must not forge a key.
  static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
    return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}

extension String {
  /// The parts of the text between the places where `word` stands.
  fileprivate func components(separatedBy word: String) -> [String] {
    let wanted = Array(word.utf8)
    let bytes = Array(utf8)
    var parts: [String] = []
    var start = 0
    var index = 0
    while index + wanted.count <= bytes.count {
      if bytes[index..<index + wanted.count].elementsEqual(wanted) {
        parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
        index += wanted.count
        start = index
      } else {
        index += 1
      }
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }
}
