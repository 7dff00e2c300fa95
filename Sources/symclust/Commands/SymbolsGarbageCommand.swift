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
    \(KeepReason.allCases.map(\.rawValue).joined(separator: ", ")). A file that two images share goes with the last. \
    Diagnostics keep the names they have; 'reprocess --all' and new rules cannot name removed images again, and say so.
    """,
  options: [keepBuilds, keepDays, dryRun, CommonOptions.store, CommonOptions.json],
  examples: [.init("symclust symbols gc --keep-builds 20 --dry-run", "what would go, and why the rest stays")])

func collectGarbage(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  let isDryRun = session.command.flag(dryRun)
  let days = Int64(session.command.integer(keepDays) ?? 90)
  var rules = GarbageRules(
    newestBuilds: session.command.integer(keepBuilds) ?? 10, since: Int64(time(nil)) - days * 86_400)
  if store.directory.contains(SQLiteSignatureStore.fileName) {
    let counts = try counts(in: store.directory)
    try counting { () throws(SignatureStoreError) in
      rules.seen = try counts.images(seenSince: rules.since)
      rules.shipped = Set(
        try counts.report().builds.compactMap { count in
          guard let app = count.build.app, let version = count.build.version, let build = count.build.build else {
            return nil
          }
          return BuildName(app: app, version: version, build: build)
        })
    }
  }
  let lock = try storing { () throws(StoreError) in try StoreLock(store.directory) }
  let plan = try storing { () throws(StoreError) in
    let plan = try store.garbage(rules)
    if !isDryRun { try store.remove(plan) }
    return plan
  }
  _ = consume lock
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.garbage(plan, isDryRun: isDryRun)
    try session.print(writer)
  } else {
    session.out.write(SymbolText.garbage(plan, isDryRun: isDryRun))
  }
  return .done
}
