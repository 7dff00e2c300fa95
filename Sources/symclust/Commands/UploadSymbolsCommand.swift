import Bytes
import CommandLine
import Files
import Identity
import JSON
import Signatures
import SymbolIndex
import SymbolStore

private let commit = OptionSpec.value("commit", "REV", help: "the commit that was built; kept with the build")
private let uploader = OptionSpec.value("uploader", "NAME", help: "who hands the files in; kept with the build")
private let require = OptionSpec.value(
  "require", "UUID", isRepeatable: true,
  help: "gate: this image must be in the store, with debug information; @FILE lists several, one a line")
private let requireApp = OptionSpec.value(
  "require-app", "PATH", .file, isRepeatable: true,
  help: "gate: so must every image in this app, archive or binary")
private let minimumCoverage = OptionSpec.value(
  "min-coverage", "X", .number(0...1),
  help: "gate: this share of the code of each image must have debug information; with 0 names are enough")
private let allowMissing = OptionSpec.value(
  "allow-missing", "NAME", isRepeatable: true,
  help: "an image that no gate stops at: its identifier, its name, or a pattern such as 'libswift*'")
private let index = OptionSpec.value(
  "index", "WHEN", .choice(UploadIndexing.allCases.map(\.rawValue)), default: UploadIndexing.now.rawValue,
  help: "when indexes are built: now, in the background after the upload, or when their names are first needed (lazy)")
private let noReprocess = OptionSpec.flag(
  "no-reprocess", help: "leave the diagnostics in the store as they are; 'symclust reprocess' does it later")
private let dryRun = OptionSpec.flag("dry-run", help: "say what would happen, and write nothing")
private let paths = PositionalSpec(
  "PATH", .file, count: .oneOrMore,
  help: "a dSYM, .xcarchive, app, framework, Mach-O or ELF file, a folder, zip or tar of them, or - for a list on stdin"
)

let uploadSymbolsCommand = Command(
  spec: CommandSpec(
    "upload-symbols", "Retain the symbols of a build and index them at once",
    discussion: """
      Folders, archives (zip, tar) and compressed files (gzip, Zstandard) are searched, up to 3 inside each other. Each \
      slice gets one verdict; one bad file never fails another. The same files a second time change nothing. Verdicts: \
      \(Verdict.allCases.map(\.rawValue).joined(separator: ", ")).

      A file that cannot be used is refused as it is indexed, so only --index now can fail a release for it. The others retain \
      quickly, and 'symclust symbols index' builds what is not built yet and says what is wrong with it.

      With - the paths come from standard input, one a line, or separated by NUL bytes.

      Gates look at the store as it is at the end, whatever this run brought. An unmet one is named with what to do, and \
      the exit code is 3. Gates: \(GateStatus.allCases.map(\.rawValue).joined(separator: ", ")).

      When the store has diagnostics, those that wait for the images that came get their names at once, and the others stay as \
      they are. It is told which images diagnostics waited for, which are still missing, and how many stacks, diagnostics and \
      signatures changed, per build. Give it the rules that 'cluster' runs with: by others nothing is derived.
      """,
    options: [
      BuildOptions.app, BuildOptions.version, BuildOptions.build, commit, uploader, require, requireApp,
      minimumCoverage, allowMissing, dryRun,
      index, noReprocess, CommonOptions.similarity, CommonOptions.rules, CommonOptions.store, CommonOptions.jobs,
      CommonOptions.json,
    ], positionals: [paths],
    examples: [
      .init(
        "symclust upload-symbols App.xcarchive --app com.example.app --version 2.1 --build 812",
        "retain everything in an archive"),
      .init(
        "symclust upload-symbols App.xcarchive.zip --require-app App.ipa --allow-missing 'libswift*'",
        "fail the release when an image of the app has no symbols"),
      .init(
        "symclust upload-symbols --dry-run - < paths.txt",
        "see what would become of the files in a list"),
    ]),
  run: uploadSymbols)

let checkCommand = Command(
  spec: CommandSpec(
    "check", "Give the verdicts of upload-symbols without a store",
    options: [CommonOptions.jobs, CommonOptions.json], positionals: [paths],
    examples: [.init("symclust check App.dSYM", "is this dSYM any good?")]),
  run: check)

private func uploadSymbols(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let name = try session.command.buildName()
  let provenance = BuildManifest.Provenance(
    commit: session.command.text(commit), uploader: session.command.text(uploader))
  if provenance != nil, name == nil {
    throw CommandFailure(
      .usage, "--commit and --uploader are kept with a build: name it with --app, --version and --build")
  }
  let gates = try gates(&session)
  let indexing = session.command.text(index).flatMap(UploadIndexing.init) ?? .now
  if indexing != .now, !gates.isEmpty {
    throw CommandFailure(
      .usage, "a gate looks at what the indexes hold, so with gates they are built now (--index now)")
  }
  if session.command.flag(dryRun) { return try rehearse(&session, name, provenance, gates) }
  // Rules that cannot be read are told before anything is done.
  let rules = session.command.flag(noReprocess) ? nil : try session.rules()
  let directory = try session.openStore(creating: true)
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let code = try take(&session, into: directory, name, provenance, gates, rules)
  _ = consume lock
  if indexing == .background { session.indexInBackground(directory) }
  return code
}

/// The whole run on a store that shows the files of the real one and is thrown away: the verdicts cannot differ.
private func rehearse(
  _ session: inout Session, _ name: BuildName?, _ provenance: BuildManifest.Provenance?, _ gates: Gates
) throws(CommandFailure) -> ExitCode {
  let real = try session.storeIfPresent()
  let scratch: ScratchFolder
  do throws(FileError) {
    scratch = try ScratchFolder(in: session.temporaryFolder)
  } catch {
    throw CommandFailure(.nothingDone, "\(error)")
  }
  let root = scratch.path + "/store"
  let directory = try storing { () throws(StoreError) in
    if let real { return try StoreDirectory(root: root, over: real) }
    return try StoreDirectory(root: root, creating: true)
  }
  let code = try take(&session, into: directory, name, provenance, gates, nil)
  _ = consume scratch
  return code
}

/// With `rules` the diagnostics that wait for the symbols are derived anew.
private func take(
  _ session: inout Session, into directory: StoreDirectory, _ name: BuildName?,
  _ provenance: BuildManifest.Provenance?, _ gates: Gates, _ rules: Rules?
) throws(CommandFailure) -> ExitCode {
  let reader = session.indexBuilder(in: directory.path("tmp"))
  let store = SymbolStore(directory, builder: reader, isLocked: true)
  var intake = try storing { () throws(StoreError) in
    try SymbolIntake(
      into: store, build: name, provenance: provenance, finder: reader,
      indexing: session.command.text(index) == UploadIndexing.now.rawValue ? .now : .onDemand)
  }
  try take(try givenPaths(&session), &intake, &session)
  if !session.command.flag(dryRun) {
    try storing { () throws(StoreError) in try store.forgetBorrowed(of: intake.retained) }
  }
  let results =
    gates.isEmpty
    ? nil : try storing { () throws(StoreError) in try store.results(of: gates, after: intake.reports) }
  var output = UploadOutput(intake, gates: results, kind: session.command.flag(dryRun) ? .rehearsal : .upload)
  var failure: CommandFailure?
  if let rules {
    do throws(CommandFailure) {
      output.late = try session.resolveWaiting(for: intake.retained, in: store, by: rules)
    } catch {
      failure = error
    }
  }
  for text in output.late?.damage ?? [] { session.complain(text) }
  let code = try session.print(output)
  guard let failure else { return code }
  // The symbols are there, whatever became of the diagnostics.
  session.complain("\(failure.message)\nsymclust: the symbols are retained; the diagnostics were left as they are")
  return failure.code == .store ? .store : .gaps
}

private func check(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let reader = session.indexBuilder()
  var intake = SymbolIntake(checkingWith: reader, finder: reader, temporaryFolder: session.temporaryFolder)
  try take(try givenPaths(&session), &intake, &session)
  return try session.print(UploadOutput(intake, gates: nil, kind: .check))
}

private func take(_ paths: [String], _ intake: inout SymbolIntake, _ session: inout Session) throws(CommandFailure) {
  let asJSON = session.command.flag(CommonOptions.json)
  try storing { () throws(StoreError) in
    try intake.take(paths) { report in
      if !asJSON { session.out.write(report.text) }
    }
  }
}

extension SymbolIntake {
  /// The images whose symbols are in the store now, of those that were taken.
  fileprivate var retained: Set<DebugID> {
    Set(reports.lazy.filter { $0.verdict.isRetained }.compactMap(\.debugID))
  }
}

private func gates(_ session: inout Session) throws(CommandFailure) -> Gates {
  var gates = Gates()
  for text in session.command.list(require) {
    for (place, spelled) in try requiredIDs(text) {
      guard let id = DebugID(spelled) else {
        throw CommandFailure(.usage, "\(place): expected a UUID, or a build-id in hex")
      }
      gates.requirements.append(Gates.Requirement(id))
    }
  }
  gates.minimumCoverage = session.command.number(minimumCoverage)
  gates.allowedMissing = session.command.list(allowMissing)
  for path in session.command.list(requireApp) {
    try storing { () throws(StoreError) in
      try gates.require(imagesIn: path, temporaryFolder: session.temporaryFolder)
    }
  }
  return gates
}

/// The identifiers that one `--require` spells, each with where it stands: itself, or the lines of the file behind `@`. Empty
/// lines, and what follows a `#`, are for people.
private func requiredIDs(_ text: String) throws(CommandFailure) -> [(place: String, id: String)] {
  guard text.hasPrefix("@") else { return [("--require \(text)", text)] }
  let path = String(text.dropFirst())
  do throws(FileError) {
    let lines = try ByteView.reading(path: path, limit: 1 << 20).text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.enumerated().compactMap { number, line in
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      return words.isEmpty ? nil : ("\(path):\(number + 1)", words.joined(separator: " "))
    }
  } catch {
    throw CommandFailure(.usage, "--require \(text): \(error)")
  }
}

/// The paths of the command line, with those that standard input lists in the place of the first `-`.
private func givenPaths(_ session: inout Session) throws(CommandFailure) -> [String] {
  var given = session.command.list(paths)
  guard let place = given.firstIndex(of: "-") else { return given }
  given.removeAll { $0 == "-" }
  do throws(FileError) {
    let list = try ByteView.reading(descriptor: 0, name: "standard input", limit: 1 << 30)
    given.insert(contentsOf: PathList.paths(in: list), at: place)
    return given
  } catch {
    throw CommandFailure(.nothingDone, "\(error)")
  }
}
