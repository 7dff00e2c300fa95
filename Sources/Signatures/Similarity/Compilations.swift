internal import Identity

/// Where names of functions were seen: what one compilation holds besides each other is not one function.
///
/// A compiler makes one shape of each function for a build. So two names that are seen in one build are two functions,
/// however alike they read (`move(to:)` and `move(by:)`), and two stacks in one build that differ in a function of the app are
/// two ways. Whether they differ by the optimiser can only be asked of what no build holds both of.
///
/// Made once from all that was judged and all that is new, and frozen, like the frequencies. Cost: linear in the sequences.
struct Compilations: Sendable {
  private var numbers: [DebugID: Int32] = [:]
  /// The compilations of each name, for names whose entity has another one.
  private var seen: [String: Set<Int32>] = [:]

  /// What was seen in which compilations; nothing, when nothing is given.
  init(_ sightings: [(AlignmentSequence, Set<DebugID>)] = []) {
    var names: [String: Set<Int32>] = [:]
    for (sequence, compilations) in sightings { add(sequence, compilations, &names) }
    for rivals in Dictionary(grouping: names.keys, by: { NameTerms($0).entity }).values where rivals.count > 1 {
      for name in rivals { seen[name] = names[name] }
    }
  }

  init(judged: [JudgedSignature], new: [NewSignature]) {
    self.init(
      judged.map { ($0.sequence, $0.compilations) }
        + new.filter { $0.barrier == nil }.map { ($0.sequence, $0.compilations) })
  }

  private mutating func add(
    _ sequence: AlignmentSequence, _ compilations: Set<DebugID>, _ names: inout [String: Set<Int32>]
  ) {
    guard !compilations.isEmpty else { return }
    for compilation in compilations where numbers[compilation] == nil { numbers[compilation] = Int32(numbers.count) }
    let found = self.numbers(of: compilations)
    for token in sequence.tokens where token.isOfApp && !token.isUnknown {
      names[token.name, default: []].formUnion(found)
    }
  }

  /// The numbers of compilations that were counted.
  func numbers(of compilations: Set<DebugID>) -> Set<Int32> { Set(compilations.compactMap { numbers[$0] }) }

  /// The compilations in which the name was seen; empty when it has no rivals.
  func compilations(of name: String) -> Set<Int32> { seen[name] ?? [] }
}
