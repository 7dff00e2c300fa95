import Diagnostics
import Identity
import Signatures
import TestSupport

/// A sequence of functions of the app, innermost first; `inlined` names those that the compiler put into their callers.
func sequence(_ names: String..., inlined: Set<String> = []) -> AlignmentSequence {
  AlignmentSequence(
    names.map { name in
      if name.hasSuffix("*") { return AlignmentToken(.system, name) }
      return AlignmentToken(.app, name, isInlined: inlined.contains(name))
    })
}

/// A new signature called `id`.
func signature(
  _ id: String, _ sequence: AlignmentSequence, cluster: String? = nil, diagnostics: Int = 1,
  kind: DiagnosticKind = .crash, family: ReasonClass.Family = .badAccess, builds: [UInt8] = [],
  barrier: Judgement.Barrier? = nil
) -> NewSignature {
  NewSignature(
    id: id, cluster: cluster, kind: kind, family: family, diagnostics: diagnostics, sequence: sequence,
    compilations: compilations(builds), barrier: barrier)
}

/// The compilations of the app in these builds.
func compilations(_ builds: [UInt8]) -> Set<DebugID> { Set(builds.compactMap { DebugID(bytes: [1, $0]) }) }

extension NewSignature {
  /// The signature as it is compared with after it was judged.
  func judged(in cluster: String? = nil) -> JudgedSignature {
    JudgedSignature(
      id: id, cluster: cluster ?? self.cluster, kind: kind, family: family, sequence: sequence,
      compilations: compilations)
  }
}

extension Verdict {
  /// How the signature was judged.
  subscript(_ id: String) -> Judgement? { judgements.first { $0.signature == id } }
}

/// Sequences of all kinds of tokens, few enough names that they meet often.
struct SequenceMaker {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func token() -> AlignmentToken {
    let frameClass = [AlignmentToken.FrameClass.app, .app, .app, .framework][number(0...3)]
    switch number(0...9) {
    case 0: return AlignmentToken([.system, .carrier][number(0...1)], "System\(number(0...3))*")
    case 1: return AlignmentToken(frameClass, "Kit\(number(0...1))!?")
    case 2: return AlignmentToken(frameClass, "-[Class\(number(0...2)) do:with\(number(0...2)):]")
    case 3: return AlignmentToken(frameClass, "space::Class\(number(0...2))::run\(number(0...2))")
    default:
      let name = "Shop.Type\(number(0...4)).f\(number(0...3))(\(["a", "b"][number(0...1)]):)"
      return AlignmentToken(frameClass, number(0...5) == 0 ? "closure in " + name : name, isInlined: number(0...4) == 0)
    }
  }

  /// A sequence, by itself or as a change of one of `others`.
  mutating func sequence(like others: [AlignmentSequence] = []) -> AlignmentSequence {
    guard let other = others.randomElement(using: &random), number(0...3) > 0 else {
      return AlignmentSequence((0..<number(0...20)).map { _ in token() })
    }
    var tokens = other.tokens
    for _ in 0..<number(0...3) {
      let place = number(0...max(0, tokens.count - 1))
      switch number(0...2) {
      case 0: tokens.insert(token(), at: min(place, tokens.count))
      case 1 where !tokens.isEmpty: tokens.remove(at: place)
      case 2 where !tokens.isEmpty: tokens[place] = token()
      default: break
      }
    }
    return AlignmentSequence(tokens)
  }

  mutating func sequences(_ count: Int) -> [AlignmentSequence] {
    var all: [AlignmentSequence] = []
    for _ in 0..<count { all.append(sequence(like: all)) }
    return all
  }
}

/// B-cubed F1 of two labellings of the same things.
func bCubed(_ found: [String: String], _ truth: [String: String]) -> (precision: Double, recall: Double, f1: Double) {
  var precision = 0.0
  var recall = 0.0
  for (item, label) in found {
    let group = found.filter { $0.value == label }.map(\.key)
    let truthOfItem = truth[item]
    let both = Double(group.count { truth[$0] == truthOfItem })
    precision += both / Double(group.count)
    recall += both / Double(truth.values.count { $0 == truthOfItem })
  }
  let count = Double(max(1, found.count))
  (precision, recall) = (precision / count, recall / count)
  return (precision, recall, 2 * precision * recall / max(precision + recall, .leastNonzeroMagnitude))
}
