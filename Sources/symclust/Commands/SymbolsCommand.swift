import CommandLine
import Files
import Identity
import JSON
import SignatureStore
import SymbolStore

private let app = OptionSpec.value("app", "ID", help: "only builds of this app, by its bundle identifier")
private let build = OptionSpec.value("build", "B", help: "only the build with this number")
private let wanted = PositionalSpec(
  "WHAT", .text, count: .oneOrMore, help: "a debug identifier in any spelling, a name, or a pattern such as 'Lumen*'")
private let image = PositionalSpec("ID", .text, help: "the debug identifier of an image, in any spelling")
private let pinned = PositionalSpec(
  "ID", .text, count: .any,
  help: "the debug identifiers of images; without any, --app, --version and --build name a build")

private let options = [CommonOptions.store, CommonOptions.json]
private let buildOptions = [BuildOptions.app, BuildOptions.version, BuildOptions.build]

let symbolsCommand = Command(
  spec: CommandSpec(
    "symbols", "List and check the retained symbols, say what is missing, and remove what nobody needs",
    subcommands: [
      CommandSpec(
        "list", "List the retained images", options: [app, build] + options,
        examples: [.init("symclust symbols list --build 812", "what is retained of a build")]),
      CommandSpec(
        "find", "Find retained images by identifier or name",
        discussion: """
          The exit code is 1 when nothing is found, and 3 when something is not. Sources beyond the store are asked for \
          identifiers, not for names.
          """,
        options: [CommonOptions.symbolsFrom, CommonOptions.debuginfod, CommonOptions.jobs] + options,
        positionals: [wanted],
        examples: [.init("symclust symbols find 4C4C44AF-5555-3144-A1A3-68CD61B89982 'Lumen*'", "is it here?")]),
      CommandSpec(
        "show", "Show all that is known of one image",
        discussion: "What its symbols tell, how much of its code they cover, its files, and the builds it belongs to.",
        options: [CommonOptions.jobs] + options, positionals: [image],
        examples: [.init("symclust symbols show 4c4c44af55553144a1a368cd61b89982", "files, coverage, builds")]),
      symbolsVerifySpec, symbolsMissingSpec, symbolsIndexSpec,
      CommandSpec(
        "pin", "Keep images, or a build with all its images, whatever 'symbols gc' is told",
        options: buildOptions + options, positionals: [pinned],
        examples: [
          .init("symclust symbols pin --app com.example.app --version 2.1 --build 812", "a build that is out for good")
        ]),
      CommandSpec(
        "unpin", "Let 'symbols gc' decide again", options: buildOptions + options, positionals: [pinned],
        examples: [.init("symclust symbols unpin 4c4c44af55553144a1a368cd61b89982", "an image")]),
      symbolsGarbageSpec,
    ],
    examples: [
      .init("symclust symbols missing", "which images diagnostics wait for, and where to get them"),
      .init("symclust symbols verify --build 812", "would the frames of a build have names?"),
    ]),
  run: { session throws(CommandFailure) in
    switch session.command.path.last {
    case "list": try list(&session)
    case "find": try find(&session)
    case "show": try show(&session)
    case "verify": try verifySymbols(&session)
    case "missing": try showMissing(&session)
    case "index": try buildIndexes(&session)
    case "pin": try pin(&session, isPinned: true)
    case "unpin": try pin(&session, isPinned: false)
    default: try collectGarbage(&session)
    }
  })

extension Session {
  /// The symbols of the store that the command names.
  mutating func symbolStore() throws(CommandFailure) -> SymbolStore {
    SymbolStore(try openStore(creating: false), builder: indexBuilder())
  }

  /// Every image that is retained or borrowed; damaged records are told.
  mutating func records(of store: SymbolStore, _ damaged: inout Int) throws(CommandFailure) -> [ImageRecord] {
    var damage: [StoreError] = []
    let retained = try storing { () throws(StoreError) in try store.records { damage.append($0) } }
    let borrowed = try storing { () throws(StoreError) in try store.borrowedRecords { damage.append($0) } }
    let known = Set(retained.map(\.debugID))
    let records = (retained + borrowed.filter { !known.contains($0.debugID) }).sorted { $0.debugID < $1.debugID }
    for error in damage { complain("\(error)") }
    damaged += damage.count
    return records
  }
}

private func list(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  var damaged = 0
  var records = try session.records(of: store, &damaged)
  let manifests = try storing { () throws(StoreError) in try store.manifests() }
  if session.command.text(app) != nil || session.command.text(build) != nil {
    let chosen = manifests.filter { manifest in
      session.command.text(app).map { $0 == manifest.build.app } ?? true
        && session.command.text(build).map { $0 == manifest.build.build } ?? true
    }
    guard !chosen.isEmpty else { throw CommandFailure(.nothingDone, "no such build was uploaded") }
    let ids = Set(chosen.flatMap { $0.images.map(\.debugID) })
    records.removeAll { !ids.contains($0.debugID) }
  }
  try session.show(SymbolList(records, manifests))
  return damaged == 0 ? .done : .store
}

private func find(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let sources = try session.symbolSources()
  let store = SymbolStore(try session.openStore(creating: !sources.isEmpty), builder: session.indexBuilder())
  let borrower = session.borrower(store, from: sources)
  for id in session.command.list(wanted).compactMap({ DebugID($0) }) {
    try storing { () throws(StoreError) in _ = try borrower?.index(of: id) }
  }
  let hasTroubles = session.tell(borrower)
  var damaged = 0
  let all = try session.records(of: store, &damaged)
  let manifests = try storing { () throws(StoreError) in try store.manifests() }
  var found: [ImageRecord] = []
  var missed: [String] = []
  for text in session.command.list(wanted) {
    let id = DebugID(text)
    let matching = all.filter { record in
      record.debugID == id || record.sources.contains { PathPattern.matches(text, $0.name) }
    }
    if matching.isEmpty { missed.append(text) }
    found += matching.filter { !found.contains($0) }
  }
  for text in missed { session.complain("nothing is retained of '\(text)'") }
  try session.show(SymbolList(found.sorted { $0.debugID < $1.debugID }, manifests))
  if damaged > 0 { return .store }
  return found.isEmpty ? .nothingDone : missed.isEmpty && !hasTroubles ? .done : .gaps
}

private func show(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let text = session.command.text(image) ?? ""
  guard let id = DebugID(text) else { throw CommandFailure(.usage, "'\(text)' is no debug identifier") }
  let store = try session.symbolStore()
  guard let detail = try storing({ () throws(StoreError) in try store.detail(of: id) }) else {
    throw CommandFailure(.nothingDone, "nothing of image \(id) is retained")
  }
  try session.show(as: { _ in SymbolText.detail(detail) }, or: { $0.imageDetail(detail) })
  return detail.problem == nil ? .done : detail.summary == nil ? .store : .gaps
}

private func pin(_ session: inout Session, isPinned: Bool) throws(CommandFailure) -> ExitCode {
  let command = session.command
  var ids: Set<DebugID> = []
  for text in command.list(pinned) {
    guard let id = DebugID(text) else { throw CommandFailure(.usage, "'\(text)' is no debug identifier") }
    ids.insert(id)
  }
  let builds = Set([try command.buildName()].compactMap(\.self))
  guard !ids.isEmpty || !builds.isEmpty else {
    throw CommandFailure(.usage, "name images by their identifiers, or a build with --app, --version and --build")
  }
  let store = try session.symbolStore()
  let lock = try storing { () throws(StoreError) in try StoreLock(store.directory) }
  var pins = try storing { () throws(StoreError) in try store.pins() }
  if isPinned {
    for id in ids where try storing({ () throws(StoreError) in try store.anyRecord(of: id) }) == nil {
      throw CommandFailure(.nothingDone, "nothing of image \(id) is retained; nothing was pinned")
    }
    for build in builds where try storing({ () throws(StoreError) in try store.manifest(of: build) }) == nil {
      throw CommandFailure(
        .nothingDone, "\(build.app) \(build.version) (\(build.build)) was never uploaded; nothing was pinned")
    }
    pins.images.formUnion(ids)
    pins.builds.formUnion(builds)
  } else {
    pins.images.subtract(ids)
    pins.builds.subtract(builds)
  }
  try storing { () throws(StoreError) in try store.set(pins) }
  _ = consume lock
  try session.show(as: { _ in SymbolText.pins(pins) }, or: { $0.pins(pins) })
  return .done
}
