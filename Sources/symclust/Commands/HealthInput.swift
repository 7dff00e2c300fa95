import CommandLine
import Diagnostics
import Files
import ReleaseHealth
import SignatureStore
import SymbolStore

/// Options of the commands that hold builds against each other.
enum HealthOptions {
  static let app = OptionSpec.value(
    "app", "ID", help: "the app, by its bundle identifier (needed when the store knows several)")
  static let generation = OptionSpec.value(
    "generation", "WORD", .choice(["v1", "v2"]), default: "v1",
    help: "payloads of which of MetricKit's interfaces are counted; they are never added up")
  static let minimumCohort = OptionSpec.value(
    "min-cohort", "N", .integer(1...1_000_000_000),
    help: "the fewest accepted payloads of a build whose numbers are told")
}

/// What is known of the builds of one app.
struct HealthInput {
  var app: String
  var order: BuildOrder
  var table: HealthTable
  var generation: PayloadGeneration

  /// Builds of which diagnostics were recorded and that were never declared, sorted.
  var undeclared: [BuildOfRecord] {
    table.builds.keys.filter { record in
      !(order.builds + order.unordered).contains { $0.isBuild(of: record) }
    }.sorted()
  }

  /// The declared builds, and the others of which diagnostics were recorded, as if they had been.
  private var known: [DeclaredBuild] {
    order.builds + order.unordered
      + undeclared.map { DeclaredBuild(app: app, version: $0.version ?? "", build: $0.build ?? "") }
  }

  /// The build that a person means: by its number, or as version and number (`1.2 (120)`, `1.2/120`).
  func build(_ text: String) throws(CommandFailure) -> DeclaredBuild {
    let found = known.filter { text == $0.build || text == $0.text || text == "\($0.version)/\($0.build)" }
    guard let build = found.first else {
      throw CommandFailure(
        .nothingDone, "build '\(text)' of \(app) is not known: neither declared nor seen in diagnostics")
    }
    guard found.count == 1 else {
      throw CommandFailure(.usage, "'\(text)' may be \(found.map(\.text).joined(separator: " or ")): name it like that")
    }
    return build
  }
}

extension Session {
  /// The builds of the app that the command names, or of the only one there is.
  mutating func healthInput() throws(CommandFailure) -> HealthInput {
    let calendar = try calendar()
    let directory = try openStore(creating: false)
    let (app, declared) = try declaredBuilds(in: directory)
    let generation = command.text(HealthOptions.generation).flatMap(PayloadGeneration.init) ?? .v1
    var table = HealthTable()
    if directory.contains(SQLiteSignatureStore.fileName) {
      let counts = try counts(in: directory)
      table = try counting { () throws(SignatureStoreError) in
        try counts.health(app: app, generation: generation, calendar: calendar)
      }
    }
    return HealthInput(app: app, order: BuildOrder(declared), table: table, generation: generation)
  }

  private mutating func declaredBuilds(
    in directory: StoreDirectory
  ) throws(CommandFailure) -> (app: String, builds: [DeclaredBuild]) {
    let symbols = SymbolStore(directory, builder: indexBuilder())
    var damage: [StoreError] = []
    let all = try storing { () throws(StoreError) in try symbols.declarations { damage.append($0) } }
    for error in damage { complain("\(error)") }
    var apps = Set(all.map(\.build.app))
    if directory.contains(SQLiteSignatureStore.fileName) {
      let counts = try counts(in: directory)
      apps.formUnion(try counting { () throws(SignatureStoreError) in try counts.apps() })
    }
    let app: String
    if let named = command.text(HealthOptions.app) {
      guard apps.contains(named) else { throw CommandFailure(.nothingDone, "nothing is known of app '\(named)'") }
      app = named
    } else if apps.count == 1, let only = apps.first {
      app = only
    } else if apps.isEmpty {
      throw CommandFailure(
        .nothingDone, "the store knows no builds: upload symbols, declare builds or cluster diagnostics")
    } else {
      throw CommandFailure(
        .usage, "the store knows several apps, name one with --app: \(apps.sorted().joined(separator: ", "))")
    }
    let builds = all.filter { $0.build.app == app }.map {
      DeclaredBuild(
        app: app, version: $0.build.version, build: $0.build.build, channel: $0.channel, order: $0.order)
    }
    return (app, builds)
  }
}
