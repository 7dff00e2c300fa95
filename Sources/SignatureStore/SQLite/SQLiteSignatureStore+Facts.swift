internal import Diagnostics

extension SQLiteSignatureStore {
  /// Makes a fact of `decision`, in one transaction. Cost: linear in the signatures.
  public func record(_ decision: Decision) throws(SignatureStoreError) -> FactOutcome {
    try database.transaction { () throws(SignatureStoreError) in
      let outcome = try book().outcome(of: decision)
      guard case .recorded(let fact) = outcome else { return outcome }
      for subject in fact.subjects {
        try database.run(
          "INSERT INTO facts (number, subject, kind, object) VALUES (?1, ?2, ?3, ?4)",
          [SQLiteValue(fact.number), .text(subject), .text(fact.kind.rawValue), SQLiteValue(fact.object)])
      }
      if case .undo(let number) = decision {
        try database.run(
          "UPDATE facts SET ended_by = ?2 WHERE number = ?1", [SQLiteValue(number), SQLiteValue(fact.number)])
      }
      try showClusters()
      return outcome
    }
  }

  /// What people decided, in order. Cost: linear in the signatures when there is anything.
  public func facts() throws(SignatureStoreError) -> [Fact] {
    try database.snapshot { () throws(SignatureStoreError) in try decisions()?.listed ?? [] }
  }

  /// The signatures of which a fact says where they belong, with the clusters they are shown in.
  public func pins() throws(SignatureStoreError) -> [String: String] {
    try database.snapshot { () throws(SignatureStoreError) in try decisions()?.shown.pins ?? [:] }
  }

  /// Writes down in which cluster each signature is shown. To be called within each transaction that changes what it
  /// depends on: founding, similarity, the mapping, or facts. Cost: linear in the signatures.
  func showClusters() throws(SignatureStoreError) {
    guard let book = try decisions() else {
      return try database.run("UPDATE signatures SET cluster = automatic WHERE cluster <> automatic")
    }
    let shown = book.shown
    for signature in book.automatic.keys.sorted() {
      try database.run(
        "UPDATE signatures SET cluster = ?2 WHERE id = ?1 AND cluster <> ?2",
        [.text(signature), .text(shown.cluster(of: signature))])
    }
  }

  /// What decisions are made of; `nil` when nobody ever decided anything.
  func decisions() throws(SignatureStoreError) -> FactBook? {
    try database.number("SELECT 1 FROM facts LIMIT 1") == nil ? nil : try book()
  }

  func book() throws(SignatureStoreError) -> FactBook {
    var book = FactBook()
    try database.rows(
      """
      SELECT id, automatic,
        EXISTS (SELECT 1 FROM forms f JOIN mapping m ON m.form = f.id WHERE f.signature = s.id AND m.algorithm = ?1),
        (SELECT kind FROM forms f WHERE f.signature = s.id LIMIT 1)
      FROM signatures s
      """, [algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      book.automatic[id] = row.text(1)
      if row.integer(2) != 0 { book.live.insert(id) }
      if !row.isNull(3) { book.kinds[id] = try word(row, 3) }
    }
    try database.rows("SELECT old, new FROM aliases ORDER BY old, moved DESC, new") { row throws(SignatureStoreError) in
      book.aliases[row.text(0) ?? "", default: []].append(row.text(1) ?? "")
    }
    try database.rows("SELECT number, kind, subject, object, ended_by FROM facts ORDER BY number, subject") {
      row throws(SignatureStoreError) in
      let number = Int(row.integer(0))
      if book.facts.last?.number == number {
        book.facts[book.facts.count - 1].subjects.append(row.text(2) ?? "")
      } else {
        book.facts.append(
          Fact(
            number: number, kind: try word(row, 1), subjects: [row.text(2) ?? ""], object: row.text(3),
            endedBy: row.isNull(4) ? nil : Int(row.integer(4))))
      }
    }
    return book
  }

  /// What is wrong with the facts, and with the clusters that follow from them, in words.
  func factFindings() throws(SignatureStoreError) -> [String] {
    let book: FactBook
    do throws(SignatureStoreError) {
      book = try self.book()
    } catch .damaged {
      return ["a fact cannot be read"]
    }
    var findings = book.findings
    let shown = book.facts.isEmpty ? nil : book.shown
    try database.rows("SELECT id, automatic, cluster FROM signatures ORDER BY id") { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      let cluster = shown?.cluster(of: id) ?? row.text(1)
      if row.text(2) != cluster { findings.append("signature \(id) is shown in another cluster than the facts say") }
    }
    return findings
  }
}

extension FactBook {
  /// What contradicts itself, in words.
  var findings: [String] {
    var findings: [String] = []
    var kinds: [Int: Fact.Kind] = [:]
    for fact in facts { kinds[fact.number] = fact.kind }
    for fact in facts {
      func tell(_ what: String) { findings.append("fact \(fact.number) \(what)") }
      if let end = fact.endedBy, kinds[end] != .undo || end <= fact.number {
        tell("was ended by \(end), which takes nothing back")
      }
      switch fact.kind {
      case .undo:
        let ended = fact.subjects.first.flatMap { Int($0) }
        if !facts.contains(where: { $0.number == ended && $0.endedBy == fact.number }) { tell("takes nothing back") }
      case .alias:
        if fact.subjects.contains(where: { $0 == fact.object }) { tell("leads to itself") }
      case .merge, .split, .pin:
        for id in fact.subjects where automatic[id] == nil { tell("names \(id), which the store does not know") }
      }
      if fact.kind != .undo, fact.object.flatMap({ automatic[$0] }) == nil {
        tell("leads to \(fact.object ?? "nothing"), which the store does not know")
      }
    }
    for (id, cluster) in automatic.sorted(by: { $0.key < $1.key }) where cluster != id {
      if automatic[cluster] == nil {
        findings.append("signature \(id) is in the cluster \(cluster), which nothing founded")
      }
      if isInCircle(id) { findings.append("the clusters of \(id) lead in a circle") }
    }
    return findings
  }

  /// Whether the way from a signature to the founder of its cluster, and on, comes back to it.
  private func isInCircle(_ id: String) -> Bool {
    var seen: Set<String> = []
    var next = automatic[id]
    while let here = next, here != automatic[here], seen.insert(here).inserted {
      if here == id { return true }
      next = automatic[here]
    }
    return false
  }

  /// Adds to each cluster the ids that decisions led to it.
  func addAliases(_ clusters: inout [String: ClusterRecord], _ shown: ShownClusters) {
    let present = Set(clusters.keys)
    var found: [String: Set<String>] = [:]
    for fact in facts where fact.endedBy == nil {
      switch fact.kind {
      case .merge:
        for subject in fact.subjects where shown.place(subject) != subject {
          found[shown.place(subject), default: []].insert(subject)
        }
      case .alias:
        guard let old = fact.subjects.first, automatic[old] == nil, let object = fact.object else { continue }
        for cluster in self.clusters(ledToBy: object, in: shown, present: present) {
          found[cluster, default: []].insert(old)
        }
      case .split, .pin, .undo: break
      }
    }
    for (cluster, ids) in found {
      let known = clusters[cluster]?.aliases ?? []
      clusters[cluster]?.aliases = ids.union(known).sorted()
    }
  }
}
