import Diagnostics
import SymbolIndex
import TestSupport
import Testing

@testable import Signatures

/// D.1 to D.14: strangers in one group.
@Suite struct OverGrouping {
  @Test func `D.1 crashes below objc_msgSend are as many as their callers, with its name and without`() {
    func scene(_ type: String, _ send: SceneFrame = .system("libobjc.A.dylib", 0x10)) -> Scene {
      Scene(
        [send, .app("Shop.\(type).one()"), .app("Shop.\(type).two()")] + mainThreadBase, exceptionType: 1, signal: 11)
    }
    let named = scene("Cart", .system("libobjc.A.dylib", named: "objc_msgSend"))
    #expect(areApart(scene("Cart"), scene("Mail")))
    #expect(areEqual(scene("Cart"), named))
    #expect(named.signature.blame == "Shop!Cart.one()" && named.signature.carrier == "msgsend")
  }

  @Test func `D.2 exceptions without code of the app are told by their name and by what raised them`() {
    func scene(_ image: String, _ name: String, _ offset: UInt64 = 0x10) -> Scene {
      exception(raise + [.system(image, offset), .system("UIKitCore")] + mainThreadBase, name: name)
    }
    let plain = scene("MapKit", "NSRangeException")
    #expect(areApart(plain, scene("PhotosUI", "NSRangeException"), scene("MapKit", "NSGenericException")))
    #expect(areEqual(plain, scene("MapKit", "NSRangeException", 0x20)))
    #expect(plain.signature.quality == .low && plain.signature.tokens.contains("MapKit*"))
  }

  @Test func `D.3 sixty hangs under a swizzler of an SDK are sixty`() {
    let swizzler = SceneFrame.app("closure in DatadogInternal.MethodSwizzler.swizzle(_:)")
    let plain = (0..<60).map { hang([.app("Shop.Screen\($0).load()")]).signature }
    let swizzled = (0..<60).map { hang([swizzler, .app("Shop.Screen\($0).load()")]).signature }
    #expect(Set(plain.map(\.id)).count == 60 && Set(plain.compactMap(\.blame)).count == 60)
    #expect(swizzled.map(\.id) == plain.map(\.id))
    #expect(hang([swizzler]).signature.blame == nil)
  }

  @Test(arguments: [
    SceneFrame.bare(0x40, image: "Sentry"), .app("Sentry.SentryHub.capture(event:)"),
    .linked("__47-[SentryBreadcrumbTracker swizzleViewDidAppear]_block_invoke_2"),
    .linked("+[SentrySwizzle swizzleInstanceMethod:inClass:newImpFactory:mode:key:]"),
    .linked("__63-[BugsnagNetworkInstrumentation swizzle:]_block_invoke"),
    .linked("__45-[FPRUIViewControllerInstrument registerClass]_block_invoke"),
    .linked("__41-[GULAppDelegateSwizzler proxyDelegate:]_block_invoke"),
    .linked("__33+[NRMAMethodProfiler swizzle:]_block_invoke_3"),
  ])
  func `D.4 what an SDK put between is looked through, by image and, linked into the app, by name`(sdk: SceneFrame) {
    func scene(_ name: String, _ between: [SceneFrame]) -> Scene {
      Scene([.app(name)] + between + way + mainThreadBase)
    }
    #expect(areEqual(scene("Shop.Cart.pay()", []), scene("Shop.Cart.pay()", [sdk])))
    #expect(areApart(scene("Shop.Cart.pay()", [sdk]), scene("Shop.Mail.sort()", [sdk])))
  }

  @Test func `D.5 hangs are told by the thread that hung and not by the watchdog's, and a mix shows its shares`() {
    let watchdog: [SceneFrame] = [
      .system("libsystem_kernel.dylib"), .app("Shop.Watchdog.poll()"), .app("Shop.Watchdog.run()"),
    ]
    func scene(_ name: String, watched: Bool = true) -> Scene {
      var scene = Scene([.app(name)] + way + mainThreadBase)
      scene.kind = .hang
      scene.others = watched ? [watchdog] : []
      scene.attributedFirst = false
      return scene
    }
    #expect(areApart(scene("Shop.Cart.sum()"), scene("Shop.Mail.sort()"), scene("Shop.Map.draw()")))
    #expect(areEqual(scene("Shop.Cart.sum()"), scene("Shop.Cart.sum()", watched: false)))
    let causes = (0..<5).map { (mainThreadBase.reversed() + [SceneFrame.app("Shop.cause\($0)()")], UInt64(20)) }
    let mixed = Scene(kind: .hang, samples: causes).signature
    #expect(mixed.title == "hang | mixed" && mixed.paths.map(\.share) == [0.2, 0.2, 0.2, 0.2, 0.2])
  }

  @Test(arguments: [
    "__hidden#17_", "<redacted>", "<unknown>", "???", "<deduplicated_symbol>", "___lldb_unnamed_symbol9",
  ])
  func `D.6 names that stand for an unknown function are never equal`(name: String) {
    func scene(_ offset: UInt64, _ names: String...) -> Scene {
      let levels = names.enumerated().map { Frame(function: $1, line: 7, isInlined: $0 < names.count - 1) }
      return Scene([SceneFrame(image: "Shop", offset: offset, levels: levels)] + way)
    }
    #expect(areApart(scene(0x100, name), scene(0x200, name)))
    #expect(areApart(scene(0x100, name, name), scene(0x200, name, name)))
    // At one place of one build they are one function, and so is what was inlined into it.
    #expect(areEqual(scene(0x100, name), scene(0x100, name), scene(0x100, name, name)))
    #expect(areEqual(scene(0x100, "Shop.f()", name), scene(0x200, "Shop.f()")))
  }

  @Test func `D.7 two of three frames and the machinery of a panic do not make one bug`() {
    func scene(_ names: String...) -> Scene { Scene(names.map { .app($0) }) }
    #expect(
      areApart(
        scene("parse_block", "read_list", "load_file"), scene("parse_inline", "read_list", "load_file"),
        scene("parse_table", "read_list", "load_file")))
    let panic = ["std::panicking::begin_panic", "core::result::unwrap_failed"].map { SceneFrame.app($0) }
    #expect(areApart(Scene(panic + [.app("parse_block")]), Scene(panic + [.app("parse_table")])))
    #expect(areEqual(Scene(panic + [.app("parse_block")]), scene("parse_block")))
  }

  @Test func `D.7 what is similar in turn is not joined as a chain`() {
    func scene(_ callers: String...) -> Scene {
      Scene(
        [.app("Shop.Cart.apply()"), .app("Shop.Cart.check()"), .app("Shop.Cart.sum()"), .app("Shop.Cart.all()")]
          + callers.map { .app($0) })
    }
    let scenes = [scene("A.a()", "B.b()"), scene("A.a()", "C.c()"), scene("D.d()", "C.c()"), scene("D.d()", "E.e()")]
    let (found, verdict) = clusters(scenes)
    #expect(found.first != found.last)
    #expect(!verdict.suggestions.isEmpty)
  }

  @Test func `D.8 frames of a sanitizer, an assertion and a fuzzer take no room from the fault`() {
    let handler = ["__sanitizer::Die", "__asan::ReportGenericError", "__asan_report_load8"].map { SceneFrame.app($0) }
    let assertion = ["abort", "__assert_rtn"].map { SceneFrame.system("libsystem_c.dylib", named: $0) }
    let harness = ["LLVMFuzzerTestOneInput", "fuzzer::Fuzzer::ExecuteCallback", "main"].map { SceneFrame.app($0) }
    func scene(_ name: String, _ above: [SceneFrame], _ below: [SceneFrame]) -> Scene {
      Scene(above + [.app(name), .app("load_file")] + below)
    }
    for above in [handler, assertion] {
      #expect(areApart(scene("parse_block", above, harness), scene("parse_table", above, harness)))
      #expect(areEqual(scene("parse_block", above, harness), scene("parse_block", [], [.app("main")])))
    }
  }

  @Test func `D.9 the reason alone joins nothing, and another reason is another problem`() {
    func scene(_ name: String, _ type: Int64, _ signal: Int64) -> Scene {
      Scene([.app(name)] + way, exceptionType: type, signal: signal)
    }
    let plain = scene("Shop.Cart.apply()", 1, 11)
    #expect(areApart(plain, Scene([.app("Shop.Mail.sort()"), .app("Shop.Mail.all()")], exceptionType: 1, signal: 11)))
    #expect(areApart(plain, scene("Shop.Cart.apply()", 10, 6)))
  }

  @Test func `D.10 reports through one logging helper are told by who logged, once a rule names the helper`() throws {
    let looking = try rules("transp T1 name=Log.*")
    func scene(_ name: String, _ helper: String) -> Scene {
      Scene([.app("Shop.Log.\(helper)"), .app("Shop.Log.write()"), .app(name)] + mainThreadBase)
    }
    let one = scene("Shop.Cart.pay()", "error()")
    #expect(one.signature.blame == "Shop!Log.error()")
    #expect(one.signature(by: looking).blame == "Shop!Cart.pay()")
    #expect(one.signature(by: looking).id != scene("Shop.Mail.sort()", "error()").signature(by: looking).id)
    #expect(one.signature(by: looking).id == scene("Shop.Cart.pay()", "fault()").signature(by: looking).id)
    #expect(areApart(one, scene("Shop.Mail.sort()", "error()")))
  }

  @Test func `D.11 exceptions that come over a bridge are told by their own name and stack`() {
    let bridge: [SceneFrame] = [
      .system("libsystem_c.dylib", named: "abort"), .app("konan::abort"),
      .app("(anonymous namespace)::processUnhandledException"), .app("kotlin::ProcessUnhandledException"),
      .app("Kotlin_ObjCExport_trapOnUndeclaredException"),
    ]
    func scene(_ function: String, _ bridge: [SceneFrame]) -> Scene {
      Scene(bridge + [.app("objc2kotlin_kfun:org.shop.\(function){}"), .app("Shop.Screen.load()")] + mainThreadBase)
    }
    let one = scene("Cart#sum()", bridge)
    #expect(areApart(one, scene("Mail#sort()", bridge)))
    #expect(areEqual(one, scene("Cart#sum()", [])))
    #expect(one.signature.blame == "Shop!objc2kotlin_kfun:org.shop.Cart#sum(){}")
    let bare = raise + [.system("Foundation")] + mainThreadBase
    #expect(areApart(exception(bare, name: "KotlinNullPointer"), exception(bare, name: "KotlinCast")))
  }

  @Test func `D.12 events without a stack are one bucket for each kind and reason, and attract nothing`() {
    func scene(_ code: String, device: String = "iPhone17,1") -> Scene {
      var scene = Scene([], exceptionType: 10, signal: 9)
      scene.metadata.terminationReason = "Namespace FRONTBOARD, Code \(code)"
      scene.metadata.deviceType = device
      return scene
    }
    #expect(areEqual(scene("0x8badf00d"), scene("0x8badf00d", device: "iPad16,3")))
    #expect(areApart(scene("0x8badf00d"), scene("0xdead10cc"), Scene([], exceptionType: 1, signal: 11)))
    let signature = scene("0x8badf00d").signature
    #expect(signature.quality == .none && signature.title == "crash watchdog(0x8badf00d) | no informative frame")
    let verdict = clusters([scene("0x8badf00d"), scene("0xdead10cc")]).verdict
    #expect(verdict.judgements.allSatisfy { $0.barrier == .lowInformation && $0.sequence == nil })
  }

  @Test func `D.13 a helper that everybody calls attracts nobody`() {
    let scenes = (0..<40).map { number in
      Scene([.app("Shop.Log.write()"), .app("Shop.Log.flush()"), .app("Shop.T\(number).run()")] + mainThreadBase)
    }
    #expect(Set(clusters(scenes).clusters).count == scenes.count)
  }

  @Test func `D.14 the text of an exception neither joins nor parts, its name parts where nothing else does`() {
    let bare = raise + [.system("MapKit")] + mainThreadBase
    let redacted = "<redacted>"
    #expect(areEqual(exception(bare, name: "A", message: "row 7"), exception(bare, name: "A", message: redacted)))
    #expect(areApart(exception(bare, name: "A", message: redacted), exception(bare, name: "B", message: redacted)))
    #expect(
      areApart(
        exception([.app("Shop.a()")] + bare, message: redacted), exception([.app("Shop.b()")] + bare, message: redacted)
      ))
  }

  @Test func `G-05 stacks that differ in removed frames only are equal, never so those of which nothing is left`() {
    func scene(_ removed: String, _ offset: UInt64, _ rest: [SceneFrame]) -> Scene {
      Scene([.app(removed, offset: offset)] + rest)
    }
    let (first, second) = ("Swift.Array.subscript(_:)", "Swift.Dictionary.subscript(_:)")
    #expect(areEqual(scene(first, 0x10, way), scene(second, 0x20, way)))
    #expect(areApart(scene(first, 0x10, []), scene(second, 0x20, [])))
    #expect(scene(first, 0x10, []).signature.quality == .none)
  }

  @Test func `G-15 large codes are told apart to the last bit`() {
    func scene(_ code: UInt64) -> Scene {
      var scene = Scene([.system("UIKitCore")] + mainThreadBase, exceptionType: 10, signal: 9)
      scene.metadata.terminationReason = "Namespace SHOP, Code \(code)"
      return scene
    }
    #expect(areApart(scene(1 << 53), scene(1 << 53 + 1)))
    #expect(areEqual(scene(1 << 53), scene(1 << 53)))
  }

  @Test func `G-19 a stack of nothing but a thread's start is a bucket that says so`() {
    let scenes = (0..<1000).map { (number: Int64) in
      var scene = Scene([.system("libsystem_pthread.dylib", 0x20)])
      scene.metadata.pid = number
      scene.slide = UInt64(number) * 0x4000
      return scene
    }
    #expect(Set(scenes.map(\.signature.id)).count == 1)
    #expect(scenes[0].signature.quality == .none && scenes[0].signature.tokens == [])
    #expect(areApart(scenes[0], Scene([.system("libsystem_pthread.dylib", 0x20), .app("Shop.Pool.run()")])))
  }
}
