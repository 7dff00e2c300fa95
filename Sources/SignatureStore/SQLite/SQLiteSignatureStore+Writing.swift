internal import Diagnostics
public import Identity
internal import Signatures

extension SQLiteSignatureStore {
  /// Records a batch in one transaction. Cost: about 20 microseconds for each diagnostic, and one sync to disk.
  public func record(_ batch: Batch) throws(SignatureStoreError) -> RecordOutcome {
    try database.transaction { () throws(SignatureStoreError) in
      var writer = BatchWriter(store: self)
      return try writer.record(batch)
    }
  }

  /// Says anew what raw stacks mean, in one transaction.
  public func remap(
    _ body: (_ map: ([ContentDigest: Derivation]) throws(SignatureStoreError) -> Void) throws(SignatureStoreError) ->
      Void
  ) throws(SignatureStoreError) -> RemapOutcome {
    try database.transaction { () throws(SignatureStoreError) in
      var writer = BatchWriter(store: self)
      try body { (derivations) throws(SignatureStoreError) in
        for key in derivations.keys.sorted() {
          guard let id = try writer.rawStackID(key), let derivation = derivations[key] else { continue }
          try writer.map(id, to: derivation)
        }
      }
      return try writer.settle()
    }
  }
}

/// Writes one batch inside one transaction and remembers the ids it met.
private struct BatchWriter {
  let store: SQLiteSignatureStore
  private var rawStacks: [ContentDigest: Int64] = [:]
  /// Raw stacks that are known to have a meaning.
  private var mapped: Set<Int64> = []
  private var cohorts: [CohortKey: Int64] = [:]
  private var builds: [BuildOfRecord: Int64] = [:]
  private var forms: [ContentDigest: Int64] = [:]
  private var states: StateWriter
  private var newSignatures: Set<String> = []
  private var outcome = RemapOutcome()
  /// Whether any raw stack was given a meaning, without which no cluster can change.
  private var hasMapped = false
  /// Diagnostics that moved, by old and new signature.
  private var moves: [Move: Int64] = [:]

  private struct CohortKey: Hashable {
    var build: BuildOfRecord
    var system: OperatingSystem
  }

  private struct Move: Hashable, Comparable {
    var old: String
    var new: String
    static func < (a: Move, b: Move) -> Bool { (a.old, a.new) < (b.old, b.new) }
  }

  private var database: SQLiteConnection { store.database }

  init(store: SQLiteSignatureStore) {
    self.store = store
    states = StateWriter(database: store.database)
  }

  mutating func record(_ batch: Batch) throws(SignatureStoreError) -> RecordOutcome {
    var result = RecordOutcome()
    var remapped: Set<ContentDigest> = []
    for payload in batch.payloads {
      try database.run(
        "INSERT OR IGNORE INTO payloads (digest, generation) VALUES (?1, ?2)",
        [.blob(payload.digest.bytes), .text(payload.generation.rawValue)])
      guard database.changedRows == 1 else {
        result.duplicatePayloads.append(payload.digest)
        continue
      }
      let payloadID = database.lastInsertedRow
      result.acceptedPayloads += 1
      for diagnostic in payload.diagnostics {
        let key = diagnostic.rawStackKey
        let (rawStack, isNew) = try rawStack(diagnostic.rawStack, key)
        let isUnmapped = isNew ? true : try isUnmapped(rawStack)
        if isUnmapped {
          guard let derivation = batch.derivations[key] else { throw .missingDerivation(rawStack: key.hex) }
          try map(rawStack, to: derivation)
        } else if batch.derivations[key] != nil {
          remapped.insert(key)
        }
        if try insert(diagnostic, payloadID, rawStack) {
          result.diagnostics += 1
          try states.insert(diagnostic.states, of: payloadID, diagnostic.ordinal)
          try store.insert(diagnostic.measures, of: payloadID, diagnostic.ordinal)
        }
      }
      for (number, day) in payload.reportDays.enumerated() {
        try database.run(
          "INSERT INTO report_days (payload, ordinal, cohort, begins, ends, zone_known) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
          [.integer(payloadID), SQLiteValue(number), .integer(try cohortID(day.build, day.system))]
            + times(day.interval))
        result.reportDays += 1
      }
    }
    for key in remapped.sorted() {
      if let id = rawStacks[key], let derivation = batch.derivations[key] { try map(id, to: derivation) }
    }
    result.duplicatePayloads.sort()
    result.remap = try settle()
    result.newSignatures = newSignatures.sorted()
    return result
  }

  private mutating func insert(
    _ diagnostic: RecordedDiagnostic, _ payload: Int64, _ rawStack: Int64
  ) throws(SignatureStoreError) -> Bool {
    try database.run(
      """
      INSERT OR IGNORE INTO diagnostics
        (payload, ordinal, raw_stack, cohort, basis, confidence, begins, ends, zone_known)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """,
      [
        .integer(payload), SQLiteValue(diagnostic.ordinal), .integer(rawStack),
        .integer(try cohortID(diagnostic.build, diagnostic.system)), .text(diagnostic.attribution.basis.rawValue),
        .text(diagnostic.attribution.confidence.rawValue),
      ] + times(diagnostic.interval))
    return database.changedRows == 1
  }

  /// The columns of an interval: its begin, its end, and whether the zone of the one that counts is known.
  private func times(_ interval: ReportInterval) -> [SQLiteValue] {
    func column(_ time: PointInTime?) -> SQLiteValue { time.map { .integer($0.seconds) } ?? .null }
    let seen = interval.end ?? interval.begin
    return [column(interval.begin), column(interval.end), SQLiteValue(seen?.isZoneKnown ?? false)]
  }

  // MARK: Ids

  mutating func rawStackID(_ key: ContentDigest) throws(SignatureStoreError) -> Int64? {
    if let known = rawStacks[key] { return known }
    let id = try database.number("SELECT id FROM raw_stacks WHERE key = ?1", [.blob(key.bytes)])
    if let id { rawStacks[key] = id }
    return id
  }

  private mutating func rawStack(
    _ stack: RawStack, _ key: ContentDigest
  ) throws(SignatureStoreError) -> (id: Int64, isNew: Bool) {
    if let known = try rawStackID(key) { return (known, false) }
    try database.run(
      "INSERT INTO raw_stacks (key, kind, encoded) VALUES (?1, ?2, ?3)",
      [.blob(key.bytes), .text(stack.kind.rawValue), .blob(stack.encoded)])
    let id = database.lastInsertedRow
    rawStacks[key] = id
    return (id, true)
  }

  private mutating func isUnmapped(_ rawStack: Int64) throws(SignatureStoreError) -> Bool {
    if mapped.contains(rawStack) { return false }
    let known = try database.number(
      "SELECT 1 FROM mapping WHERE raw_stack = ?1 AND algorithm = ?2", [.integer(rawStack), store.algorithm])
    if known != nil { mapped.insert(rawStack) }
    return known == nil
  }

  private mutating func cohortID(_ build: BuildOfRecord, _ system: OperatingSystem) throws(SignatureStoreError) -> Int64
  {
    let key = CohortKey(build: build, system: system)
    if let known = cohorts[key] { return known }
    let buildValues: [SQLiteValue] = [
      .text(build.app ?? ""), .text(build.version ?? ""), .text(build.build ?? ""), SQLiteValue(build.isMixed),
    ]
    var buildID = builds[build]
    if buildID == nil {
      buildID = try id(
        insert: "INSERT OR IGNORE INTO builds (app, version, build, mixed) VALUES (?1, ?2, ?3, ?4)",
        select: "SELECT id FROM builds WHERE app = ?1 AND version = ?2 AND build = ?3 AND mixed = ?4", buildValues)
      builds[build] = buildID
    }
    let id = try id(
      insert: "INSERT OR IGNORE INTO cohorts (build, platform, os_version, os_build) VALUES (?1, ?2, ?3, ?4)",
      select: "SELECT id FROM cohorts WHERE build = ?1 AND platform = ?2 AND os_version = ?3 AND os_build = ?4",
      [
        .integer(buildID ?? 0), .text(system.platform ?? ""), .text(system.version ?? ""), .text(system.build ?? ""),
      ])
    cohorts[key] = id
    return id
  }

  private func id(insert: String, select: String, _ values: [SQLiteValue]) throws(SignatureStoreError) -> Int64 {
    try database.run(insert, values)
    guard let id = try database.number(select, values) else { throw store.damaged("a row vanished") }
    return id
  }

  /// The form of `signature`: what it reads like for one raw stack. Equal forms are one row.
  private mutating func formID(_ signature: Signature) throws(SignatureStoreError) -> Int64 {
    let tokens = signature.tokens.joined(separator: "\u{1f}")
    let content: [String] = [
      signature.id, signature.kind.rawValue, signature.reason.family.rawValue, signature.reason.description,
      signature.title, tokens, signature.blame ?? "", signature.quality.rawValue, String(signature.isProvisional),
    ]
    let digest = ContentDigest(of: Array(content.joined(separator: "\u{1e}").utf8))
    if let known = forms[digest] { return known }
    try database.run(
      "INSERT OR IGNORE INTO signatures (id, algorithm, automatic, cluster) VALUES (?1, ?2, ?1, ?1)",
      [.text(signature.id), store.algorithm])
    if database.changedRows == 1 { newSignatures.insert(signature.id) }
    try database.run(
      """
      INSERT OR IGNORE INTO forms
        (content, signature, kind, family, reason, title, tokens, blame, quality, provisional)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """,
      [
        .blob(digest.bytes), .text(signature.id), .text(signature.kind.rawValue),
        .text(signature.reason.family.rawValue), .text(signature.reason.description), .text(signature.title),
        .text(tokens), SQLiteValue(signature.blame), .text(signature.quality.rawValue),
        SQLiteValue(signature.isProvisional),
      ])
    guard let id = try database.number("SELECT id FROM forms WHERE content = ?1", [.blob(digest.bytes)]) else {
      throw store.damaged("a form vanished")
    }
    forms[digest] = id
    return id
  }

  // MARK: Mapping

  /// Says what a raw stack means. When it meant something else before, the move is remembered for `settle`.
  mutating func map(_ rawStack: Int64, to derivation: Derivation) throws(SignatureStoreError) {
    var before: (form: Int64, signature: String)?
    try database.rows(
      "SELECT form, signature FROM mapping JOIN forms ON forms.id = form WHERE raw_stack = ?1 AND algorithm = ?2",
      [.integer(rawStack), store.algorithm]
    ) { row throws(SignatureStoreError) in before = (row.integer(0), row.text(1) ?? "") }
    hasMapped = true
    try store.keepFormer(rawStack)
    let form = try formID(derivation.signature)
    try database.run(
      "INSERT OR REPLACE INTO mapping (raw_stack, algorithm, form, rules, compilation) VALUES (?1, ?2, ?3, ?4, ?5)",
      [
        .integer(rawStack), store.algorithm, .integer(form), .blob(derivation.signature.rulesDigest.bytes),
        derivation.signature.compilation.map { .blob($0.bytes) } ?? .null,
      ])
    if let before, before.signature != derivation.signature.id {
      let count = try database.number("SELECT COUNT(*) FROM diagnostics WHERE raw_stack = ?1", [.integer(rawStack)])
      moves[Move(old: before.signature, new: derivation.signature.id), default: 0] += count ?? 0
      outcome.moved += 1
    } else if let before, before.form != form {
      outcome.refreshed += 1
    }
    try database.run("DELETE FROM waits WHERE raw_stack = ?1", [.integer(rawStack)])
    for image in derivation.waiting {
      try database.run(
        "INSERT OR REPLACE INTO waits (debug_id, raw_stack, name, frames) VALUES (?1, ?2, ?3, ?4)",
        [.blob(image.debugID.bytes), .integer(rawStack), SQLiteValue(image.name.bounded), SQLiteValue(image.frames)])
    }
  }

  /// Leaves aliases for the ids that changed and hands clusters on. A function of the set of moves, not of their order.
  mutating func settle() throws(SignatureStoreError) -> RemapOutcome {
    let moves = moves.sorted { $0.key < $1.key }
    /// For each signature that lost raw stacks, where they went, most diagnostics first.
    var targets: [String: [(new: String, count: Int64)]] = [:]
    for (move, count) in moves { targets[move.old, default: []].append((move.new, count)) }
    for old in targets.keys {
      targets[old]?.sort { $0.count == $1.count ? $0.new < $1.new : $0.count > $1.count }
    }
    var gone: Set<String> = []
    for old in targets.keys.sorted() where try !store.isLive(old) { gone.insert(old) }
    // A signature that is new continues the cluster of the largest one that went into it wholly.
    var heirs: [String: (old: String, count: Int64)] = [:]
    for old in gone.sorted() {
      guard let best = targets[old]?.first, newSignatures.contains(best.new) else { continue }
      if let rival = heirs[best.new], rival.count >= best.count { continue }
      heirs[best.new] = (old, best.count)
    }
    for (new, heir) in heirs.sorted(by: { $0.key < $1.key }) {
      try database.run(
        "UPDATE signatures SET automatic = (SELECT automatic FROM signatures WHERE id = ?1) WHERE id = ?2",
        [.text(heir.old), .text(new)])
    }
    for (move, count) in moves {
      let isWhole = gone.contains(move.old) && targets[move.old]?.count == 1
      let isRenamed = isWhole && heirs[move.new]?.old == move.old
      try alias(move.old, move.new, isRenamed ? .renamed : isWhole ? .joined : .divided, count)
    }
    // The id of a cluster that has nothing left leads to where the most of it went.
    for old in gone.sorted() {
      guard let best = targets[old]?.first else { continue }
      var cluster = old
      try database.rows("SELECT automatic FROM signatures WHERE id = ?1", [.text(old)]) {
        row throws(SignatureStoreError) in
        cluster = row.text(0) ?? old
      }
      let live = try database.number(
        """
        SELECT 1 FROM signatures s JOIN forms f ON f.signature = s.id JOIN mapping m ON m.form = f.id
        WHERE s.automatic = ?1 AND m.algorithm = ?2 LIMIT 1
        """, [.text(cluster), store.algorithm])
      if live == nil, cluster != old, cluster != best.new { try alias(cluster, best.new, .joined, 0) }
    }
    if hasMapped { try store.showClusters() }
    outcome.aliases = Array(Set(outcome.aliases)).sorted()
    return outcome
  }

  private mutating func alias(
    _ old: String, _ new: String, _ kind: SignatureAlias.Kind, _ moved: Int64
  ) throws(SignatureStoreError) {
    try database.run(
      """
      INSERT INTO aliases (old, new, kind, moved) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (old, new) DO UPDATE SET kind = excluded.kind, moved = moved + excluded.moved
      """,
      [.text(old), .text(new), .text(kind.rawValue), .integer(moved)])
    outcome.aliases.append(SignatureAlias(old: old, new: new, kind: kind))
  }
}

extension Optional where Wrapped == String {
  /// The text, cut to what a time or a name may need.
  fileprivate var bounded: String? {
    map { $0.utf8.count <= 64 ? $0 : String(decoding: $0.utf8.prefix(64), as: UTF8.self) }
  }
}
