import Diagnostics
import Identity
import JSON
import Pipeline
import ReleaseHealth
import SignatureStore
import Signatures
import SymbolStore

// The cluster report for programs. docs/schemas/cluster-report.schema.json describes it, and tests hold real output
// against that. Keys stand in a fixed order; a breaking change is a new major in "schema".
extension JSONWriter {
  mutating func clusterReport(_ report: ClusterReport, sources: [SourceReport]) {
    beginObject()
    member("schema", "symclust.cluster-report/1")
    key("algorithm")
    beginObject()
    member("version", Signature.algorithmVersion)
    member("rules", report.rules.version)
    member("rules_digest", report.rules.digest.hex)
    endObject()
    key("run")
    run(report.run, sources)
    key("denominators")
    array(report.store.cohorts) { writer, cohort in
      writer.beginObject()
      writer.build(cohort.build)
      writer.member("generation", cohort.generation.rawValue)
      writer.key("os")
      writer.system(cohort.system)
      writer.member("payloads", cohort.payloads)
      writer.member("diagnostics", cohort.diagnostics)
      writer.endObject()
    }
    key("calendar")
    beginObject()
    member("zone", report.calendar.description)
    member("day_of_interval", "middle")
    endObject()
    key("days")
    array(report.store.days) { writer, count in
      writer.beginObject()
      writer.member("day", count.day?.text)
      writer.member("generation", count.generation.rawValue)
      writer.member("payloads", count.payloads)
      writer.member("diagnostics", count.diagnostics)
      writer.endObject()
    }
    key("report_days")
    array(report.store.reportDays) { writer, count in
      writer.beginObject()
      writer.build(count.build)
      writer.key("os")
      writer.system(count.system)
      writer.member("report_days", count.total)
      writer.key("days")
      writer.array(count.days) { writer, day in
        writer.beginObject()
        writer.member("day", day.day?.text)
        writer.member("report_days", day.reportDays)
        writer.endObject()
      }
      writer.endObject()
    }
    member("suspected_twins", report.store.suspectedTwins)
    key("clusters")
    array(report.store.clusters) { writer, cluster in writer.cluster(cluster, in: report) }
    key("missing_images")
    array(report.store.missingImages) { writer, image in
      writer.beginObject()
      writer.member("debug_id", image.debugID.description)
      writer.member("name", image.name)
      writer.member("system", !report.rules.isApp(.init(debugID: image.debugID, name: image.name)))
      writer.member("frames", image.frames)
      writer.member("diagnostics", image.diagnostics)
      writer.member("other_builds_retained", report.retained(sharingNameOf: image))
      writer.endObject()
    }
    endObject()
  }

  /// One line of `cluster --assignments`.
  mutating func assignment(_ assignment: Assignment) {
    beginObject()
    member("payload", assignment.payload.hex)
    member("diagnostic", assignment.diagnostic)
    member("kind", assignment.kind.rawValue)
    member("build", assignment.build)
    member("raw_stack", assignment.rawStack.hex)
    member("signature", assignment.signature)
    member("cluster", assignment.cluster)
    member("provisional", assignment.isProvisional)
    endObject()
  }

  private mutating func run(_ run: RunSummary, _ sources: [SourceReport]) {
    beginObject()
    member("accepted_payloads", run.acceptedPayloads)
    member("accepted_diagnostics", run.acceptedDiagnostics)
    member("duplicate_payloads", run.duplicatePayloads)
    key("accepted_by_format")
    counts(run.formats)
    member("metric_payloads", run.metricPayloads)
    member("report_days", run.reportDays)
    member("diagnostics_without_stack", run.diagnosticsWithoutStack)
    member("simulated_diagnostics", run.simulatedDiagnostics)
    member("moved_stacks", run.movedStacks)
    member("other_files", run.otherFiles)
    member("rejected", run.rejected.count)
    key("rejected_by_reason")
    counts(run.rejectedByReason)
    key("rejected_items")
    array(run.rejected) { writer, item in
      writer.beginObject()
      writer.member("path", item.path)
      writer.member("line", item.line)
      writer.member("reason", item.reason)
      writer.member("message", item.message)
      writer.endObject()
    }
    key("notes")
    counts(run.notes)
    member("unknown_keys", run.unknownKeys)
    key("unknown_results")
    counts(run.unknownResults)
    key("dropped_states")
    counts(run.droppedStates)
    key("damage")
    array(run.damage) { writer, text in writer.string(text) }
    key("new_signatures")
    array(run.newSignatures) { writer, id in writer.string(id) }
    member("joined_signatures", run.joinedSignatures)
    symbolSources(sources)
    endObject()
  }

  private mutating func cluster(_ cluster: ClusterRecord, in report: ClusterReport) {
    beginObject()
    clusterMembers(cluster, in: report)
    endObject()
  }

  /// The members of an object that describes one cluster.
  mutating func clusterMembers(_ cluster: ClusterRecord, in report: ClusterReport) {
    member("id", cluster.id)
    key("signatures")
    array(cluster.signatures) { writer, id in writer.string(id) }
    member("kind", cluster.kind.rawValue)
    member("reason_class", cluster.family.rawValue)
    key("reasons")
    array(cluster.reasons) { writer, reason in
      writer.beginObject()
      writer.member("reason", reason.reason)
      writer.member("diagnostics", reason.diagnostics)
      writer.endObject()
    }
    member("title", cluster.title)
    member("blame", cluster.blame)
    member("quality", cluster.quality.rawValue)
    member("provisional", cluster.isProvisional)
    key("tokens")
    array(cluster.tokens) { writer, token in writer.string(token) }
    key("frames")
    array(report.frames[cluster.id] ?? []) { writer, frame in writer.signatureFrame(frame) }
    member("diagnostics", cluster.diagnostics)
    key("payloads")
    counts(Dictionary(cluster.payloads.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +))
    key("builds")
    array(report.buildCounts(of: cluster)) { writer, count in writer.buildCount(count) }
    key("states")
    array(cluster.states) { writer, state in
      writer.beginObject()
      writer.member("domain", state.domain)
      writer.member("label", state.label)
      writer.member("diagnostics", state.diagnostics)
      writer.member("of", state.carrying)
      writer.endObject()
    }
    member("first_seen", cluster.firstSeen?.text)
    member("last_seen", cluster.lastSeen?.text)
    key("samples")
    array(cluster.samples) { writer, digest in writer.string(digest.hex) }
    key("raw_stacks")
    array(cluster.rawStacks) { writer, digest in writer.string(digest.hex) }
    key("aliases")
    array(cluster.aliases) { writer, id in writer.string(id) }
    key("suggested_merges")
    array(cluster.suggestedMerges) { writer, similar in
      writer.beginObject()
      writer.member("cluster", similar.cluster)
      writer.optionalDouble("score", Double(similar.score) / 1e6)
      writer.endObject()
    }
  }

  private mutating func signatureFrame(_ frame: SignatureFrame) {
    beginObject()
    member("image", frame.image)
    member("function", frame.function)
    // A folder names the machine and often the person that built it.
    member("file", frame.file?.baseName)
    member("line", frame.line)
    member("inlined", frame.isInlined)
    member("token", frame.token)
    member("rule", frame.rule)
    endObject()
  }

  private mutating func buildCount(_ count: ClusterReport.BuildCount) {
    beginObject()
    build(count.build.name)
    member("generation", count.build.generation.rawValue)
    member("diagnostics", count.diagnostics)
    key("share")
    share(count.share)
    key("systems")
    array(count.systems) { writer, system in
      writer.beginObject()
      writer.key("os")
      writer.system(system.system)
      writer.member("payloads", system.payloads)
      writer.member("diagnostics", system.diagnostics)
      writer.endObject()
    }
    key("measures")
    array(count.distributions) { writer, distribution in writer.distribution(distribution, in: count) }
    endObject()
  }

  private mutating func distribution(_ distribution: Distribution, in count: ClusterReport.BuildCount) {
    let isSuppressed = count.share.isSuppressed
    beginObject()
    member("measure", distribution.measure.rawValue)
    member("unit", distribution.measure.unit)
    member("present", isSuppressed ? nil : distribution.present)
    member("of", isSuppressed ? nil : count.diagnostics)
    member("suppressed", isSuppressed)
    for percent in Distribution.toldPercents {
      optionalDouble("p\(percent)", distribution.toldPercentile(percent, in: count.share))
    }
    endObject()
  }

  /// A share; `withholdsCounts` when what it is made of is not told either where it is suppressed.
  mutating func share(_ share: Share, withholdsCounts: Bool = false) {
    let isTold = !withholdsCounts || !share.isSuppressed
    beginObject()
    member("numerator", isTold ? share.numerator : nil)
    member("denominator", isTold ? share.denominator : nil)
    member("denominator_kind", "accepted_diagnostic_payloads")
    member("suppressed", share.isSuppressed)
    optionalDouble("value", share.value)
    optionalDouble("low", share.interval?.lowerBound)
    optionalDouble("high", share.interval?.upperBound)
    endObject()
  }

  /// The members that name a build.
  mutating func build(_ build: BuildOfRecord) {
    member("app", build.app)
    member("version", build.version)
    member("build", build.build)
    member("mixed", build.isMixed)
  }

  private mutating func system(_ system: OperatingSystem) {
    beginObject()
    member("platform", system.platform)
    member("version", system.version)
    member("build", system.build)
    endObject()
  }

  mutating func optionalDouble(_ name: String, _ value: Double?) {
    key(name)
    // Six digits: more would only show how the last bit was rounded.
    if let value { double((value * 1e6).rounded() / 1e6) } else { null() }
  }

  /// An object of counts, keys sorted.
  private mutating func counts(_ counts: [String: Int]) {
    beginObject()
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { member(name, count) }
    endObject()
  }

  mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }
}
