import CommandLine
import DebugInfo
import Diagnostics
import Identity
import JSON
import SignatureStore
import SymbolIndex
import SymbolStore

/// The answer of `symbols list` and `symbols find`.
struct SymbolList {
  var images: [(record: ImageRecord, builds: [BuildName])]

  init(_ records: [ImageRecord], _ manifests: [BuildManifest]) {
    var builds: [DebugID: [BuildName]] = [:]
    for manifest in manifests {
      for image in manifest.images { builds[image.debugID, default: []].append(manifest.build) }
    }
    images = records.map { ($0, builds[$0.debugID] ?? []) }
  }
}

extension Session {
  mutating func show(_ list: SymbolList) throws(CommandFailure) {
    if command.flag(CommonOptions.json) {
      var writer = JSONWriter(.pretty)
      writer.beginObject()
      writer.member("schema", "symclust.symbols/1")
      writer.key("images")
      writer.array(list.images) { writer, image in
        writer.beginObject()
        writer.imageMembers(image.record)
        writer.builds(image.builds)
        writer.endObject()
      }
      writer.endObject()
      return try print(writer)
    }
    var table = Table([
      .init("Image"), .init("Architecture"), .init("Identifier"), .init("Files", .right), .init("Debug info", .right),
      .init("Builds"),
    ])
    for image in list.images {
      let record = image.record
      let debugInfo = record.sources.map(\.debugInfoBytes).max() ?? 0
      table.append([
        .init(record.name), .init(record.architecture), .init(record.debugID.description),
        .init(record.borrowedFrom == nil ? String(record.sources.count) : "borrowed"),
        .init(debugInfo == 0 ? "none" : byteText(debugInfo)),
        .init(image.builds.map(\.build).joined(separator: ", ")),
      ])
    }
    out.write(table.text(on: terminal))
  }
}

extension JSONWriter {
  fileprivate mutating func imageMembers(_ record: ImageRecord) {
    member("debug_id", record.debugID.hex)
    member("name", record.name)
    member("architecture", record.architecture)
    // Files of a borrowed index are where they were.
    member("files", record.borrowedFrom == nil ? record.sources.count : 0)
    member("debug_info_bytes", record.sources.map(\.debugInfoBytes).max() ?? 0)
    member("conflicts", record.sources.count { $0.isConflicting })
    member("borrowed_from", record.borrowedFrom)
  }

  fileprivate mutating func builds(_ builds: [BuildName]) {
    key("builds")
    array(builds) { $0.build($1.app, $1.version, $1.build) }
  }

  /// A build; what is not known of it is `null`.
  private mutating func build(
    _ app: String?, _ version: String?, _ build: String?, more: (inout JSONWriter) -> Void = { _ in }
  ) {
    beginObject()
    member("app", app)
    member("version", version)
    member("build", build)
    more(&self)
    endObject()
  }

  /// The document of `symbols show`.
  mutating func imageDetail(_ detail: ImageDetail) {
    beginObject()
    member("schema", "symclust.symbol/1")
    imageMembers(detail.record)
    key("features")
    array(detail.features) { $0.string($1) }
    key("index")
    if let summary = detail.summary {
      beginObject()
      optionalDouble("coverage", summary.coverage)
      member("functions", summary.functionCount)
      key("dwarf_versions")
      array(summary.dwarfVersions) { $0.integer($1) }
      key("producers")
      array(summary.producers) { $0.string($1) }
      endObject()
    } else {
      null()
    }
    key("problems")
    array((detail.summary?.problems ?? []) + [detail.problem].compactMap(\.self)) { $0.string($1) }
    member("pinned", detail.isPinned)
    member("added", detail.added.map { PointInTime(seconds: $0, isZoneKnown: true).text })
    member("stored_bytes", detail.storedBytes)
    key("sources")
    array(detail.record.sources) { writer, source in
      writer.beginObject()
      writer.member("sha256", source.digest.hex)
      writer.member("name", source.name)
      writer.member("kind", source.kind)
      writer.member("bytes", source.byteCount)
      writer.member("debug_info_bytes", source.debugInfoBytes)
      writer.member("conflicting", source.isConflicting)
      writer.endObject()
    }
    key("companions")
    array(detail.record.companions) { writer, companion in
      writer.beginObject()
      writer.member("role", companion.role.rawValue)
      writer.member("sha256", companion.digest.hex)
      writer.member("name", companion.name)
      writer.endObject()
    }
    member("symbol_map", detail.record.symbolMap?.hex)
    key("builds")
    array(detail.builds) { writer, manifest in
      writer.build(manifest.build.app, manifest.build.version, manifest.build.build) { writer in
        writer.key("provenance")
        writer.array(manifest.provenance) { writer, origin in
          writer.beginObject()
          writer.member("commit", origin.commit)
          writer.member("uploader", origin.uploader)
          writer.endObject()
        }
      }
    }
    endObject()
  }

  /// The document of `symbols verify`.
  mutating func verification(_ images: [ImageVerification], _ pairs: [SlicePair]) {
    beginObject()
    member("schema", "symclust.verification/1")
    member("gaps", images.count { $0.isGap } + pairs.count { !$0.matches })
    key("images")
    array(images) { writer, image in
      writer.beginObject()
      writer.member("debug_id", image.debugID.hex)
      writer.member("name", image.name)
      writer.member("architecture", image.architecture)
      writer.member("app", image.isApp)
      writer.member("allowed", image.isAllowed)
      writer.member("status", image.status.rawValue)
      writer.member("reason", image.reason)
      writer.optionalDouble("coverage", image.coverage)
      writer.endObject()
    }
    key("pairs")
    array(pairs) { writer, pair in
      writer.beginObject()
      writer.member("architecture", pair.architecture)
      writer.member("binary", pair.binary?.hex)
      writer.member("symbols", pair.symbols?.hex)
      writer.member("matches", pair.matches)
      writer.endObject()
    }
    endObject()
  }

  /// The document of `symbols missing`.
  mutating func missingSymbols(_ missing: [MissingSymbols], app: Int, system: Int) {
    beginObject()
    member("schema", "symclust.missing/1")
    member("app_images", app)
    member("system_images", system)
    key("images")
    array(missing) { writer, missing in
      let image = missing.image
      writer.beginObject()
      writer.member("debug_id", image.debugID.hex)
      writer.member("name", image.name)
      writer.member("app", missing.isApp)
      writer.member("allowed", missing.isAllowed)
      writer.member("diagnostics", image.diagnostics)
      writer.member("frames", image.frames)
      writer.key("builds")
      writer.array(image.builds) { $0.build($1.app, $1.version, $1.build) }
      writer.key("systems")
      writer.array(image.systems.compactMap(\.text)) { $0.string($1) }
      writer.member("first_seen", image.firstSeen?.text)
      writer.member("last_seen", image.lastSeen?.text)
      writer.key("retained_ids")
      writer.array(missing.others) { $0.string($1.debugID.hex) }
      writer.member("advice", missing.advice)
      writer.endObject()
    }
    endObject()
  }

  /// The document of `symbols pin` and `unpin`.
  mutating func pins(_ pins: SymbolPins) {
    beginObject()
    member("schema", "symclust.pins/1")
    key("images")
    array(pins.images.sorted()) { $0.string($1.hex) }
    builds(pins.builds.sorted())
    endObject()
  }

  /// The document of `symbols gc`.
  mutating func garbage(_ plan: GarbagePlan, used: Set<DebugID>, isDryRun: Bool) {
    beginObject()
    member("schema", "symclust.gc/1")
    member("dry_run", isDryRun)
    member("freed_bytes", plan.freedBytes)
    key("removed")
    array(plan.removed) { writer, image in
      writer.beginObject()
      writer.member("debug_id", image.record.debugID.hex)
      writer.member("name", image.record.name)
      writer.member("bytes", image.bytes)
      writer.member("named_frames", used.contains(image.record.debugID))
      writer.endObject()
    }
    builds(plan.builds)
    key("orphans")
    array(plan.orphans) { $0.string($1.name) }
    key("kept")
    array(plan.kept) { writer, image in
      writer.beginObject()
      writer.member("debug_id", image.record.debugID.hex)
      writer.member("name", image.record.name)
      writer.member("reason", image.reason.rawValue)
      writer.endObject()
    }
    endObject()
  }
}
