import Diagnostics
import TestSupport
import Testing
import Workers

@testable import Signatures

@Suite("A new signature")
struct JudgeTests {
  private let judge = SimilarityJudge()
  /// A stack of nine functions, innermost first, of which number `place` is `name` instead.
  private static func stack(_ place: Int? = nil, _ name: String = "S.Other.step()") -> AlignmentSequence {
    var names = [
      "S.Cart.apply(coupon:)", "S.Checkout.submit()", "S.Checkout.confirm()", "S.Screen.tapped()", "S.Router.open()",
      "S.Scene.start()", "S.Window.show()", "S.Flow.begin()", "S.App.run()",
    ]
    if let place { names[place] = name }
    return AlignmentSequence(names.map { AlignmentToken(.app, $0) })
  }
  private static let known = stack()
  /// Another caller far out.
  private static let moved = stack(7)
  private let founder = signature("a", known, diagnostics: 5).judged()

  @Test("that is nearly a known one joins its cluster, and says with which score")
  func attach() throws {
    let judgement = try #require(judge.judge([signature("b", JudgeTests.moved)], judged: [founder])["b"])
    #expect(judgement.outcome == .attached && judgement.cluster == "a" && judgement.barrier == nil)
    let best = try #require(judgement.best)
    #expect(best.cluster == "a" && best.exemplar == "a" && best.score == best.average)
    #expect(best.score >= 800_000 && best.score < 1_000_000)
    #expect(judgement.sequence == JudgeTests.moved)
  }

  @Test("that is only similar founds a cluster, and the merger is suggested")
  func suggest() throws {
    let similar = JudgeTests.stack(2)
    let verdict = judge.judge([signature("b", similar)], judged: [founder])
    let judgement = try #require(verdict["b"])
    #expect(judgement.outcome == .founded && judgement.cluster == "b" && judgement.barrier == .belowThreshold)
    #expect(verdict.suggestions == [SuggestedMerge("b", "a", score: try #require(judgement.best).score)])
  }

  @Test("that is a stranger founds a cluster without a word")
  func stranger() {
    let verdict = judge.judge([signature("b", sequence("S.Mail.send()", "S.Outbox.flush()"))], judged: [founder])
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.best == nil && verdict["b"]?.barrier == nil)
    #expect(verdict.suggestions.isEmpty)
  }

  @Test("between two clusters joins neither; both are suggested, and they are never joined by it")
  func ambiguous() {
    let twin = signature("c", JudgeTests.known).judged()
    let verdict = judge.judge([signature("b", JudgeTests.moved)], judged: [founder, twin])
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.barrier == .ambiguous)
    #expect(verdict["b"]?.best?.cluster == "a" && verdict["b"]?.runnerUp?.cluster == "c")
    #expect(verdict.suggestions.map { [$0.first, $0.second] } == [["a", "b"], ["b", "c"]])
  }

  @Test("is not pulled into a cluster by one odd member")
  func oddExemplar() {
    let others = (0..<4).map {
      signature("z\($0)", sequence("S.Mail.send\($0)()", "S.Outbox.flush()", "S.App.run()")).judged(in: "z0")
    }
    let odd = signature("y", JudgeTests.known).judged(in: "z0")
    let verdict = judge.judge([signature("b", JudgeTests.moved)], judged: others + [odd])
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.barrier == .oddExemplar)
  }

  @Test("with the same way to it but another innermost function joins nothing: people read the innermost")
  func otherBlame() {
    let deep = AlignmentSequence(JudgeTests.known.tokens + (0..<3).map { AlignmentToken(.app, "S.Outer\($0).x()") })
    let sibling = AlignmentSequence([AlignmentToken(.app, "S.Cart.remove()")] + deep.tokens.dropFirst())
    let verdict = judge.judge([signature("b", sibling)], judged: [signature("a", deep).judged()])
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.barrier == .otherBlame)
    #expect(verdict.suggestions.count == 1)
    // Among new ones just as well.
    let both = judge.judge([signature("a", deep), signature("b", sibling)], judged: [])
    #expect(both.judgements.map(\.outcome) == [.founded, .founded] && both.suggestions.count == 1)
  }

  @Test("that shares only boilerplate is passed over")
  func boilerplate() {
    var judged = (0..<400).map { number in
      signature("k\(1000 + number)", sequence("S.X\(number).x()", "S.Log.write()", "S.Log.flush()")).judged()
    }
    judged.append(signature("a", sequence("S.Log.write()", "S.Log.flush()")).judged())
    let verdict = judge.judge(
      [signature("b", sequence("S.Log.write()", "S.Log.flush()"))], judged: judged)
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.barrier == .noRareFrame)
    #expect(verdict.suggestions.isEmpty)
  }

  @Test(
    "that tells too little, or has no names yet, joins nothing and attracts nothing",
    arguments: [Judgement.Barrier.lowInformation, .provisionalOnly])
  func barriers(barrier: Judgement.Barrier) {
    let verdict = judge.judge(
      [signature("b", JudgeTests.known, barrier: barrier), signature("c", JudgeTests.known)], judged: [])
    #expect(verdict["b"]?.outcome == .founded && verdict["b"]?.barrier == barrier && verdict["b"]?.sequence == nil)
    #expect(verdict["c"]?.outcome == .founded)
    #expect(judge.judge([signature("b", JudgeTests.known, barrier: barrier)], judged: [founder])["b"]?.cluster == "b")
  }

  @Test("of another kind or reason family is never compared")
  func families() {
    let new = [
      signature("b", JudgeTests.known, family: .abort), signature("c", JudgeTests.known, kind: .hang, family: .hang),
    ]
    let verdict = judge.judge(new, judged: [founder])
    #expect(verdict.judgements.allSatisfy { $0.outcome == .founded && $0.best == nil })
    #expect(verdict.suggestions.isEmpty)
  }

  @Test("that is alike with others that are new forms a cluster with them, under the most frequent")
  func linked() {
    let new = [
      signature("b", JudgeTests.known, diagnostics: 2), signature("c", JudgeTests.moved, diagnostics: 7),
      signature("d", sequence("S.Mail.send()", "S.Outbox.flush()"), diagnostics: 90),
    ]
    let verdict = judge.judge(new, judged: [])
    #expect(verdict.judgements.map(\.cluster) == ["c", "c", "d"])
    #expect(verdict.judgements.map(\.outcome) == [.linked, .founded, .founded])
    // Equal counts: the lesser id.
    #expect(judge.judge(new.map { signature($0.id, $0.sequence) }, judged: [])["c"]?.cluster == "b")
  }

  @Test("that continues a known cluster stays there, whatever it is similar to")
  func continued() {
    let verdict = judge.judge([signature("b", JudgeTests.moved, cluster: "old")], judged: [founder])
    #expect(verdict["b"]?.outcome == .continued && verdict["b"]?.cluster == "old")
    #expect(verdict.suggestions.map { [$0.first, $0.second] } == [["a", "old"]])
  }

  @Test("goes where somebody said")
  func pinned() {
    let new = [signature("b", JudgeTests.moved), signature("c", sequence("S.Mail.send()", "S.X.y()"))]
    let verdict = judge.judge(new, judged: [founder], pins: ["b": "b", "c": "a"])
    #expect(verdict.judgements.map(\.outcome) == [.pinned, .pinned])
    #expect(verdict.judgements.map(\.cluster) == ["b", "a"])
  }

  @Test("is judged the same in any order, on any number of threads")
  func determinism() {
    var maker = SequenceMaker(seed: 11)
    let sequences = maker.sequences(44)
    let all = sequences.enumerated().filter { !$0.element.tokens.isEmpty }.map { number, sequence in
      signature(
        "s\(1000 + number)", sequence, diagnostics: number % 3 + 1, family: number % 2 == 0 ? .badAccess : .trap,
        barrier: number % 17 == 0 ? .lowInformation : nil)
    }
    let judged = all.prefix(16).map { $0.judged() }
    let new = Array(all.dropFirst(16))
    let wanted = judge.judge(new, judged: judged)
    #expect(Set(wanted.judgements.map(\.outcome)).isSuperset(of: [.attached, .linked, .founded] as Set))
    #expect(!wanted.suggestions.isEmpty)
    for round in 0..<100 {
      let shuffled = SimilarityJudge(workers: Workers(1 + round % 2)).judge(
        new.shuffled(using: &maker.random), judged: judged.shuffled(using: &maker.random))
      #expect(shuffled == wanted)
    }
  }
}
