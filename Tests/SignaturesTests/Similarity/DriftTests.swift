import TestSupport
import Testing

@testable import Signatures

/// What it costs that signatures come in runs: clusters that were told are not taken back, so ten runs can end in other
/// clusters than one.
@Suite("Near duplicates that come in one run or in ten")
struct DriftTests {
  /// Planted problems and their variants: each signature with its problem.
  private struct Planted {
    var signatures: [NewSignature] = []
    var problem: [String: String] = [:]

    /// Stacks of 36 problems on 12 screens. Variants differ by an inlined call, a label, a step on the way, the caller furthest out
    /// or an image of the system; problems on one screen share all but their two innermost functions.
    init(seed: UInt64, withDetours: Bool) {
      var random = SeededGenerator(seed: seed)
      func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
      for problem in 0..<36 {
        let screen = problem % 12
        var seen: Set<AlignmentSequence> = []
        for _ in 0..<8 {
          var tokens = [
            AlignmentToken(.app, "App.Model\(problem % 20).act\(problem)(\(chance(3) ? "new" : "old"):)"),
            AlignmentToken(.app, "App.Screen\(screen).handle\(problem)()"),
          ]
          if chance(3) { tokens.insert(AlignmentToken(.app, "App.Tool.wrap()", isInlined: true), at: 1) }
          let detour = withDetours && chance(3) ? Int.random(in: 0..<5, using: &random) : 5
          for step in 0..<5 {
            tokens.append(
              AlignmentToken(.app, step == detour ? "App.Other.detour()" : "App.Screen\(screen).step\(step)()"))
          }
          tokens.append(AlignmentToken(.system, chance(2) ? "UIKitCore*" : "SwiftUI*"))
          tokens.append(AlignmentToken(.app, chance(3) ? "App.Link.open()" : "App.Scene.start()"))
          let sequence = AlignmentSequence(tokens)
          guard seen.insert(sequence).inserted else { continue }
          let id = "sig-\(1000 + Int.random(in: 0..<9000, using: &random))-\(signatures.count)"
          signatures.append(signature(id, sequence, diagnostics: Int.random(in: 1...50, using: &random)))
          self.problem[id] = "problem \(problem)"
        }
      }
    }
  }

  /// Judges `signatures` in `runs` runs, and gives back the cluster of each.
  private func clusters(_ signatures: [NewSignature], runs: Int) -> [String: String] {
    let judge = SimilarityJudge()
    var judged: [JudgedSignature] = []
    for run in 0..<runs {
      let new = signatures.enumerated().filter { $0.offset % runs == run }.map(\.element)
      let sequences = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0) })
      for judgement in judge.judge(new, judged: judged).judgements {
        if let signature = sequences[judgement.signature] { judged.append(signature.judged(in: judgement.cluster)) }
      }
    }
    return Dictionary(uniqueKeysWithValues: judged.map { ($0.id, $0.cluster) })
  }

  // The bounds are what was seen, less one in a hundred.
  @Test(
    "end in nearly the same clusters; strangers are never joined, in neither",
    arguments: [1, 2, 3] as [UInt64], [(withDetours: false, bound: 0.98), (withDetours: true, bound: 0.82)])
  func drift(seed: UInt64, kind: (withDetours: Bool, bound: Double)) {
    var planted = Planted(seed: seed, withDetours: kind.withDetours)
    var random = SeededGenerator(seed: seed &+ 100)
    planted.signatures.shuffle(using: &random)
    let one = clusters(planted.signatures, runs: 1)
    let ten = clusters(planted.signatures, runs: 10)
    #expect(bCubed(ten, one).f1 > kind.bound)
    #expect(bCubed(one, planted.problem).precision == 1)
    #expect(bCubed(ten, planted.problem).precision == 1)
  }
}
