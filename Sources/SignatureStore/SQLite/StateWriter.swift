internal import Diagnostics
internal import Identity

/// Writes the states of diagnostics, with a bound on how many values there are.
///
/// Of each domain the values with the smallest digests stay, and of all domains those with the smallest digests; the rest is
/// one value, whose text is empty. A value that stays in the end was kept from its first time on, since the values before
/// it were fewer: so counts are exact and do not depend on order (bottom-k sampling).
struct StateWriter {
  /// At most this many domains.
  static let domainLimit = 32
  /// At most this many values of one domain.
  static let labelLimit = 64

  private let database: SQLiteConnection
  /// The number of each value that was met, or of what stands for it.
  private var numbers: [DiagnosticContext.State: Int64] = [:]

  init(database: SQLiteConnection) { self.database = database }

  /// Records what diagnostic `ordinal` of `payload` says.
  mutating func insert(
    _ states: [DiagnosticContext.State], of payload: Int64, _ ordinal: Int
  ) throws(SignatureStoreError) {
    for state in states {
      try database.run(
        "INSERT OR IGNORE INTO states (payload, ordinal, state) VALUES (?1, ?2, ?3)",
        [.integer(payload), SQLiteValue(ordinal), .integer(try number(of: state))])
    }
  }

  private mutating func number(of state: DiagnosticContext.State) throws(SignatureStoreError) -> Int64 {
    if let known = numbers[state] { return known }
    var kept = state
    if try !admit(
      state.domain, among: "SELECT DISTINCT domain FROM state_values WHERE domain <> ''", [], Self.domainLimit)
    {
      kept = .init(domain: "", label: "")
    } else if try !admit(
      state.label, among: "SELECT label FROM state_values WHERE label <> '' AND domain = ?1", [.text(state.domain)],
      Self.labelLimit, of: state.domain)
    {
      kept = .init(domain: state.domain, label: "")
    }
    let id = try row(kept)
    numbers[state] = id
    return id
  }

  /// Whether `text` is one of the smallest; the one that it displaces becomes one of the others.
  private mutating func admit(
    _ text: String, among sql: String, _ values: [SQLiteValue], _ limit: Int, of domain: String? = nil
  ) throws(SignatureStoreError) -> Bool {
    var known: [String] = []
    try database.rows(sql, values) { row throws(SignatureStoreError) in known.append(row.text(0) ?? "") }
    if known.count < limit || known.contains(text) { return true }
    let largest = known.max { Self.precedes($0, $1) }
    guard let largest, Self.precedes(text, largest) else { return false }
    if let domain {
      try fold("domain = ?1 AND label = ?2", [.text(domain), .text(largest)], into: .init(domain: domain, label: ""))
    } else {
      try fold("domain = ?1", [.text(largest)], into: .init(domain: "", label: ""))
    }
    numbers = [:]
    return true
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    ContentDigest(of: Array(a.utf8)) < ContentDigest(of: Array(b.utf8))
  }

  /// Makes the values that `condition` selects one with `other`.
  private func fold(
    _ condition: String, _ values: [SQLiteValue], into other: DiagnosticContext.State
  ) throws(SignatureStoreError) {
    let id = try row(other)
    var gone: [Int64] = []
    try database.rows("SELECT id FROM state_values WHERE \(condition)", values) { row throws(SignatureStoreError) in
      gone.append(row.integer(0))
    }
    for old in gone where old != id {
      try database.run(
        "INSERT OR IGNORE INTO states (payload, ordinal, state) SELECT payload, ordinal, ?1 FROM states WHERE state = ?2",
        [.integer(id), .integer(old)])
      try database.run("DELETE FROM states WHERE state = ?1", [.integer(old)])
      try database.run("DELETE FROM state_values WHERE id = ?1", [.integer(old)])
    }
  }

  private func row(_ state: DiagnosticContext.State) throws(SignatureStoreError) -> Int64 {
    let values: [SQLiteValue] = [.text(state.domain), .text(state.label)]
    try database.run("INSERT OR IGNORE INTO state_values (domain, label) VALUES (?1, ?2)", values)
    guard let id = try database.number("SELECT id FROM state_values WHERE domain = ?1 AND label = ?2", values) else {
      throw .damaged(path: database.path, reason: "a state vanished")
    }
    return id
  }
}

extension SQLiteSignatureStore {
  /// How many states a cluster shows.
  private static let stateLimit = 10

  /// The commonest states of each cluster.
  func states() throws(SignatureStoreError) -> [String: [StateCount]] {
    var carried: [String: [String: Int]] = [:]
    let source = """
      states t JOIN state_values v ON v.id = t.state JOIN diagnostics d ON d.payload = t.payload AND d.ordinal = t.ordinal
      JOIN mapping m ON m.raw_stack = d.raw_stack AND m.algorithm = ?1 JOIN forms f ON f.id = m.form
      JOIN signatures s ON s.id = f.signature
      """
    try database.rows(
      """
      SELECT cluster, domain, COUNT(*) FROM (
        SELECT DISTINCT s.cluster AS cluster, v.domain AS domain, t.payload, t.ordinal FROM \(source)) GROUP BY 1, 2
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      carried[row.text(0) ?? "", default: [:]][row.text(1) ?? ""] = Int(row.integer(2))
    }
    var states: [String: [StateCount]] = [:]
    try database.rows(
      "SELECT s.cluster, v.domain, v.label, COUNT(*) FROM \(source) GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 2, 3",
      [algorithm]
    ) { row throws(SignatureStoreError) in
      let (cluster, domain, label) = (row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? "")
      guard states[cluster]?.count ?? 0 < Self.stateLimit else { return }
      states[cluster, default: []].append(
        StateCount(
          domain: domain.isEmpty ? nil : domain, label: label.isEmpty ? nil : label, diagnostics: Int(row.integer(3)),
          carrying: carried[cluster]?[domain] ?? 0))
    }
    return states
  }
}
