// swift-format-ignore-file
// Made by scripts/make-statistics: what SciPy and statsmodels answer. Not to be edited.

/// Answers of other programs.
enum Golden {
  /// Strata (cases and total of the new build, then of the old), and what follows from them.
  struct Table {
    var strata: [(Int, Int, Int, Int)]
    /// The ratio of Mantel and Haenszel with its interval, and the probabilities of as much or more, and of as little or less.
    var ratio, low, high, upper, lower: Double
    /// The difference of shares, with its interval.
    var difference, least, most: Double
  }

  static let tables = [
    Table(strata: [(12, 400, 4, 500)], ratio: 3.75, low: 1.21876038466, high: 11.538363223, upper: 0.00772797687274, lower: 0.992272023127, difference: 0.022, least: 0.0042185723056, most: 0.0442415511534),
    Table(strata: [(12, 400, 4, 500), (30, 900, 25, 1000)], ratio: 1.64877629884, low: 1.03566805198, high: 2.62484034187, upper: 0.0172247903235, lower: 0.982775209676, difference: 0.0126974789916, least: 0.000850389927936, most: 0.0257005172927),
    Table(strata: [(3, 40, 1, 60), (0, 10, 2, 30), (8, 120, 3, 90)], ratio: 2.0, low: 0.703491197034, high: 5.6859275807, upper: 0.097611476145, lower: 0.902388523855, difference: 0.0315245478036, least: -0.019545905362, most: 0.0905707694428),
    Table(strata: [(1, 50, 9, 50)], ratio: 0.111111111111, low: 0.0146154007019, high: 0.844703423749, upper: 0.99578816769, lower: 0.0042118323103, difference: -0.16, least: -0.289014940797, most: -0.0417197013574),
    Table(strata: [(100, 2000, 50, 2000)], ratio: 2.0, low: 1.4324372169, high: 2.79244350316, upper: 1.44022711592e-05, lower: 0.999985597729, difference: 0.025, least: 0.0132968992524, most: 0.037037713131),
    Table(strata: [(7, 700, 7, 700), (1, 100, 1, 100), (20, 2000, 20, 2000)], ratio: 1.0, low: 0.593809501356, high: 1.68404176376, upper: 0.5, lower: 0.5, difference: 0.0, least: -0.00568504178391, most: 0.00568504178391),
    Table(strata: [(40, 300, 1, 20), (2, 30, 50, 900)], ratio: 1.73913043478, low: 0.559030153189, high: 5.41039629425, upper: 0.164996950381, lower: 0.835003049619, difference: 0.0394514767932, least: -0.0410130563288, most: 0.131871491565),
    Table(strata: [(900, 20000, 800, 21000), (400, 9000, 300, 8000)], ratio: 1.1823882937, low: 1.09291747828, high: 1.27918356589, upper: 1.46677137906e-05, lower: 0.999985332286, difference: 0.00691636940151, least: 0.00367107574005, most: 0.0101665107517),
  ]

  /// Cases and totals of two builds, and the interval of their difference (Newcombe).
  static let differences: [(Int, Int, Int, Int, Double, Double)] = [
    (12, 400, 4, 500, 0.0042185723056, 0.0442415511534),
    (12, 400, 4, 500, 0.0042185723056, 0.0442415511534),
    (3, 40, 1, 60, -0.0287556813554, 0.182734396412),
    (1, 50, 9, 50, -0.289014940797, -0.0417197013574),
    (100, 2000, 50, 2000, 0.0132968992524, 0.037037713131),
    (7, 700, 7, 700, -0.0116907591062, 0.0116907591062),
    (40, 300, 1, 20, -0.105853847012, 0.142929132565),
    (900, 20000, 800, 21000, 0.00304217127427, 0.0107840464174),
  ]

  /// Cases of a total, and the interval of the part (Wilson).
  static let parts: [(Int, Int, Double, Double)] = [
    (0, 20, 0.0, 0.161125158053),
    (1, 29, 0.00611321429276, 0.171755218793),
    (15, 148, 0.0623863995307, 0.160487241723),
    (81, 263, 0.255288519878, 0.366209576983),
    (50, 50, 0.928652400867, 1.0),
    (3, 100000, 1.02027585445e-05, 8.82080492518e-05),
  ]

  /// Probabilities, and what Benjamini and Hochberg make of them.
  static let lists: [([Double], [Double])] = [
    ([0.01, 0.04, 0.03, 0.005], [0.02, 0.04, 0.04, 0.02]),
    ([0.5], [0.5]),
    ([0.2, 0.2, 0.001, 0.9, 0.049, 0.0499, 1.0], [0.28, 0.28, 0.007, 1.0, 0.116433333333, 0.116433333333, 1.0]),
    ([1e-09, 0.001, 0.02, 0.02, 0.02, 0.7], [6e-09, 0.003, 0.024, 0.024, 0.024, 0.7]),
  ]
}
