import Diagnostics
import SignatureStore
import SymbolIndex
import TestSupport
import Testing

@testable import Signatures

/// D.15 to D.33: one problem in many groups.
@Suite struct UnderGrouping {
  /// Whether the app's frames with these linker's names are one function, called by the same code.
  private func areOneFunction(_ symbols: String...) -> Bool {
    Set(symbols.map { Scene([.linked($0)] + way).signature.id }).count == 1
  }

  @Test func `D.15 where an image was loaded does not matter; where in it does, without symbols`() {
    let plain = Scene([.bare(0x100)] + way + mainThreadBase)
    var moved = plain
    moved.slide = 0x7c000
    #expect(areEqual(plain, moved) && plain.rawStack.key == moved.rawStack.key)
    #expect(areApart(plain, Scene([.bare(0x140)] + way + mainThreadBase)))
  }

  @Test func `D.16 builds that tell inlined calls and builds that do not are one; another real call is another bug`() {
    let with = Scene([.app("Shop.Cart.apply()"), .app("Shop.Money.round()", "Shop.Cart.total()")] + way)
    let without = Scene([.app("Shop.Cart.apply()"), .app("Shop.Cart.total()")] + way)
    #expect(areAlike(with, without))
    #expect(
      areEqual(without, Scene([.app("Shop.Cart.apply()"), .app("Swift.Array.map(_:)", "Shop.Cart.total()")] + way)))
    #expect(
      areApart(without, Scene([.app("Shop.Tax.add()"), .app("Shop.Cart.apply()"), .app("Shop.Cart.total()")] + way)))
    // Where the innermost call is the one that a build does not know, the other is told at least.
    let inner = Scene([.app("Shop.Money.round()", "Shop.Cart.total()"), .app("Shop.Cart.show()")] + way)
    let outer = Scene([.app("Shop.Cart.total()"), .app("Shop.Cart.show()")] + way)
    let (found, verdict) = clusters([inner, outer])
    #expect(found[0] == found[1] || !verdict.suggestions.isEmpty)
  }

  @Test func `D.17 the numbers of lambdas and closures do not matter; whose they are does`() {
    #expect(areOneFunction("_ZZ3foovENKUlvE_clEv", "_ZZ3foovENKUlvE0_clEv", "_ZZ3foovENK3$_0clEv"))
    #expect(!areOneFunction("_ZZ3foovENKUlvE_clEv", "_ZZ3barvENKUlvE_clEv"))
    #expect(areOneFunction("$s4Shop3fooyyFyycfU_", "$s4Shop3fooyyFyycfU0_"))
    #expect(!areOneFunction("$s4Shop3fooyyFyycfU_", "$s4Shop3baryyFyycfU_"))
  }

  @Test func `D.18 an anonymous namespace has one spelling`() {
    #expect(areOneFunction("_ZN12_GLOBAL__N_13fooEv", "__ZN12_GLOBAL__N_13fooEv", "_ZN12_GLOBAL__N_13fooEi"))
    #expect(!areOneFunction("_ZN12_GLOBAL__N_13fooEv", "_ZN12_GLOBAL__N_13barEv"))
  }

  @Test func `D.19 a function that the system has for each processor is one`() {
    func scene(_ name: String, _ function: String = "Shop.Buffer.copy()") -> Scene {
      Scene([.system("libsystem_platform.dylib", named: name), .app(function)] + way)
    }
    let variants = ["_platform_memmove", "_platform_memmove$VARIANT$Haswell", "_platform_memmove$VARIANT$Rosetta"]
    #expect(Set(variants.map { scene($0).signature.id }).count == 1)
    #expect(variants.allSatisfy { scene($0).signature.carrier == "memory" })
    #expect(areApart(scene(variants[0]), scene(variants[0], "Shop.Image.scale()")))
    #expect(areOneFunction("blend", "blend$VARIANT$mp", "blend$VARIANT$armv81"))
  }

  @Test func `D.20 an address in no image says nothing`() {
    func scene(_ address: UInt64, _ function: String = "Shop.Cart.pay()") -> Scene {
      Scene([.app(function), .nowhere(address)] + way)
    }
    #expect(areEqual(scene(0xdead_0000), scene(0xbeef_0000), Scene([.app("Shop.Cart.pay()")] + way)))
    #expect(areApart(scene(0xdead_0000), scene(0xdead_0000, "Shop.Mail.sort()")))
    #expect(!scene(0xdead_0000).signature.title.contains("dead"))
  }

  @Test func `D.21 what a compiler or linker puts before a name is no part of it`() {
    #expect(areOneFunction("open_cache", "__wrap_open_cache", "__real_open_cache", "__interceptor_open_cache"))
    #expect(!areOneFunction("__wrap_open_cache", "__wrap_close_cache"))
    func scene(_ wrapper: String, _ caller: String = "copy_row") -> Scene {
      Scene([.app(wrapper), .app(caller), .app("load_file")], exceptionType: 1, signal: 11)
    }
    #expect(areEqual(scene("__asan_memcpy"), scene("___interceptor_memcpy"), scene("__interceptor_memcpy")))
    #expect(areApart(scene("__asan_memcpy"), scene("__asan_memcpy", "copy_cell")))
  }

  @Test func `D.22 reading, writing and faulting are one bad access; another class of reason is not`() {
    func scene(_ type: Int64?, _ signal: Int64, code: UInt64) -> Scene {
      var scene = Scene(way, exceptionType: type, signal: signal)
      scene.metadata.exceptionCode = code
      return scene
    }
    #expect(areEqual(scene(1, 11, code: 1), scene(1, 10, code: 2), scene(nil, 11, code: 257), scene(nil, 7, code: 0)))
    #expect(areApart(scene(1, 11, code: 1), scene(6, 5, code: 1)))
  }

  @Test func `D.23 the thread that is marked counts, wherever it stands`() {
    func scene(_ name: String, first: Bool, _ other: String) -> Scene {
      var scene = Scene([.app(name)] + way)
      scene.others = [[.app(other), .app("Shop.Debugger.stop()")]]
      scene.attributedFirst = first
      return scene
    }
    let one = scene("Shop.Cart.pay()", first: true, "Shop.cpu0()")
    #expect(areEqual(one, scene("Shop.Cart.pay()", first: false, "Shop.cpu1()")))
    #expect(areApart(one, scene("Shop.Mail.sort()", first: false, "Shop.cpu0()")))
  }

  @Test func `D.24 the platform's label of an exception does not split one stack`() {
    let stack: [SceneFrame] = raise + [.app("-[Cart row:]")] + way
    let labels = [
      exception(stack), exception(stack, name: "NSRangeException", message: "index 7 beyond bounds"),
      exception(stack, name: "NSInvalidArgumentException", message: "nil"),
    ]
    #expect(Set(labels.map(\.signature.id)).count == 1)
    #expect(areApart(labels[1], exception(raise + [.app("-[Mail row:]")] + way, name: "NSRangeException")))
  }

  @Test func `D.25 the values in an assertion's text do not split it`() {
    func scene(_ message: String, _ name: String = "-[Cart row:]") -> Scene {
      exception(
        raise + [.system("Foundation", named: "-[NSAssertionHandler handleFailureInMethod:object:]"), .app(name)] + way,
        name: "NSInternalInconsistencyException", message: message)
    }
    #expect(areEqual(scene("row 7 of 3"), scene("row 12 of 9"), scene("id 5F3E-11")))
    #expect(areApart(scene("row 7 of 3"), scene("row 7 of 3", "-[Mail row:]")))
  }

  @Test func `D.26 outlined code is looked through, whatever its number`() {
    func scene(_ outlined: [String], _ name: String = "closure in Shop.ListView.body") -> Scene {
      Scene(outlined.map { .linked($0) } + [.app(name)] + way)
    }
    #expect(
      areEqual(scene(["OUTLINED_FUNCTION_3"]), scene(["OUTLINED_FUNCTION_41", "OUTLINED_FUNCTION_0"]), scene([])))
    #expect(areApart(scene(["OUTLINED_FUNCTION_3"]), scene(["OUTLINED_FUNCTION_3"], "closure in Shop.MapView.body")))
  }

  @Test func `D.27 a Swift runtime failure is blamed on the app's function, whatever the line`() {
    func scene(_ name: String, line: UInt32, told: Bool) -> Scene {
      var frame =
        told
        ? SceneFrame.app("Swift runtime failure: Index out of range", "Swift.Array.subscript(_:)", name) : .app(name)
      if let last = frame.levels?.indices.last { frame.levels?[last].line = line }
      return Scene([frame] + way)
    }
    let one = scene("Shop.Cart.total()", line: 7, told: true)
    #expect(
      areEqual(one, scene("Shop.Cart.total()", line: 0, told: false), scene("Shop.Cart.total()", line: 90, told: true)))
    #expect(areApart(one, scene("Shop.Mail.count()", line: 7, told: true)))
    #expect(one.signature.blame == "Shop!Cart.total()")
    #expect(one.signature.reason.description == "swift-runtime(index-out-of-range)")
  }

  @Test func `D.28 a block is code of the app, under the name of its method`() {
    #expect(areOneFunction("__22-[Cart applyCoupon:]_block_invoke", "__22-[Cart applyCoupon:]_block_invoke_2"))
    #expect(!areOneFunction("__22-[Cart applyCoupon:]_block_invoke", "__19-[Cart dropCoupon:]_block_invoke"))
    let block = SceneFrame.linked("__22-[Cart applyCoupon:]_block_invoke")
    #expect(Scene([.system("libdispatch.dylib"), block]).signature.blame == "Shop!block in -[Cart applyCoupon:]")
  }

  @Test func `D.29 names of the system come and go without splitting anything, and so do its images`() {
    let bare = Scene([.system("libobjc.A.dylib"), .app("Shop.Cart.pay()"), .system("UIKitCore")] + mainThreadBase)
    var named = bare
    named.crashed[0].levels = [Frame(function: "objc_release", source: .exportTrie)]
    named.crashed[2].levels = [Frame(function: "-[UIControl sendAction:to:]", source: .exportTrie)]
    #expect(areEqual(bare, named))
    func scene(_ label: String, _ system: [SceneFrame]) -> Scene {
      Scene(
        [.app("Shop.Cart.apply(\(label):)"), .app("Shop.Cart.check()")] + system
          + [.app("Shop.Screen.body()"), .app("Shop.Router.open()")] + mainThreadBase)
    }
    let one = scene("coupon", [.system("SwiftUI")])
    var other = scene("code", [.system("SwiftUICore"), .system("AttributeGraph"), .system("UIKitCore")])
    other.build = 2
    #expect(clusters([other], before: [one]).clusters == [one.signature.id])
    #expect(
      areApart(
        named, Scene([.system("libobjc.A.dylib"), .app("Shop.Mail.sort()"), .system("UIKitCore")] + mainThreadBase)))
  }

  @Test func `D.30 a suspected duplicate is joined or told`() {
    let one = Scene([.app("Shop.Cart.apply()")] + way)
    let other = Scene([.app("Shop.Cart.check()"), .app("Shop.Cart.apply()")] + way)
    let (found, verdict) = clusters([other], before: [one])
    #expect(found == [other.signature.id])
    #expect(verdict.suggestions.map { Set([$0.first, $0.second]) } == [Set([one.signature.id, other.signature.id])])
    // Forty-one reports that differ in what lies far from the fault.
    let variants = (0..<41).map { number in
      var scene = Scene(
        [.app("Shop.Cart.apply(v\(number % 3):)"), .app("Shop.Cart.check()")]
          + (number % 2 == 0 ? [.app("Shop.Cart.sum()")] : [.app("Shop.Money.add()", "Shop.Cart.sum()")]) + way
          + Array(repeating: .system("SwiftUI"), count: number))
      scene.build = UInt8(number % 3)
      return scene
    }
    #expect(Set(variants.map(\.signature.id)).count == 6)
    #expect(Set(clusters(variants).clusters).count == 1)
    #expect(areApart(variants[0], Scene([.app("Shop.Mail.sort()"), .app("Shop.Mail.load()")] + way)))
  }

  @Test func `D.31 code of the app is known as such without symbols, and late ones give it its name`() {
    let named = Scene([.app("Shop.Cart.pay()", offset: 0x100), .system("UIKitCore")] + mainThreadBase)
    var bare = named
    bare.crashed[0].levels = nil
    #expect(bare.signature.blame == "Shop!?" && bare.signature.isProvisional)
    #expect(bare.rawStack == named.rawStack && !named.signature.isProvisional)
    #expect(areApart(bare, Scene([.system("MapKit", 0x100), .system("UIKitCore")] + mainThreadBase)))
  }

  @Test func `D.32 no rule hides the very code that a project declares its own`() throws {
    let own = try rules("app A1 image=Charts\napp A2 image=Sentry")
    for image in ["Charts", "Sentry"] {
      let one = Scene([.app("\(image).Bar.draw()", image: image), .app("\(image).Bar.layout()", image: image)])
      let other = Scene([.app("\(image).Pie.draw()", image: image), .app("\(image).Pie.layout()", image: image)])
      #expect(one.signature.blame == nil)
      #expect(one.signature(by: own).blame == "\(image)!Bar.draw()")
      #expect(one.signature(by: own).id != other.signature(by: own).id)
    }
    // What they call is still looked through.
    let plain = Scene([.app("Charts.Bar.draw()", image: "Charts")])
    let inlined = Scene([.app("Swift.Array.subscript(_:)", "Charts.Bar.draw()", image: "Charts")])
    #expect(inlined.signature(by: own).id == plain.signature(by: own).id)
  }

  @Test func `D.33 a variant of a known problem stays in its cluster, although its signature is new`() {
    let known = Scene([.app("Shop.Cart.apply(coupon:)")] + way)
    var variant = Scene([.app("Shop.Cart.apply(code:)")] + way)
    variant.build = 2
    let stranger = Scene([.app("Shop.Cart.remove(coupon:)")] + way)
    #expect(known.signature.id != variant.signature.id)
    #expect(clusters([variant], before: [known]).clusters == [known.signature.id])
    #expect(clusters([stranger], before: [known]).clusters == [stranger.signature.id])
  }

  @Test func `G-06 behind a handler's frames the stack goes on`() {
    let handler: [SceneFrame] = [
      .app("kscrash_onSignal"), .system("libsystem_platform.dylib", named: "_sigtramp"), .app("Shop.Cart.deinit"),
    ]
    func scene(_ name: String) -> Scene { Scene(handler + [.app(name)] + way) }
    #expect(scene("Shop.Cart.pay()").signature.tokens.prefix(2) == ["Shop!Cart.deinit", "Shop!Cart.pay()"])
    #expect(areEqual(scene("Shop.Cart.pay()"), Scene(handler.suffix(1) + [.app("Shop.Cart.pay()")] + way)))
    #expect(areApart(scene("Shop.Cart.pay()"), scene("Shop.Mail.sort()")))
  }

  @Test func `G-07 the depth of a recursion does not matter; what recursed does`() {
    func scene(_ depth: Int, _ round: String...) -> Scene {
      Scene([.app("Shop.Leaf.read()")] + (0..<depth).flatMap { _ in round.map { .app($0) } } + way + mainThreadBase)
    }
    #expect(areEqual(scene(10, "Shop.walk()"), scene(500, "Shop.walk()"), scene(5000, "Shop.walk()")))
    #expect(areEqual(scene(10, "Shop.a()", "Shop.b()"), scene(500, "Shop.a()", "Shop.b()")))
    #expect(areApart(scene(10, "Shop.walk()"), scene(10, "Shop.climb()")))
  }

  @Test func `G-10 two builds with one bug are one row, counted apart`() throws {
    let clusters = try Shelf().run([
      line("a", "S.Cart.pay()", "S.Screen.tap()", build: "7"), line("b", "S.Cart.pay()", "S.Screen.tap()", build: "8"),
      line("c", "S.Mail.sort()", "S.Inbox.load()", build: "8"),
    ])
    #expect(clusters.map(\.builds.count) == [2, 1])
  }

  @Test func `G-11 how a name is shown does not matter`() {
    func scene(_ display: String, _ token: String = "Shop.Cart.pay(_:)") -> Scene {
      Scene([SceneFrame(image: "Shop", offset: 0x100, levels: [Frame(function: display, token: token)])] + way)
    }
    #expect(areEqual(scene("Cart.pay(_:)"), scene("Shop.Cart.pay(Swift.Int) -> ()"), scene("$s4Shop4CartV3payyySiF")))
    #expect(areApart(scene("pay(_:)"), scene("pay(_:)", "Shop.Mail.pay(_:)")))
  }

  @Test func `G-12 where a build's sources lay does not matter`() {
    func scene(_ folder: String) -> Scene {
      var scene = Scene(way)
      for index in scene.crashed.indices {
        for level in scene.crashed[index].levels?.indices ?? 0..<0 {
          scene.crashed[index].levels?[level].file = folder + "/Checkout.swift"
        }
      }
      return scene
    }
    #expect(areEqual(scene("/Users/ann/shop"), scene("/builds/4711/shop"), scene("C:\\ci\\shop")))
  }

  @Test func `G-20 counters that compilers put into names do not split`() {
    #expect(areOneFunction("flush", "flush.cold.1", "flush.part.0", "flush.llvm.8471", "flush.constprop.3"))
    #expect(areOneFunction("$s4Shop3fooyyF", "$s4Shop3fooyyFTm", "$s4Shop3fooyyF.cold.1"))
    #expect(areOneFunction("_ZN4core3fooEv.llvm.1234", "_ZN4core3fooEv.llvm.5678"))
    #expect(!areOneFunction("flush.cold.1", "drain.cold.1"))
  }
}
