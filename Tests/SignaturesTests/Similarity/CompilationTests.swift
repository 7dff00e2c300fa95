import Diagnostics
import Testing
import Workers

@testable import Signatures

@Suite("Signatures of two builds of one app")
struct CompilationTests {
  private let judge = SimilarityJudge()
  private static let names = ["S.Cart.apply()", "S.Checkout.submit()", "S.Screen.tapped()", "S.Router.open()"]

  /// A way through the named functions without those at `places`.
  private static func way(without places: Set<Int> = []) -> AlignmentSequence {
    AlignmentSequence(names.indices.filter { !places.contains($0) }.map { AlignmentToken(.app, names[$0]) })
  }
  private let whole = signature("a", way(), diagnostics: 9, builds: [1, 2])

  /// The cluster of a second signature, joined to a known first one and in one run with it.
  private func clusters(_ sequence: AlignmentSequence, builds: [UInt8]) -> [String?] {
    let other = signature("b", sequence, builds: builds)
    return [
      judge.judge([other], judged: [whole.judged()])["b"]?.cluster,
      judge.judge([whole, other], judged: [])["b"]?.cluster,
    ]
  }

  @Test(
    "may differ by one or two callers that the optimiser took",
    arguments: [[1], [2], [3], [1, 2], [2, 3]] as [Set<Int>])
  func vanished(places: Set<Int>) {
    #expect(clusters(CompilationTests.way(without: places), builds: [3]) == ["a", "a"])
  }

  @Test("do not when one build shows both: these are two ways", arguments: [[1], [3]] as [Set<Int>])
  func common(places: Set<Int>) {
    #expect(clusters(CompilationTests.way(without: places), builds: [2, 3]) == ["b", "b"])
    #expect(clusters(CompilationTests.way(without: places), builds: []) == ["b", "b"])
  }

  @Test("do not when the innermost function differs, when another stands in the place, or when nothing else is left")
  func more() {
    #expect(clusters(CompilationTests.way(without: [0]), builds: [3]) == ["b", "b"])
    #expect(clusters(CompilationTests.way(without: [1, 2, 3]), builds: [3]) == ["b", "b"])
    var other = CompilationTests.way().tokens
    (other[1].name, other[2].name) = ("S.Mail.send()", "S.Outbox.flush()")
    #expect(clusters(AlignmentSequence(other), builds: [3]) == ["b", "b"])
  }

  @Test("are apart when any member of the cluster was seen in the same build, one that stands for it or not")
  func wholeCluster() {
    let members = (0..<8).map { number in
      let tokens = CompilationTests.way().tokens + [AlignmentToken(.system, "System\(number)*")]
      return signature("c\(number)", AlignmentSequence(tokens), builds: number == 7 ? [3] : [1]).judged(in: "a")
    }
    let new = signature("b", CompilationTests.way(without: [1]), builds: [3])
    #expect(judge.judge([new], judged: [whole.judged()] + members)["b"]?.cluster == "b")
    #expect(judge.judge([new], judged: [whole.judged()] + members.dropLast())["b"]?.cluster == "a")
  }

  @Test("Two ways that one build shows do not join a cluster of another build both, nor does either")
  func rivals() {
    let one = signature("b", CompilationTests.way(without: [1]), builds: [3])
    let other = signature("c", CompilationTests.way(without: [2]), builds: [3])
    for order in [[one, other], [other, one]] {
      let verdict = judge.judge(order, judged: [whole.judged()])
      #expect(verdict.judgements.map(\.cluster) == ["b", "c"])
      #expect(verdict.judgements.allSatisfy { $0.barrier == .ambiguous })
      #expect(verdict.suggestions.contains { $0.first == "a" && $0.second == "b" })
    }
  }

  @Test("Each of two ways finds its own of another build, in which both lost a caller; in any order, on any workers")
  func crossed() {
    let long = (0..<3).map { AlignmentToken(.app, "S.Outer\($0).run()") }
    func way(_ names: String..., outer: Int) -> AlignmentSequence {
      AlignmentSequence(names.map { AlignmentToken(.app, $0) } + long.prefix(outer))
    }
    let new = [
      signature("a", way("S.Box.fetch()", "S.Box.restore()", "S.Box.open()", outer: 3), builds: [1]),
      signature("b", way("S.Box.fetch()", "S.Box.open()", outer: 3), builds: [1]),
      signature("c", way("S.Box.fetch()", "S.Box.restore()", "S.Box.open()", outer: 2), builds: [2]),
      signature("d", way("S.Box.fetch()", "S.Box.open()", outer: 2), builds: [2]),
    ]
    let verdict = judge.judge(new, judged: [])
    #expect(verdict.judgements.map(\.cluster) == ["a", "b", "a", "b"])
    #expect(SimilarityJudge(workers: Workers(4)).judge(new.reversed(), judged: []) == verdict)
  }

  @Test("A label is renamed between builds; two labels in one build are two functions")
  func labels() {
    func move(_ label: String) -> AlignmentSequence {
      AlignmentSequence(
        [AlignmentToken(.app, "S.Arm.move(\(label):)")] + CompilationTests.way().tokens)
    }
    let to = signature("a", move("to"), builds: [1])
    #expect(judge.judge([signature("b", move("by"), builds: [2])], judged: [to.judged()])["b"]?.cluster == "a")
    #expect(judge.judge([signature("b", move("by"), builds: [1, 2])], judged: [to.judged()])["b"]?.cluster == "b")
    // Whatever tells that the build has both: here another stack, of another kind.
    let both = signature("h", sequence("S.Arm.move(by:)", "S.X.y()"), kind: .hang, family: .hang, builds: [1]).judged()
    #expect(judge.judge([signature("b", move("by"), builds: [2])], judged: [to.judged(), both])["b"]?.cluster == "b")
  }

  @Test("One without debug information joins a cluster of which one member inlined its innermost call, and another not")
  func oneMemberIsEnough() {
    let inlined = AlignmentSequence(
      [AlignmentToken(.app, "S.Box.fetch()", isInlined: true)] + CompilationTests.way().tokens)
    let called = AlignmentSequence(
      [AlignmentToken(.app, "S.Box.fetch()")] + CompilationTests.way(without: [0]).tokens)
    let plain = AlignmentSequence(
      CompilationTests.way().tokens.map { AlignmentToken(.app, $0.name, knowsInlining: false) })
    let new = [
      signature("a", inlined, diagnostics: 9, builds: [1]), signature("b", called, builds: [2]),
      signature("c", plain, builds: [3]),
    ]
    #expect(judge.judge(new, judged: []).judgements.map(\.cluster) == ["a", "a", "a"])
    let verdict = judge.judge([new[2]], judged: [new[0].judged(), new[1].judged(in: "a")])
    #expect(verdict["c"]?.cluster == "a")
  }

  @Test("Two labels of one build do not both join what cannot tell inlined calls")
  func plainRivals() {
    let plain = AlignmentSequence(
      CompilationTests.way().tokens.map { AlignmentToken(.app, $0.name, knowsInlining: false) })
    let new = ["to", "by"].map { label in
      signature(
        label,
        AlignmentSequence(
          [AlignmentToken(.app, "S.Arm.move(\(label):)", isInlined: true)] + CompilationTests.way().tokens), builds: [2]
      )
    }
    let verdict = judge.judge(new, judged: [signature("a", plain, builds: [1]).judged()])
    #expect(verdict.judgements.allSatisfy { $0.outcome == .founded && $0.barrier == .ambiguous })
  }
}
