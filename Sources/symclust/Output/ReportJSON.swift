import Diagnostics
import Identity
import JSON
import Pipeline
import ReleaseHealth
import SignatureStore
import Signatures

// The cluster report for programs. docs/schemas/cluster-report.schema.json describes it, and tests hold real output
// against that. Keys stand in a fixed order; a breaking change is a new major in "schema".
extension JSONWriter {
  mutating func clusterReport(_ report: ClusterReport) {
    beginObject()
    field("schema", "symclust.cluster-report/1")
    key("algorithm")
    beginObject()
    field("version", Signature.algorithmVersion)
    field("rules", report.rules.version)
    field("rules_digest", report.rules.digest.hex)
    endObject()
    key("run")
    run(report.run)
    key("denominators")
    array(report.store.cohorts) { writer, cohort in
      writer.beginObject()
      writer.build(cohort.build, cohort.generation)
      writer.key("os")
      writer.system(cohort.system)
      writer.field("payloads", cohort.payloads)
      writer.field("diagnostics", cohort.diagnostics)
      writer.endObject()
    }
    key("clusters")
    array(report.store.clusters) { writer, cluster in writer.cluster(cluster, in: report) }
    key("missing_images")
    array(report.store.missingImages) { writer, image in
      writer.beginObject()
      writer.field("debug_id", image.debugID.description)
      writer.field("name", image.name)
      writer.key("system")
      writer.bool(!report.rules.isApp(.init(debugID: image.debugID, name: image.name)))
      writer.field("frames", image.frames)
      writer.field("diagnostics", image.diagnostics)
      writer.endObject()
    }
    endObject()
  }

  /// One line of `cluster --assignments`.
  mutating func assignment(_ assignment: Assignment) {
    beginObject()
    field("payload", assignment.payload.hex)
    field("diagnostic", assignment.diagnostic)
    field("kind", assignment.kind.rawValue)
    field("build", assignment.build)
    field("raw_stack", assignment.rawStack.hex)
    field("signature", assignment.signature)
    field("cluster", assignment.cluster)
    key("provisional")
    bool(assignment.isProvisional)
    endObject()
  }

  private mutating func run(_ run: RunSummary) {
    beginObject()
    field("accepted_payloads", run.acceptedPayloads)
    field("accepted_diagnostics", run.acceptedDiagnostics)
    field("duplicate_payloads", run.duplicatePayloads)
    field("diagnostics_without_stack", run.diagnosticsWithoutStack)
    field("simulated_diagnostics", run.simulatedDiagnostics)
    field("moved_stacks", run.movedStacks)
    field("other_files", run.otherFiles)
    field("rejected", run.rejected.count)
    key("rejected_by_reason")
    counts(run.rejectedByReason)
    key("rejected_items")
    array(run.rejected) { writer, item in
      writer.beginObject()
      writer.field("path", item.path)
      writer.field("line", item.line)
      writer.field("reason", item.reason)
      writer.field("message", item.message)
      writer.endObject()
    }
    key("notes")
    counts(run.notes)
    key("new_signatures")
    array(run.newSignatures) { writer, id in writer.string(id) }
    endObject()
  }

  private mutating func cluster(_ cluster: ClusterRecord, in report: ClusterReport) {
    beginObject()
    field("id", cluster.id)
    key("signatures")
    array(cluster.signatures) { writer, id in writer.string(id) }
    field("kind", cluster.kind.rawValue)
    field("reason_class", cluster.family.rawValue)
    key("reasons")
    array(cluster.reasons) { writer, reason in
      writer.beginObject()
      writer.field("reason", reason.reason)
      writer.field("diagnostics", reason.diagnostics)
      writer.endObject()
    }
    field("title", cluster.title)
    field("blame", cluster.blame)
    field("quality", cluster.quality.rawValue)
    key("provisional")
    bool(cluster.isProvisional)
    key("tokens")
    array(cluster.tokens) { writer, token in writer.string(token) }
    key("frames")
    array(report.frames[cluster.id] ?? []) { writer, frame in writer.signatureFrame(frame) }
    field("diagnostics", cluster.diagnostics)
    key("payloads")
    counts(Dictionary(cluster.payloads.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +))
    key("builds")
    array(report.buildCounts(of: cluster)) { writer, count in writer.buildCount(count) }
    field("first_seen", cluster.firstSeen?.text)
    field("last_seen", cluster.lastSeen?.text)
    key("samples")
    array(cluster.samples) { writer, digest in writer.string(digest.hex) }
    key("raw_stacks")
    array(cluster.rawStacks) { writer, digest in writer.string(digest.hex) }
    key("aliases")
    array(cluster.aliases) { writer, id in writer.string(id) }
    endObject()
  }

  private mutating func signatureFrame(_ frame: SignatureFrame) {
    beginObject()
    field("image", frame.image)
    field("function", frame.function)
    field("file", frame.file)
    field("line", frame.line)
    key("inlined")
    bool(frame.isInlined)
    field("token", frame.token)
    field("rule", frame.rule)
    endObject()
  }

  private mutating func buildCount(_ count: ClusterReport.BuildCount) {
    beginObject()
    build(count.build.name, count.build.generation)
    field("diagnostics", count.diagnostics)
    key("share")
    share(count.share)
    key("systems")
    array(count.systems) { writer, system in
      writer.beginObject()
      writer.key("os")
      writer.system(system.system)
      writer.field("payloads", system.payloads)
      writer.field("diagnostics", system.diagnostics)
      writer.endObject()
    }
    endObject()
  }

  private mutating func share(_ share: Share) {
    beginObject()
    field("numerator", share.numerator)
    field("denominator", share.denominator)
    field("denominator_kind", "accepted_diagnostic_payloads")
    key("suppressed")
    bool(share.isSuppressed)
    optionalDouble("value", share.value)
    optionalDouble("low", share.interval?.lowerBound)
    optionalDouble("high", share.interval?.upperBound)
    endObject()
  }

  /// The members that name a build.
  private mutating func build(_ build: BuildOfRecord, _ generation: PayloadGeneration) {
    field("app", build.app)
    field("version", build.version)
    field("build", build.build)
    field("generation", generation.rawValue)
  }

  private mutating func system(_ system: OperatingSystem) {
    beginObject()
    field("platform", system.platform)
    field("version", system.version)
    field("build", system.build)
    endObject()
  }

  private mutating func optionalDouble(_ name: String, _ value: Double?) {
    key(name)
    // Six digits: more would only show how the last bit was rounded.
    if let value { double((value * 1e6).rounded() / 1e6) } else { null() }
  }

  /// An object of counts, keys sorted.
  private mutating func counts(_ counts: [String: Int]) {
    beginObject()
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { field(name, count) }
    endObject()
  }

  private mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }
}
