import Testing
import Workers

@testable import Signatures

@Suite("A signature of a build without debug information")
struct InlinedTests {
  private let judge = SimilarityJudge()
  private static let way = ["S.Office.work()", "S.Office.open()", "S.start()"]
  /// What a symbol table shows of all that dies in a call that was inlined into `work`.
  private static let plain = AlignmentSequence(way.map { AlignmentToken(.app, $0, knowsInlining: false) })

  /// What debug information shows of a death in `innermost`.
  private static func rich(_ innermost: String) -> AlignmentSequence {
    AlignmentSequence([AlignmentToken(.app, innermost, isInlined: true)] + way.map { AlignmentToken(.app, $0) })
  }
  private let poor = signature("p", plain)
  private let read = signature("r", rich("S.Office.read()"))
  private let erase = signature("e", rich("S.Office.erase()"))

  @Test("joins the one that has inlined calls besides, and is joined by it, in any order")
  func joins() {
    #expect(judge.judge([poor], judged: [read.judged()])["p"]?.cluster == "r")
    #expect(judge.judge([read], judged: [poor.judged()])["r"]?.cluster == "p")
    let batch = judge.judge([poor, read], judged: [])
    #expect(batch["p"]?.cluster == batch["r"]?.cluster)
  }

  @Test("is found by one with inlined calls that outweigh all else")
  func found() {
    let calls = (0..<8).map { AlignmentToken(.app, "S.Inner\($0).run()", isInlined: true) }
    let deep = signature("d", AlignmentSequence(calls + InlinedTests.way.map { AlignmentToken(.app, $0) }))
    #expect(judge.judge([deep], judged: [poor.judged()])["d"]?.cluster == "p")
  }

  @Test("without it, an inlined call counts: with debug information both would show it")
  func bothKnow() {
    let bare = signature("b", AlignmentSequence(InlinedTests.way.map { AlignmentToken(.app, $0) }))
    #expect(judge.judge([bare], judged: [read.judged()])["b"]?.outcome == .founded)
  }

  @Test("never brings two together that differ in an inlined call: known before")
  func knownFirst() {
    let bridge = [poor.judged(), read.judged(in: "p")]
    #expect(judge.judge([erase], judged: bridge)["e"]?.barrier == .otherBlame)
    #expect(judge.judge([erase], judged: bridge)["e"]?.cluster == "e")
  }

  @Test("… known last: it fits both, and joins neither")
  func knownLast() {
    let verdict = judge.judge([poor], judged: [read.judged(), erase.judged()])
    #expect(verdict["p"]?.outcome == .founded && verdict["p"]?.barrier == .ambiguous)
    #expect(verdict.suggestions.count == 2)
  }

  @Test("… known, and both come at once: neither joins")
  func rivals() {
    for order in [[read, erase], [erase, read]] {
      let verdict = judge.judge(order, judged: [poor.judged()])
      #expect(verdict["r"]?.barrier == .ambiguous && verdict["r"]?.cluster == "r")
      #expect(verdict["e"]?.barrier == .ambiguous && verdict["e"]?.cluster == "e")
    }
  }

  @Test("… all three in one run, in any order and on any number of workers: all stay apart")
  func batch() {
    let expected = judge.judge([poor, read, erase], judged: [])
    #expect(Set(expected.judgements.map(\.cluster)) == ["p", "r", "e"])
    for order in [[erase, read, poor], [read, poor, erase], [erase, poor, read]] {
      #expect(judge.judge(order, judged: []) == expected)
      #expect(SimilarityJudge(workers: Workers(4)).judge(order, judged: []) == expected)
    }
  }

  @Test("… of which the one that tells more is hidden behind more members than stand for a cluster")
  func exemplars() {
    let others = (0..<9).map { number in
      signature(
        "a\(number)", AlignmentSequence(InlinedTests.plain.tokens + [AlignmentToken(.system, "System\(number)*")])
      )
      .judged(in: "p")
    }
    #expect(judge.judge([erase], judged: [poor.judged(), read.judged(in: "p")] + others)["e"]?.cluster == "e")
  }

  @Test("Two that each end in an inlined call that the other has not end in two places")
  func twoEnds() {
    let long = (0..<20).map { AlignmentToken(.app, "S.Step\($0).run()") }
    let one = AlignmentSequence([AlignmentToken(.app, "readFile()", isInlined: true)] + long)
    let other = AlignmentSequence([AlignmentToken(.app, "eraseAll()", isInlined: true)] + long)
    #expect(judge.judge([signature("b", other)], judged: [signature("a", one).judged()])["b"]?.barrier == .otherBlame)
  }

  @Test("A call that was inlined in one build of a signature can be missing elsewhere, and what a build knows is kept")
  func completed() {
    let physical = AlignmentSequence(
      [AlignmentToken(.system, "System*")]
        + InlinedTests.rich("S.Office.read()").tokens.map { AlignmentToken(.app, $0.name, knowsInlining: false) })
    let both = physical.completed(by: InlinedTests.rich("S.Office.read()"))
    #expect(both.tokens.map(\.isInlined) == [false, true, false, false, false])
    #expect(both.tokens.dropFirst().allSatisfy { $0.knowsInlining })
    #expect(AlignmentSequence(decoding: both.encoded) == both)
    #expect(AlignmentSequence(decoding: InlinedTests.plain.encoded) == InlinedTests.plain)
    #expect(AlignmentSequence(decoding: "axname") == nil)
  }
}
