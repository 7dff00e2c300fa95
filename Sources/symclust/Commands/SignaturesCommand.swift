import CommandLine
import Diagnostics
import FlameGraphs
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore
import Symbolication

private let id = PositionalSpec("ID", .text, count: .one, help: "the id of a cluster or signature, also an old one")
private let kind = OptionSpec.value(
  "kind", "KIND", .choice(DiagnosticKind.allCases.map(\.rawValue)), help: "only clusters of this kind")
private let build = OptionSpec.value("build", "B", help: "only clusters with diagnostics of this build")
private let top = OptionSpec.value(
  "top", "N", .integer(1...1_000_000), default: "50", help: "how many clusters are listed")
private let flame = OptionSpec.value(
  "flame", "FILE", .file, help: "write a flame graph of its stacks: an .svg, or a page when FILE ends in .html")
private let folded = OptionSpec.value(
  "folded", "FILE", .file, help: "write its stacks folded, a chain of calls a line, for flamegraph.pl and others")
private let speedscope = OptionSpec.value(
  "speedscope", "FILE", .file, help: "write its stacks for speedscope")

let signaturesCommand = Command(
  spec: CommandSpec(
    "signatures", "List the clusters, look into one, say why stacks are one problem, and decide so",
    subcommands: [
      CommandSpec(
        "list", "List the clusters, the largest first",
        options: [kind, build, top, CommonOptions.store, CommonOptions.json],
        examples: [.init("symclust signatures list --kind hang", "the hangs")]),
      CommandSpec(
        "show", "Show one cluster: counts, frames, paths, and its stacks as a flame graph",
        discussion: """
          In trees and flame graphs each diagnostic weighs the same, however many samples it has. An id that was joined with \
          another or renamed leads to what it became.
          """,
        options: [
          flame, folded, speedscope, CommonOptions.rules, CommonOptions.store, CommonOptions.jobs, CommonOptions.json,
        ], positionals: [id],
        examples: [
          .init("symclust signatures show sig-0e1030768992bc9e", "everything that is known of it"),
          .init("symclust signatures show sig-0e1030768992bc9e --flame hang.html", "where its time goes"),
        ]),
      signatureExplainSpec,
    ] + signatureFactCommands,
    examples: [.init("symclust signatures list", "the largest clusters")]),
  run: { session throws(CommandFailure) in
    switch session.command.path.last {
    case "list": try list(&session)
    case "explain": try explainSignatures(&session)
    case "show": try show(&session)
    default: try runSignatureFacts(&session)
    }
  })

private func list(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try counts(in: session.openStore(creating: false))
  var report = try counting { () throws(SignatureStoreError) in try store.report() }
  if let kind = session.command.text(kind) { report.clusters.removeAll { $0.kind.rawValue != kind } }
  if let build = session.command.text(build) {
    report.clusters.removeAll { !$0.builds.contains { $0.build.build == build } }
  }
  let limit = session.command.integer(top) ?? 50
  let shown = Array(report.clusters.prefix(limit))
  try session.show(
    as: { SignatureText(terminal: $0).list(shown, of: report.clusters.count) },
    or: { $0.signatureList(shown, of: report.clusters.count) })
  return .done
}

private func show(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let opened = try session.openClusters()
  let wanted = session.command.text(id) ?? ""
  let cluster = try opened.cluster(wanted)
  let inspection = try counting { () throws(SignatureStoreError) in
    try ClusterInspection(cluster.id, in: opened.store, deriver: opened.deriver)
  }
  let files = [
    (
      session.command.text(flame),
      { (tree: CallTree, path: String) throws(CommandFailure) -> [UInt8] in
        let graph = FlameGraph(title: cluster.title)
        return Array((path.hasSuffix(".html") ? graph.html(tree) : graph.svg(tree)).utf8)
      }
    ),
    (
      session.command.text(folded),
      { (tree: CallTree, _: String) throws(CommandFailure) -> [UInt8] in
        var text = ""
        FoldedStacks.write(tree) { text += $0 }
        return Array(text.utf8)
      }
    ),
    (
      session.command.text(speedscope),
      { (tree: CallTree, _: String) throws(CommandFailure) -> [UInt8] in
        var writer = JSONWriter()
        Speedscope.write(tree, named: cluster.title, to: &writer)
        do throws(JSONWriterError) {
          return try writer.finish()
        } catch {
          throw CommandFailure(.nothingDone, "\(error)")
        }
      }
    ),
  ]
  for case (let path?, let render) in files { try writeFile(render(inspection.callTree, path), to: path) }
  try session.show(
    as: { SignatureText(terminal: $0).show(cluster, inspection, opened.report) },
    or: { $0.signature(cluster, inspection, report: opened.report) })
  return .done
}

/// The clusters of a store, with what derives them.
struct OpenClusters {
  var store: SQLiteSignatureStore
  var deriver: StackDeriver
  var report: ClusterReport

  /// The cluster that `id` names or leads to.
  func cluster(_ id: String) throws(CommandFailure) -> ClusterRecord {
    let live = try counting { () throws(SignatureStoreError) in try store.resolve(signature: id) }
    // The id of a cluster first, and what it was merged into: the signature that founded it may be elsewhere by a decision.
    let ways: [(ClusterRecord) -> Bool] = [
      { $0.id == id }, { $0.aliases.contains(id) }, { $0.signatures.contains(where: live.contains) },
    ]
    let found = ways.lazy.map { report.store.clusters.filter($0) }.first { !$0.isEmpty } ?? []
    guard let first = found.first else {
      throw CommandFailure(
        .nothingDone, "\(id) is no cluster and no signature of this store; see 'symclust signatures list'")
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .nothingDone, "\(id) was divided; it leads to \(found.map(\.id).sorted().joined(separator: ", "))")
    }
    return first
  }
}

extension Session {
  /// Opens the clusters of the store that the command names, by the rules that it names.
  mutating func openClusters() throws(CommandFailure) -> OpenClusters {
    let rules = try rules()
    let directory = try openStore(creating: false)
    let indexes = OpenIndexes(of: SymbolStore(directory, builder: indexBuilder()))
    let deriver = StackDeriver(
      symbolicator: Symbolicator(source: indexes.availability, workers: workers),
      builder: SignatureBuilder(rules: rules), workers: workers)
    let store = try counts(in: directory)
    let report = try counting { () throws(SignatureStoreError) in
      try ClusterReport(counts: store, rules: rules, minimumCohort: 50)
    }
    return OpenClusters(store: store, deriver: deriver, report: report)
  }
}
