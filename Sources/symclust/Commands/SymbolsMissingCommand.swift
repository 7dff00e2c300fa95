import CommandLine
import Diagnostics
import Files
import Identity
import JSON
import SignatureStore
import Signatures
import SymbolStore

private let build = OptionSpec.value("build", "B", help: "only what diagnostics of this build wait for")
private let allowMissing = OptionSpec.value(
  "allow-missing", "NAME", isRepeatable: true,
  help: "an image that is expected to be missing, such as a vendor's: its identifier, its name, or a pattern")
private let system = OptionSpec.flag("system", help: "list images of the system, too")

let symbolsMissingSpec = CommandSpec(
  "missing", "List the images that recorded diagnostics wait for",
  discussion: """
    Most diagnostics first, those of the app; how many of the system's are missing is told. The exit code is 3 when an \
    image of the app is missing that --allow-missing does not name.
    """,
  options: [
    build, allowMissing, system, CommonOptions.symbolsFrom, CommonOptions.rules, CommonOptions.store,
    CommonOptions.json,
  ],
  examples: [
    .init("symclust symbols missing --json", "for a job that asks for them"),
    .init("symclust symbols missing --build 812 --allow-missing AdKit", "whose symbols the vendor keeps"),
  ])

/// An image that diagnostics wait for, and what to do about it.
struct MissingSymbols {
  var image: WaitingImage
  var isApp: Bool
  /// Whether it is expected to be missing.
  var isAllowed: Bool
  /// Retained images of the same name.
  var others: [ImageRecord]
  /// Whether 'symbols gc' removed what was retained of it.
  var isRemoved: Bool
  /// The file beyond the store that has its symbols, if one was found.
  var place: String?

  /// Where its symbols are to be had.
  var advice: String {
    if let place { return "\(place) has it: 'reprocess' with its folder names the frames, 'upload-symbols' retains it" }
    if !isApp {
      return "part of the system: its frames are known by image only, and need no symbols"
    }
    let builds = image.builds.compactMap(\.build)
    let of =
      builds.isEmpty
      ? "its build" : builds.count == 1 ? "build \(builds[0])" : "builds \(builds.joined(separator: ", "))"
    if isRemoved { return "'symbols gc' removed what was retained: upload the dSYM of \(of) again" }
    if others.isEmpty {
      return """
        the dSYM is in the .xcarchive of \(of), in its folder dSYMs; a framework that came ready-made has its own from the \
        vendor
        """
    }
    return "upload the dSYM of \(of): \(others.count) other \(others.count == 1 ? "build" : "builds") of it retained"
  }
}

func showMissing(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let rules = try session.rules()
  let sources = try session.symbolSources()
  let symbols = try session.symbolStore()
  let store = try counts(in: symbols.directory)
  let number = session.command.text(build)
  let waiting = try counting { () throws(SignatureStoreError) in try store.waitingImages(ofBuild: number) }
  let named = try storing { () throws(StoreError) in try symbols.recordsByName() }
  let removed = try storing { () throws(StoreError) in try symbols.removedImages() }
  let allowed = AllowedImages(session.command.list(allowMissing))
  let borrower = session.borrower(symbols, from: sources)
  var missing = waiting.map { image in
    MissingSymbols(
      image: image, isApp: rules.isApp(ImageReference(debugID: image.debugID, name: image.name)),
      isAllowed: allowed.contains(image.debugID, name: image.name),
      others: image.name.flatMap { named[$0] } ?? [], isRemoved: removed.images[image.debugID] != nil)
  }
  if let borrower {
    for number in missing.indices {
      let id = missing[number].image.debugID
      missing[number].place = try storing { () throws(StoreError) in try borrower.whereabouts(of: id) }
    }
    _ = session.tell(borrower)
  }
  let own = missing.filter(\.isApp)
  let systems = missing.filter { !$0.isApp }
  let shown = own + (session.command.flag(system) ? systems : [])
  try session.show(
    as: { _ in SymbolText.missing(shown, system: systems.count) },
    or: { $0.missingSymbols(shown, app: own.count, system: systems.count) })
  return own.allSatisfy(\.isAllowed) ? .done : .gaps
}
