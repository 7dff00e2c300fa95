import CommandLine
import Files
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore
import Symbolication

private let file = PositionalSpec(
  "FILE", .file, count: .optional, help: "the rules file (default: the rules in force)")
private let files = PositionalSpec(
  "RULES", .file, count: .oneOrMore, help: "the new rules; or two files, the old and the new")
private let print = OptionSpec.flag("print", help: "print the resolved table, too")
private let maximumChurn = OptionSpec.value(
  "max-churn", "SHARE", .number(0...1),
  help: "end with code 3 when a larger part of the diagnostics changes its cluster")
private let top = OptionSpec.value(
  "top", "N", .integer(0...100_000), default: "20", help: "how many changes are shown")

let rulesCommand = Command(
  spec: CommandSpec(
    "rules", "Check, show and compare the rules by which frames are kept and dropped",
    discussion: """
      A project's rules stand in a file that extends the built-in ones; docs/rules.md describes the language. 'cluster' takes \
      it with --rules, or from SYMCLUST_RULES.
      """,
    subcommands: [
      CommandSpec(
        "check", "Read a rules file and run its tests",
        discussion: """
          Every error is told with its line and column: unknown words, bad patterns, ids used twice, rules that no frame \
          reaches, tests that fail, and rules that the store knows otherwise under the same version.
          """,
        options: [print, CommonOptions.rules, CommonOptions.store], positionals: [file],
        examples: [.init("symclust rules check acme.rules", "before it is committed")]),
      CommandSpec(
        "show", "Print the rules in force", options: [CommonOptions.rules],
        examples: [
          .init("symclust rules show", "the built-in rules, as a rules file"),
          .init("symclust rules show --rules acme.rules", "the table that a project's file comes to"),
        ]),
      CommandSpec(
        "diff", "Tell what other rules would change for everything in the store",
        discussion: """
          Every raw stack is derived by the old and by the new rules; no payload is needed and nothing is written. The churn is \
          the part of all diagnostics that would be shown in another cluster. Clusters that only get another id go on, and do \
          not count.
          """,
        options: [maximumChurn, top, CommonOptions.rules, CommonOptions.store, CommonOptions.jobs, CommonOptions.json],
        positionals: [files],
        examples: [
          .init("symclust rules diff acme.rules", "the rules in force against a file"),
          .init("symclust rules diff old.rules new.rules --max-churn 0.01", "a gate in a pipeline"),
        ]),
    ],
    examples: [.init("symclust rules show", "the built-in rules")]),
  run: { session throws(CommandFailure) in
    switch session.command.path.last {
    case "check": try check(&session)
    case "show": try show(&session)
    default: try diff(&session)
    }
  })

private func check(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let rules = if let path = session.command.text(file) { try session.rules(at: path) } else { try session.rules() }
  // A store is looked at when there is one.
  if let directory = try session.existingStore(), directory.contains(SQLiteSignatureStore.fileName) {
    try session.check(rules, against: try counts(in: directory))
  }
  session.out.write(rules.summary)
  if session.command.flag(print) { session.out.write("\n" + rules.text) }
  return .done
}

private func show(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  session.out.write(try session.rules().text)
  return .done
}

private func diff(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let paths = session.command.list(files)
  guard paths.count <= 2 else { throw CommandFailure(.usage, "'rules diff' compares two rules files at most") }
  let old = paths.count == 2 ? try session.rules(at: paths[0]) : try session.rules()
  let new = try session.rules(at: paths[paths.count - 1])
  let directory = try session.openStore(creating: false)
  let indexes = OpenIndexes(of: SymbolStore(directory, builder: session.indexBuilder()))
  let symbolicator = Symbolicator(source: indexes.availability, workers: session.workers)
  let workers = session.workers
  func deriver(_ rules: Rules) -> StackDeriver {
    StackDeriver(symbolicator: symbolicator, builder: SignatureBuilder(rules: rules), workers: workers)
  }
  let counts = try counts(in: directory)
  let churn: RulesChurn
  do throws(SignatureStoreError) {
    churn = try RulesChurn(store: counts, old: deriver(old), new: deriver(new))
  } catch {
    throw CommandFailure(.store, error.description)
  }
  let report = RulesDiff(
    old: old, new: new, churn: churn, maximum: session.command.number(maximumChurn),
    shown: session.command.integer(top) ?? 20)
  try session.show(as: { _ in report.text }, or: { $0.rulesDiff(report) })
  return report.isWithinMaximum ? .done : .gaps
}
