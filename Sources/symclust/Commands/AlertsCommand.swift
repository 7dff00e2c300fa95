import Bytes
import CommandLine
import Diagnostics
import Files
import JSON
import ReleaseHealth
import SignatureStore

private let build = OptionSpec.value(
  "build", "B", help: "the build that is judged: its number, or '1.2 (120)' (default: the latest release)")
private let baseline = OptionSpec.value(
  "baseline", "B0", help: "the build it is held against (default: the last release before it)")
private let rulesFile = OptionSpec.value(
  "alert-rules", "FILE", .file, environment: "SYMCLUST_ALERT_RULES",
  help: "thresholds and owners (docs/schemas/alert-rules.schema.json)")
private let format = OptionSpec.value(
  "format", "WORD", .choice(AlertFormat.allCases.map(\.rawValue)), default: AlertFormat.text.rawValue,
  help: "how alerts are told; alertmanager is the body of a POST to its /api/v2/alerts")

/// How alerts are told.
enum AlertFormat: String, CaseIterable {
  case text
  case json
  case jsonLines = "jsonl"
  case alertmanager
}

let alertsCommand = Command(
  spec: CommandSpec(
    "alerts", "Say what is new or worse in a build, for jobs that tell somebody",
    discussion: """
      Each cluster of the build has one state: \(ClusterState.allCases.map(\.rawValue).joined(separator: ", ")). New, \
      reopened and regressed fire, and the exit code is then 4. What is claimed without cause is at most one build in 20; \
      docs/health.md says how. Reasons tell why something is not claimed: \
      \(Reservation.allCases.map(\.rawValue).joined(separator: ", ")).

      Every alert has a key that stays the same from run to run, so that a job can tell what it has told already. When more fire \
      than the rules' storm limit, there is one notice instead.
      """,
    options: [
      build, baseline, HealthOptions.app, HealthOptions.generation, rulesFile, format, CommonOptions.calendar,
      CommonOptions.store, CommonOptions.json,
    ],
    examples: [
      .init("symclust alerts --build 120", "is this build worse?"),
      .init(
        "symclust alerts --build 120 --format alertmanager | curl -sf -H 'Content-Type: application/json' -d @- "
          + "http://localhost:9093/api/v2/alerts", "hand them to Alertmanager"),
    ]),
  run: alerts)

private func alerts(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let rules = try session.alertRules()
  let input = try session.healthInput()
  if input.generation == .v2, !rules.includesPreview {
    throw CommandFailure(
      .usage,
      "payloads of v2 come from an interface that is not released: rules with \"include_preview\": true count them")
  }
  let judged: DeclaredBuild
  if let text = session.command.text(build) {
    judged = try input.build(text)
  } else if let latest = input.order.latest {
    judged = latest
  } else {
    throw CommandFailure(.nothingDone, "no release of \(input.app) was declared: name a build with --build")
  }
  guard input.order.place(of: judged) != nil else {
    throw CommandFailure(
      .nothingDone,
      "the place of \(judged.text) among the builds is not known: declare it ('symclust builds declare'), or nothing can be claimed"
    )
  }
  let held = try session.command.text(baseline).map { text throws(CommandFailure) in try input.build(text) }
  if let held {
    guard let place = input.order.place(of: held), let own = input.order.place(of: judged), place < own else {
      throw CommandFailure(
        .usage, "--baseline \(held.text) is not known to come before \(judged.text): see 'symclust builds list'")
    }
  }
  let alerts = Alerts(input.table, order: input.order, build: judged, baseline: held, rules: rules)
  let format = session.command.flag(CommonOptions.json) ? .json : session.command.text(format).flatMap(AlertFormat.init)
  switch format ?? .text {
  case .text: session.out.write(AlertText.text(alerts, input))
  case .json:
    var writer = JSONWriter(.pretty)
    writer.alerts(alerts, input)
    try session.print(writer)
  case .jsonLines:
    for line in AlertLine.lines(alerts) {
      var writer = JSONWriter()
      writer.alertLine(line, alerts, input)
      try session.print(writer)
      session.out.write("\n")
    }
  case .alertmanager:
    var writer = JSONWriter(.pretty)
    writer.alertmanager(alerts)
    try session.print(writer)
  }
  return alerts.firing.isEmpty ? .done : .alerts
}

extension Session {
  /// The rules of alerts that the command names, or the built-in ones.
  func alertRules() throws(CommandFailure) -> AlertRules {
    guard let path = command.text(rulesFile) else { return .standard }
    let bytes: ByteView
    do throws(FileError) {
      bytes = try ByteView.reading(path: path, limit: 1 << 20)
    } catch {
      throw CommandFailure(.nothingDone, "\(error)")
    }
    do throws(AlertRules.Problem) {
      return try bytes.withBytes { (raw) throws(AlertRules.Problem) in try AlertRules(json: raw) }
    } catch {
      throw CommandFailure(.nothingDone, "\(path): \(error)")
    }
  }
}
