import Diagnostics
import JSON
import ReleaseHealth
import SignatureStore
import SymbolStore

// The documents of `builds` and `alerts`; docs/schemas describes them.
extension JSONWriter {
  /// The document of `builds list`.
  mutating func buildList(_ list: BuildList) {
    beginObject()
    member("schema", "symclust.builds/1")
    member("app", list.input.app)
    member("generation", list.input.generation.rawValue)
    member("order", list.input.order.basis.rawValue)
    member("minimum_cohort", list.minimumCohort)
    key("latest")
    optionalBuild(list.input.order.latest)
    key("builds")
    array(list.rows) { writer, row in
      writer.beginObject()
      writer.members(of: row.build)
      writer.member("channel", row.build.channel)
      writer.member("order", row.build.order)
      writer.member("declared", row.isDeclared)
      writer.member("place", row.place)
      writer.member("payloads", row.payloads)
      writer.member("suppressed", row.payloads == nil)
      writer.member("report_days", row.reportDays.number)
      writer.endObject()
    }
    apart(list.input, minimum: list.minimumCohort)
    endObject()
  }

  /// The document of `builds show`.
  mutating func buildDetail(_ detail: BuildDetail) {
    beginObject()
    member("schema", "symclust.build-detail/1")
    member("app", detail.input.app)
    member("generation", detail.input.generation.rawValue)
    member("minimum_cohort", detail.minimumCohort)
    key("build")
    build(detail.build)
    member("channel", detail.build.channel)
    member("place", detail.input.order.place(of: detail.build).map { $0 + 1 })
    key("baseline")
    optionalBuild(detail.input.order.place(of: detail.build).flatMap(detail.input.order.baseline(of:)))
    member("payloads", detail.payloads)
    member("suppressed", detail.payloads == nil)
    key("systems")
    array(detail.rows) { writer, row in
      writer.beginObject()
      writer.stratum(row.systems)
      writer.member("payloads", row.payloads)
      writer.member("suppressed", row.payloads == nil)
      writer.member("report_days", row.reportDays.number)
      writer.endObject()
    }
    key("kinds")
    array(detail.kinds) { writer, row in
      writer.beginObject()
      writer.member("kind", row.kind.rawValue)
      writer.member("payloads", row.payloads)
      writer.member("suppressed", row.payloads == nil)
      writer.endObject()
    }
    apart(detail.input, minimum: detail.minimumCohort)
    endObject()
  }

  /// The document of `builds declare`.
  mutating func declaration(_ declaration: BuildDeclaration) {
    beginObject()
    member("schema", "symclust.declaration/1")
    member("app", declaration.build.app)
    member("version", declaration.build.version)
    member("build", declaration.build.build)
    member("channel", declaration.channel)
    member("order", declaration.order)
    endObject()
  }

  /// The document of `builds compare`.
  mutating func comparison(_ output: ComparisonOutput) {
    let comparison = output.comparison
    beginObject()
    member("schema", "symclust.comparison/1")
    member("app", output.input.app)
    member("generation", output.input.generation.rawValue)
    key("old")
    build(output.old)
    key("new")
    build(output.new)
    key("rules")
    comparisonRules(comparison.rules)
    key("coverage")
    beginObject()
    let isSmall = comparison.reservations.contains(.smallCohort)
    optionalDouble("share", isSmall || !output.isCoverageTold ? nil : comparison.coverage)
    optionalDouble("at_least", isSmall ? nil : output.leastCoverage)
    endObject()
    key("reservations")
    words(comparison.reservations)
    let hidden = output.hidden
    key("strata")
    array(Array(comparison.strata.enumerated())) { writer, stratum in
      let isHidden = hidden.contains(stratum.offset)
      writer.beginObject()
      writer.stratum(stratum.element.systems)
      writer.member("compared", stratum.element.isUsed)
      writer.member("old_payloads", isHidden ? nil : stratum.element.old)
      writer.member("new_payloads", isHidden ? nil : stratum.element.new)
      writer.member("suppressed", isHidden)
      writer.endObject()
    }
    key("summary")
    beginObject()
    for change in Change.allCases { member(change.rawValue, comparison.clusters.count { $0.change == change }) }
    endObject()
    key("clusters")
    array(comparison.clusters) { writer, cluster in
      writer.beginObject()
      writer.member("cluster", cluster.id)
      writer.member("kind", cluster.kind.rawValue)
      writer.member("title", cluster.title)
      writer.member("change", cluster.change.rawValue)
      writer.key("reservations")
      writer.words(cluster.reservations)
      writer.statistics(cluster.statistics, minimum: comparison.rules.minimumCohort)
      writer.optionalDouble("probability", cluster.probability)
      writer.optionalDouble("adjusted", cluster.adjusted)
      writer.endObject()
    }
    apart(output.input, minimum: comparison.rules.minimumCohort)
    endObject()
  }

  /// The numbers of one cluster in two builds. Below the minimum there are none.
  mutating func statistics(_ statistics: StratifiedComparison, minimum: Int) {
    let isTold = statistics.new.total >= minimum && statistics.old.total >= minimum
    for (name, part) in [("old", statistics.old), ("new", statistics.new)] {
      key(name)
      rate(part, isTold: isTold)
    }
    key("ratio")
    if isTold, let ratio = statistics.ratio {
      beginObject()
      optionalDouble("value", ratio.value)
      optionalDouble("low", ratio.interval.lowerBound)
      optionalDouble("high", ratio.interval.upperBound)
      endObject()
    } else {
      null()
    }
    key("difference")
    if isTold {
      let interval = statistics.new.newcombeDifference(from: statistics.old)
      beginObject()
      optionalDouble("value", statistics.new.value - statistics.old.value)
      optionalDouble("low", interval.lowerBound)
      optionalDouble("high", interval.upperBound)
      endObject()
    } else {
      null()
    }
  }

  private mutating func rate(_ part: Proportion, isTold: Bool) {
    beginObject()
    member("numerator", isTold ? part.cases : nil)
    member("denominator", isTold ? part.total : nil)
    member("denominator_kind", "accepted_diagnostic_payloads")
    member("suppressed", !isTold)
    optionalDouble("value", isTold ? part.value : nil)
    optionalDouble("low", isTold ? part.wilson.lowerBound : nil)
    optionalDouble("high", isTold ? part.wilson.upperBound : nil)
    endObject()
  }

  mutating func comparisonRules(_ rules: ComparisonRules) {
    beginObject()
    member("minimum_cohort", rules.minimumCohort)
    member("minimum_cases", rules.minimumCases)
    optionalDouble("minimum_coverage", rules.minimumCoverage)
    optionalDouble("level", rules.level)
    optionalDouble("informative_absence", rules.informativeAbsence)
    endObject()
  }

  mutating func words(_ reservations: [Reservation]) {
    array(reservations) { writer, reservation in writer.string(reservation.rawValue) }
  }

  /// What is never counted with the rest.
  mutating func apart(_ input: HealthInput, minimum: Int) {
    key("apart")
    beginObject()
    let mixed = input.table.mixed
    member("mixed_payloads", mixed == 0 || mixed >= minimum ? mixed : nil)
    for generation in PayloadGeneration.allCases where generation != .metrics && generation != input.generation {
      let count = input.table.otherGenerations[generation] ?? 0
      member("\(generation.rawValue)_payloads", count == 0 || count >= minimum ? count : nil)
    }
    endObject()
  }

  mutating func stratum(_ stratum: HealthTable.Stratum) {
    member("platform", stratum.platform)
    member("release", stratum.release)
  }

  mutating func build(_ build: DeclaredBuild) {
    beginObject()
    members(of: build)
    endObject()
  }

  mutating func optionalBuild(_ build: DeclaredBuild?) { if let build { self.build(build) } else { null() } }

  private mutating func members(of build: DeclaredBuild) {
    member("version", build.version.isEmpty ? nil : build.version)
    member("build", build.build.isEmpty ? nil : build.build)
  }
}
