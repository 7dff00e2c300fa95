import ReleaseHealth
import SignatureStore

/// What `builds list` shows.
struct BuildList {
  struct Row {
    var build: DeclaredBuild
    var isDeclared: Bool
    /// Its place among the builds, from 1; `nil` when it is not known.
    var place: Int?
    /// `nil` when they are too few to be told.
    var payloads: Int?
    var reportDays: Int?
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
        payloads: payloads[index] == 0 || payloads[index] >= minimumCohort ? payloads[index] : nil,
        reportDays: days > 0 ? days : nil)
    }
  }
}

/// What `builds show` shows of one build.
struct BuildDetail {
  struct Row {
    var systems: HealthTable.Stratum
    /// `nil` when they are too few to be told, or would tell another number that is.
    var payloads: Int?
    var reportDays: Int?
  }

  let input: HealthInput
  let build: DeclaredBuild
  let minimumCohort: Int
  /// Accepted payloads of the build; `nil` when they are too few to be told.
  let payloads: Int?
  let rows: [Row]

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
    payloads = all == 0 || all >= minimumCohort ? all : nil
    let sorted = sums.sorted { $0.key < $1.key }
    let hidden = Suppression.hidden(sorted.map(\.value.payloads), minimum: minimumCohort)
    rows = sorted.enumerated().map { index, sum in
      Row(
        systems: sum.key, payloads: hidden.contains(index) ? nil : sum.value.payloads,
        reportDays: sum.value.reportDays > 0 ? sum.value.reportDays : nil)
    }
  }
}

/// What `builds compare` shows.
struct ComparisonOutput {
  let input: HealthInput
  let old: DeclaredBuild
  let new: DeclaredBuild
  let comparison: Comparison

  /// The places of the strata whose numbers are not told.
  var hidden: Set<Int> {
    let minimum = comparison.rules.minimumCohort
    let strata = comparison.strata
    // What is not compared is not told either way round; of what is, the sum is told.
    let small = strata.indices.filter {
      (1..<minimum).contains(strata[$0].new) || (1..<minimum).contains(strata[$0].old)
    }
    return Suppression.hidden(strata.map(\.new), minimum: minimum)
      .union(Suppression.hidden(strata.map(\.old), minimum: minimum)).union(small)
  }
}
