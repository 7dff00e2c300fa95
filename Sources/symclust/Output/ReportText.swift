import CommandLine
import Diagnostics
import Identity
import Pipeline
import ReleaseHealth
import SignatureStore
import Signatures

/// The cluster report for people: what was read, what clusters there are and where, what symbols are missing.
struct ReportText {
  private let report: ClusterReport
  private let terminal: Terminal
  private let top: Int

  init(_ report: ClusterReport, terminal: Terminal, top: Int) {
    self.report = report
    self.terminal = terminal
    self.top = top
  }

  var text: String { [run, builds, clusters, missingImages].filter { !$0.isEmpty }.joined(separator: "\n") }

  private var run: String {
    let run = report.run
    var parts = [
      "\(count(run.acceptedPayloads, "payload")) accepted with \(count(run.acceptedDiagnostics, "diagnostic"))"
    ]
    if run.duplicatePayloads > 0 { parts.append(count(run.duplicatePayloads, "duplicate")) }
    if !run.rejected.isEmpty {
      let reasons = run.rejectedByReason.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      parts.append("\(run.rejected.count) rejected (\(reasons.joined(separator: ", ")))")
    }
    if run.reportDays > 0 { parts.append("\(count(run.reportDays, "report-day")) of metric payloads") }
    if run.simulatedDiagnostics > 0 {
      parts.append("\(count(run.simulatedDiagnostics, "diagnostic")) simulated by Xcode")
    }
    if run.diagnosticsWithoutStack > 0 { parts.append("\(run.diagnosticsWithoutStack) without a stack") }
    if run.otherFiles > 0 {
      parts.append("\(count(run.otherFiles, "file")) passed over: no diagnostics by their names, or copies")
    }
    if run.movedStacks > 0 {
      parts.append("\(count(run.movedStacks, "stack")) named anew by late symbols or other rules")
    }
    return "This run: \(parts.joined(separator: "; ")).\n"
  }

  private var builds: String {
    guard !report.store.cohorts.isEmpty || !report.store.reportDays.isEmpty else { return "" }
    // Payloads of different kinds are never added up; where there is only the usual one, it need not be said.
    let hasKinds = report.builds.contains { $0.build.generation != .v1 }
    let reportDays = report.store.reportDays.reduce(into: [BuildOfRecord: Int]()) {
      $0[$1.build, default: 0] += $1.total
    }
    var table = Table(
      [.init("Build"), .init("Version"), .init("App")] + (hasKinds ? [.init("Kind")] : [])
        + [.init("Payloads", .right), .init("Diagnostics", .right)]
        + (reportDays.isEmpty ? [] : [.init("Report-days", .right)]))
    var told: Set<BuildOfRecord> = []
    func append(_ build: BuildOfRecord, _ kind: String, _ payloads: Int, _ diagnostics: Int) {
      let unknown = build.isMixed ? "mixed" : "unknown"
      // A build of two kinds has two rows, and its report-days in the first.
      let days = told.insert(build).inserted ? reportDays[build] ?? 0 : 0
      table.append(
        [.init(build.build ?? unknown), .init(build.version ?? unknown), .init(build.app ?? "unknown")]
          + (hasKinds ? [.init(kind)] : []) + [.init(grouped(payloads)), .init(grouped(diagnostics))]
          + (reportDays.isEmpty ? [] : [.init(days == 0 ? "" : grouped(days))]))
    }
    for (build, payloads, diagnostics) in report.builds {
      append(build.name, build.generation.rawValue, payloads, diagnostics)
    }
    for build in reportDays.keys.sorted() where !told.contains(build) { append(build, "", 0, 0) }
    let twins = report.store.suspectedTwins
    let words = "came as v1 and as v2: an app with both interfaces may have sent one event twice"
    return table.text(on: terminal) + (twins == 0 ? "" : "\(count(twins, "stack")) \(words).\n")
  }

  private var clusters: String {
    let all = report.store.clusters
    guard !all.isEmpty else { return "No clusters.\n" }
    var text = terminal.styled("\(count(all.count, "cluster"))", .bold)
    if all.count > top { text += ", the \(top) largest of them" }
    text += "\n"
    for (number, cluster) in all.prefix(top).enumerated() { text += "\n" + self.text(of: cluster, number: number + 1) }
    return text
  }

  private func text(of cluster: ClusterRecord, number: Int) -> String {
    // Of a crash the reason says more; of everything else it only repeats the kind.
    let reason = cluster.kind == .crash ? " " + (cluster.reasons.first?.reason ?? cluster.family.rawValue) : ""
    var marks = cluster.isProvisional ? ["waits for symbols"] : []
    if cluster.quality != .normal { marks.append("tells little") }
    let label = "\(number)."
    var text = label + String(repeating: " ", count: max(1, 4 - label.count))
    text += terminal.styled(visible(cluster.kind.rawValue + reason), .bold)
    text += "  \(count(cluster.diagnostics, "diagnostic"))  \(cluster.id)"
    text += marks.isEmpty ? "\n" : "  (\(marks.joined(separator: ", ")))\n"
    for line in frameLines(of: cluster) { text += "      \(line)\n" }
    text += "      in " + buildText(cluster) + "\n"
    if cluster.signatures.count > 1 { text += "      \(count(cluster.signatures.count, "signature"))\n" }
    for similar in cluster.suggestedMerges.prefix(3) {
      text +=
        "      maybe one with \(similar.cluster) (similarity \(decimal(Double(similar.score) / 1e6, places: 2)))\n"
    }
    let more = cluster.suggestedMerges.count - 3
    if more > 0 { text += "      … and \(more) more\n" }
    if !cluster.states.isEmpty { text += "      while " + stateText(cluster) + "\n" }
    return text
  }

  /// The kept frames, at most six: image, function, file and line.
  private func frameLines(of cluster: ClusterRecord) -> [String] {
    let limit = 6
    let frames = report.frames[cluster.id] ?? []
    guard !frames.isEmpty else { return [visible(cluster.tokens.prefix(limit).joined(separator: " < "))] }
    let images = frames.prefix(limit).map { visible($0.image ?? "?") }
    let width = images.map(\.displayWidth).max() ?? 0
    var lines: [String] = []
    for (frame, image) in zip(frames, images) {
      var line = image + String(repeating: " ", count: width - image.displayWidth) + "  "
      line += visible(frame.function ?? frame.token)
      if let place = frame.place { line += " (\(visible(place)))" }
      lines.append(line)
    }
    if frames.count > limit { lines.append("… \(count(frames.count - limit, "frame")) more") }
    return lines
  }

  private func buildText(_ cluster: ClusterRecord) -> String {
    report.buildCounts(of: cluster).map { count in
      let name = visible(count.build.name.build ?? (count.build.name.isMixed ? "mixed builds" : "unknown build"))
      guard let share = count.share.value else { return "\(name): \(count.diagnostics)" }
      return "\(name): \(count.diagnostics) (\(decimal(share * 100, places: 1)) % of payloads)"
    }.joined(separator: ", ")
  }

  private func stateText(_ cluster: ClusterRecord) -> String {
    cluster.states.prefix(3).map { state in
      let domain = visible(state.domain ?? "other domains")
      return
        "\(domain): \(visible(state.label ?? "others")) (\(grouped(state.diagnostics)) of \(grouped(state.carrying)))"
    }.joined(separator: ", ")
  }

  private var missingImages: String {
    guard !report.store.missingImages.isEmpty else { return "" }
    let app = report.store.missingImages.filter { report.rules.isApp(.init(debugID: $0.debugID, name: $0.name)) }
    let system = report.store.missingImages.count - app.count
    var text = ""
    if !app.isEmpty {
      var table = Table([
        .init("Missing symbols of"), .init("Debug identifier"), .init("Diagnostics", .right), .init("Frames", .right),
        .init("Other builds of it here", .right),
      ])
      for image in app.prefix(20) {
        table.append([
          .init(image.name ?? "unnamed image"), .init(image.debugID.description), .init(grouped(image.diagnostics)),
          .init(grouped(image.frames)), .init(grouped(report.retained(sharingNameOf: image))),
        ])
      }
      text += table.text(on: terminal)
      if app.count > 20 { text += "… and \(app.count - 20) more images of the app\n" }
    }
    if system > 0 {
      text += "\(count(system, "system image")) without symbols: their frames are known by image only.\n"
    }
    return text
  }

  private func count(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }
}

extension SignatureFrame {
  /// The base name of the file, and the line.
  var place: String? {
    guard let base = file?.baseName else { return nil }
    return line.map { "\(base):\($0)" } ?? base
  }
}
