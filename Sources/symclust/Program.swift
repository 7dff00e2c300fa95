import Bytes
import CommandLine
import Glibc
import IndexWorker

/// The program's version, as `--version` shows it.
let programVersion = "0.1.0"

/// One command: what it is called and takes, and what it does.
struct Command: Sendable {
  let spec: CommandSpec
  let run: @Sendable (inout Session) throws(CommandFailure) -> ExitCode
}

/// Every command, in the order of `--help`.
private let commands: [Command] = [
  uploadSymbolsCommand, checkCommand, lookupCommand, symbolicateCommand, clusterCommand, reprocessCommand,
  signaturesCommand, buildsCommand, alertsCommand, symbolsCommand,
  rulesCommand, exportCommand, configCommand, inventoryCommand, doctorCommand, completionsCommand, manualCommand,
]

/// The whole command line as data: parsing, help, completions and the manual page come from it.
let program = ProgramSpec(
  CommandSpec(
    "symclust",
    "Turns the diagnostics that Apple devices send into names, groups and decisions",
    subcommands: commands.map(\.spec),
    examples: [
      .init(
        "symclust upload-symbols App.xcarchive --app com.example.app --version 2.1 --build 812",
        "retain the symbols of a build"),
      .init("symclust cluster diagnostics/", "read diagnostics, name their frames and group them"),
    ]),
  version: programVersion,
  commonOptions: [CommonOptions.color])

/// Options that several commands share, so that they are spelled and explained once.
enum CommonOptions {
  static let color = OptionSpec.value(
    "color", "WHEN", .choice(ColorChoice.allCases.map(\.rawValue)), default: "auto", help: "colour the output")
  static let store = OptionSpec.value(
    "store", "DIR", .directory, environment: "SYMCLUST_STORE", default: "symclust-store",
    help: "the store of symbols, raw stacks and counts")
  static let jobs = OptionSpec.value(
    "jobs", short: "j", "N", .integer(1...1024), help: "how many threads to use (default: one for each core)")
  static let limit = OptionSpec.value(
    "limit", "NAME=N", isRepeatable: true, help: "set a limit of reading; 'symclust config' lists them")
  static let calendar = OptionSpec.value(
    "days-in", "ZONE", default: "UTC",
    help: "the zone whose days are reporting days: UTC, or hours ahead of it, such as +2 or -03:30")
  static let rules = OptionSpec.value(
    "rules", "FILE", .file, environment: "SYMCLUST_RULES",
    help: "the project's rules file, instead of the built-in rules alone")
  static let similarity = OptionSpec.value(
    "similarity", "WORD", .choice(["on", "off"]), default: "on",
    help: "whether new signatures that are nearly those of a cluster join it, and mergers are suggested")
  static let json = OptionSpec.flag("json", help: "print JSON for a program to read")
}

/// What the program was called with, without its name. Paths need not be UTF-8.
func commandLineArguments() -> [String] {
  (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { PathName.text(cString: $0) } }
}

/// A variable of the environment; `nil` when it is not set. Paths need not be UTF-8.
func processEnvironment(_ name: String) -> String? { getenv(name).map { PathName.text(cString: $0) } }

/// Runs the program and returns its exit code.
func runProgram(arguments: [String]) -> Int32 {
  if arguments == [IndexWorker.argument] { return IndexWorker.run() }
  Output.ignoreBrokenPipes()
  let command: ParsedCommand
  do throws(UsageError) {
    switch try program.parse(arguments, environment: processEnvironment) {
    case .show(let text):
      var out = Output.standard()
      out.write(text)
      return finish(out, ExitCode.done)
    case .run(let parsed): command = parsed
    }
  } catch {
    var err = Output.error()
    err.write("\(error)\n")
    return ExitCode.usage.rawValue
  }
  var session = Session(command)
  var code = ExitCode.nothingDone
  do throws(CommandFailure) {
    if let chosen = commands.first(where: { $0.spec.name == command.path.first }) { code = try chosen.run(&session) }
  } catch {
    session.complain(error.message)
    code = error.code
  }
  return session.end(code)
}

/// Writes what waits; a reader that has gone is no failure.
func finish(_ out: consuming Output, _ code: ExitCode) -> Int32 {
  do throws(OutputError) {
    try out.finish()
    return code.rawValue
  } catch {
    if case .failed(let number) = error {
      var err = Output.error()
      err.write("symclust: \(FileError(path: "standard output", step: "write", errno: number))\n")
      return ExitCode.nothingDone.rawValue
    }
    return code.rawValue
  }
}
