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
      writer.payloads(row.payloads)
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
    payloads(detail.payloads)
    key("systems")
    array(detail.rows) { writer, row in
      writer.beginObject()
      writer.stratum(row.systems)
      writer.payloads(row.payloads)
      writer.member("report_days", row.reportDays.number)
      writer.endObject()
    }
    key("kinds")
    array(detail.kinds) { writer, row in
      writer.beginObject()
      writer.member("kind", row.kind.rawValue)
      writer.payloads(row.payloads)
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
      share(
        Share(numerator: part.cases, denominator: part.total, minimumCohort: isTold ? 0 : .max), withholdsCounts: true)
    }
    interval("ratio", isTold ? statistics.ratio : nil)
    interval("difference", isTold ? statistics.difference : nil)
  }

  /// A number with its interval; `null` when there is none.
  private mutating func interval(_ name: String, _ estimate: (value: Double, interval: ClosedRange<Double>)?) {
    key(name)
    guard let estimate else { return null() }
    beginObject()
    optionalDouble("value", estimate.value)
    optionalDouble("low", estimate.interval.lowerBound)
    optionalDouble("high", estimate.interval.upperBound)
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

  /// A number of payloads; `nil` when they are too few to be told.
  mutating func payloads(_ number: Int?) {
    member("payloads", number)
    member("suppressed", number == nil)
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
