import Diagnostics
import ReleaseHealth
import SignatureStore

/// A number of report-days as it is told.
enum ReportDays {
  case unknown
  case tooFew
  case told(Int)

  /// None are unknown: a build without metric payloads may be used as much as any.
  init(_ number: Int, isHidden: Bool) { self = number == 0 ? .unknown : isHidden ? .tooFew : .told(number) }

  var number: Int? { if case .told(let number) = self { number } else { nil } }
}

/// What `builds list` shows.
struct BuildList {
  struct Row {
    var build: DeclaredBuild
    var isDeclared: Bool
    /// Its place among the builds, from 1; `nil` when it is not known.
    var place: Int?
    /// `nil` when they are too few to be told.
    var payloads: Int?
    var reportDays: ReportDays
  }

  let input: HealthInput
  let minimumCohort: Int
  let rows: [Row]

  init(_ input: HealthInput, minimumCohort: Int) {
    (self.input, self.minimumCohort) = (input, minimumCohort)
    let order = input.order
    let undeclared = input.undeclared.map {
      DeclaredBuild(app: input.app, version: $0.version ?? "", build: $0.build ?? "")
    }
    let builds = order.builds + order.unordered + undeclared
    let payloads = builds.map { build in
      input.table.builds.reduce(0) { $0 + (build.isBuild(of: $1.key) ? $1.value : 0) }
    }
    // The whole is not told here, so one hidden number cannot be had from the others.
    rows = builds.enumerated().map { index, build in
      let days = input.table.reportDays.reduce(0) { $0 + (build.isBuild(of: $1.key.build) ? $1.value : 0) }
      return Row(
        build: build, isDeclared: index < order.builds.count + order.unordered.count,
        place: index < order.builds.count ? index + 1 : nil,
        payloads: Suppression.isTold(payloads[index], minimum: minimumCohort) ? payloads[index] : nil,
        reportDays: ReportDays(days, isHidden: days < minimumCohort))
    }
  }
}

/// What `builds show` shows of one build.
struct BuildDetail {
  /// The payloads with a diagnostic of one kind.
  struct KindRow {
    var kind: DiagnosticKind
    /// `nil` when they are too few to be told.
    var payloads: Int?
  }

  struct Row {
    var systems: HealthTable.Stratum
    /// `nil` when they are too few to be told, or would tell another number that is.
    var payloads: Int?
    var reportDays: ReportDays
  }

  let input: HealthInput
  let build: DeclaredBuild
  let minimumCohort: Int
  /// Accepted payloads of the build; `nil` when they are too few to be told.
  let payloads: Int?
  let rows: [Row]
  /// By kind. A payload with several kinds counts in each.
  let kinds: [KindRow]

  init(_ input: HealthInput, _ build: DeclaredBuild, minimumCohort: Int) {
    (self.input, self.build, self.minimumCohort) = (input, build, minimumCohort)
    var sums: [HealthTable.Stratum: (payloads: Int, reportDays: Int)] = [:]
    for (cell, count) in input.table.accepted where build.isBuild(of: cell.build) {
      sums[cell.stratum, default: (0, 0)].payloads += count.payloads
    }
    for (cell, days) in input.table.reportDays where build.isBuild(of: cell.build) {
      sums[cell.stratum, default: (0, 0)].reportDays += days
    }
    let all = input.table.builds.reduce(0) { $0 + (build.isBuild(of: $1.key) ? $1.value : 0) }
    payloads = Suppression.isTold(all, minimum: minimumCohort) ? all : nil
    let sorted = sums.sorted { $0.key < $1.key }
    let hidden = Suppression.hidden(sorted.map(\.value.payloads), minimum: minimumCohort)
    let hiddenDays = Suppression.hidden(sorted.map(\.value.reportDays), minimum: minimumCohort)
    rows = sorted.enumerated().map { index, sum in
      Row(
        systems: sum.key, payloads: hidden.contains(index) ? nil : sum.value.payloads,
        reportDays: ReportDays(sum.value.reportDays, isHidden: hiddenDays.contains(index)))
    }
    var ofKinds: [DiagnosticKind: Int] = [:]
    for (record, counts) in input.table.kinds where build.isBuild(of: record) {
      ofKinds.merge(counts, uniquingKeysWith: +)
    }
    let found = DiagnosticKind.allCases.compactMap { kind in ofKinds[kind].map { (kind: kind, payloads: $0) } }
    let hiddenKinds = Suppression.hidden(found.map(\.payloads), minimum: minimumCohort)
    kinds = found.enumerated().map { index, found in
      KindRow(kind: found.kind, payloads: hiddenKinds.contains(index) ? nil : found.payloads)
    }
  }
}

/// What `builds compare` shows.
struct ComparisonOutput {
  let input: HealthInput
  let old: DeclaredBuild
  let new: DeclaredBuild
  let comparison: Comparison

  /// The places of the strata whose numbers are not told. The sums of what is compared are told beside every share, so what is
  /// hidden of that must not follow from them; nor of the rest, whose sum follows from the coverage.
  var hidden: Set<Int> {
    let strata = comparison.strata
    var hidden: Set<Int> = []
    for isUsed in [true, false] {
      let group = strata.indices.filter { strata[$0].isUsed == isUsed }
      for build in [\Comparison.Stratum.new, \.old] {
        let parts = group.map { strata[$0][keyPath: build] }
        let places = Suppression.hidden(parts, minimum: comparison.rules.minimumCohort)
        hidden.formUnion(places.map { group[$0] })
      }
    }
    return hidden
  }

  /// Whether the coverage is told: not where it would tell that few payloads are left out.
  var isCoverageTold: Bool {
    let rest = comparison.strata.reduce(0) { $0 + ($1.isUsed ? 0 : $1.new) }
    return Suppression.isTold(rest, minimum: comparison.rules.minimumCohort)
  }

  /// What the coverage is at least: it itself where it is told, else what it would be if the fewest payloads that are told were
  /// left out; cut to six digits, so that it stays below.
  var leastCoverage: Double {
    guard !isCoverageTold else { return comparison.coverage }
    let compared = Double(comparison.newPayloads)
    return (compared / (compared + Double(comparison.rules.minimumCohort)) * 1e6).rounded(.down) / 1e6
  }
}
