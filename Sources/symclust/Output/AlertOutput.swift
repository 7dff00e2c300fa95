import CommandLine
import Diagnostics
import Identity
import JSON
import ReleaseHealth
import SignatureStore

/// One line for a job: one alert, or the notice that stands for all of them.
enum AlertLine {
  case alert(ClusterJudgement)
  case storm

  /// What is told one by one: what fires, what is resolved, and what a job may want to look at.
  static func lines(_ alerts: Alerts) -> [AlertLine] {
    let others = alerts.judgements.filter { !$0.state.fires && $0.state != .known }.map(AlertLine.alert)
    return (alerts.isStorm ? [.storm] : alerts.firing.map(AlertLine.alert)) + others
  }
}

/// What `alerts` says to people.
enum AlertText {
  static func text(_ alerts: Alerts, _ input: HealthInput) -> String {
    var text = "\(visible(input.app)) \(visible(alerts.build.text))"
    text += alerts.baseline.map { ", held against \(visible($0.text))" } ?? ", with no release before it"
    text +=
      "\n  \(alerts.payloads.map { "\(grouped($0)) payloads" } ?? "too few payloads to be told"), \(alerts.looks) looks\n"
    if alerts.isStorm {
      text += "\(alerts.firing.count) alerts: something of all of them is the matter; the strongest:\n"
    }
    for judgement in alerts.firing.prefix(alerts.isStorm ? 3 : .max) {
      text += "\(judgement.state.rawValue.uppercased())  \(visible(judgement.title))\n"
      text += "  \(judgement.cluster), \(judgement.kind.rawValue), for \(visible(judgement.owner))\n"
      text += "  \(HealthText.numbers(judgement.statistics))\n"
      if let since = judgement.since { text += "  since \(since.text)\n" }
    }
    for state in ClusterState.allCases where !state.fires {
      let found = alerts.judgements.filter { $0.state == state }
      guard !found.isEmpty else { continue }
      text += "\(state.rawValue): \(found.count)\n"
      guard state == .resolved || state == .unproven else { continue }
      for judgement in found {
        text += "  \(judgement.cluster)  \(visible(judgement.title))\n"
        for reservation in judgement.reservations { text += "    \(HealthText.sentence(reservation))\n" }
      }
    }
    if alerts.firing.isEmpty { text += "no alert\n" }
    return text
  }
}

// Alerts for programs; docs/schemas describes them.
extension JSONWriter {
  /// The document of `alerts`.
  mutating func alerts(_ alerts: Alerts, _ input: HealthInput) {
    beginObject()
    member("schema", "symclust.alerts/1")
    alertContext(alerts, input)
    key("looks")
    beginObject()
    member("count", alerts.looks)
    member("spending", "halved_each_day")
    endObject()
    payloads(alerts.payloads)
    member("rules_digest", alerts.rules.digest?.hex)
    key("rules")
    array(alerts.rules.rules) { writer, rule in writer.alertRule(rule) }
    key("storm")
    if alerts.isStorm { storm(alerts) } else { null() }
    key("summary")
    beginObject()
    for state in ClusterState.allCases { member(state.rawValue, alerts.judgements.count { $0.state == state }) }
    endObject()
    key("alerts")
    let told = alerts.isStorm ? Array(alerts.firing.prefix(alerts.rules.stormLimit)) : alerts.firing
    array(told) { writer, judgement in writer.judgement(judgement, alerts) }
    key("others")
    array(alerts.judgements.filter { !$0.state.fires }) { writer, judgement in writer.judgement(judgement, alerts) }
    apart(input, minimum: alerts.rules.rules.map(\.comparison.minimumCohort).min() ?? 0)
    endObject()
  }

  /// One line of `alerts --format jsonl`.
  mutating func alertLine(_ line: AlertLine, _ alerts: Alerts, _ input: HealthInput) {
    beginObject()
    member("schema", "symclust.alert/1")
    alertContext(alerts, input)
    switch line {
    case .storm:
      key("storm")
      storm(alerts)
    case .alert(let judgement):
      key("alert")
      self.judgement(judgement, alerts)
    }
    endObject()
  }

  private mutating func alertContext(_ alerts: Alerts, _ input: HealthInput) {
    member("app", input.app)
    member("generation", input.generation.rawValue)
    key("build")
    build(alerts.build)
    key("baseline")
    optionalBuild(alerts.baseline)
  }

  private mutating func storm(_ alerts: Alerts) {
    beginObject()
    member("key", alerts.stormKey)
    member("alerts", alerts.firing.count)
    member("limit", alerts.rules.stormLimit)
    member("owner", alerts.firing.first?.owner)
    endObject()
  }

  private mutating func judgement(_ judgement: ClusterJudgement, _ alerts: Alerts) {
    let minimum = alerts.rules.rule(for: judgement.kind)?.comparison.minimumCohort ?? 0
    beginObject()
    member("key", Alerts.key(judgement.cluster, judgement.state, in: alerts.build))
    member("cluster", judgement.cluster)
    member("state", judgement.state.rawValue)
    member("fires", judgement.state.fires)
    key("reservations")
    words(judgement.reservations)
    key("ended")
    array(judgement.ended) { writer, state in writer.string(state.rawValue) }
    member("kind", judgement.kind.rawValue)
    member("title", judgement.title)
    member("owner", judgement.owner)
    member("explain", "symclust signatures explain \(judgement.cluster)")
    member("since", judgement.since?.text)
    key("last_seen_before")
    optionalBuild(judgement.lastSeen)
    statistics(judgement.statistics, minimum: minimum)
    let isTold = judgement.state != .suppressed
    optionalDouble("probability", isTold ? judgement.probability : nil)
    optionalDouble("adjusted", isTold ? judgement.adjusted : nil)
    optionalDouble("level", judgement.level)
    endObject()
  }

  private mutating func alertRule(_ rule: AlertRules.Rule) {
    beginObject()
    member("name", rule.name)
    member("owner", rule.owner)
    key("kinds")
    array(rule.kinds) { writer, kind in writer.string(kind.rawValue) }
    key("comparison")
    comparisonRules(rule.comparison)
    optionalDouble("relative_change", rule.relativeChange)
    optionalDouble("floor", rule.floor)
    member("sustained_days", rule.sustainedDays)
    member("minimum_day", rule.minimumDay)
    member("resolved_after", rule.resolvedAfter)
    endObject()
  }

  /// The body of a POST to Alertmanager's `/api/v2/alerts`: what fires now, and the end of what does not any more.
  ///
  /// Alertmanager tells alerts apart by their labels alone, so these hold nothing that changes from run to run. An alert is
  /// ended by the same labels with an end that is past: the beginning of the last day that was counted, so that equal
  /// stores give equal bytes. Source: Alertmanager's OpenAPI v2, `postableAlert`.
  mutating func alertmanager(_ alerts: Alerts) {
    beginArray()
    if alerts.isStorm {
      postable(
        "storm", in: alerts.build, [("owner", alerts.firing.first?.owner ?? "")],
        "\(alerts.firing.count) clusters are new or worse in \(alerts.build.app) \(alerts.build.text)",
        key: alerts.stormKey)
    } else {
      for judgement in alerts.firing { postable(judgement, judgement.state, alerts.build, endsAt: nil) }
    }
    for judgement in alerts.judgements {
      for state in Set(judgement.ended).sorted(by: { $0.rawValue < $1.rawValue }) where state != judgement.state {
        postable(judgement, state, alerts.build, endsAt: alerts.lastDayBegin)
      }
      guard judgement.state == .resolved else { continue }
      // It may have fired in any build that showed it; the last one is where it was open.
      for state in ClusterState.allCases where state.fires {
        if let build = judgement.lastSeen { postable(judgement, state, build, endsAt: alerts.lastDayBegin) }
      }
    }
    endArray()
  }

  private mutating func postable(
    _ judgement: ClusterJudgement, _ state: ClusterState, _ build: DeclaredBuild, endsAt: String?
  ) {
    let kind = judgement.kind.rawValue
    postable(
      state.rawValue, in: build, [("cluster", judgement.cluster), ("kind", kind), ("owner", judgement.owner)],
      "\(kind) \(state.rawValue) in \(build.app) \(build.text): \(visible(judgement.title))",
      endsAt == nil ? HealthText.numbers(judgement.statistics) : nil,
      key: Alerts.key(judgement.cluster, state, in: build), endsAt: endsAt)
  }

  private mutating func postable(
    _ name: String, in build: DeclaredBuild, _ labels: [(String, String)], _ summary: String,
    _ description: String? = nil, key symclustKey: String, endsAt: String? = nil
  ) {
    let about = [
      ("app", build.app), ("version", build.version), ("build", build.build), ("alertname", "symclust_" + name),
    ]
    beginObject()
    key("labels")
    beginObject()
    for (label, value) in about + labels { member(label, value) }
    endObject()
    key("annotations")
    beginObject()
    member("summary", summary)
    if let description { member("description", description) }
    member("symclust_key", symclustKey)
    endObject()
    if let endsAt { member("endsAt", endsAt) }
    endObject()
  }
}
