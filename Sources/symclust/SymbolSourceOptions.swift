import CommandLine
import Files
import Identity
import JSON
import SymbolServers
import SymbolStore

extension CommonOptions {
  static let symbolsFrom = OptionSpec.value(
    "symbols-from", "DIR", .directory, isRepeatable: true,
    help: "where else to look: a folder in GNU .build-id, LLDB file-mapped or Sentry unified layout; gnu:DIR says which"
  )
  static let debuginfod = OptionSpec.flag(
    "debuginfod", help: "ask the servers in DEBUGINFOD_URLS for ELF images by build-id, and tell them so which are used"
  )
  static let retain = OptionSpec.flag("retain", help: "copy what these sources give into the store, like an upload")
}

/// The sources beyond the store that a command names.
struct ChosenSources {
  var folders: [SymbolFolder] = []
  var servers: [ServerAddress] = []

  var isEmpty: Bool { folders.isEmpty && servers.isEmpty }
}

extension Session {
  /// The sources beyond the store that the command names. The variable alone sends nothing: what ids an app uses is
  /// told to a server only when somebody says so here.
  func symbolSources() throws(CommandFailure) -> ChosenSources {
    var sources = ChosenSources()
    for text in command.list(CommonOptions.symbolsFrom) {
      do throws(StoreError) {
        sources.folders.append(try SymbolFolder(text))
      } catch {
        throw CommandFailure(.usage, "--symbols-from \(error)")
      }
    }
    if command.flag(CommonOptions.debuginfod) {
      do throws(BadServerAddress) {
        sources.servers = try ServerAddress.list(processEnvironment("DEBUGINFOD_URLS") ?? "")
      } catch {
        throw CommandFailure(.usage, "DEBUGINFOD_URLS: '\(error.text)' is no address of an HTTP server")
      }
      guard !sources.servers.isEmpty else {
        throw CommandFailure(.usage, "--debuginfod: DEBUGINFOD_URLS names no server; set it to their addresses")
      }
    }
    if command.flag(CommonOptions.retain), sources.isEmpty {
      throw CommandFailure(.usage, "--retain goes with --symbols-from or --debuginfod: it copies what those give")
    }
    return sources
  }

  /// Who gets indexes from `chosen`, folders first; `nil` without any.
  func borrower(_ store: SymbolStore, from chosen: ChosenSources) -> SymbolBorrower? {
    if chosen.isEmpty { return nil }
    let limits = DownloadLimits(environment: processEnvironment)
    let servers = chosen.servers.map {
      DebuginfodServer($0, limits: limits, store: store, temporaryFolder: temporaryFolder)
    }
    return SymbolBorrower(
      store, from: chosen.folders + servers as [any SymbolSource], finder: indexBuilder(),
      temporaryFolder: temporaryFolder, retains: command.flag(CommonOptions.retain))
  }

  /// Tells what the sources refused and what went wrong with them; whether that leaves gaps.
  mutating func tell(_ borrower: SymbolBorrower?) -> Bool {
    guard let borrower else { return false }
    borrower.finish()
    var hasGaps = false
    for report in borrower.reports {
      for refusal in report.refused { complain("\(refusal.place): not used: \(refusal.reason)") }
      for trouble in report.troubles { complain(trouble) }
      if let reason = report.leftAlone { complain("\(report.name): left alone for the rest of the run: \(reason)") }
      hasGaps = hasGaps || !report.refused.isEmpty || !report.troubles.isEmpty || report.leftAlone != nil
    }
    for problem in borrower.problems { complain(problem) }
    return hasGaps
  }
}

extension JSONWriter {
  /// What each source beyond the store did.
  mutating func symbolSources(_ reports: [SourceReport]) {
    key("symbol_sources")
    array(reports) { writer, report in
      writer.beginObject()
      writer.member("name", report.name)
      writer.member("kind", report.kind.rawValue)
      writer.member("asked", report.asked)
      writer.key("found")
      writer.array(report.found) { $0.string($1.hex) }
      writer.key("refused")
      writer.array(report.refused) { writer, refusal in
        writer.beginObject()
        writer.member("file", refusal.place)
        writer.member("reason", refusal.reason)
        writer.endObject()
      }
      writer.key("troubles")
      writer.array(report.troubles) { $0.string($1) }
      writer.member("left_alone", report.leftAlone)
      writer.endObject()
    }
  }
}
