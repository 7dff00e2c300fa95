import TestSupport
import Testing

@testable import Signatures

@Suite("Candidates and groups")
struct CandidateTests {
  // Other numbers must not break the bound, so each seed has its own.
  @Test("miss nothing that reaches the threshold", arguments: 1...4 as ClosedRange<UInt64>)
  func complete(seed: UInt64) {
    var maker = SequenceMaker(seed: seed)
    let sequences = maker.sequences(80)
    var parameters = SimilarityParameters()
    parameters.candidateLimit = .max
    if seed == 2 { (parameters.typeCredit, parameters.entityCredit) = (700_000, 900_000) }
    if seed == 3 { (parameters.alpha, parameters.gamma, parameters.lightGap) = (1.5, 0, 0) }
    if seed == 4 { (parameters.beta, parameters.priorProblems, parameters.frameworkWeight) = (20, 0, 1.4) }
    var weighing = Weighing(parameters, TokenFrequencies(judged: [], new: sequences))
    let weighed = sequences.map { weighing.weigh($0) }
    let index = CandidateIndex(parameters, weighed)
    let aligner = Aligner(parameters)
    let scores = weighed.map { one in weighed.map { aligner.score(one, $0) } }
    var reached = 0
    var passedOver = 0
    for threshold in [250_000, 500_000, 650_000, 800_000, 950_000] {
      for (number, sequence) in weighed.enumerated() where !sequence.tokens.isEmpty {
        let found = Set(index.candidates(for: sequence, reaching: threshold).found)
        let needed = weighed.indices.filter { scores[number][$0] >= threshold }
        #expect(found.isSuperset(of: needed), "\(number) at \(threshold)")
        reached += needed.count
        passedOver += weighed.count - found.count
      }
    }
    #expect(reached > 400)
    #expect(passedOver > reached)
  }

  @Test("that cannot tell inlined calls are not missed for those of the other", arguments: 1...4 as ClosedRange<UInt64>)
  func plain(seed: UInt64) {
    var maker = SequenceMaker(seed: seed)
    let sequences = maker.sequences(80).filter { !$0.tokens.isEmpty }
    var parameters = SimilarityParameters()
    parameters.candidateLimit = .max
    if seed == 3 { (parameters.alpha, parameters.gamma, parameters.lightGap) = (1.5, 0, 0) }
    var weighing = Weighing(parameters, TokenFrequencies(judged: [], new: sequences))
    let weighed = sequences.map { weighing.weigh($0) }
    let plain = sequences.map { one in
      let tokens = one.tokens.filter { !$0.isInlined }
      return weighing.weigh(
        AlignmentSequence(tokens.map { AlignmentToken($0.frameClass, $0.name, knowsInlining: false) }))
    }
    let index = CandidateIndex(parameters, plain)
    let aligner = Aligner(parameters)
    var gained = 0
    for threshold in [500_000, 650_000, 800_000, 950_000] {
      for (number, sequence) in weighed.enumerated() {
        let found = Set(index.candidates(for: sequence, reaching: threshold, sparingInlined: true).found)
        for other in plain.indices where aligner.likeness(sequence, plain[other]) >= threshold {
          #expect(found.contains(other), "\(number) and \(other) at \(threshold)")
          if aligner.score(sequence, plain[other]) < threshold { gained += 1 }
        }
      }
    }
    #expect(gained > 0)
  }

  @Test(
    "of other builds are not missed for callers that may have vanished", arguments: 1...4 as ClosedRange<UInt64>)
  func vanished(seed: UInt64) {
    var maker = SequenceMaker(seed: seed)
    let sequences = maker.sequences(120).filter { !$0.tokens.isEmpty }
    let signatures = sequences.enumerated().map { signature("s\($0)", $1, builds: [UInt8($0 % 5)]) }
    var parameters = SimilarityParameters()
    parameters.candidateLimit = .max
    if seed == 2 { (parameters.typeCredit, parameters.entityCredit) = (700_000, 900_000) }
    if seed == 3 { (parameters.alpha, parameters.gamma, parameters.vanishedGap) = (1.5, 0, 0) }
    if seed == 4 { parameters.vanishedCallers = 4 }
    var weighing = Weighing(
      parameters, TokenFrequencies(judged: [], new: sequences), Compilations(judged: [], new: signatures))
    let weighed = signatures.map { weighing.weigh($0.sequence, in: $0.compilations) }
    let index = CandidateIndex(parameters, weighed)
    let aligner = Aligner(parameters)
    var gained = 0
    for threshold in [500_000, 650_000, 800_000, 950_000] {
      for (number, sequence) in weighed.enumerated() {
        let found = Set(index.candidates(for: sequence, reaching: threshold).found)
        // Of two that share no rare function nothing is made.
        for other in weighed.indices
        where aligner.isSpared(sequence, weighed[other], at: threshold)
          && sequence.sharesRareFrame(with: weighed[other]) && sequence.knowsInlining == weighed[other].knowsInlining
        {
          #expect(found.contains(other), "\(number) and \(other) at \(threshold)")
          gained += 1
        }
      }
    }
    #expect(gained > 0)
  }

  @Test("of a large set are few, and do not grow with it when only boilerplate is shared")
  func selective() {
    func found(_ count: Int) -> Int {
      let sequences = (0..<count).map {
        sequence("S.T\($0).a()", "S.T\($0).b()", "S.U\($0).c()", "S.Main.loop()", "S.App.run()")
      }
      let parameters = SimilarityParameters()
      var weighing = Weighing(parameters, TokenFrequencies(judged: [], new: sequences))
      let weighed = sequences.map { weighing.weigh($0) }
      return CandidateIndex(parameters, weighed).candidates(for: weighed[7], reaching: parameters.suggest).found.count
    }
    #expect(found(100) == 1 && found(2000) == 1)
  }

  @Test("are cut at the limit, and that is told")
  func limited() {
    var parameters = SimilarityParameters()
    parameters.candidateLimit = 10
    parameters.beta = 1
    let new = (0..<50).map { number in
      signature(
        "s\(1000 + number)",
        sequence("S.A.a()", "S.B.b()", "S.C.c()", "S.D.d()", "S.E.e()", "S.F.f()", "S.G.g()", "S.H\(number).x()"))
    }
    let verdict = SimilarityJudge(parameters).judge(new, judged: [])
    #expect(verdict.limited == 50)
    #expect(verdict == SimilarityJudge(parameters).judge(new.reversed(), judged: []))
    #expect(SimilarityJudge().judge(new, judged: []).limited == 0)
  }

  @Test("Groups have no two members that are not alike, and no two groups could be one")
  func linkage() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let count = 14
      var pairs: [(first: Int, second: Int, score: Int)] = []
      for i in 0..<count {
        for j in i + 1..<count where Int.random(in: 0..<3, using: &random) > 0 {
          pairs.append((i, j, Int.random(in: 800...805, using: &random)))
        }
      }
      let alike = Set(pairs.map { [$0.first, $0.second] })
      let groups = CompleteLinkage.groups(of: count, pairs: pairs)
      #expect(groups.flatMap { $0 }.sorted() == Array(0..<count))
      func isClique(_ group: [Int]) -> Bool {
        let sorted = group.sorted()
        return sorted.indices.allSatisfy { i in
          sorted.indices.allSatisfy { j in i >= j || alike.contains([sorted[i], sorted[j]]) }
        }
      }
      #expect(groups.allSatisfy(isClique))
      for (i, one) in groups.enumerated() {
        for other in groups[(i + 1)...] { #expect(!isClique(one + other)) }
      }
      #expect(CompleteLinkage.groups(of: count, pairs: pairs.shuffled(using: &random)) == groups)
    }
  }

  @Test("The most similar pair goes first; a chain is no group")
  func chain() {
    let chain = [
      (first: 0, second: 1, score: 900), (first: 1, second: 2, score: 950), (first: 2, second: 3, score: 900),
    ]
    #expect(CompleteLinkage.groups(of: 4, pairs: chain) == [[0], [1, 2], [3]])
    let tie = [(first: 0, second: 1, score: 900), (first: 1, second: 2, score: 900)]
    #expect(CompleteLinkage.groups(of: 3, pairs: tie) == [[0, 1], [2]])
  }
}
