import Bytes
import CommandLine
import Diagnostics
import Files
import Glibc
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore
import Symbolication
import Workers

private let paths = PositionalSpec(
  "PATH", .file, count: .oneOrMore, help: "a file, a folder, or - for standard input; JSON, JSON Lines, also .gz")
private let assignments = OptionSpec.value(
  "assignments", "FILE", .file, help: "write one JSON line for each accepted diagnostic: its signature and cluster")
private let keepRaw = OptionSpec.flag("keep-raw", help: "copy the accepted payloads into the store, byte-exact")
private let top = OptionSpec.value(
  "top", "N", .integer(0...100_000), default: "20", help: "how many clusters the text report shows")
private let minimumCohort = OptionSpec.value(
  "min-cohort", "N", .integer(1...1_000_000), default: "50",
  help: "suppress shares of builds with fewer accepted payloads")

let clusterCommand = Command(
  spec: CommandSpec(
    "cluster", "Read diagnostics, name their frames, group them and count them",
    discussion: """
      A payload that was recorded before, by its digest, counts once. Bad items are named with their reason and never \
      stop their neighbours. The report covers everything in the store; with --json it is one JSON document \
      (docs/schemas/cluster-report.schema.json).
      """,
    options: [assignments, keepRaw, top, minimumCohort, CommonOptions.store, CommonOptions.jobs, CommonOptions.json],
    positionals: [paths],
    examples: [
      .init("symclust cluster diagnostics/", "everything in a folder"),
      .init("symclust cluster day.jsonl.gz --json > report.json", "a day's JSON Lines, for a program"),
    ]),
  run: cluster)

private func cluster(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let directory = try session.openStore(creating: true)
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let symbols = SymbolStore(directory, builder: session.indexBuilder())
  let damage = DamageLog()
  let deriver = StackDeriver(
    symbolicator: Symbolicator(source: { symbols.availability(of: $0, damage) }, workers: session.workers),
    workers: session.workers)
  let counts = try counting { () throws(SignatureStoreError) in
    try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName))
  }
  var pipeline = ClusterPipeline(
    store: counts, deriver: deriver, rawTier: session.command.flag(keepRaw) ? directory : nil,
    workers: session.workers)
  try counting { () throws(SignatureStoreError) in
    try pipeline.applyLateSymbols { id in (try? symbols.record(of: id)) != nil }
  }
  try session.read(into: &pipeline)
  let report = try counting { () throws(SignatureStoreError) in
    try ClusterReport(
      run: pipeline.summary, store: counts, deriver: deriver,
      minimumCohort: session.command.integer(minimumCohort) ?? 50)
  }
  try session.writeAssignments(of: pipeline.summary.payloads, counts)
  for item in report.run.rejected { session.complain("\(item.place): \(item.message)") }
  for text in damage.texts { session.complain(text) }
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.clusterReport(report)
    try session.print(writer)
  } else {
    session.out.write(
      ReportText(report, terminal: session.terminal, top: session.command.integer(top) ?? 20).text)
  }
  _ = consume lock
  return damage.isLasting ? .store : report.exitCode(hasDamage: !damage.texts.isEmpty)
}

extension ClusterReport {
  /// Nothing accepted and nothing known is a failure; missing symbols of the app and rejected items are gaps.
  fileprivate func exitCode(hasDamage: Bool) -> ExitCode {
    if run.payloads.isEmpty { return .nothingDone }
    let waits = store.missingImages.contains { rules.isApp(.init(debugID: $0.debugID, name: $0.name)) }
    return run.rejected.isEmpty && !waits && !hasDamage ? .done : .gaps
  }
}

extension Session {
  fileprivate mutating func read(into pipeline: inout ClusterPipeline<SQLiteSignatureStore>) throws(CommandFailure) {
    var progress = Progress("reading", total: nil, unit: .items("documents"), on: errorTerminal)
    let start = ContinuousClock.now
    do throws(PipelineError) {
      try pipeline.read(command.list(paths)) { done in
        if let text = progress.update(done, after: ContinuousClock.now - start) { show(progress: text) }
      }
    } catch {
      throw CommandFailure(.store, error.description)
    }
    if let text = progress.clear() { show(progress: text) }
  }

  fileprivate mutating func writeAssignments(
    of payloads: [ContentDigest], _ counts: SQLiteSignatureStore
  ) throws(CommandFailure) {
    guard let path = command.text(assignments) else { return }
    let found = try counting { () throws(SignatureStoreError) in try counts.assignments(of: payloads) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw CommandFailure(.nothingDone, FileError(path: path, step: "create").description)
    }
    defer { close(descriptor) }
    var file = Output(descriptor: descriptor, capacity: 1 << 16)
    for assignment in found {
      var writer = JSONWriter()
      writer.assignment(assignment)
      do throws(JSONWriterError) {
        file.write(bytes: try writer.finish())
      } catch {
        throw CommandFailure(.nothingDone, error.description)
      }
      file.write("\n")
    }
    do throws(OutputError) {
      try file.finish()
    } catch {
      throw CommandFailure(.nothingDone, FileError(path: path, step: "write").description)
    }
  }
}

/// Runs `body`, turning an error of the counts into one of the command.
private func counting<R>(_ body: () throws(SignatureStoreError) -> R) throws(CommandFailure) -> R {
  do throws(SignatureStoreError) {
    return try body()
  } catch {
    throw CommandFailure(.store, error.description)
  }
}
