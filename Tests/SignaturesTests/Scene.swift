import Demangling
import Diagnostics
import Identity
import Signatures
import SymbolIndex
import Symbolication

/// A raw frame with what its symbols say: an image, an offset, and its levels innermost first; `nil` for no symbols.
struct SceneFrame: Sendable {
  var image: String?
  var offset: UInt64
  var levels: [Frame]?

  /// A frame of the app `Shop` whose functions are `names`, innermost first: all but the last are inlined.
  static func app(_ names: String..., image: String? = "Shop", offset: UInt64? = nil) -> SceneFrame {
    let frames = names.enumerated().map { index, name in
      Frame(
        function: name, token: name, file: "\(name).swift", line: 7, isInlined: index < names.count - 1,
        traits: traits(name))
    }
    return SceneFrame(image: image, offset: offset ?? place(names.joined()), levels: frames)
  }

  /// A frame of the app without symbols.
  static func bare(_ offset: UInt64, image: String? = "Shop") -> SceneFrame {
    SceneFrame(image: image, offset: offset, levels: nil)
  }

  /// A frame of the system, without symbols.
  static func system(_ image: String, _ offset: UInt64 = 0x1000) -> SceneFrame {
    SceneFrame(image: image, offset: offset, levels: nil)
  }

  /// A frame of the system whose function is known.
  static func system(_ image: String, named function: String) -> SceneFrame {
    SceneFrame(image: image, offset: 0x1000, levels: [Frame(function: function, source: .exportTrie)])
  }

  /// A frame of the app as its linker's name `symbol` is read.
  static func linked(_ symbol: String) -> SceneFrame {
    let name = Demangler().demangle(symbol)
    let frame = Frame(function: name.display, token: name.token, traits: name.traits)
    return SceneFrame(image: "Shop", offset: place(symbol), levels: [frame])
  }

  /// A frame at an absolute address in no image.
  static func nowhere(_ address: UInt64) -> SceneFrame { SceneFrame(image: "", offset: address, levels: nil) }

  private static func traits(_ name: String) -> FunctionTraits {
    if name.hasPrefix("Swift runtime failure") { return [.runtimeFailure, .synthetic] }
    return name.hasPrefix("thunk ") ? .thunk : []
  }

  private static func place(_ name: String) -> UInt64 {
    ContentDigest(of: Array(name.utf8)).bytes.prefix(3).reduce(0) { $0 << 8 | UInt64($1) } + 0x4000
  }
}

/// A diagnostic in the making, with the answers that symbols would give.
struct Scene: Sendable {
  var kind: DiagnosticKind = .crash
  var metadata = DiagnosticMetadata()
  /// Innermost first.
  var crashed: [SceneFrame] = []
  /// Whole other threads.
  var others: [[SceneFrame]] = []
  /// Outermost first, each with its number of samples.
  var samples: [(path: [SceneFrame], count: UInt64)] = []
  /// Added to every load address.
  var slide: UInt64 = 0
  /// The build of the app: another one has another debug identifier.
  var build: UInt8 = 1
  var attributedFirst = true

  init(_ crashed: [SceneFrame] = [], exceptionType: Int64? = 6, signal: Int64? = 5) {
    self.crashed = crashed
    metadata.exceptionType = exceptionType
    metadata.signal = signal
  }

  init(kind: DiagnosticKind, samples: [(path: [SceneFrame], count: UInt64)]) {
    self.kind = kind
    self.samples = samples
  }

  func debugID(_ image: String) -> DebugID? {
    let isApp = image == "Shop"
    return DebugID(bytes: ContentDigest(of: Array("\(image)\(isApp ? build : 0)".utf8)).bytes.prefix(16))
  }

  /// The diagnostic, and for each frame of its chosen stack the resolution.
  func make() -> (diagnostic: Diagnostic, resolutions: [Resolution]) {
    var diagnostic = Diagnostic(kind: kind, metadata: metadata, isPerThread: !kind.isSampled)
    var numbers: [String: Int32] = [:]
    func raw(_ frame: SceneFrame, parent: Int32, count: UInt64?) -> RawFrame {
      if frame.image == "" { return RawFrame(parent: parent, address: frame.offset, sampleCount: count) }
      let name = frame.image ?? "Shop"
      let number = numbers[name + (frame.image == nil ? "?" : "")] ?? Int32(diagnostic.images.count)
      if number == diagnostic.images.count {
        numbers[name + (frame.image == nil ? "?" : "")] = number
        diagnostic.images.append(ImageReference(debugID: debugID(name), name: frame.image))
      }
      return RawFrame(
        parent: parent, image: number, address: 0x1_0000_0000 &+ slide &+ frame.offset, offset: frame.offset,
        offsetBasis: .offset, sampleCount: count)
    }
    func resolution(_ frame: SceneFrame) -> Resolution {
      frame.levels.map { Resolution(status: .resolved, frames: $0) } ?? Resolution(status: .missingImage)
    }
    var resolutions: [Resolution] = []
    if !samples.isEmpty {
      var stack = CallStack(isAttributed: nil, order: .outermostFirst, orderBasis: .kind)
      for (path, count) in samples {
        var parent: Int32 = -1
        for frame in path {
          stack.frames.append(raw(frame, parent: parent, count: count))
          resolutions.append(resolution(frame))
          parent = Int32(stack.frames.count - 1)
        }
      }
      diagnostic.stacks = [stack]
      return (diagnostic, resolutions)
    }
    func chain(_ frames: [SceneFrame], attributed: Bool) -> CallStack {
      CallStack(
        isAttributed: attributed,
        frames: frames.enumerated().map { raw($0.element, parent: Int32($0.offset) - 1, count: 1) },
        order: .innermostFirst, orderBasis: .confirmed)
    }
    let main = attributedFirst ? chain(crashed, attributed: true) : nil
    diagnostic.stacks = others.map { chain($0, attributed: false) }
    diagnostic.stacks.insert(main ?? chain(crashed, attributed: true), at: attributedFirst ? 0 : others.count)
    return (diagnostic, crashed.map(resolution))
  }

  /// The raw stack of the chosen stack.
  var rawStack: RawStack {
    let (diagnostic, _) = make()
    return RawStack.reading(diagnostic, stack: Attribution(diagnostic).stack).stack
  }

  /// The signature with symbols as the scene has them.
  var signature: Signature { signature(by: .standard) }

  /// The same by other rules.
  func signature(by rules: Rules) -> Signature {
    let (diagnostic, resolutions) = make()
    let reading = RawStack.reading(diagnostic, stack: Attribution(diagnostic, rules: rules).stack)
    let answers = reading.sources.map {
      resolutions.indices.contains($0) ? resolutions[$0] : Resolution(status: .missingImage)
    }
    return SignatureBuilder(rules: rules).signature(of: reading.stack, resolutions: answers)
  }
}

/// The end of every main thread: the app's entry on the run loop.
let mainThreadBase: [SceneFrame] = [
  .system("CoreFoundation", 0x2000), .system("GraphicsServices"), .system("UIKitCore", 0x3000), .app("main"),
  .system("dyld"),
]
