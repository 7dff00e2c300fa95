import Bytes
import Diagnostics
import Identity
import Signatures
import SymbolIndex
import Symbolication
import TestSupport
import Testing

@Suite("Raw stacks are canonical and survive storage")
struct RawStackTests {
  private static let scenes: [Scene] = {
    var resource = Scene([.bare(0), .bare(.max, image: nil)], exceptionType: 11, signal: -3)
    resource.metadata.exceptionCode = 1 << 61
    resource.metadata.terminationReason = "domain:10 code:0x8BADF00D explanation:[app<bundle>:123]"
    resource.metadata.exceptionReason = ExceptionReason()
    resource.metadata.exceptionReason?.name = "NSRangeException"
    return [
      Scene([]), Scene([.app("a"), .system("UIKitCore")] + mainThreadBase), resource,
      Scene(
        kind: .diskWriteException,
        samples: [([.app("a"), .app("b")], 3), ([.app("a"), .app("c"), .app("d")], 1 << 50), ([.system("dyld")], 9)]),
    ]
  }()

  @Test("Encoding and decoding give the same stack and the same bytes", arguments: RawStackTests.scenes)
  func roundTrip(scene: Scene) throws {
    let stack = scene.rawStack
    let decoded = try RawStack(decoding: ByteView(stack.encoded))
    #expect(decoded == stack)
    #expect(decoded.encoded == stack.encoded)
    #expect(decoded.key == stack.key)
  }

  @Test("The key is what is documented, so that stored keys stay valid")
  func pinned() {
    let stack = RawStackTests.scenes[1].rawStack
    #expect(stack.encoded.first == 1)
    #expect(stack.key == ContentDigest(of: Array("symclust-raw\u{1f}".utf8) + stack.encoded))
    let crash = Diagnostic(
      kind: .crash, images: [ImageReference(debugID: DebugID("00112233445566778899aabbccddeeff"), name: "A")],
      stacks: [CallStack(frames: [RawFrame(parent: -1, image: 0, offset: 0x80)])])
    #expect(
      RawStack.reading(crash, stack: 0).stack.encoded.hex
        == "01010001" + "1000112233445566778899aabbccddeeff" + "0241" + "01" + "0001" + "03" + "8001" + "01")
  }

  @Test("Only a stack that says of an image that it is the app's own is written in another form")
  func own() throws {
    let images = [false, true].map { ImageReference(debugID: nil, name: "libxml2", isOwn: $0) }
    func crash(_ images: [ImageReference]) -> RawStack {
      let frames = images.indices.map { RawFrame(parent: Int32($0) - 1, image: Int32($0), offset: 0x80) }
      return RawStack.reading(Diagnostic(kind: .crash, images: images, stacks: [CallStack(frames: frames)]), stack: 0)
        .stack
    }
    let (plain, own, both) = (crash([images[0]]), crash([images[1]]), crash(images))
    #expect(plain.encoded.first == 1 && own.encoded.first == 3 && plain.key != own.key)
    #expect(
      own.encoded.hex == "03010001" + "0008" + "6c6962786d6c32" + "01" + "00" + "01" + "0001" + "03" + "8001" + "01")
    #expect(both.images == images && crash(images.reversed()).images == images)
    for stack in [plain, own, both] { #expect(try RawStack(decoding: stack.encoded) == stack) }
    // One form for one stack: without such an image the third form is none.
    var bytes = own.encoded
    bytes[13] = 0
    #expect(throws: RawStackError.self) { try RawStack(decoding: bytes) }
    bytes[13] = 2
    #expect(throws: RawStackError.self) { try RawStack(decoding: bytes) }
    #expect(Rules.standard.isApp(images[1]) && !Rules.standard.isApp(images[0]))
    let named = Resolution(status: .reported, frames: [Frame(function: "xmlParse")])
    #expect(SignatureBuilder().signature(of: own, resolutions: [named]).tokens == ["libxml2!xmlParse"])
    #expect(SignatureBuilder().signature(of: plain, resolutions: [named]).tokens != ["libxml2!xmlParse"])
  }

  @Test("Both ends of a chain may come first")
  func orientation() {
    let scene = Scene([.app("a"), .app("b"), .system("UIKitCore"), .system("dyld")])
    var (diagnostic, _) = scene.make()
    let plain = RawStack.reading(diagnostic, stack: 0)
    var turned = diagnostic.stacks[0]
    turned.order = .outermostFirst
    turned.frames = diagnostic.stacks[0].frames.reversed().enumerated().map {
      var frame = $0.element
      frame.parent = Int32($0.offset) - 1
      return frame
    }
    diagnostic.stacks[0] = turned
    #expect(RawStack.reading(diagnostic, stack: 0).stack == plain.stack)
    #expect(plain.sources == [3, 2, 1, 0])
    #expect(plain.stack.isInnermost(3) && !plain.stack.isInnermost(0))
  }

  @Test("A tree whose root is the innermost call becomes one path for each caller, within bounds")
  func inverted() {
    let image = [ImageReference(debugID: nil, name: "Shop")]
    var frames = [RawFrame(parent: -1, image: 0, offset: 1)]
    for caller in 0..<10 { frames.append(RawFrame(parent: 0, image: 0, offset: UInt64(10 + caller), sampleCount: 2)) }
    let small = Diagnostic(kind: .hang, images: image, stacks: [CallStack(frames: frames)])
    let reading = RawStack.reading(small, stack: 0)
    #expect(reading.stack.frames.count == 20 && reading.framesLeftOut == 0)
    for caller in 0..<5000 { frames.append(RawFrame(parent: 0, image: 0, offset: UInt64(100 + caller))) }
    let large = RawStack.reading(Diagnostic(kind: .hang, images: image, stacks: [CallStack(frames: frames)]), stack: 0)
    #expect(large.framesLeftOut > 0 && large.stack.frames.count <= 2 * frames.count)
  }

  @Test("A chain of a hundred thousand frames needs no deep stack")
  func deep() throws {
    let frames = (0..<100_000).map { RawFrame(parent: Int32($0) - 1, image: 0, offset: UInt64($0 % 5)) }
    let image = [ImageReference(debugID: DebugID("aabb"), name: "Shop")]
    for (kind, order) in [(DiagnosticKind.crash, FrameOrder.innermostFirst), (.hang, .outermostFirst)] {
      let diagnostic = Diagnostic(kind: kind, images: image, stacks: [CallStack(frames: frames, order: order)])
      let stack = RawStack.reading(diagnostic, stack: 0).stack
      #expect(stack.frames.count == 100_000)
      #expect(try RawStack(decoding: ByteView(stack.encoded)) == stack)
      #expect(SignatureBuilder().signature(of: stack, resolutions: []).tokens.count <= 24)
    }
  }

  @Test("Large trees cost in proportion to their frames, however they branch")
  func large() {
    // A chain of 20,000 different functions, with a sample ending in each.
    let chain = (0..<20_000).map {
      RawFrame(parent: Int32($0) - 1, image: 0, offset: UInt64($0), sampleCount: UInt64(20_000 - $0))
    }
    // One function with 20,000 callees.
    let fan = (0..<20_000).map { RawFrame(parent: $0 == 0 ? -1 : 0, image: 0, offset: UInt64($0), sampleCount: 1) }
    for frames in [chain, fan] {
      let diagnostic = Diagnostic(
        kind: .hang, images: [ImageReference(debugID: DebugID("aabb"), name: "Shop")],
        stacks: [CallStack(frames: frames, order: .outermostFirst)])
      let stack = RawStack.reading(diagnostic, stack: 0).stack
      let answers = stack.frames.map { frame in
        Resolution(status: .resolved, frames: [Frame(function: "Shop.f\(frame.offset ?? 0)()")])
      }
      let signature = SignatureBuilder().signature(of: stack, resolutions: answers)
      #expect(signature.paths.count == 5 && signature.tokens.count <= 12)
      #expect(signature.blame == (frames == chain ? "Shop!f10000()" : "Shop!f0()"))
    }
  }

  @Test("Bytes that are no raw stack give an error, never a trap")
  func damaged() {
    #expect(throws: RawStackError.unknownVersion(9)) { try RawStack(decoding: ByteView([9, 1, 0])) }
    #expect(throws: RawStackError.self) { try RawStack(decoding: .empty) }
    var random = SeededGenerator(seed: 6)
    for scene in RawStackTests.scenes {
      let bytes = scene.rawStack.encoded
      for length in 0..<bytes.count {
        #expect(throws: RawStackError.self) { try RawStack(decoding: ByteView(bytes[..<length])) }
      }
      for _ in 0..<3000 {
        var broken = bytes
        broken[Int(random.next() % UInt64(broken.count))] = UInt8(truncatingIfNeeded: random.next())
        if let stack = try? RawStack(decoding: ByteView(broken)) {
          // What is readable is safe to use.
          #expect(!SignatureBuilder().signature(of: stack, resolutions: []).id.isEmpty)
        }
      }
    }
  }
}

@Suite("Patterns and rules")
struct RulesTests {
  @Test("A pattern matches like its plain definition")
  func globs() {
    var random = SeededGenerator(seed: 7)
    func reference(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      if first == UInt8(ascii: "*") {
        return (0...name.count).contains { reference(pattern.dropFirst(), name.dropFirst($0)) }
      }
      return name.first == first && reference(pattern.dropFirst(), name.dropFirst())
    }
    for _ in 0..<20_000 {
      let pattern = (0...Int(random.next() % 6)).map { _ in Array("ab*".utf8)[Int(random.next() % 3)] }
      let name = (0..<Int(random.next() % 8)).map { _ in Array("ab".utf8)[Int(random.next() % 2)] }
      let glob = Glob(String(decoding: pattern, as: UTF8.self))!
      #expect(glob.matches(name.span) == reference(pattern[...], name[...]), "\(glob) \(name)")
    }
    #expect(Glob("") == nil && Glob("a*" + String(repeating: "a", count: 62)) == nil)
  }

  @Test(
    "Images are told apart by name",
    arguments: [
      ("UIKitCore", false), ("libsystem_kernel.dylib", false), ("libswift_Concurrency.dylib", false), ("dyld", false),
      ("Shop", true), ("ShopKit", true), ("UIKitCoreExtras", true), ("Logging", true), ("Alamofire", true),
      ("Weather", true),
    ])
  func images(name: String, isApp: Bool) {
    #expect(Rules.standard.isApp(ImageReference(debugID: nil, name: name)) == isApp)
  }

  @Test("An image without a name is the app's when it has an identifier")
  func nameless() {
    #expect(Rules.standard.isApp(ImageReference(debugID: DebugID("aabb"), name: nil)))
    #expect(!Rules.standard.isApp(ImageReference(debugID: nil, name: nil)))
  }

  @Test("The table is whole: every rule was read, ids are unique, the digest follows the rules")
  func table() {
    let ids = Rules.standard.rules.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(
      ids.contains("B50") && ids.contains("L50") && ids.contains("R51") && ids.contains("C59") && ids.contains("T15"))
    let shorter = Rules(version: Rules.standard.version, rules: Array(Rules.standard.rules.dropLast()))
    #expect(shorter.digest != Rules.standard.digest)
  }
}
