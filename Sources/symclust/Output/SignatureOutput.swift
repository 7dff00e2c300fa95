import Bytes
import CommandLine
import Diagnostics
import Files
import Glibc
import JSON
import Pipeline
import ReleaseHealth
import SignatureStore
import Signatures

extension JSONWriter {
  /// The document of `signatures list --json`.
  mutating func signatureList(_ clusters: [ClusterRecord], of total: Int) {
    beginObject()
    member("schema", "symclust.signatures/1")
    member("clusters_in_all", total)
    key("clusters")
    array(clusters) { writer, cluster in
      writer.beginObject()
      writer.member("id", cluster.id)
      writer.member("kind", cluster.kind.rawValue)
      writer.member("reason_class", cluster.family.rawValue)
      writer.member("title", cluster.title)
      writer.member("quality", cluster.quality.rawValue)
      writer.member("provisional", cluster.isProvisional)
      writer.member("signatures", cluster.signatures.count)
      writer.member("diagnostics", cluster.diagnostics)
      writer.member("first_seen", cluster.firstSeen?.text)
      writer.member("last_seen", cluster.lastSeen?.text)
      writer.endObject()
    }
    endObject()
  }

  /// The document of `signatures show --json`: the cluster as in the cluster report, and what a close look adds.
  mutating func signature(_ cluster: ClusterRecord, _ inspection: ClusterInspection, report: ClusterReport) {
    beginObject()
    member("schema", "symclust.signature/1")
    var report = report
    report.frames[cluster.id] = inspection.example?.keptFrames
    clusterMembers(cluster, in: report)
    key("paths")
    array(inspection.paths) { writer, path in
      writer.beginObject()
      writer.optionalDouble("share", path.share)
      writer.key("tokens")
      writer.array(path.tokens) { writer, token in writer.string(token) }
      writer.endObject()
    }
    key("members")
    array(inspection.members) { writer, member in
      writer.beginObject()
      writer.member("signature", member.signature)
      writer.member("title", member.title)
      writer.member("diagnostics", member.diagnostics)
      writer.member("raw_stacks", member.rawStacks)
      writer.endObject()
    }
    endObject()
  }
}

/// Clusters for people.
struct SignatureText {
  let terminal: Terminal

  func list(_ clusters: [ClusterRecord], of total: Int) -> String {
    if clusters.isEmpty { return "No clusters.\n" }
    var table = Table([
      .init("Cluster"), .init("Diagnostics", .right), .init("First seen"), .init("Last seen"), .init("What"),
    ])
    for cluster in clusters {
      table.append([
        .init(cluster.id), .init(grouped(cluster.diagnostics)), .init(day(cluster.firstSeen)),
        .init(day(cluster.lastSeen)), .init(cluster.title),
      ])
    }
    let rest = total - clusters.count
    return table.text(on: terminal) + (rest > 0 ? "… and \(grouped(rest)) more; see --top\n" : "")
  }

  func show(_ cluster: ClusterRecord, _ inspection: ClusterInspection, _ report: ClusterReport) -> String {
    var report = report
    report.frames[cluster.id] = inspection.example?.keptFrames
    var text = ReportText(report, terminal: terminal, top: 1).text(of: cluster, frameLimit: .max)
    text += "      first seen \(day(cluster.firstSeen)), last seen \(day(cluster.lastSeen))\n"
    if !cluster.aliases.isEmpty { text += "      also called \(cluster.aliases.joined(separator: ", "))\n" }
    text += measures(of: cluster, report)
    if !inspection.paths.isEmpty {
      text += "\n" + terminal.styled("Heaviest paths", .bold) + ", innermost first\n"
      for path in inspection.paths {
        text += "  \(decimal(path.share * 100, places: 1)) %  \(visible(path.tokens.joined(separator: " < ")))\n"
      }
    }
    let members = inspection.members
    if members.count > 1 {
      var table = Table([.init("Signature"), .init("Diagnostics", .right), .init("What")])
      for member in members {
        table.append([.init(member.signature), .init(grouped(member.diagnostics)), .init(member.title)])
      }
      text += "\n" + table.text(on: terminal)
    }
    return text
  }

  /// What its diagnostics measured, build by build.
  private func measures(of cluster: ClusterRecord, _ report: ClusterReport) -> String {
    var table = Table(
      [.init("Measured"), .init("Build"), .init("Diagnostics", .right)]
        + Distribution.toldPercents.map { .init("\($0) % at most", .right) })
    var isEmpty = true
    for count in report.buildCounts(of: cluster) {
      for distribution in count.distributions {
        isEmpty = false
        let present = "\(grouped(distribution.present)) of \(grouped(count.diagnostics))"
        table.append(
          [
            .init(distribution.measure.rawValue.replacing("_", with: " ")),
            .init(count.build.name.build ?? (count.build.name.isMixed ? "mixed" : "unknown")),
            .init(count.share.isSuppressed ? "too few" : present),
          ]
            + Distribution.toldPercents.map { percent in
              guard let value = distribution.toldPercentile(percent, in: count.share) else { return .init("too few") }
              return .init(
                distribution.measure.dimension == .size
                  ? byteText(Int(exactly: value) ?? .max) : decimal(value, places: 2) + " s")
            })
      }
    }
    return isEmpty ? "" : "\n" + table.text(on: terminal)
  }

  private func day(_ time: PointInTime?) -> String { time.map { String($0.text.prefix(10)) } ?? "unknown" }
}

/// Writes `bytes` to the file at `path`, or over it.
func writeFile(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
  let descriptor = PathName.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else {
    throw CommandFailure(.nothingDone, FileError(path: path, step: "create").description)
  }
  defer { close(descriptor) }
  var file = Output(descriptor: descriptor, capacity: 1 << 16)
  file.write(bytes: bytes)
  file.flush()
  if case .failed(let number) = file.failure {
    throw CommandFailure(.nothingDone, FileError(path: path, step: "write", errno: number).description)
  }
}
