import TestSupport
import Testing

extension Store {
  /// What the store holds, as text: every table by its natural keys, without the numbers of rows. What was told once and is no
  /// more (aliases, ids without stacks) is left out, since it is history and not content.
  func dump() throws -> String {
    let outcome = Tool.run("/usr/bin/python3", ["-c", dumpScript, path + "/symclust.sqlite"])
    try #require(outcome.code == 0, "\(outcome.errorText)")
    return outcome.text
  }

  /// Runs statements on the counts, behind the program's back.
  func execute(_ sql: String) throws {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()"
    let outcome = Tool.run("/usr/bin/python3", ["-c", script, path + "/symclust.sqlite", sql])
    try #require(outcome.code == 0, "\(outcome.errorText)")
  }

  /// The tables that are derived from raw stacks, symbols, rules and facts.
  static let derivedTables = [
    "mapping", "waits", "judgements", "suggestions", "forms", "signatures", "symbols", "rules",
  ]
}

private let dumpScript = """
  import sqlite3, sys
  c = sqlite3.connect(sys.argv[1])
  queries = {
    'payloads': 'SELECT hex(digest), generation FROM payloads',
    'diagnostics': '''SELECT hex(p.digest), d.ordinal, hex(r.key), b.app, b.version, b.build, b.mixed, c.platform, c.os_version,
      c.os_build, d.basis, d.confidence, d.begins, d.ends, d.zone_known FROM diagnostics d JOIN payloads p ON p.id = d.payload
      JOIN raw_stacks r ON r.id = d.raw_stack JOIN cohorts c ON c.id = d.cohort JOIN builds b ON b.id = c.build''',
    'raw_stacks': 'SELECT hex(key), kind, hex(encoded) FROM raw_stacks',
    'mapping': '''SELECT hex(r.key), m.algorithm, hex(f.content), hex(m.rules) FROM mapping m JOIN raw_stacks r ON r.id = m.raw_stack
      JOIN forms f ON f.id = m.form''',
    'forms': '''SELECT hex(content), signature, kind, family, reason, title, tokens, blame, quality, provisional FROM forms f
      WHERE EXISTS (SELECT 1 FROM mapping m JOIN forms g ON g.id = m.form WHERE g.signature = f.signature)''',
    'signatures': '''SELECT id, algorithm, automatic, cluster FROM signatures s
      WHERE EXISTS (SELECT 1 FROM forms f JOIN mapping m ON m.form = f.id WHERE f.signature = s.id)''',
    'waits': 'SELECT hex(debug_id), hex(key), name, frames FROM waits JOIN raw_stacks r ON r.id = raw_stack',
    'symbols': 'SELECT hex(debug_id), hex(revision) FROM symbols',
    'rules': 'SELECT version, hex(digest) FROM rules',
    'judgements': 'SELECT * FROM judgements',
    'suggestions': 'SELECT * FROM suggestions',
    'facts': 'SELECT * FROM facts',
  }
  for name, query in queries.items():
    for row in sorted(map(repr, c.execute(query))):
      print(name, row)
  """
