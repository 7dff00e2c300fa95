import Bytes
import CommandLine
import Files
import Identity
import JSON
import SymbolIndex
import SymbolStore

private let app = OptionSpec.value("app", "ID", help: "the bundle identifier of the app")
private let version = OptionSpec.value("version", "V", help: "the version of the app, for example 2.1")
private let build = OptionSpec.value("build", "B", help: "the build number, for example 812")
private let paths = PositionalSpec(
  "PATH", .file, count: .oneOrMore, help: "a dSYM, .xcarchive, Mach-O or ELF file, or a folder with any of them")

let uploadSymbolsCommand = Command(
  spec: CommandSpec(
    "upload-symbols", "Retain the symbols of a build and index them at once",
    discussion: """
      Folders are searched. Each slice gets one verdict; one bad file never fails another. The same files a second time \
      change nothing. Verdicts: \(Verdict.allCases.map(\.rawValue).joined(separator: ", ")).
      """,
    options: [app, version, build, CommonOptions.store, CommonOptions.jobs, CommonOptions.json], positionals: [paths],
    examples: [
      .init(
        "symclust upload-symbols App.xcarchive --app com.example.app --version 2.1 --build 812",
        "retain everything in an archive")
    ]),
  run: uploadSymbols)

let checkCommand = Command(
  spec: CommandSpec(
    "check", "Give the verdicts of upload-symbols without a store",
    options: [CommonOptions.jobs, CommonOptions.json], positionals: [paths],
    examples: [.init("symclust check App.dSYM", "is this dSYM any good?")]),
  run: check)

private func uploadSymbols(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let name = try buildName(session.command)
  let directory = try session.openStore(creating: true)
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let reader = session.indexBuilder(in: directory.path("tmp"))
  var intake = try storing { () throws(StoreError) in
    try SymbolIntake(into: SymbolStore(directory, builder: reader), build: name, finder: reader)
  }
  let code = try run(&intake, &session, build: name)
  _ = consume lock
  return code
}

private func check(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let reader = session.indexBuilder()
  var intake = SymbolIntake(checkingWith: reader, finder: reader, temporaryFolder: session.temporaryFolder)
  return try run(&intake, &session, build: nil)
}

/// All three parts of a build's name, or none of them.
private func buildName(_ command: ParsedCommand) throws(CommandFailure) -> BuildName? {
  let parts = [command.text(app), command.text(version), command.text(build)]
  if parts.allSatisfy({ $0 == nil }) { return nil }
  guard let app = parts[0], let version = parts[1], let build = parts[2] else {
    throw CommandFailure(.usage, "--app, --version and --build go together: only all three name a build")
  }
  return BuildName(app: app, version: version, build: build)
}

private func run(
  _ intake: inout SymbolIntake, _ session: inout Session, build: BuildName?
) throws(CommandFailure) -> ExitCode {
  let paths = session.command.list(paths)
  let asJSON = session.command.flag(CommonOptions.json)
  try storing { () throws(StoreError) in
    try intake.take(paths) { report in
      if !asJSON { session.out.write(report.text) }
    }
  }
  let result = IntakeResult(intake.reports)
  if asJSON {
    var writer = JSONWriter(.pretty)
    writer.intake(intake, result, build: build)
    try session.print(writer)
  } else {
    session.out.write(result.text(isStored: session.command.path.first == uploadSymbolsCommand.spec.name))
  }
  return result.exitCode
}

/// The verdicts counted.
private struct IntakeResult {
  var counts: [(verdict: Verdict, count: Int)]
  var total: Int

  init(_ reports: [SliceReport]) {
    counts = Verdict.allCases.map { verdict in (verdict, reports.count { $0.verdict == verdict }) }
    total = reports.count
  }

  private func count(_ test: (Verdict) -> Bool) -> Int { counts.reduce(0) { $0 + (test($1.verdict) ? $1.count : 0) } }

  /// Nothing usable is a failure; anything refused is a gap.
  var exitCode: ExitCode {
    let usable = count(\.isRetained)
    if usable == 0 { return .nothingDone }
    return usable == total && count { $0 == .conflict } == 0 ? .done : .gaps
  }

  func text(isStored: Bool) -> String {
    if total == 0 { return "Found no symbol files.\n" }
    if isStored, count({ $0 == .alreadyPresent }) == total {
      return "Nothing to do: all \(total) slices are here already.\n"
    }
    return counts.filter { $0.count > 0 }.map { "\($0.count) \($0.verdict.rawValue)" }.joined(separator: ", ") + "\n"
  }
}

extension SliceReport {
  /// The verdict as text: one line, and one for each reason.
  fileprivate var text: String {
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
  fileprivate mutating func intake(_ intake: SymbolIntake, _ result: IntakeResult, build: BuildName?) {
    beginObject()
    member("schema", "symclust.upload/1")
    key("build")
    if let build {
      beginObject()
      member("app", build.app)
      member("version", build.version)
      member("build", build.build)
      endObject()
    } else {
      null()
    }
    key("slices")
    beginArray()
    for report in intake.reports { slice(report) }
    endArray()
    key("summary")
    beginObject()
    member("slices", result.total)
    for (verdict, count) in result.counts { member(verdict.rawValue, count) }
    member("other_files", intake.otherFiles)
    endObject()
    endObject()
  }

  private mutating func slice(_ report: SliceReport) {
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
