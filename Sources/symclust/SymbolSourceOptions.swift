import CommandLine
import Files
import Identity
import JSON
import SymbolStore

extension CommonOptions {
  static let symbolsFrom = OptionSpec.value(
    "symbols-from", "DIR", .directory, isRepeatable: true,
    help: "where else to look: a folder in GNU .build-id, LLDB file-mapped or Sentry unified layout; gnu:DIR says which")
}

extension Session {
  /// The sources beyond the store that the command names.
  func symbolSources() throws(CommandFailure) -> [any SymbolSource] {
    var sources: [any SymbolSource] = []
    for text in command.list(CommonOptions.symbolsFrom) {
      do throws(StoreError) {
        sources.append(try SymbolFolder(text))
      } catch {
        throw CommandFailure(.usage, "--symbols-from \(error)")
      }
    }
    return sources
  }

  /// Who gets indexes from `sources`; `nil` without any.
  func borrower(_ store: SymbolStore, from sources: [any SymbolSource]) -> SymbolBorrower? {
    sources.isEmpty
      ? nil
      : SymbolBorrower(store, from: sources, finder: indexBuilder(), temporaryFolder: temporaryFolder)
  }

  /// Tells what the sources refused and what went wrong with them; whether that leaves gaps.
  mutating func tell(_ borrower: SymbolBorrower?) -> Bool {
    guard let borrower else { return false }
    var hasGaps = false
    for report in borrower.reports {
      for refusal in report.refused { complain("\(refusal.place): not used: \(refusal.reason)") }
      if let reason = report.leftAlone { complain("\(report.name): left alone for the rest of the run: \(reason)") }
      hasGaps = hasGaps || !report.refused.isEmpty || report.leftAlone != nil
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
      writer.member("left_alone", report.leftAlone)
      writer.endObject()
    }
  }
}
