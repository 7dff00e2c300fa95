import Demangling
import Diagnostics
import Signatures
import SymbolIndex
import Symbolication
import TestSupport
import Testing

private let apply = SceneFrame.app("Shop.Cart.apply(coupon:)")
private let body = SceneFrame.app("closure in Shop.CheckoutView.body")
private let tap: [SceneFrame] = [apply, body, .system("SwiftUI"), .system("UIKitCore")] + mainThreadBase

@Suite("A crash's signature is the app's functions, whatever else differs")
struct CrashSignatureTests {
  @Test("It is readable, names its rules and keeps a line for people")
  func readable() {
    let signature = Scene(tap).signature
    #expect(signature.tokens == ["Shop!Cart.apply(coupon:)", "Shop!closure in CheckoutView.body"])
    #expect(signature.title == "crash trap | Shop!Cart.apply(coupon:) < Shop!closure in CheckoutView.body")
    #expect(signature.blame == "Shop!Cart.apply(coupon:)")
    #expect(signature.quality == .normal && !signature.isProvisional)
    #expect(signature.id.hasPrefix("sig-") && signature.id.utf8.count == 20)
    #expect(signature.keptFrames.map(\.function) == ["Shop.Cart.apply(coupon:)", "closure in Shop.CheckoutView.body"])
    #expect(signature.keptFrames[0].line == 7)
    #expect(signature.frames.count == tap.count && signature.frames.allSatisfy { !$0.rule.isEmpty })
    #expect(signature.droppedFrames.first { $0.function == "main" }?.rule == "B50")
  }

  @Test("Other threads, load addresses, the order of threads and of images do not matter")
  func surroundings() {
    var random = SeededGenerator(seed: 1)
    let plain = Scene(tap)
    for _ in 0..<50 {
      var scene = plain
      scene.slide = random.next() % 1000 * 0x4000
      scene.others = (0..<Int(random.next() % 6)).map { _ in
        [
          .system("libsystem_kernel.dylib", random.next() % 9999), .app("other\(random.next())"),
          .system("libsystem_pthread.dylib"),
        ]
      }
      scene.attributedFirst = Bool.random(using: &random)
      #expect(scene.rawStack == plain.rawStack)
      #expect(scene.rawStack.key == plain.rawStack.key)
      #expect(scene.signature == plain.signature)
    }
  }

  @Test("Frames of the system, their number, offsets and places do not matter")
  func systemFrames() {
    var random = SeededGenerator(seed: 2)
    let names = [
      "UIKitCore", "SwiftUI", "libswiftCore.dylib", "libobjc.A.dylib", "CoreFoundation", "AttributeGraph",
      "libdispatch.dylib",
    ]
    let app = [apply, body, .app("Shop.Router.open(_:)")]
    let plain = Scene(app + [.system("UIKitCore")])
    for _ in 0..<200 {
      var frames: [SceneFrame] = []
      for frame in app {
        for _ in 0..<(random.next() % 4) {
          frames.append(.system(names.randomElement(using: &random)!, random.next() % 99999))
        }
        frames.append(frame)
      }
      for _ in 0...(random.next() % 3) { frames.append(.system("UIKitCore", random.next() % 99999)) }
      #expect(Scene(frames).signature.id == plain.signature.id)
    }
  }

  @Test("Names of the system's functions do not matter")
  func systemNames() {
    let bare = Scene([.system("libobjc.A.dylib"), apply, .system("UIKitCore")], exceptionType: 1, signal: 11)
    var named = bare
    named.crashed[0].levels = [Frame(function: "objc_release", source: .exportTrie)]
    named.crashed[2].levels = [Frame(function: "-[UIControl sendAction:to:]", source: .exportTrie)]
    #expect(named.signature.id == bare.signature.id)
    #expect(bare.signature.carrier == "objc")
    #expect(named.signature.carrier == "release")
  }

  @Test("However the compiler inlined, the functions are the same")
  func inlining() {
    var random = SeededGenerator(seed: 3)
    let names = (0..<8).map { "Shop.Step\($0).run()" }
    let plain = Scene(names.map { .app($0) } + mainThreadBase)
    for _ in 0..<100 {
      var frames: [SceneFrame] = []
      var open: [Frame] = []
      for (index, name) in names.enumerated() {
        // Library code comes along with inlining: checks, generic algorithms, reference counting helpers.
        if random.next() % 3 == 0 {
          let library = [
            "Swift.Array.subscript(_:)", "Swift.Sequence.map(_:)", "closure in Swift.Sequence.forEach(_:)",
            "std::vector<>::at", "{outlined copy}",
          ]
          open.append(Frame(function: "lib", token: library.randomElement(using: &random)!, isInlined: true))
        }
        let isInlined = index < names.count - 1 && Bool.random(using: &random)
        open.append(Frame(function: name, token: name, isInlined: isInlined))
        if !isInlined {
          frames.append(SceneFrame(image: "Shop", offset: random.next() % 99999, levels: open))
          open = []
        }
      }
      #expect(Scene(frames + mainThreadBase).signature.id == plain.signature.id)
    }
  }

  @Test("A thunk is what it leads to, once")
  func thunks() {
    let plain = Scene([apply] + mainThreadBase)
    // The thunk calls its function, or the compiler put the function inside it with or without a trace.
    var thunk = apply
    thunk.levels![0].traits = .thunk
    thunk.offset += 64
    #expect(Scene([apply, thunk] + mainThreadBase).signature.id == plain.signature.id)
    #expect(Scene([thunk] + mainThreadBase).signature.id == plain.signature.id)
    var inside = apply
    inside.levels = [apply.levels![0], thunk.levels![0]]
    #expect(Scene([inside] + mainThreadBase).signature.id == plain.signature.id)
  }

  @Test("A closure that its own function calls is that function; one that is called later is not")
  func closures() {
    let map = SceneFrame.app("Swift.Sequence.map(_:)")
    let optimised = Scene([apply, .app("Shop.Cart.total()")] + mainThreadBase).signature
    let plain = Scene([apply, .app("closure in Shop.Cart.total()"), map, .app("Shop.Cart.total()")] + mainThreadBase)
    let nested = Scene(
      [
        apply, .app("closure in closure in Shop.Cart.total()"), map, .app("closure in Shop.Cart.total()"), map,
        .app("Shop.Cart.total()"),
      ] + mainThreadBase)
    #expect(plain.signature.id == optimised.id && nested.signature.id == optimised.id)
    #expect(plain.signature.tokens == ["Shop!Cart.apply(coupon:)", "Shop!Cart.total()"])
    // The line is still the closure's.
    #expect(plain.signature.keptFrames.map(\.function) == ["Shop.Cart.apply(coupon:)", "closure in Shop.Cart.total()"])
    let later = Scene([apply, .app("closure in Shop.Cart.total()")] + mainThreadBase).signature
    #expect(later.id != optimised.id)
    let other = Scene([.app("closure in Shop.Cart.total()"), .app("Shop.Cart.totals()")] + mainThreadBase).signature
    #expect(other.tokens.count == 2)
  }

  @Test("How deep a function recursed does not matter", arguments: [1, 2, 3, 7, 60, 700])
  func recursion(depth: Int) {
    let direct = Array(repeating: SceneFrame.app("Shop.Tree.walk()"), count: depth)
    #expect(
      Scene([apply] + direct + [body] + mainThreadBase).signature.id
        == Scene([apply, .app("Shop.Tree.walk()"), body] + mainThreadBase).signature.id)
    let round: [SceneFrame] = [.app("Shop.a()"), .app("Shop.b()"), .system("libswiftCore.dylib"), .app("Shop.c()")]
    let rounds = (0..<depth).flatMap { _ in round }
    #expect(Scene(rounds + mainThreadBase).signature.id == Scene(round + mainThreadBase).signature.id)
    // The innermost call is blamed even when it stands in the middle of a round.
    let middle = Scene([round[3]] + rounds + mainThreadBase).signature
    #expect(middle.blame == "Shop!c()")
    #expect(middle.id == Scene([round[3]] + round + mainThreadBase).signature.id)
  }

  @Test("A runaway recursion is one bug wherever it ran out of stack")
  func runaway() {
    let round: [SceneFrame] = [.app("Shop.a()"), .app("Shop.b()"), .app("Shop.c()")]
    let ids = (0..<3).map { phase in
      let frames = (0..<510).map { round[($0 + phase) % 3] }
      return Scene(frames, exceptionType: 1, signal: 11).signature.id
    }
    #expect(Set(ids).count == 1)
  }

  @Test("Another function, another order, another kind or another reason is another signature")
  func differences() {
    let scenes: [Scene] = [
      Scene(tap), Scene([.app("Shop.Cart.remove(item:)"), body] + mainThreadBase),
      Scene([body, apply] + mainThreadBase),
      Scene([apply] + mainThreadBase), Scene(tap, exceptionType: 1, signal: 11),
      Scene(tap, exceptionType: 10, signal: 6),
      Scene([apply, .app("closure in closure in Shop.CheckoutView.body")] + mainThreadBase),
      Scene([.app("Shop.Cart.apply(voucher:)"), body] + mainThreadBase),
    ]
    #expect(Set(scenes.map(\.signature.id)).count == scenes.count)
    var hang = Scene(kind: .hang, samples: [(tap.reversed(), 10)])
    hang.metadata = DiagnosticMetadata()
    #expect(hang.signature.id != Scene(tap).signature.id)
  }

  @Test("A new build with the same functions has the same signature, although no raw stack is equal")
  func builds() {
    var next = Scene(tap)
    next.build = 2
    for index in next.crashed.indices { next.crashed[index].offset += 0x40 }
    #expect(next.rawStack.key != Scene(tap).rawStack.key)
    #expect(next.signature.id == Scene(tap).signature.id)
  }

  @Test("The image's name is no part of the key: MetricKit leaves it out at times")
  func namelessImage() {
    var nameless = Scene(tap)
    for index in nameless.crashed.indices where nameless.crashed[index].image == "Shop" {
      nameless.crashed[index].image = nil
    }
    #expect(nameless.signature.id == Scene(tap).signature.id)
    #expect(nameless.signature.tokens[0] == "app!Shop.Cart.apply(coupon:)")
  }

  @Test("At most 24 tokens, from the innermost")
  func limit() {
    let deep = (0..<40).map { SceneFrame.app("Shop.f\($0)()") }
    let signature = Scene(deep + mainThreadBase).signature
    #expect(signature.tokens.count == SignatureBuilder.tokenLimit)
    #expect(signature.tokens[0] == "Shop!f0()")
    #expect(signature.droppedFrames.count { $0.rule == "limit" } == 16)
  }

  @Test("A crash in the program's entry itself is blamed on it; a crash of the system below it is not")
  func entry() {
    #expect(Scene([.app("main"), .system("dyld")]).signature.blame == "Shop!main")
    #expect(Scene([.system("libsystem_kernel.dylib"), .app("main"), .system("dyld")]).signature.blame == "Shop!main")
    #expect(Scene([.system("UIKitCore"), .app("main"), .system("dyld")]).signature.blame == nil)
    // Every program has one.
    let programs = ["Shop", "Bank"].map { Scene([.app("main", image: $0), .system("dyld")]).signature.id }
    #expect(programs[0] != programs[1])
  }

  @Test("What a crash reporter in the app adds is cut")
  func reporter() {
    let reported = Scene([.app("kscm_handle"), .app("kscrash_onSignal"), .system("libsystem_platform.dylib")] + tap)
    #expect(reported.signature.id == Scene(tap).signature.id)
  }

  @Test("One informative part is low quality")
  func quality() {
    #expect(Scene([apply, .system("dyld")]).signature.quality == .low)
    #expect(Scene([apply, .system("UIKitCore"), .system("dyld")]).signature.quality == .normal)
    #expect(Scene([apply, body, .system("dyld")]).signature.quality == .normal)
  }
}

@Suite("Stacks without functions of the app never gather strangers")
struct UninformativeStackTests {
  @Test("A stack of the system's images is told by all of them, with low quality")
  func systemOnly() {
    let text = Scene([.system("UIKitCore"), .system("TextInput"), .system("UIKitCore")] + mainThreadBase).signature
    #expect(text.quality == .low && text.blame == nil)
    #expect(
      text.tokens == ["UIKitCore*", "TextInput*", "UIKitCore*", "CoreFoundation*", "GraphicsServices*", "UIKitCore*"])
    let map = Scene([.system("MapKit"), .system("UIKitCore")] + mainThreadBase).signature
    #expect(text.id != map.id)
    // Offsets differ with every version of the system.
    #expect(
      Scene(
        [.system("UIKitCore", 1), .system("UIKitCore", 2), .system("TextInput", 3), .system("UIKitCore", 4)]
          + mainThreadBase
      ).signature.id == text.id)
  }

  @Test("Nor do the names of the system's functions matter here")
  func systemNames() {
    let bare = Scene(
      [.system("libsystem_platform.dylib"), .system("TextInput"), .system("UIKitCore")] + mainThreadBase)
    var named = bare
    for (index, name) in ["_sigtramp", "readKeyboard", "abort"].enumerated() {
      named.crashed[index].levels = [Frame(function: name, source: .exportTrie)]
    }
    #expect(named.signature.id == bare.signature.id)
    #expect(named.signature.quality == bare.signature.quality)
  }

  @Test("The way of an exception through the system is cut")
  func throwChain() {
    let chain = [
      "libsystem_kernel.dylib", "libsystem_pthread.dylib", "libsystem_c.dylib", "libc++abi.dylib", "libobjc.A.dylib",
      "libc++abi.dylib", "libobjc.A.dylib", "CoreFoundation", "UIKitCore", "dyld",
    ]
    let signature = Scene(chain.map { .system($0) }, exceptionType: 10, signal: 6).signature
    #expect(signature.tokens == ["libobjc.A.dylib*", "CoreFoundation*", "UIKitCore*"])
  }

  @Test("Without any informative frame only equal raw stacks join")
  func nothing() {
    let parked = Scene([.system("libsystem_kernel.dylib", 0x10), .system("libsystem_pthread.dylib", 0x20)])
    let other = Scene([.system("libsystem_kernel.dylib", 0x11), .system("libsystem_pthread.dylib", 0x20)])
    #expect(parked.signature.quality == .none && parked.signature.tokens == [])
    #expect(parked.signature.id == parked.signature.id)
    #expect(parked.signature.id != other.signature.id)
    let empty = Scene([])
    #expect(empty.signature.quality == .none)
    #expect(empty.signature.id != parked.signature.id)
    var frameless = parked.rawStack
    frameless =
      RawStack.reading(
        Diagnostic(kind: .crash, images: [], stacks: [CallStack(frames: [RawFrame(parent: -1)])]), stack: 0
      ).stack
    #expect(SignatureBuilder().signature(of: frameless, resolutions: []).quality == .none)
  }

  @Test("Functions without symbols join only at the same place of the same build, and say that they are provisional")
  func provisional() {
    let here = Scene([.bare(0x5000), .system("UIKitCore")] + mainThreadBase)
    let there = Scene([.bare(0x6000), .system("UIKitCore")] + mainThreadBase)
    var nextBuild = here
    nextBuild.build = 2
    #expect(here.signature.isProvisional && here.signature.tokens == ["Shop!?"])
    #expect(here.signature.quality == .low)
    #expect(Set([here, there, nextBuild].map(\.signature.id)).count == 3)
    // The system's frames do not split it.
    #expect(
      Scene([.bare(0x5000), .system("UIKitCore", 7), .system("SwiftUI")] + mainThreadBase).signature.id
        == here.signature.id)
  }

  @Test("The images that wait for symbols are told with their frames, by identifier")
  func waiting() {
    let scene = Scene(
      [.bare(0x100), .system("UIKitCore"), .bare(0x200), apply, .bare(0x1, image: "Ads")] + mainThreadBase)
    let (diagnostic, resolutions) = scene.make()
    let reading = RawStack.reading(diagnostic, stack: 0)
    let waited = reading.stack.waitedImages(reading.sources.map { resolutions[$0] })
    #expect(waited == waited.sorted { $0.debugID < $1.debugID })
    #expect(waited.first { $0.name == "Shop" }?.frames == 2)
    #expect(waited.first { $0.name == "Ads" }?.debugID == scene.debugID("Ads"))
    #expect(waited.first { $0.name == "UIKitCore" }?.frames == 2)
  }

  @Test("Unknown functions outside a known one do not split its signature")
  func unknownCallers() {
    let first = Scene([apply, .bare(0x100, image: "Ads"), .bare(0x200, image: "Ads"), body] + mainThreadBase)
    let second = Scene([apply, .bare(0x111, image: "Ads"), body] + mainThreadBase)
    #expect(first.signature.id == second.signature.id)
    #expect(first.signature.isProvisional)
    #expect(first.signature.tokens == ["Shop!Cart.apply(coupon:)", "Ads!?", "Shop!closure in CheckoutView.body"])
    // Inside, they are where the fault is.
    let inner = Scene([.bare(0x100, image: "Ads"), apply, body] + mainThreadBase)
    let other = Scene([.bare(0x111, image: "Ads"), apply, body] + mainThreadBase)
    #expect(inner.signature.id != other.signature.id)
  }

  @Test("Placeholders are no names", arguments: ["<redacted>", "__hidden#12_", "???"])
  func placeholders(name: String) {
    var scene = Scene([.bare(0x5000), .system("UIKitCore")] + mainThreadBase)
    let bare = scene.signature
    scene.crashed[0].levels = [Frame(function: name, source: .symbolTable)]
    #expect(scene.signature.id == bare.id)
    #expect(scene.signature.isProvisional)
  }

  @Test("Control characters in names cannot forge another signature's key")
  func forgery() {
    let forged = Scene([.app("Shop.Cart.apply(coupon:)\u{1f}closure in Shop.CheckoutView.body")] + mainThreadBase)
    #expect(forged.signature.id != Scene(tap).signature.id)
    #expect(!forged.signature.title.contains("\u{1f}"))
  }
}
