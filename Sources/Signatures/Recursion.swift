/// Takes repetitions out of a sequence of calls, so that how deep a function recursed does not matter.
enum Recursion {
  /// Longer cycles are left as they are.
  static let periodLimit = 32

  /// The positions of `calls` that stay, ascending. `calls` are innermost first.
  ///
  /// Seen from the outermost call, whenever the last `p` calls equal the `p` before them, one of the two runs goes. The
  /// result does not depend on the number of rounds and keeps the innermost copy with its trailing part of a round, so
  /// that the innermost call stays what it was. With `isCut` the outermost calls are missing, as in a runaway recursion
  /// that was too deep to record: then where the rounds begin and end is chance, so a sequence that is nothing but
  /// rounds is turned to begin with its least call. Cost: linear, times the square of the period limit at worst.
  static func kept<Call: Hashable & Comparable>(_ calls: [Call], isCut: Bool) -> [Int] {
    var kept: [Int] = []
    var rounds = 0
    var period = 0
    for position in calls.indices.reversed() {
      kept.append(position)
      for length in 1...periodLimit where kept.count >= 2 * length {
        let last = kept.count - length
        guard (last..<kept.count).allSatisfy({ calls[kept[$0]] == calls[kept[$0 - length]] }) else { continue }
        kept.removeSubrange(last - length..<last)
        rounds += 1
        period = length
        break
      }
    }
    // `kept` runs from the outermost inwards.
    if isCut, rounds * period >= 256, kept.count < 2 * period, kept.count >= period {
      let unit = Array(kept.prefix(period))
      let turns = unit.indices.map { Array(unit[$0...]) + unit[..<$0] }
      let least = turns.min { a, b in a.lazy.map { calls[$0] }.lexicographicallyPrecedes(b.lazy.map { calls[$0] }) }
      return (least ?? unit).reversed()
    }
    return kept.reversed()
  }
}
