import CommandLine
import Diagnostics
import ReleaseHealth
import SignatureStore
import SymbolStore

/// What the commands `builds` and `alerts` say to people.
enum HealthText {
  /// What stands in the place of a number that is not told.
  private static let hidden = "too few"

  static func list(_ list: BuildList, on terminal: Terminal) -> String {
    var table = Table([
      .init(""), .init("build"), .init("channel"), .init("payloads", .right), .init("report-days", .right),
    ])
    for row in list.rows {
      table.append([
        Table.Cell(row.place.map { "\($0)." } ?? "?"), Table.Cell(row.build.text),
        Table.Cell(row.isDeclared ? row.build.channel ?? "release" : "not declared"),
        Table.Cell(row.payloads.map { grouped($0) } ?? hidden),
        Table.Cell(told(row.reportDays)),
      ])
    }
    var text = "\(visible(list.input.app)), payloads of \(list.input.generation.rawValue)\n"
    text += table.text(on: terminal)
    text += list.input.order.latest.map { "latest release: \(visible($0.text))\n" } ?? "no release was declared\n"
    return text + apart(list.input)
  }

  static func detail(_ detail: BuildDetail, on terminal: Terminal) -> String {
    let order = detail.input.order
    let place = order.place(of: detail.build)
    var text = "\(visible(detail.input.app)) \(visible(detail.build.text))\n"
    text +=
      "  " + (place.map { "build \($0 + 1) of \(order.builds.count)" } ?? "its place among the builds is not known")
      + "\n"
    if let baseline = place.flatMap(order.baseline(of:)) { text += "  held against \(visible(baseline.text))\n" }
    text +=
      "  \(detail.payloads.map { count($0, "payload") } ?? "too few payloads to be told") of \(detail.input.generation.rawValue)\n"
    var table = Table([.init("  system"), .init("payloads", .right), .init("report-days", .right)])
    for row in detail.rows {
      table.append([
        Table.Cell("  " + name(row.systems)), Table.Cell(row.payloads.map { grouped($0) } ?? hidden),
        Table.Cell(told(row.reportDays)),
      ])
    }
    text += table.text(on: terminal)
    var kinds = Table([.init("  kind"), .init("payloads", .right)])
    for row in detail.kinds {
      kinds.append([Table.Cell("  " + row.kind.rawValue), Table.Cell(row.payloads.map { grouped($0) } ?? hidden)])
    }
    return text + (detail.kinds.isEmpty ? "" : kinds.text(on: terminal)) + apart(detail.input)
  }

  private static func told(_ days: ReportDays) -> String {
    switch days {
    case .unknown: "unknown"
    case .tooFew: hidden
    case .told(let number): grouped(number)
    }
  }

  static func declaration(_ declaration: BuildDeclaration) -> String {
    let build = declaration.build
    var text = "declared \(build.app) \(build.version) (\(build.build)), channel \(declaration.channel ?? "release")"
    if let order = declaration.order { text += ", place \(order)" }
    return visible(text) + "\n"
  }

  static func comparison(_ output: ComparisonOutput) -> String {
    let comparison = output.comparison
    let isTold = !comparison.reservations.contains(.smallCohort)
    var text = "\(visible(output.input.app)): \(visible(output.new.text)) held against \(visible(output.old.text))\n"
    if isTold {
      text +=
        "  \(grouped(comparison.newPayloads)) and \(grouped(comparison.oldPayloads)) payloads on "
        + "\(count(comparison.strata.count(where: \.isUsed), "system")) that both were used on, "
        + "\(output.isCoverageTold ? "" : "at least ")\(percent(output.leastCoverage)) of the build's\n"
    }
    for reservation in comparison.reservations { text += "  nothing is claimed: \(sentence(reservation))\n" }
    for change in Change.allCases {
      let clusters = comparison.clusters.filter { $0.change == change }
      guard !clusters.isEmpty else { continue }
      text += "\(change.rawValue.replacing("_", with: " ")): \(clusters.count)\n"
      // What did not change, or cannot be compared at all, is told by its number.
      guard change != .unchanged, comparison.reservations.isEmpty else { continue }
      for cluster in clusters {
        text += "  \(cluster.id)  \(visible(cluster.title))\n"
        if isTold { text += "    " + numbers(cluster.statistics) + "\n" }
        for reservation in cluster.reservations where !comparison.reservations.contains(reservation) {
          text += "    \(sentence(reservation))\n"
        }
      }
    }
    return text + apart(output.input)
  }

  /// `12 of 400 (3.0 %), before 4 of 500 (0.8 %): 3.75 times, between 1.2 and 11.5`.
  static func numbers(_ numbers: StratifiedComparison) -> String {
    func part(_ part: Proportion) -> String {
      "\(grouped(part.cases)) of \(grouped(part.total)) (\(percent(part.value)))"
    }
    var text = "\(part(numbers.new)), before \(part(numbers.old))"
    if let ratio = numbers.ratio {
      let (low, high) = (ratio.interval.lowerBound, ratio.interval.upperBound)
      // Of several systems the ratio is not that of the sums before it.
      let pooled = numbers.strata.count > 1 ? " system by system" : ""
      text += ": \(decimal(ratio.value, places: 2)) times\(pooled), "
      text += "between \(decimal(low, places: 2)) and \(decimal(high, places: 2))"
    }
    return text
  }

  static func sentence(_ reservation: Reservation) -> String {
    switch reservation {
    case .smallCohort: "too few payloads on the systems that both were used on"
    case .lowCoverage: "most of the build's payloads come from systems that the other was not used on"
    case .fewCases: "too few payloads show it"
    case .shortExposure: "so few payloads of the other were seen that its absence there says nothing"
    case .otherSystems: "the other shows it on systems of its own only"
    case .notSignificant: "a difference this large comes by chance"
    case .unknownOrder: "a build whose place is not known shows it"
    case .unprovenSignature: "its name may still change, or tells too little"
    case .notSustained: "it did not stay up for as many days as the rules want"
    case .unknownDays: "on which days it was reported is not known"
    case .belowFloor: "the difference is smaller than the rules want"
    case .shareOnly: "its share rose, but not its rate per report-day"
    case .tooFewBuilds: "it is missed, but not in as many builds yet as the rules want"
    case .noBaseline: "there is no earlier release to hold it against"
    }
  }

  static func name(_ systems: HealthTable.Stratum) -> String {
    systems.isKnown ? "\(systems.platform ?? "") \(systems.release ?? "")" : "unknown system"
  }

  static func percent(_ share: Double) -> String { decimal(share * 100, places: share < 0.01 ? 2 : 1) + " %" }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// What is never counted with the rest.
  private static func apart(_ input: HealthInput) -> String {
    var parts: [String] = []
    if input.table.mixed > 0 { parts.append("payloads over an update of the app") }
    for generation in PayloadGeneration.allCases where input.table.otherGenerations[generation] ?? 0 > 0 {
      parts.append(generation == .simulated ? "simulated payloads" : "payloads of \(generation.rawValue)")
    }
    return parts.isEmpty ? "" : "not counted here: \(parts.joined(separator: ", "))\n"
  }
}
