import CommandLine
import DebugInfo
import Diagnostics
import Identity
import SignatureStore
import SymbolIndex
import SymbolStore

/// What the commands below `symbols` say to people.
enum SymbolText {
  static func detail(_ detail: ImageDetail) -> String {
    let record = detail.record
    var text = "\(visible(record.name))  \(record.architecture)  \(record.debugID)\n"
    func line(_ label: String, _ value: String) {
      text += "  " + label + String(repeating: " ", count: max(1, 13 - label.count)) + visible(value) + "\n"
    }
    line("symbols", detail.features.isEmpty ? "none that can be used" : detail.features.joined(separator: ", "))
    if let summary = detail.summary {
      line("coverage", summary.coverage.map { percent($0) + " of its code has debug information" } ?? "no code")
      line("functions", grouped(summary.functionCount))
      if !summary.dwarfVersions.isEmpty {
        line("DWARF", summary.dwarfVersions.map(String.init).joined(separator: ", "))
      }
      for producer in summary.producers { line("compiler", producer) }
      for problem in summary.problems { line("problem", problem) }
    }
    if let problem = detail.problem { line("problem", problem) }
    line("stored", byteText(detail.storedBytes))
    if let source = record.borrowedFrom { line("borrowed", "from \(source): its files are not retained") }
    if let added = detail.added { line("since", PointInTime(seconds: added, isZoneKnown: true).text) }
    if detail.isPinned { line("pinned", "yes") }
    for source in record.sources {
      let mark = source.isConflicting ? ", other code under this identifier: kept, not used" : ""
      line("file", "\(source.name), \(source.kind), \(byteText(source.byteCount))\(mark)")
    }
    for companion in record.companions { line("companion", "\(companion.name), \(companion.role.rawValue)") }
    if record.symbolMap != nil { line("names", "a BCSymbolMap") }
    for manifest in detail.builds {
      line("build", name(manifest.build))
      for origin in manifest.provenance {
        let parts = [origin.commit.map { "commit \($0)" }, origin.uploader.map { "by \($0)" }].compactMap(\.self)
        line("", parts.joined(separator: ", "))
      }
    }
    return text
  }

  static func verification(_ images: [ImageVerification], _ pairs: [SlicePair], on terminal: Terminal) -> String {
    var text = ""
    if !images.isEmpty {
      var table = Table([.init("Image"), .init("Identifier"), .init("Symbols"), .init("Why")])
      for image in images {
        let coverage = image.coverage.map { "\(percent($0)) covered" }
        let system = image.isApp ? nil : "the system's, not expected"
        let allowed = image.isAllowed && image.status != .found ? "allowed" : nil
        table.append([
          .init(image.name ?? "?"), .init(image.debugID.description), .init(image.status.rawValue),
          .init([coverage, image.reason, system, allowed].compactMap(\.self).joined(separator: "; ")),
        ])
      }
      text += table.text(on: terminal)
      let gaps = images.count { $0.isGap }
      text +=
        gaps > 0
        ? "\(gaps) of the app's images without symbols.\n"
        : images.contains { $0.isApp && $0.status != .found }
          ? "All other images of the app have symbols.\n" : "All images of the app have symbols.\n"
    }
    for pair in pairs {
      let binary = pair.binary?.description ?? "no such slice"
      let symbols = pair.symbols?.description ?? "no such slice"
      text +=
        pair.matches
        ? "\(pair.architecture): they belong together, \(binary)\n"
        : "\(pair.architecture): they do not belong together: the binary is \(binary), the symbols are \(symbols)\n"
    }
    return text
  }

  static func missing(_ missing: [MissingSymbols], system: Int) -> String {
    var text = ""
    for missing in missing {
      let image = missing.image
      text += "\(visible(image.name ?? "?"))  \(image.debugID)\(missing.isAllowed ? "  (expected missing)" : "")\n"
      text += "  \(count(image.diagnostics, "diagnostic")), \(count(image.frames, "frame"))"
      if let first = image.firstSeen, let last = image.lastSeen {
        text += ", seen from \(first.text.prefix(10)) to \(last.text.prefix(10))"
      }
      text += "\n"
      let builds = image.builds.map {
        [$0.app, $0.version, $0.build.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
      }
      text += "  in \(visible(builds.joined(separator: ", ")))\n"
      text += "  on \(visible(image.systems.compactMap(\.text).joined(separator: ", ")))\n"
      text += "  \(visible(missing.advice))\n"
    }
    if missing.isEmpty { text += "No image of the app is missing.\n" }
    if system > 0 {
      text += "\(count(system, "system image")) without symbols: their frames are known by image only.\n"
    }
    return text
  }

  static func pins(_ pins: SymbolPins) -> String {
    if pins.images.isEmpty, pins.builds.isEmpty { return "nothing is pinned\n" }
    return pins.builds.sorted().map { "build  \(visible(name($0)))\n" }.joined()
      + pins.images.sorted().map { "image  \($0)\n" }.joined()
  }

  static func garbage(_ plan: GarbagePlan, used: Set<DebugID>, isDryRun: Bool) -> String {
    var text = ""
    let verb = isDryRun ? "would remove" : "removed"
    for (record, bytes) in plan.removed {
      let mark = used.contains(record.debugID) ? ", named frames of recorded diagnostics" : ""
      text += "\(verb)  \(visible(record.name))  \(record.debugID)  \(byteText(bytes)): nothing keeps it\(mark)\n"
    }
    for build in plan.builds { text += "\(verb)  build \(visible(name(build))): nothing of it stays\n" }
    for file in plan.orphans { text += "\(verb)  \(file.name): it belongs to nothing\n" }
    if isDryRun {
      for (record, reason) in plan.kept {
        text += "would keep  \(visible(record.name))  \(record.debugID): \(reason.rawValue)\n"
      }
    }
    let reasons = Dictionary(grouping: plan.kept, by: \.reason).mapValues(\.count)
    for reason in KeepReason.allCases where !isDryRun {
      if let number = reasons[reason] { text += "kept  \(count(number, "image")): \(reason.rawValue)\n" }
    }
    let sum = "\(count(plan.removed.count, "image")), \(byteText(plan.freedBytes))"
    text += isDryRun ? "Would remove \(sum).\n" : "Removed \(sum).\n"
    let lost = plan.removed.count { used.contains($0.record.debugID) }
    if lost > 0 {
      text += """
        Diagnostics keep the names that \(count(lost, "removed image")) gave them until 'reprocess --all' or new rules: these \
        would not find them again (lost_images).\n
        """
    }
    return text
  }

  private static func name(_ build: BuildName) -> String { "\(build.app) \(build.version) (\(build.build))" }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
