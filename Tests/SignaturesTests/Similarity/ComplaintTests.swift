import Diagnostics
import TestSupport
import Testing

@testable import Signatures

/// What users of other tools complained about, as far as it concerns what is joined with what. The numbers are those of the
/// public issue trackers.
@Suite("Public complaints about groups do not come true:")
struct ComplaintTests {
  /// The clusters of scenes, judged together as new signatures; `before` were judged in an earlier run.
  private func clusters(_ scenes: [Scene], before: [Scene] = []) -> (clusters: [String], verdict: Verdict) {
    let reader = AlignmentReader(rules: .standard)
    func new(_ scenes: [Scene]) -> [NewSignature] {
      var seen: Set<String> = []
      return scenes.map(\.signature).filter { seen.insert($0.id).inserted }.map {
        NewSignature($0, cluster: $0.id, diagnostics: 1, reader: reader)
      }
    }
    let judge = SimilarityJudge()
    let first = judge.judge(new(before), judged: [])
    let judged = zip(new(before).sorted { $0.id < $1.id }, first.judgements).filter { $0.1.sequence != nil }
      .map { $0.0.judged(in: $0.1.cluster) }
    let verdict = judge.judge(new(scenes).filter { one in !judged.contains { $0.id == one.id } }, judged: judged)
    return (
      scenes.map { scene in
        let id = scene.signature.id
        return verdict[id]?.cluster ?? judged.first { $0.id == id }?.cluster ?? id
      }, verdict
    )
  }

  private func isOne(_ scenes: Scene...) -> Bool { Set(clusters(scenes).clusters).count == 1 }
  private func areApart(_ scenes: Scene...) -> Bool { Set(clusters(scenes).clusters).count == scenes.count }

  private static let way: [SceneFrame] = [
    .app("Shop.Checkout.submit()"), .app("Shop.Checkout.confirm()"), .app("Shop.Screen.tapped()"),
    .app("Shop.Router.open()"), .system("UIKitCore"),
  ]

  @Test("appcenter 1931: two crashes below objc_msgSend are two")
  func messageSend() {
    #expect(
      areApart(
        Scene([.system("libobjc.A.dylib", 0x10), .app("Shop.A.one()"), .app("Shop.A.two()")] + mainThreadBase),
        Scene([.system("libobjc.A.dylib", 0x10), .app("Shop.B.three()"), .app("Shop.B.four()")] + mainThreadBase)))
  }

  @Test("oss-fuzz 3787, 5516, 8389: two of three frames do not make one bug")
  func twoOfThree() {
    #expect(
      areApart(
        Scene([.app("parse_block"), .app("read_list"), .app("load_file")]),
        Scene([.app("parse_inline"), .app("read_list"), .app("load_file")]),
        Scene([.app("parse_table"), .app("read_list"), .app("load_file")])))
  }

  @Test("oss-fuzz 5516: what is similar in turn is not joined as a chain")
  func chain() {
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

  @Test("bugsnag-cocoa 226: functions without names are not equal")
  func placeholders() {
    #expect(areApart(Scene([.bare(0x100)] + ComplaintTests.way), Scene([.bare(0x200)] + ComplaintTests.way)))
  }

  @Test("syzkaller 6081, 3418: a helper that everybody calls attracts nobody")
  func helpers() {
    let scenes = (0..<40).map { number in
      Scene([.app("Shop.Log.write()"), .app("Shop.Log.flush()"), .app("Shop.T\(number).run()")] + mainThreadBase)
    }
    #expect(Set(clusters(scenes).clusters).count == scenes.count)
  }

  @Test("oss-fuzz 1036: the reason alone joins nothing; appcenter 1931: nor does it stay out of the comparison")
  func reasons() {
    let one = Scene([.app("Shop.Cart.apply()")] + ComplaintTests.way, exceptionType: 1, signal: 11)
    let other = Scene([.app("Shop.Cart.apply()")] + ComplaintTests.way, exceptionType: 10, signal: 6)
    #expect(areApart(one, other))
  }

  @Test("Mozilla 1788269: builds with and without inlined frames are one")
  func inlined() {
    let with = Scene([.app("Shop.Cart.apply()"), .app("Shop.Money.round()", "Shop.Cart.total()")] + ComplaintTests.way)
    let without = Scene([.app("Shop.Cart.apply()"), .app("Shop.Cart.total()")] + ComplaintTests.way)
    #expect(isOne(with, without))
    // The function that is missing must have been inlined: one more real call of another name may be another bug.
    let real = Scene(
      [.app("Shop.Tax.add()"), .app("Shop.Cart.apply()"), .app("Shop.Cart.total()")] + ComplaintTests.way)
    #expect(areApart(real, without))
  }

  @Test("siggen 1791509: the innermost inlined function may be missing in a build that does not know it")
  func innermostInlined() {
    let with = Scene([.app("Shop.Money.round()", "Shop.Cart.total()"), .app("Shop.Cart.show()")] + ComplaintTests.way)
    let without = Scene([.app("Shop.Cart.total()"), .app("Shop.Cart.show()")] + ComplaintTests.way)
    let (found, verdict) = clusters([with, without])
    // Joined or told, never a fresh problem without a word (abrt 1402).
    #expect(found[0] == found[1] || !verdict.suggestions.isEmpty)
  }

  @Test("a renamed label is no new problem; a function of another name is")
  func renamed() {
    #expect(
      isOne(
        Scene([.app("Shop.Cart.apply(coupon:)")] + ComplaintTests.way),
        Scene([.app("Shop.Cart.apply(code:)")] + ComplaintTests.way)))
    #expect(
      areApart(
        Scene([.app("Shop.Cart.apply(coupon:)")] + ComplaintTests.way),
        Scene([.app("Shop.Cart.remove(coupon:)")] + ComplaintTests.way)))
  }

  @Test("sentry-cocoa 7788: other images of the system around the same code do not split it")
  func system() {
    func scene(_ label: String, _ system: [SceneFrame]) -> Scene {
      Scene(
        [.app("Shop.Cart.apply(\(label):)"), .app("Shop.Cart.check()")] + system
          + [.app("Shop.Screen.body()"), .app("Shop.Router.open()")] + mainThreadBase)
    }
    let one = scene("coupon", [.system("SwiftUI")])
    let other = scene("code", [.system("SwiftUICore"), .system("AttributeGraph"), .system("UIKitCore")])
    #expect(clusters([other], before: [one]).clusters == [one.signature.id])
  }

  @Test("abrt 1402: a suspected duplicate is joined or told")
  func suspected() {
    let one = Scene([.app("Shop.Cart.apply()")] + ComplaintTests.way)
    let other = Scene([.app("Shop.Cart.check()"), .app("Shop.Cart.apply()")] + ComplaintTests.way)
    let (found, verdict) = clusters([other], before: [one])
    #expect(found == [other.signature.id])
    #expect(verdict.suggestions.map { Set([$0.first, $0.second]) } == [Set([one.signature.id, other.signature.id])])
  }

  @Test("mozilla-mobile 32164: stacks that tell nothing never gather others")
  func nothing() {
    let empty = Scene([.system("libsystem_kernel.dylib")] + mainThreadBase)
    let other = Scene([.system("libsystem_kernel.dylib", 0x2000)] + mainThreadBase)
    let verdict = clusters([empty, other]).verdict
    #expect(verdict.judgements.allSatisfy { $0.barrier == .lowInformation && $0.sequence == nil })
  }

  @Test("hangs are compared by their dominating function and the way to it, whatever runs below")
  func hangs() {
    let way: [SceneFrame] = [
      .app("Shop.Main.run()"), .app("Shop.Router.open()"), .app("Shop.Screen.tapped()"),
      .app("Shop.Checkout.confirm()"),
    ]
    func hang(_ way: [SceneFrame], _ name: String, _ below: [String]) -> Scene {
      Scene(kind: .hang, samples: below.map { (way + [.app(name), .app($0)], 10) })
    }
    let one = hang(way, "Shop.Index.rebuild(all:)", ["Shop.A.a()", "Shop.B.b()", "Shop.C.c()"])
    let other = hang(way, "Shop.Index.rebuild(some:)", ["Shop.D.d()", "Shop.E.e()", "Shop.F.f()"])
    let stranger = hang(way, "Shop.Mail.sort()", ["Shop.A.a()", "Shop.B.b()", "Shop.C.c()"])
    #expect(one.signature.id != other.signature.id)
    #expect(isOne(one, other))
    #expect(areApart(one, stranger))
  }
}
