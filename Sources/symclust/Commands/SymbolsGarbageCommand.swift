import CommandLine
import Files
import Glibc
import Identity
import JSON
import SignatureStore
import SymbolStore

private let keepBuilds = OptionSpec.value(
  "keep-builds", "N", .integer(0...1_000_000), default: "10",
  help: "keep the N builds of each app that were uploaded last")
private let keepDays = OptionSpec.value(
  "keep-days", "D", .integer(0...100_000), default: "90",
  help: "keep what was retained in the last D days, or named by diagnostics of the last D days")
private let dryRun = OptionSpec.flag("dry-run", help: "say what would be removed, and remove nothing")

let symbolsGarbageSpec = CommandSpec(
  "gc", "Remove symbols that nobody needs any more",
  discussion: """
    What is pinned stays, and so does every build of which diagnostics were recorded; then the newest builds, what came \
    lately, and images that diagnostics of the last days name. Words: \
    \(KeepReason.allCases.map(\.rawValue).joined(separator: ", ")). A file that two images share goes with the last, and an image \
    of two builds with the last of them. Diagnostics keep the names they have, but 'reprocess --all' and new rules cannot \
    find the names of removed images again and list those as lost_images; uploading the symbols again brings them back.
    """,
  options: [keepBuilds, keepDays, dryRun, CommonOptions.store, CommonOptions.json],
  examples: [.init("symclust symbols gc --keep-builds 20 --dry-run", "what would go, and why the rest stays")])

func collectGarbage(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  guard session.command.flag(dryRun) else {
    // From here on nobody adds an image, or a diagnostic that names one.
    let lock = try storing { () throws(StoreError) in try StoreLock(store.directory) }
    let (plan, used) = try garbage(session, store)
    try storing { () throws(StoreError) in try store.remove(plan) }
    _ = consume lock
    try session.show(plan, used: used, isDryRun: false)
    return .done
  }
  let (plan, used) = try garbage(session, store)
  try session.show(plan, used: used, isDryRun: true)
  return .done
}

/// What would go, and the images that named frames of recorded diagnostics.
private func garbage(
  _ session: borrowing Session, _ store: SymbolStore
) throws(CommandFailure) -> (plan: GarbagePlan, used: Set<DebugID>) {
  let days = Int64(session.command.integer(keepDays) ?? 90)
  // Without days nothing is recent, not even what came this second.
  var rules = GarbageRules(
    newestBuilds: session.command.integer(keepBuilds) ?? 10,
    since: days == 0 ? .max : Int64(time(nil)) - days * 86_400)
  var used: Set<DebugID> = []
  if store.directory.contains(SQLiteSignatureStore.fileName) {
    let counts = try counts(in: store.directory)
    try counting { () throws(SignatureStoreError) in
      rules.seen = try counts.images(seenSince: rules.since)
      rules.shipped = Set(
        try counts.report().builds.map {
          ShippedBuild(app: $0.build.app, version: $0.build.version, build: $0.build.build)
        })
      used = Set(try counts.symbolRevisions().keys)
    }
  }
  return (try storing { () throws(StoreError) in try store.garbage(rules) }, used)
}

extension Session {
  fileprivate mutating func show(
    _ plan: GarbagePlan, used: Set<DebugID>, isDryRun: Bool
  ) throws(CommandFailure) {
    try show(
      as: { _ in SymbolText.garbage(plan, used: used, isDryRun: isDryRun) },
      or: { $0.garbage(plan, used: used, isDryRun: isDryRun) })
  }
}
