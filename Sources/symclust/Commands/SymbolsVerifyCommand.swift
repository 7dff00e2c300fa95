import CommandLine
import Diagnostics
import Files
import Identity
import JSON
import Pipeline
import Signatures
import SymbolStore

private let app = OptionSpec.value("app", "ID", help: "with --build: of this app only")
private let build = OptionSpec.value("build", "B", help: "every image of the build with this number")
private let payload = OptionSpec.value(
  "payload", "FILE", .file, isRepeatable: true, help: "every image that these diagnostics name")
private let requireApp = OptionSpec.value(
  "require-app", "PATH", .file, isRepeatable: true, help: "every image in this app, archive or binary")
private let allowMissing = OptionSpec.value(
  "allow-missing", "NAME", isRepeatable: true,
  help: "an image that may be without symbols: its identifier, its name, or a pattern such as 'Vendor*'")
private let binary = OptionSpec.value("binary", "FILE", .file, help: "with --dsym: a binary as it was shipped")
private let dsym = OptionSpec.value("dsym", "FILE", .file, help: "the symbols that should belong to --binary")

let symbolsVerifySpec = CommandSpec(
  "verify", "Say of each image whether its frames would have names",
  discussion: """
    Each image is looked up as 'symbolicate' and 'cluster' do. Words: \
    \(ImageStatus.allCases.map(\.rawValue).joined(separator: ", ")). The exit code is 3 when an image of the app is not \
    found, or --binary and --dsym do not belong together; images of the system, and those of --allow-missing, are told and \
    do not count.
    """,
  options: [
    build, app, payload, requireApp, allowMissing, binary, dsym, CommonOptions.symbolsFrom, CommonOptions.debuginfod,
    CommonOptions.rules, CommonOptions.limit,
    CommonOptions.store, CommonOptions.jobs, CommonOptions.json,
  ],
  examples: [
    .init("symclust symbols verify --require-app App.xcarchive", "before the release goes out"),
    .init("symclust symbols verify --payload crash.json", "why has this report no names?"),
    .init("symclust symbols verify --binary App.app/App --dsym App.dSYM", "do they belong together?"),
  ])

func verifySymbols(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let command = session.command
  var pairs: [SlicePair] = []
  switch (command.text(binary), command.text(dsym)) {
  case (nil, nil): break
  case (let binary?, let dsym?):
    let folder = session.temporaryFolder
    pairs = try storing { () throws(StoreError) in
      try SlicePair.pairs(binary: binary, symbols: dsym, temporaryFolder: folder)
    }
  default: throw CommandFailure(.usage, "--binary and --dsym go together")
  }
  let isAsked = command.text(build) != nil || !command.list(payload).isEmpty || !command.list(requireApp).isEmpty
  guard isAsked || !pairs.isEmpty else {
    throw CommandFailure(.usage, "say what to verify: --build, --payload, --require-app, or --binary with --dsym")
  }
  var images: [ImageVerification] = []
  var isComplete = true
  if isAsked {
    let sources = try session.symbolSources()
    let store = try session.symbolStore()
    let borrower = session.borrower(store, from: sources)
    let named = try storing { () throws(StoreError) in try store.recordsByName() }
    let wanted = try wantedImages(&session, store, &isComplete)
    let allowed = AllowedImages(command.list(allowMissing))
    // What is damaged, the verdict says.
    for image in wanted { _ = try? borrower?.index(of: image.debugID) }
    isComplete = !session.tell(borrower) && isComplete
    images = wanted.map {
      var image = store.verification(
        of: $0.debugID, name: $0.name, architecture: $0.architecture, isApp: $0.isApp, among: named)
      image.isAllowed = allowed.contains($0.debugID, name: image.name)
      return image
    }
    guard !images.isEmpty else { throw CommandFailure(.nothingDone, "they name no image") }
  }
  try session.show(as: { SymbolText.verification(images, pairs, on: $0) }, or: { $0.verification(images, pairs) })
  return isComplete && !images.contains(where: \.isGap) && pairs.allSatisfy(\.matches) ? .done : .gaps
}

private struct WantedImage {
  var debugID: DebugID
  var name: String?
  var architecture: String?
  var isApp: Bool
}

/// What is asked about, each image once, those of the app first.
private func wantedImages(
  _ session: inout Session, _ store: SymbolStore, _ isComplete: inout Bool
) throws(CommandFailure) -> [WantedImage] {
  let command = session.command
  var wanted: [DebugID: WantedImage] = [:]
  func want(_ image: WantedImage) {
    var known = wanted[image.debugID] ?? image
    known.name = known.name ?? image.name
    known.architecture = known.architecture ?? image.architecture
    known.isApp = known.isApp || image.isApp
    wanted[image.debugID] = known
  }
  if let number = command.text(build) {
    let manifests = try storing { () throws(StoreError) in try store.manifests() }.filter { manifest in
      manifest.build.build == number && command.text(app).map { $0 == manifest.build.app } ?? true
    }
    guard !manifests.isEmpty else { throw CommandFailure(.nothingDone, "build \(number) was never uploaded") }
    for image in manifests.flatMap(\.images) {
      want(WantedImage(debugID: image.debugID, name: image.name, architecture: image.architecture, isApp: true))
    }
  }
  var gates = Gates()
  for path in command.list(requireApp) {
    let folder = session.temporaryFolder
    try storing { () throws(StoreError) in try gates.require(imagesIn: path, temporaryFolder: folder) }
  }
  for requirement in gates.requirements {
    guard let id = requirement.debugID else {
      session.complain("\(requirement.name ?? "?"): \(requirement.advice)")
      isComplete = false
      continue
    }
    want(WantedImage(debugID: id, name: requirement.name, architecture: requirement.architecture, isApp: true))
  }
  if !command.list(payload).isEmpty {
    let rules = try session.rules()
    var rejected: [RejectedItem] = []
    try DiagnosticReader(limits: try session.readingLimits()).read(
      command.list(payload), reject: { rejected.append($0) }
    ) { (_, payload) throws(CommandFailure) in
      for diagnostic in payload.diagnostics {
        // A device of arm64e runs images of arm64 as well: it does not say which slice an image was.
        let architecture = diagnostic.metadata.platformArchitecture.flatMap { $0 == "arm64e" ? nil : $0 }
        for image in diagnostic.images {
          guard let id = image.debugID else { continue }
          want(WantedImage(debugID: id, name: image.name, architecture: architecture, isApp: rules.isApp(image)))
        }
      }
    }
    for item in rejected { session.complain("\(item.place): \(item.message)") }
    isComplete = isComplete && rejected.isEmpty
  }
  return wanted.values.sorted { a, b in
    if a.isApp != b.isApp { return a.isApp }
    return (a.name ?? "", a.debugID) < (b.name ?? "", b.debugID)
  }
}
