internal import Diagnostics
internal import Identity
public import Signatures

extension SQLiteSignatureStore {
  /// The live signatures that were never judged, by id. Cost: one look-up for each signature, one pass over the diagnostics of
  /// those that are returned.
  public func unjudgedSignatures() throws(SignatureStoreError) -> [UnjudgedSignature] {
    var found: [UnjudgedSignature] = []
    try database.rows(
      """
      SELECT s.id, s.cluster, r.key, (SELECT COUNT(*) FROM diagnostics d WHERE d.raw_stack = r.id), m.compilation
      FROM signatures s JOIN forms f ON f.signature = s.id JOIN mapping m ON m.form = f.id AND m.algorithm = ?1
      JOIN raw_stacks r ON r.id = m.raw_stack WHERE NOT EXISTS (SELECT 1 FROM judgements j WHERE j.signature = s.id)
      ORDER BY s.id, f.quality <> 'normal', r.key
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      if found.last?.id == id {
        found[found.count - 1].diagnostics += Int(row.integer(3))
        if found[found.count - 1].otherRawStacks.count < UnjudgedSignature.otherLimit {
          found[found.count - 1].otherRawStacks.append(try digest(row, 2))
        }
      } else {
        found.append(
          UnjudgedSignature(
            id: id, cluster: row.text(1) ?? id, diagnostics: Int(row.integer(3)), rawStack: try digest(row, 2)))
      }
      if let compilation = try debugID(row, 4) { found[found.count - 1].compilations.insert(compilation) }
    }
    return found
  }

  /// The live signatures that were judged and can be compared with others, by id. Cost: linear in the signatures and, for
  /// their compilations, in the entries of an index over the raw stacks.
  public func judgedSignatures() throws(SignatureStoreError) -> [JudgedSignature] {
    var found: [JudgedSignature] = []
    let compilations = try compilations()
    try database.rows(
      """
      SELECT j.signature, s.cluster, MIN(f.kind), MIN(f.family), j.sequence
      FROM judgements j JOIN signatures s ON s.id = j.signature JOIN forms f ON f.signature = s.id
      WHERE j.sequence IS NOT NULL AND EXISTS (SELECT 1 FROM mapping m WHERE m.form = f.id AND m.algorithm = ?1)
      GROUP BY j.signature ORDER BY j.signature
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      guard let sequence = try sequence(row, 4) else { return }
      let id = row.text(0) ?? ""
      found.append(
        JudgedSignature(
          id: id, cluster: row.text(1) ?? "", kind: try word(row, 2), family: try word(row, 3), sequence: sequence,
          compilations: compilations[id] ?? []))
    }
    return found
  }

  /// The compilations in which each signature was seen.
  private func compilations() throws(SignatureStoreError) -> [String: Set<DebugID>] {
    var found: [String: Set<DebugID>] = [:]
    try database.rows(
      """
      SELECT DISTINCT f.signature, m.compilation FROM mapping m JOIN forms f ON f.id = m.form
      WHERE m.algorithm = ?1 AND m.compilation IS NOT NULL
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      if let id = row.text(0), let compilation = try debugID(row, 1) { found[id, default: []].insert(compilation) }
    }
    return found
  }

  /// Records judgements and suggestions in one transaction.
  public func record(_ verdict: Verdict) throws(SignatureStoreError) {
    try database.transaction { () throws(SignatureStoreError) in
      for judgement in verdict.judgements {
        try database.run(
          """
          INSERT OR IGNORE INTO judgements VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
          """,
          [.text(judgement.signature), .text(judgement.outcome.rawValue), .text(judgement.cluster)]
            + SQLiteSignatureStore.values(judgement.best) + SQLiteSignatureStore.values(judgement.runnerUp)
            + [SQLiteValue(judgement.barrier?.rawValue), SQLiteValue(judgement.sequence?.encoded)])
        // Only a signature that was judged just now leaves the cluster of its own: what was decided before stays, and
        // what a person decided stands apart.
        guard database.changedRows == 1, judgement.outcome == .attached || judgement.outcome == .linked else {
          continue
        }
        try database.run(
          "UPDATE signatures SET automatic = ?2 WHERE id = ?1 AND automatic = ?1",
          [.text(judgement.signature), .text(judgement.cluster)])
      }
      for suggestion in verdict.suggestions {
        try database.run(
          """
          INSERT INTO suggestions (first, second, score) VALUES (?1, ?2, ?3)
          ON CONFLICT (first, second) DO UPDATE SET score = MAX(score, excluded.score)
          """,
          [.text(suggestion.first), .text(suggestion.second), SQLiteValue(suggestion.score)])
      }
      try showClusters()
    }
  }

  /// How `signature` was judged; `nil` when it was not.
  public func judgement(of signature: String) throws(SignatureStoreError) -> Judgement? {
    var found: Judgement?
    try database.rows("SELECT * FROM judgements WHERE signature = ?1", [.text(signature)]) {
      row throws(SignatureStoreError) in
      found = Judgement(
        signature: signature, outcome: try word(row, 1), cluster: row.text(2) ?? "", best: neighbour(row, 3),
        runnerUp: neighbour(row, 7), barrier: row.isNull(11) ? nil : try word(row, 11), sequence: try sequence(row, 12))
    }
    return found
  }

  /// The signatures whose judgement is damaged, by id.
  func unreadableJudgements() throws(SignatureStoreError) -> [String] {
    var found: [String] = []
    try database.rows("SELECT signature, outcome, sequence FROM judgements ORDER BY signature") {
      row throws(SignatureStoreError) in
      let isReadable =
        Judgement.Outcome(rawValue: row.text(1) ?? "") != nil
        && (row.text(2).map { AlignmentSequence(decoding: $0) != nil } ?? true)
      if !isReadable { found.append(row.text(0) ?? "") }
    }
    return found
  }

  /// Adds to each cluster those that may be one with it. What people merged or split from each other is no suggestion, nor is
  /// one that has nothing left.
  func addSuggestions(
    _ clusters: inout [String: ClusterRecord], _ decided: ShownClusters?
  ) throws(SignatureStoreError) {
    let apart = decided?.apart ?? []
    var seen: Set<ClusterPair> = []
    try database.rows("SELECT first, second, score FROM suggestions ORDER BY score DESC, first, second") {
      row throws(SignatureStoreError) in
      let ids = (row.text(0) ?? "", row.text(1) ?? "")
      let (first, second) = (decided?.place(ids.0) ?? ids.0, decided?.place(ids.1) ?? ids.1)
      let pair = ClusterPair(first, second)
      guard first != second, clusters[first] != nil, clusters[second] != nil, !apart.contains(pair),
        seen.insert(pair).inserted
      else { return }
      let score = Int(row.integer(2))
      clusters[first]?.suggestedMerges.append(SimilarCluster(cluster: second, score: score))
      clusters[second]?.suggestedMerges.append(SimilarCluster(cluster: first, score: score))
    }
    for id in clusters.keys {
      clusters[id]?.suggestedMerges.sort { ($1.score, $0.cluster) < ($0.score, $1.cluster) }
    }
  }

  // MARK: Columns

  private static func values(_ neighbour: Judgement.Neighbour?) -> [SQLiteValue] {
    guard let neighbour else { return [.null, .null, .null, .null] }
    return [
      .text(neighbour.cluster), .text(neighbour.exemplar), SQLiteValue(neighbour.score), SQLiteValue(neighbour.average),
    ]
  }

  private func neighbour(_ row: SQLiteRow, _ column: Int32) -> Judgement.Neighbour? {
    guard let cluster = row.text(column), let exemplar = row.text(column + 1) else { return nil }
    return Judgement.Neighbour(
      cluster: cluster, exemplar: exemplar, score: Int(row.integer(column + 2)), average: Int(row.integer(column + 3)))
  }

  private func sequence(_ row: SQLiteRow, _ column: Int32) throws(SignatureStoreError) -> AlignmentSequence? {
    guard let text = row.text(column) else { return nil }
    guard let sequence = AlignmentSequence(decoding: text) else { throw damaged("a sequence cannot be read") }
    return sequence
  }
}
