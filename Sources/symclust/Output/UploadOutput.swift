import CommandLine
import Identity
import JSON
import SymbolIndex
import SymbolStore

/// What `upload-symbols` and `check` print once all is taken.
struct UploadOutput {
  /// What was done with the files.
  enum Kind { case upload, rehearsal, check }

  private let intake: SymbolIntake
  private let gates: [GateResult]?
  private let kind: Kind
  /// What it did for diagnostics; `nil` when there are none, or they were left alone.
  var late: LateSymbols?
  private let counts: [(verdict: Verdict, count: Int)]
  private var total: Int { intake.reports.count }

  /// The verdicts of `intake`, and what the gates say; `nil` when none was asked for.
  init(_ intake: SymbolIntake, gates: [GateResult]?, kind: Kind) {
    self.intake = intake
    self.gates = gates
    self.kind = kind
    counts = Verdict.allCases.map { verdict in (verdict, intake.reports.count { $0.verdict == verdict }) }
  }

  private func count(_ test: (Verdict) -> Bool) -> Int { counts.reduce(0) { $0 + (test($1.verdict) ? $1.count : 0) } }

  private var isMet: Bool { gates?.allSatisfy(\.isMet) ?? true }

  /// Nothing usable is a failure; anything refused is a gap, and so is an unmet gate, which is what was asked about.
  var exitCode: ExitCode {
    if !isMet { return .gaps }
    let usable = count(\.isRetained)
    if usable == 0 { return .nothingDone }
    return usable == total && count { $0 == .conflict } == 0 ? .done : .gaps
  }

  /// The end of the text.
  var text: String {
    let end = kind == .rehearsal ? "A dry run: nothing was written.\n" : ""
    return verdictText + (gates.map(gateText) ?? "") + (late?.text ?? "") + end
  }

  private var verdictText: String {
    if total == 0 { return "Found no symbol files.\n" }
    if kind != .check, count({ $0 == .alreadyPresent }) == total {
      return "Nothing to do: all \(total) slices are here already.\n"
    }
    return counts.filter { $0.count > 0 }.map { "\($0.count) \($0.verdict.rawValue)" }.joined(separator: ", ") + "\n"
  }

  private func gateText(_ results: [GateResult]) -> String {
    var text = "Gates: \(results.count(where: \.isMet)) of \(results.count) images pass\n"
    for result in results {
      var words = ["  " + result.status.rawValue]
      if let id = result.requirement.debugID { words.append(id.description) }
      if let architecture = result.requirement.architecture { words.append(architecture) }
      if let name = result.requirement.name { words.append(visible(name)) }
      if let coverage = result.coverage { words.append("(\(decimal(coverage * 100, places: 1)) % of the code)") }
      text += words.joined(separator: "  ") + "\n"
      if let advice = result.advice { text += "      \(visible(advice))\n" }
    }
    return text
  }

  /// The whole as one JSON document.
  func json() -> JSONWriter {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", "symclust.upload/1")
    writer.member("dry_run", kind == .rehearsal)
    writer.key("build")
    writer.build(intake.manifest)
    writer.key("slices")
    writer.beginArray()
    for report in intake.reports { writer.slice(report) }
    writer.endArray()
    writer.key("summary")
    writer.beginObject()
    writer.member("slices", total)
    for (verdict, count) in counts { writer.member(verdict.rawValue, count) }
    writer.member("other_files", intake.otherFiles)
    writer.endObject()
    writer.key("gates")
    if let gates {
      writer.beginObject()
      writer.member("met", isMet)
      writer.key("images")
      writer.beginArray()
      for result in gates { writer.gate(result) }
      writer.endArray()
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("diagnostics")
    if let late { late.write(to: &writer) } else { writer.null() }
    writer.endObject()
    return writer
  }
}

extension Session {
  /// Prints the end of an upload, as text or as the whole JSON document, and gives back the exit code.
  mutating func print(_ output: UploadOutput) throws(CommandFailure) -> ExitCode {
    if command.flag(CommonOptions.json) {
      try print(output.json())
    } else {
      out.write(output.text)
    }
    return output.exitCode
  }
}

extension SliceReport {
  /// The verdict as text: one line, and one for each reason.
  var text: String {
    var words = [verdict.rawValue]
    if let debugID { words.append(debugID.description) }
    if let architecture { words.append(architecture) }
    words.append(visible(path))
    if let summary, let level { words.append("(\(level.rawValue)\(coverageText(summary)))") }
    return words.joined(separator: "  ") + "\n" + reasons.map { "    \(visible($0))\n" }.joined()
  }

  private func coverageText(_ summary: IndexSummary) -> String {
    summary.coverage.map { ", \(decimal($0 * 100, places: 1)) % of the code" } ?? ""
  }
}

extension JSONWriter {
  fileprivate mutating func build(_ manifest: BuildManifest?) {
    guard let manifest else { return null() }
    beginObject()
    member("app", manifest.build.app)
    member("version", manifest.build.version)
    member("build", manifest.build.build)
    key("provenance")
    beginArray()
    for origin in manifest.provenance {
      beginObject()
      member("commit", origin.commit)
      member("uploader", origin.uploader)
      endObject()
    }
    endArray()
    endObject()
  }

  fileprivate mutating func gate(_ result: GateResult) {
    beginObject()
    member("debug_id", result.requirement.debugID?.description)
    member("name", result.requirement.name)
    member("architecture", result.requirement.architecture)
    member("status", result.status.rawValue)
    member("coverage", result.coverage)
    member("advice", result.advice)
    endObject()
  }

  fileprivate mutating func slice(_ report: SliceReport) {
    beginObject()
    member("path", report.path)
    member("debug_id", report.debugID?.description)
    member("architecture", report.architecture)
    member("sha256", report.digest?.hex)
    member("bytes", report.byteCount)
    member("verdict", report.verdict.rawValue)
    member("level", report.level?.rawValue)
    key("reasons")
    beginArray()
    for reason in report.reasons { string(reason) }
    endArray()
    key("index")
    if let summary = report.summary {
      beginObject()
      member("code_bytes", summary.codeBytes)
      member("debug_info_bytes", summary.debugInfoBytes)
      member("symbol_bytes", summary.symbolBytes)
      member("line_bytes", summary.lineBytes)
      member("functions", summary.functionCount)
      member("units", summary.unitCount)
      member("demangle_failures", summary.demangleFailures)
      endObject()
    } else {
      null()
    }
    endObject()
  }
}
