import Signatures
import TestSupport
import Testing

private func outcome(_ old: String, _ new: String, _ diagnostics: Int) -> RulesChurn.Outcome {
  RulesChurn.Outcome(
    old: .init(id: old, title: "title of " + old), new: .init(id: new, title: "title of " + new),
    diagnostics: diagnostics)
}

@Suite("What other rules would change is told")
struct RulesChurnTests {
  @Test("Equal rules change nothing; of nothing there is no share")
  func nothing() {
    let churn = RulesChurn([outcome("a", "a", 5), outcome("b", "b", 1)])
    #expect(churn.changes.isEmpty && churn.share == 0 && churn.diagnostics == 6 && churn.rawStacks == 2)
    #expect(RulesChurn([]).share == nil)
  }

  @Test("A cluster that goes on under a new id moves nobody")
  func renamed() {
    let churn = RulesChurn([outcome("a", "x", 5), outcome("a", "x", 2), outcome("b", "b", 3)])
    #expect(churn.changes.map(\.kind) == [.renamed] && churn.changes[0].diagnostics == 7)
    #expect(churn.moved == 0 && churn.renamed == 7 && churn.share == 0)
  }

  @Test("Into one that is there, or into a new one with a larger cluster, the smaller joins")
  func joined() {
    let known = RulesChurn([outcome("a", "b", 4), outcome("b", "b", 6)])
    #expect(known.changes.map(\.kind) == [.joined] && known.moved == 4 && known.share == 0.4)
    let new = RulesChurn([outcome("a", "x", 4), outcome("b", "x", 6)])
    #expect(new.changes.map(\.kind) == [.renamed, .joined] && new.changes[0].old.id == "b" && new.moved == 4)
  }

  @Test("Of one that is split the larger part keeps the cluster, unless some keep its id")
  func split() {
    let gone = RulesChurn([outcome("a", "x", 7), outcome("a", "y", 3)])
    #expect(gone.changes.map(\.kind) == [.renamed, .split] && gone.moved == 3)
    let stays = RulesChurn([outcome("a", "a", 1), outcome("a", "x", 9)])
    #expect(stays.changes.map(\.kind) == [.split] && stays.moved == 9)
  }

  @Test("The order of the raw stacks does not matter")
  func order() {
    var random = SeededGenerator(seed: 3)
    var outcomes = (0..<60).map { _ in
      outcome(
        "o\(random.next() % 9)", "\("on".randomElement(using: &random)!)\(random.next() % 9)", Int(random.next() % 5))
    }
    let churn = RulesChurn(outcomes)
    for _ in 0..<20 {
      outcomes.shuffle(using: &random)
      #expect(RulesChurn(outcomes) == churn)
    }
    #expect(churn.moved + churn.renamed <= churn.diagnostics)
  }
}
