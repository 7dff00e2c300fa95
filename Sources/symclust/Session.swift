import Bytes
import CommandLine
import Diagnostics
import Files
import IndexWorker
import JSON
import SignatureStore
import SymbolIndex
import SymbolStore
import Workers

/// Why a command ended without a result.
struct CommandFailure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A store that could not be used: nothing useful was done when there is none, else the store is at fault.
  init(_ error: StoreError) {
    self.init(error.code == .absent ? .nothingDone : .store, error.description)
  }
}

/// One run of one command: its arguments, its output, and the terminal it speaks to.
struct Session: ~Copyable {
  let command: ParsedCommand
  /// Where standard output goes.
  let terminal: Terminal
  /// Where standard error goes.
  let errorTerminal: Terminal
  var out = Output.standard()
  private var err = Output.error()

  init(_ command: ParsedCommand) {
    self.command = command
    let color = command.text(CommonOptions.color).flatMap(ColorChoice.init) ?? .auto
    terminal = Terminal(descriptor: 1, color: color, environment: processEnvironment)
    errorTerminal = Terminal(descriptor: 2, color: color, environment: processEnvironment)
  }

  /// The threads to use.
  var workers: Workers { command.integer(CommonOptions.jobs).map { Workers($0) } ?? Workers() }

  /// Reads debug information in processes of their own, whose files lie in `folder` while they run.
  func indexBuilder(in folder: String? = nil) -> IsolatedIndexBuilder {
    IsolatedIndexBuilder(temporaryFolder: folder ?? temporaryFolder, workers: workers)
  }

  /// Where files lie that are needed for a while.
  var temporaryFolder: String { processEnvironment("TMPDIR") ?? "/tmp" }

  /// Says something to the person at the terminal. Text from outside is made visible first.
  mutating func complain(_ message: String) {
    out.flush()
    err.write("symclust: \(visible(message))\n")
  }

  /// Shows how far the work is, on a terminal.
  mutating func show(progress text: String) { err.write(text) }

  /// Prints one JSON document.
  mutating func print(_ document: consuming JSONWriter) throws(CommandFailure) {
    do throws(JSONWriterError) {
      out.write(bytes: try document.finish())
    } catch {
      throw CommandFailure(.nothingDone, "\(error)")
    }
  }

  /// Prints for people, or with `--json` one document for a program.
  mutating func show(
    as text: (Terminal) -> String, or document: (inout JSONWriter) -> Void
  ) throws(CommandFailure) {
    guard command.flag(CommonOptions.json) else { return out.write(text(terminal)) }
    var writer = JSONWriter(.pretty)
    document(&writer)
    try print(writer)
  }

  /// Opens the store that the command names; with `creating` a new one is made and announced.
  mutating func openStore(creating: Bool) throws(CommandFailure) -> StoreDirectory {
    let root = command.text(CommonOptions.store) ?? ""
    do throws(StoreError) {
      do throws(StoreError) {
        return try StoreDirectory(root: root, creating: false)
      } catch  where creating && error.code == .absent {
        let store = try StoreDirectory(root: root, creating: true)
        complain("made a new store in \(root)")
        return store
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The store that the command names; `nil` when there is none.
  func storeIfPresent() throws(CommandFailure) -> StoreDirectory? {
    do throws(StoreError) {
      return try StoreDirectory(root: command.text(CommonOptions.store) ?? "", creating: false)
    } catch {
      if error.code == .absent { return nil }
      throw CommandFailure(error)
    }
  }

  /// The calendar of reporting days that the command names.
  func calendar() throws(CommandFailure) -> ReportingCalendar {
    let zone = command.text(CommonOptions.calendar) ?? "UTC"
    guard let calendar = ReportingCalendar(zone) else {
      throw CommandFailure(.usage, "--days-in \(zone): expected UTC, or hours ahead of it, such as +2 or -03:30")
    }
    return calendar
  }

  /// Ends the run: writes what waits and returns the code.
  consuming func end(_ code: ExitCode) -> Int32 { finish(out, code) }
}

/// Runs `body`, turning an error of the store into one of the command.
func storing<R: ~Copyable>(_ body: () throws(StoreError) -> R) throws(CommandFailure) -> R {
  do throws(StoreError) {
    return try body()
  } catch {
    throw CommandFailure(error)
  }
}

/// Runs `body`, turning an error of the counts into one of the command.
func counting<R>(_ body: () throws(SignatureStoreError) -> R) throws(CommandFailure) -> R {
  do throws(SignatureStoreError) {
    return try body()
  } catch {
    throw CommandFailure(.store, error.description)
  }
}

/// Opens the counts of a store that is there.
func counts(in directory: StoreDirectory) throws(CommandFailure) -> SQLiteSignatureStore {
  try counting { () throws(SignatureStoreError) in
    try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName), createIfMissing: false)
  }
}
