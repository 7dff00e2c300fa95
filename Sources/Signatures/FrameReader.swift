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
      guard let name = image.name, !image.isOwn, let system = rules.systemRule(imageNamed: name) else {
        return ImageClass(isApp: rules.isApp(image), name: shown)
      }
      return ImageClass(
        system: system, throwing: rules.rule(.throwing, image: name, token: nil),
        base: rules.rule(.base, image: name, token: nil), carrier: rules.rule(.carrier, image: name, token: nil),
        name: shown, token: shown + "*")
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
    guard !resolution.frames.isEmpty, !isPlaceholder else {
      return [unsymbolicated(index, image, images[place].name)]
    }
    return resolution.frames.map { appLevel(index, image, images[place].name, $0) }
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

  private func unsymbolicated(_ index: Int, _ image: ImageReference, _ name: String) -> Level {
    let place = stack.frames[index].offset.map { String($0, radix: 16) } ?? "?"
    return Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, token: name + "!?", isKept: true, rule: Explanation.unsymbolicated),
      role: .unsymbolicated, key: "?" + (image.debugID?.hex ?? name) + "@" + place, looseKey: name + "!?")
  }

  private func appLevel(_ index: Int, _ image: ImageReference, _ name: String, _ frame: Frame) -> Level {
    let token = FrameReader.clean(frame.token)
    var level = Level(
      frame: SignatureFrame(
        rawFrame: index, image: image.name, function: frame.function, token: FrameReader.shown(token, image: name),
        file: frame.file, line: frame.line, isInlined: frame.isInlined, isKept: true, rule: Explanation.app),
      role: .app, key: token, looseKey: "")
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
      // Every program has a `main`: alone it would gather strangers.
      level.key = name + "!" + token
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
    let bytes = Array(token.utf8)
    let module = Array((image + ".").utf8)
    // The module stands before the outermost level: at the start, or behind the last ` in `.
    var start = 0
    if bytes.count > 4 {
      for index in stride(from: bytes.count - 4, to: 0, by: -1)
      where bytes[index] == 0x20 && bytes[index + 1] == 0x69 && bytes[index + 2] == 0x6e && bytes[index + 3] == 0x20 {
        start = index + 4
        break
      }
    }
    // `Shop.Cart.apply()`, or `Shop:Swift.Array.pick()` for an extension of another module's type.
    let rest = bytes[start...]
    guard rest.starts(with: module.dropLast()), rest.count > module.count,
      [UInt8(ascii: "."), UInt8(ascii: ":")].contains(rest[start + module.count - 1])
    else { return image + "!" + token }
    return image + "!" + String(decoding: bytes[..<start] + bytes[(start + module.count)...], as: UTF8.self)
  }

  /// The text with separators and control characters replaced: names come from strangers and must not forge a key.
  static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
    return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}
