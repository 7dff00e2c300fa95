import Diagnostics
import Signatures
import SymbolIndex
import TestSupport
import Testing

private let apply = SceneFrame.app("Shop.Cart.apply(coupon:)")
private let check = SceneFrame.app("Shop.Assert.check(_:)")
private let body = SceneFrame.app("closure in Shop.CheckoutView.body")

@Suite("What each stage of a project's rules does")
struct RuleStageTests {
  @Test("app: an image is the app's against the list of the system, and inherited rules spare its frames")
  func app() throws {
    let charts = Scene([.app("Charts.Bar.draw()", image: "Charts"), .system("UIKitCore")] + mainThreadBase)
    #expect(charts.signature.blame == nil)
    #expect(try charts.signature(by: rules("app A1 image=Charts")).blame == "Charts!Bar.draw()")
    // An SDK that is somebody's app: the default file would hide it by image and by module.
    let sdk = Scene([.app("Sentry.Hub.flush()", image: "Sentry"), .app("Shop.f()")])
    #expect(sdk.signature.tokens == ["Shop!f()"])
    #expect(try sdk.signature(by: rules("app A1 image=Sentry")).tokens == ["Sentry!Hub.flush()", "Shop!f()"])
    // A rule of its own file still holds.
    let own = try rules("app A1 image=Sentry\ntransp T1 name=Hub.*")
    #expect(sdk.signature(by: own).tokens == ["Shop!f()"])
    #expect(sdk.signature(by: own).droppedFrames.first?.rule == "acme:T1")
  }

  @Test("app: what compilers make is no part of anybody's app, unless its functions are named")
  func everywhere() throws {
    let inlined = Scene([.app("Swift.Array.subscript(_:)"), apply] + mainThreadBase)
    #expect(try inlined.signature(by: rules("app A1 image=Shop")).id == inlined.signature.id)
    let library = try rules("app A1 image=libswiftCore.so\napp A2 image=libswiftCore.so name=Swift.*")
    let core = Scene([.app("Swift.Array.subscript(_:)", image: "libswiftCore.so"), apply])
    #expect(
      core.signature(by: library).tokens == ["libswiftCore.so!Swift.Array.subscript(_:)", "Shop!Cart.apply(coupon:)"])
  }

  @Test("stop: callers take no part; in a tree of samples, too")
  func stop() throws {
    let stopping = try rules("stop P1 name=Router.handle(_:)")
    let inner: [SceneFrame] = [apply, .app("Shop.Router.handle(_:)")]
    let one = Scene(inner + [.app("Shop.Server.run()")] + mainThreadBase).signature(by: stopping)
    let two = Scene(inner + [.app("Shop.Tests.run()")] + mainThreadBase).signature(by: stopping)
    #expect(one.id == two.id && one.tokens == ["Shop!Cart.apply(coupon:)", "Shop!Router.handle(_:)"])
    #expect(one.droppedFrames.first { $0.function == "Shop.Server.run()" }?.rule == "acme:P1")
    func hang(_ outer: String) -> Signature {
      Scene(kind: .hang, samples: [((inner + [.app(outer)] + mainThreadBase).reversed(), 9)]).signature(by: stopping)
    }
    #expect(hang("Shop.Server.run()").id == hang("Shop.Tests.run()").id)
    #expect(hang("Shop.Server.run()").tokens == one.tokens)
    #expect(hang("Shop.Server.run()").droppedFrames.contains { $0.rule == "acme:P1" })
  }

  @Test("prefix: the caller is to blame; pin: this one is; neither changes the id")
  func blame() throws {
    let scene = Scene([check, apply, body] + mainThreadBase)
    let prefixed = try scene.signature(by: rules("prefix X1 name=Assert.*"))
    #expect(prefixed.blame == "Shop!Cart.apply(coupon:)" && prefixed.id == scene.signature.id)
    #expect(prefixed.title == "crash trap | Shop!Cart.apply(coupon:) < Shop!closure in CheckoutView.body")
    let pinned = try scene.signature(by: rules("pin N1 name=\"closure in CheckoutView.body\""))
    #expect(pinned.blame == "Shop!closure in CheckoutView.body" && pinned.id == scene.signature.id)
    #expect(pinned.keptFrames.last?.rule == "acme:N1")
    // A pinned frame takes part whatever other rules say.
    let kept = try Scene([.app("Swift.Array.sort()"), apply]).signature(by: rules("pin N1 module=Swift"))
    #expect(kept.tokens.first == "Shop!Swift.Array.sort()")
  }

  @Test("wait: a hang in it is counted and marked as expected, under the same id")
  func wait() throws {
    var modal = SceneFrame.system("AppKit", 0x40)
    modal.levels = [Frame(function: "-[NSAlert runModal]", source: .exportTrie)]
    let path: [SceneFrame] = mainThreadBase.reversed() + [.app("Shop.Dialog.ask()"), modal, .system("CoreFoundation")]
    let scene = Scene(kind: .hang, samples: [(path, 10)])
    let waiting = try rules("wait W1 name=\"-[NSAlert runModal*\" expected=yes")
    let signature = scene.signature(by: waiting)
    #expect(signature.isExpected && !scene.signature.isExpected && signature.id == scene.signature.id)
    #expect(signature.reason.description == "expected-wait")
    #expect(signature.title == "hang expected-wait | Shop!Dialog.ask()")
    let busy = Scene(kind: .hang, samples: [(path, 4), (mainThreadBase.reversed() + [apply], 6)])
    #expect(!busy.signature(by: waiting).isExpected)
  }

  @Test("rename: moved code keeps its identity; the frame says by which rule")
  func rename() throws {
    let old = Scene([.app("Shop.OldCart.apply(coupon:)"), .app("closure in Shop.OldCart.pay()")] + mainThreadBase)
    let new = Scene([.app("Shop.Cart.apply(coupon:)"), .app("closure in Shop.Cart.pay()")] + mainThreadBase)
    for rule in ["rename M1 name=re:^OldCart\\.(.*)$ to=Cart.$1", "rename M1 name=OldCart.* to=Cart.$1"] {
      let renamed = try old.signature(by: rules(rule))
      #expect(renamed.id == new.signature.id && renamed.tokens == new.signature.tokens)
      #expect(renamed.keptFrames.map(\.rule) == ["acme:M1", "acme:M1"])
      #expect(renamed.keptFrames[0].function == "Shop.OldCart.apply(coupon:)")
    }
    // Other rules see the new name.
    let dropped = try old.signature(by: rules("rename M1 name=OldCart.* to=Log.$1\ntransp T1 name=Log.*"))
    #expect(dropped.tokens == ["Shop!closure in Log.pay()"])
  }

  @Test("transp and stop: what is said of a whole image holds for its frames without symbols")
  func nameless() throws {
    let scene = Scene([.bare(0x10, image: "AcmeLog"), apply, .bare(0x20, image: "Engine"), body] + mainThreadBase)
    #expect(scene.signature.isProvisional)
    let signature = try scene.signature(by: rules("transp T1 image=AcmeLog\nstop P1 image=Engine"))
    #expect(signature.tokens == ["Shop!Cart.apply(coupon:)", "Engine!?"])
    #expect(signature.droppedFrames.first?.rule == "acme:T1")
  }

  @Test("when: a frame is dropped or kept for its callee or its caller")
  func when() throws {
    let scene = Scene([check, apply, body] + mainThreadBase)
    let called = try rules("when K1 callee(name=\"Assert.check(_:)\") name=Cart.* drop")
    #expect(scene.signature(by: called).tokens == ["Shop!Assert.check(_:)", "Shop!closure in CheckoutView.body"])
    #expect(scene.signature(by: called).droppedFrames.first?.rule == "acme:K1")
    let other = try rules("when K1 caller(name=\"Assert.check(_:)\") name=Cart.* drop")
    #expect(scene.signature(by: other).id == scene.signature.id)
    let kept = try rules("when K1 caller(image=Shop) module=Swift keep")
    #expect(Scene([.app("Swift.Array.sort()"), apply]).signature(by: kept).tokens.first == "Shop!Swift.Array.sort()")
    let hang = Scene(kind: .hang, samples: [((scene.crashed).reversed(), 3)])
    #expect(hang.signature(by: called).tokens == scene.signature(by: called).tokens)
  }

  @Test("limit: the numbers of a file hold")
  func limits() throws {
    let deep = Scene((0..<40).map { SceneFrame.app("Shop.f\($0)()") } + mainThreadBase)
    #expect(try deep.signature(by: rules("limit tokens=5")).tokens.count == 5)
    let samples = [(path: [body, apply], count: UInt64(6)), (path: [body, check], count: 4)]
    let hang = Scene(kind: .hang, samples: samples)
    #expect(hang.signature.blame == "Shop!Cart.apply(coupon:)")
    #expect(try hang.signature(by: rules("limit hang.dominating=0.7")).blame == "Shop!closure in CheckoutView.body")
    #expect(try rules("limit attach=0.9 suggest=0.5").limits.attach == 0.9)
    #expect(throws: RulesRefusal.self) { try rules("limit attach=0.5 suggest=0.6") }
  }

  @Test("throw: tells the reason where the diagnostic says nothing, under the same id")
  func reason() {
    var silent = Scene([.system("libsystem_c.dylib"), apply], exceptionType: nil, signal: nil)
    let bare = silent.signature
    silent.crashed[0].levels = [Frame(function: "abort", source: .exportTrie)]
    #expect(silent.signature.reason.description == "abort" && silent.signature.id == bare.id)
    var told = silent
    told.metadata.exceptionType = 1
    #expect(told.signature.reason.description == "bad-access")
  }
}
