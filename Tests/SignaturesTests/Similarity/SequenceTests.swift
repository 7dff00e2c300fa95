import Diagnostics
import Signatures
import Testing

@Suite("What of a signature is compared")
struct SequenceTests {
  private let reader = AlignmentReader(rules: .standard)

  private func tokens(_ scene: Scene) -> [String] {
    reader.sequence(of: scene.signature).tokens.map {
      "\($0.frameClass.rawValue)\($0.isInlined ? "i" : "") \($0.name)"
    }
  }

  @Test("is its key with the images of the system between, without the throw chain and the thread's base")
  func chain() {
    let scene = Scene([
      .system("libsystem_kernel.dylib"), .system("libsystem_c.dylib"), .app("Shop.Money.round()", "Shop.Cart.total()"),
      .system("Foundation", 0x10), .system("Foundation", 0x20), .system("libobjc.A.dylib"), .app("Shop.Screen.body()"),
      .system("UIKitCore"), .app("main"), .system("dyld"),
    ])
    #expect(
      tokens(scene) == [
        "c libsystem_kernel.dylib*", "ai Shop.Money.round()", "a Shop.Cart.total()", "s Foundation*",
        "c libobjc.A.dylib*", "a Shop.Screen.body()", "s UIKitCore*",
      ])
  }

  @Test("tells the app from a framework by the image of the program's entry")
  func frameworks() {
    let frames: [SceneFrame] = [.app("Kit.Cache.get()", image: "Kit"), .app("Shop.Cart.total()")]
    #expect(tokens(Scene(frames + mainThreadBase)).first == "f Kit.Cache.get()")
    // A worker's stack does not show the entry: then all is the app's.
    #expect(tokens(Scene(frames)).first == "a Kit.Cache.get()")
  }

  @Test("takes the word of a rule for what is a framework, and for what is the app")
  func declared() throws {
    func classes(_ line: String) throws -> String {
      let rules = try rules(line)
      let scene = Scene(
        [.app("Kit.Cache.get()", image: "Kit"), .app("Shop.Cart.total()")] + mainThreadBase)
      let signature = scene.signature(by: rules)
      return String(
        AlignmentReader(rules: rules).sequence(of: signature).tokens.filter(\.isOfApp).map(\.frameClass.rawValue))
    }
    #expect(try classes("app A1 image=Shop class=framework") == "ff")
    #expect(try classes("app A1 image=Kit class=app") == "aa")
    #expect(try classes("app A1 image=Kit") == "fa")
    #expect(throws: RulesRefusal.self) { try rules("app A1 image=Kit class=library") }
    #expect(throws: RulesRefusal.self) { try rules("app A1 image=Kit name=Kit.* class=framework") }
  }

  @Test("names functions without symbols by their image, wherever they are")
  func unknown() {
    let scene = Scene([.bare(0x100), .app("Shop.Cart.total()"), .bare(0x200), .app("Shop.Screen.body()")])
    #expect(tokens(scene) == ["a Shop!?", "a Shop.Cart.total()", "a Shop!?", "a Shop.Screen.body()"])
  }

  @Test("does not depend on the depth of a recursion")
  func recursion() {
    func hang(_ rounds: Int) -> Scene {
      let path = [SceneFrame.app("Shop.Main.run()")] + (0..<rounds).map { _ in SceneFrame.app("Shop.Tree.walk()") }
      return Scene(kind: .hang, samples: [(path + [.app("Shop.Leaf.read()")], 10)])
    }
    let names = { (scene: Scene) in reader.sequence(of: scene.signature).tokens.map(\.name) }
    #expect(names(hang(1)) == ["Shop.Leaf.read()", "Shop.Tree.walk()", "Shop.Main.run()"])
    #expect(names(hang(1)) == names(hang(7)))
    func crash(_ rounds: Int) -> Scene {
      Scene([.app("Shop.Leaf.read()")] + (0..<rounds).map { _ in .app("Shop.Tree.walk()") } + mainThreadBase)
    }
    #expect(names(crash(1)) == names(crash(9)))
  }

  @Test("of a hang begins with its dominating function")
  func hang() {
    let way: [SceneFrame] = [
      .app("main"), .system("UIKitCore"), .app("Shop.Screen.tapped()"), .app("Shop.Index.sort()"),
    ]
    let scene = Scene(
      kind: .hang,
      samples: [
        (way + [.app("Shop.A.a()")], 3), (way + [.system("Foundation"), .app("Shop.B.b()")], 4),
        (way, 3),
      ])
    #expect(tokens(scene) == ["a Shop.Index.sort()", "a Shop.Screen.tapped()", "s UIKitCore*"])
  }

  @Test("is nothing for a stack without functions of the app that have names")
  func barriers() {
    func barrier(_ frames: [SceneFrame]) -> Judgement.Barrier? {
      NewSignature(Scene(frames).signature, cluster: "x", diagnostics: 1, reader: reader).barrier
    }
    #expect(barrier([.bare(0x10), .bare(0x20)]) == .provisionalOnly)
    #expect(barrier([.system("UIKitCore"), .system("Foundation")]) == .lowInformation)
    #expect(barrier([.app("Shop.a()")]) == .lowInformation)
    #expect(barrier([.app("Shop.a()"), .app("Shop.b()")]) == nil)
    #expect(barrier([]) == .lowInformation)
  }
}
