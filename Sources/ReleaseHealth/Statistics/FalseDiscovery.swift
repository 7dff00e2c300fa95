/// The step-up procedure of Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57:289): of all that is claimed at a level, no
/// larger part than that is expected to be false, however many questions were asked.
enum FalseDiscovery {
  /// For each of `probabilities` the least level at which it is claimed.
  static func adjusted(_ probabilities: [Double]) -> [Double] {
    let order = probabilities.indices.sorted { (probabilities[$0], $0) > (probabilities[$1], $1) }
    var adjusted = probabilities
    var least = 1.0
    for (place, index) in order.enumerated() {
      let rank = Double(probabilities.count - place)
      least = min(least, probabilities[index] * Double(probabilities.count) / rank)
      adjusted[index] = least
    }
    return adjusted
  }
}
