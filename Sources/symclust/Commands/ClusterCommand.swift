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
  "PATH", .file, count: .oneOrMore, help: "a file, a folder, or - for standard input; also compressed or packed")
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
    options: [
      assignments, keepRaw, top, minimumCohort, CommonOptions.similarity, CommonOptions.rules, CommonOptions.calendar,
      CommonOptions.limit, CommonOptions.symbolsFrom, CommonOptions.debuginfod, CommonOptions.retain,
      CommonOptions.store,
      CommonOptions.jobs,
      CommonOptions.json,
    ],
    positionals: [paths],
    examples: [
      .init("symclust cluster diagnostics/", "everything in a folder"),
      .init("symclust cluster day.jsonl.gz --json > report.json", "a day's JSON Lines, for a program"),
      .init(
        "symclust cluster diagnostics/ --symbols-from /srv/symbols", "with symbols in a folder that another tool keeps"),
    ]),
  run: cluster)

private func cluster(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let limits = try session.readingLimits()
  let days = try session.calendar()
  let rules = try session.rules()
  let sources = try session.symbolSources()
  let directory = try session.openStore(creating: true)
  // What cannot be written is told before anything is counted; whoever is slow to write to us holds up nobody else.
  let assignmentFile = try session.command.text(assignments).map(AssignmentFile.init)
  let input = session.command.list(paths).contains("-") ? StandardInput.read(limits: limits) : nil
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let symbols = SymbolStore(directory, builder: session.indexBuilder(), isLocked: true)
  let borrower = session.borrower(symbols, from: sources)
  let indexes = OpenIndexes(of: symbols, borrowing: borrower)
  let deriver = StackDeriver(
    symbolicator: Symbolicator(source: indexes.availability, workers: session.workers),
    builder: SignatureBuilder(rules: rules), workers: session.workers)
  let counts = try counting { () throws(SignatureStoreError) in
    try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName))
  }
  try session.check(rules, against: counts)
  var pipeline = ClusterPipeline(
    store: counts, deriver: deriver, limits: limits, rawTier: session.command.flag(keepRaw) ? directory : nil,
    workers: session.workers, symbolRevision: indexes.revision)
  try counting { () throws(SignatureStoreError) in
    try pipeline.applyChanges()
  }
  try session.read(into: &pipeline, standardInput: input)
  let judge = session.judge(rules)
  try counting { () throws(SignatureStoreError) in try pipeline.judgeNewSignatures(by: judge) }
  var report = try counting { () throws(SignatureStoreError) in
    try ClusterReport(
      run: pipeline.summary, store: counts, deriver: deriver,
      minimumCohort: session.command.integer(minimumCohort) ?? 50, calendar: days)
  }
  report.run.damage = indexes.damage
  if !report.store.missingImages.isEmpty {
    report.retainedNames = try storing { () throws(StoreError) in try symbols.imageNames() }
  }
  var isWritten = true
  if let assignmentFile {
    let found = try counting { () throws(SignatureStoreError) in
      try counts.assignments(of: pipeline.summary.payloads)
    }
    // By now it is counted: the report must come, whatever becomes of this file.
    if let problem = assignmentFile.write(found) {
      session.complain(problem)
      isWritten = false
    }
  }
  for item in report.run.rejected { session.complain("\(item.place): \(item.message)") }
  for text in report.run.damage { session.complain(text) }
  let sourceGaps = session.tell(borrower)
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.clusterReport(report, sources: indexes.sourceReports)
    try session.print(writer)
  } else {
    session.out.write(
      ReportText(report, terminal: session.terminal, top: session.command.integer(top) ?? 20).text)
  }
  _ = consume lock
  return indexes.isLasting ? .store : report.exitCode(isWhole: isWritten && !sourceGaps)
}

extension ClusterReport {
  /// Nothing accepted and nothing known is a failure; missing symbols of the app and rejected items are gaps.
  fileprivate func exitCode(isWhole: Bool) -> ExitCode {
    if run.payloads.isEmpty { return .nothingDone }
    let waits = store.missingImages.contains { rules.isApp(.init(debugID: $0.debugID, name: $0.name)) }
    return isWhole && run.rejected.isEmpty && !waits && run.damage.isEmpty ? .done : .gaps
  }
}

extension Session {
  fileprivate mutating func read(
    into pipeline: inout ClusterPipeline<SQLiteSignatureStore>, standardInput: Result<ByteView, FileError>?
  ) throws(CommandFailure) {
    var progress = Progress("reading", total: nil, unit: .bytes, on: errorTerminal)
    let start = ContinuousClock.now
    do throws(PipelineError) {
      try pipeline.read(command.list(paths), standardInput: standardInput) { place in
        progress.total = place.totalBytes
        if let text = progress.update(place.bytes, after: ContinuousClock.now - start) { show(progress: text) }
      }
    } catch {
      throw CommandFailure(.store, error.description)
    }
    if let text = progress.clear() { show(progress: text) }
  }
}

/// The file that `--assignments` names; opened before the work, emptied when there is something to write.
private struct AssignmentFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    descriptor = PathName.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw CommandFailure(.nothingDone, FileError(path: path, step: "create").description)
    }
  }

  deinit { close(descriptor) }

  /// Writes one line for each assignment; what went wrong, if anything did.
  func write(_ assignments: [Assignment]) -> String? {
    // A pipe or a device has no length.
    if ftruncate(descriptor, 0) != 0, errno != EINVAL { return FileError(path: path, step: "write").description }
    var file = Output(descriptor: descriptor, capacity: 1 << 16)
    do {
      for assignment in assignments {
        var writer = JSONWriter()
        writer.assignment(assignment)
        file.write(bytes: try writer.finish())
        file.write("\n")
      }
      try file.finish()
      return nil
    } catch OutputError.failed(let number) {
      return FileError(path: path, step: "write", errno: number).description
    } catch {
      return "\(path): cannot write: \(error)"
    }
  }
}
