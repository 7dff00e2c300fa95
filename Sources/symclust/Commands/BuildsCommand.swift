import CommandLine
import Files
import JSON
import ReleaseHealth
import SymbolStore

private let channel = OptionSpec.value(
  "channel", "NAME", help: "to whom it goes, for example beta; later builds are held against releases only")
private let order = OptionSpec.value(
  "order", "N", .integer(0...1_000_000_000),
  help: "its place among the builds of the app; counts when every one has a place, else version and number do")
private let old = PositionalSpec("OLD", .text, help: "the build that is held against: its number, or '1.2 (120)'")
private let new = PositionalSpec("NEW", .text, help: "the build that is judged")
private let shown = PositionalSpec("BUILD", .text, help: "the build: its number, or '1.2 (120)'")
private let options = [
  HealthOptions.app, HealthOptions.generation, HealthOptions.minimumCohort, CommonOptions.calendar, CommonOptions.store,
  CommonOptions.json,
]

let buildsCommand = Command(
  spec: CommandSpec(
    "builds", "List the builds of an app in their order, and hold one against another",
    subcommands: [
      CommandSpec(
        "list", "List the builds of an app, earliest first, with what was accepted of each",
        discussion: """
          Builds are declared by uploading their symbols, or with 'builds declare'. One that was only seen in diagnostics has no \
          place, and does not become the latest.
          """,
        options: options,
        examples: [.init("symclust builds list", "which builds there are, and how much of each was seen")]),
      CommandSpec(
        "show", "Show what was accepted of one build, by system", options: options, positionals: [shown],
        examples: [.init("symclust builds show 120", "payloads, report-days and systems of a build")]),
      CommandSpec(
        "declare", "Say that a build exists, to whom it goes, and what its place is",
        options: [
          BuildOptions.app, BuildOptions.version, BuildOptions.build, channel, order, CommonOptions.store,
          CommonOptions.json,
        ],
        examples: [
          .init(
            "symclust builds declare --app com.example.app --version 2.1 --build 812 --channel beta",
            "a build for testers")
        ]),
      CommandSpec(
        "compare", "Say of each cluster whether it is new, gone, grown or shrunk from one build to another",
        discussion: """
          Like for like: only systems (release up to its second number) that both builds were used on are compared, one by one, \
          and pooled. What is claimed is false one time in 20 at most, over all clusters together; docs/health.md has the \
          formulas. Words: \(Change.allCases.map(\.rawValue).joined(separator: ", ")).
          """,
        options: options, positionals: [old, new],
        examples: [.init("symclust builds compare 112 120", "what became of each cluster")]),
    ],
    examples: [.init("symclust builds compare 112 120 --json", "two builds, for a program")]),
  run: { session throws(CommandFailure) in
    switch session.command.path.last {
    case "list": try list(&session)
    case "show": try show(&session)
    case "declare": try declare(&session)
    default: try compare(&session)
    }
  })

private func list(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let input = try session.healthInput()
  let list = BuildList(input, minimumCohort: session.minimumCohort)
  try session.show(as: { HealthText.list(list, on: $0) }, or: { $0.buildList(list) })
  return .done
}

private func show(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let input = try session.healthInput()
  let build = try input.build(session.command.text(shown) ?? "")
  let detail = BuildDetail(input, build, minimumCohort: session.minimumCohort)
  try session.show(as: { HealthText.detail(detail, on: $0) }, or: { $0.buildDetail(detail) })
  return .done
}

private func declare(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  guard let name = try session.command.buildName() else {
    throw CommandFailure(.usage, "name the build with --app, --version and --build")
  }
  let directory = try session.openStore(creating: true)
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let store = SymbolStore(directory, builder: session.indexBuilder(), isLocked: true)
  var declaration =
    try storing { () throws(StoreError) in try store.declaration(of: name) } ?? BuildDeclaration(name)
  // What is not said now stays as it was said before.
  if let channel = session.command.text(channel) { declaration.channel = channel }
  if let order = session.command.integer(order) { declaration.order = order }
  try storing { () throws(StoreError) in try store.declare(declaration) }
  _ = consume lock
  try session.show(as: { _ in HealthText.declaration(declaration) }, or: { $0.declaration(declaration) })
  return .done
}

private func compare(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let input = try session.healthInput()
  let before = try input.build(session.command.text(old) ?? "")
  let after = try input.build(session.command.text(new) ?? "")
  guard before != after else { throw CommandFailure(.usage, "a build cannot be held against itself") }
  var rules = ComparisonRules()
  rules.minimumCohort = session.command.integer(HealthOptions.minimumCohort) ?? rules.minimumCohort
  let comparison = Comparison(input.table, old: before, new: after, rules: rules)
  let output = ComparisonOutput(input: input, old: before, new: after, comparison: comparison)
  try session.show(as: { _ in HealthText.comparison(output) }, or: { $0.comparison(output) })
  return .done
}

extension Session {
  /// The fewest payloads of a build whose numbers are told: 50, as in the cluster report, if nothing else was said.
  var minimumCohort: Int { command.integer(HealthOptions.minimumCohort) ?? 50 }
}
