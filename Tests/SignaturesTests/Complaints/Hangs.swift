import Bytes
import Diagnostics
import SymbolIndex
import TestSupport
import Testing

@testable import Signatures

/// D.39 to D.43: hangs, and what MetricKit's trees do to readers.
@Suite struct Hangs {
  private static let base: [SceneFrame] = mainThreadBase.reversed()

  @Test func `D.39 a hang is told by what most of its samples passed through, whatever one path of it shows`() {
    let way: [SceneFrame] = [
      .app("Shop.Main.run()"), .app("Shop.Router.open()"), .app("Shop.Screen.tapped()"),
      .app("Shop.Checkout.confirm()"),
    ]
    func scene(_ name: String, _ below: [String], build: UInt8 = 1) -> Scene {
      var scene = Scene(kind: .hang, samples: below.map { (way + [.app(name), .app($0)], 10) })
      scene.build = build
      return scene
    }
    let one = scene("Shop.Index.rebuild(all:)", ["Shop.A.a()", "Shop.B.b()", "Shop.C.c()"])
    #expect(areEqual(one, scene("Shop.Index.rebuild(all:)", ["Shop.D.d()", "Shop.B.b()", "Shop.A.a()"])))
    #expect(areAlike(one, scene("Shop.Index.rebuild(some:)", ["Shop.D.d()", "Shop.E.e()", "Shop.F.f()"], build: 2)))
    #expect(areApart(one, scene("Shop.Index.rebuild(some:)", ["Shop.D.d()", "Shop.E.e()", "Shop.F.f()"])))
    #expect(areApart(one, scene("Shop.Mail.sort()", ["Shop.A.a()", "Shop.B.b()", "Shop.C.c()"])))
    #expect(one.signature.paths.count == 3)
  }

  @Test func `D.40 a wait that somebody wants is counted and marked, and a busy hang beside it is not`() throws {
    let modal = SceneFrame.system("AppKit", named: "-[NSAlert runModal]")
    let waiting = try rules("wait W1 name=\"-[NSAlert runModal*\" expected=yes")
    let asked = hang([.app("Shop.Dialog.ask()"), modal])
    #expect(asked.signature(by: waiting).isExpected && !asked.signature.isExpected)
    #expect(asked.signature(by: waiting).id == asked.signature.id)
    #expect(!hang([.app("Shop.Index.rebuild()")]).signature(by: waiting).isExpected)
    #expect(areApart(asked, hang([.app("Shop.Index.rebuild()"), modal])))
  }

  @Test func `D.41 a hang without code of the app is told by the system's images and never by a text`() {
    func scene(_ image: String, _ text: String) -> Scene {
      var scene = hang([.system(image)])
      scene.metadata.terminationReason = text
      return scene
    }
    #expect(areEqual(scene("QuartzCore", "App hanging for 2.0 s"), scene("QuartzCore", "App hanging for 3.7 s")))
    #expect(areApart(scene("QuartzCore", "App hanging"), scene("WebKit", "App hanging")))
    #expect(scene("QuartzCore", "App hanging").signature.quality == .low)
  }

  @Test func `D.42 frames without an identifier and trees without frames break nothing`() throws {
    func frame(_ members: String, _ sub: String? = nil) -> String {
      "{" + members + (sub.map { #","subFrames":[\#($0)]"# } ?? "") + #","sampleCount":1}"#
    }
    func scene(_ system: String, _ offset: Int = 64) throws -> Signature {
      let app =
        #""binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978","binaryName":"Shop","address":\#(4_294_967_296 + offset),"offsetIntoBinaryTextSegment":\#(offset)"#
      let stack = frame(app, frame(system, frame(#""binaryName":"UIKitCore","address":7000000000"#)))
      let text =
        #"{"crashDiagnostics":[{"version":"1.0.0","diagnosticMetaData":{"signal":11},"callStackTree":{"callStackPerThread":true,"callStacks":["#
        + #"{"threadAttributed":false},{"threadAttributed":false,"callStackRootFrames":[]},"#
        + #"{"threadAttributed":true,"callStackRootFrames":[\#(stack)]}]}}]}"#
      let diagnostic = try #require(try PayloadReader().read(ByteView(Array(text.utf8))).diagnostics.first)
      let attribution = Attribution(diagnostic)
      #expect(attribution.basis == .attributed)
      let reading = RawStack.reading(diagnostic, stack: attribution.stack).stack
      #expect(reading.frames.count == 3)
      return SignatureBuilder().signature(of: reading, resolutions: [])
    }
    let whole = try scene(
      #""binaryUUID":"444F912B-06E7-395E-9E6E-D947B07401AC","binaryName":"SwiftUI","address":8000000000"#)
    let nameOnly = try scene(#""binaryName":"SwiftUI","address":8000000000"#)
    let nothing = try scene(#""address":8000000000"#)
    #expect(whole.id == nameOnly.id && nothing.id == whole.id)
    #expect(nothing.frames.map(\.token) == ["Shop!?", "?", "UIKitCore*"])
    #expect(try scene(#""address":8000000000"#, 128).id != whole.id)
  }

  @Test func `D.43 a wait at the top is told beside the function that waits`() {
    func scene(_ name: String, _ wait: [SceneFrame]) -> Scene { hang([.app("Shop.App.quit()"), .app(name)] + wait) }
    let mutex = [SceneFrame.system("libsystem_kernel.dylib", named: "__psynch_mutexwait")]
    let message = [SceneFrame.system("libsystem_kernel.dylib", named: "mach_msg2_trap")]
    let one = scene("Shop.Store.close()", mutex)
    #expect(areApart(one, scene("Shop.Mail.close()", mutex)))
    #expect(areEqual(one, scene("Shop.Store.close()", message), scene("Shop.Store.close()", [])))
    #expect(one.signature.carrier == "lock" && scene("Shop.Store.close()", message).signature.carrier == "ipc")
  }

  @Test func `G-08 one freeze is one problem whichever leaf was sampled`() {
    let leaves = ["libsystem_malloc.dylib", "libobjc.A.dylib", "CoreText", "QuartzCore", "libswiftCore.dylib"]
    let ids = leaves.map { hang([.app("Shop.List.layout()"), .system($0)]).signature.id }
    #expect(Set(ids).count == 1)
    #expect(areApart(hang([.app("Shop.List.layout()")]), hang([.app("Shop.Grid.layout()")])))
  }

  @Test func `G-16 a hang says which share of its samples its name stands for`() {
    let samples = [
      (path: Hangs.base + [.app("Shop.List.layout()")], count: UInt64(60)),
      (path: Hangs.base + [.app("Shop.Store.load()")], count: 40),
    ]
    let signature = Scene(kind: .hang, samples: samples).signature
    #expect(signature.blame == "Shop!List.layout()" && signature.dominance == 0.6)
    #expect(signature.paths.map(\.share) == [0.6, 0.4])
  }

  @Test func `G-21 every frame that does not count names the rule that says so`() {
    let signature = Scene(raise + [.system("UIKitCore"), .nowhere(0x10)] + mainThreadBase).signature
    #expect(signature.blame == nil && signature.frames.count == 13)
    #expect(signature.frames.allSatisfy { !$0.rule.isEmpty })
    let known = Set(Rules.standard.rules.map(\.id))
    #expect(signature.droppedFrames.filter(\.isSystem).allSatisfy { known.contains($0.rule) || $0.rule == "repeated" })
  }
}
