/// One command, or a group of commands, as a value: parsing, help, completions and the manual page all come from it.
public struct CommandSpec: Hashable, Sendable {
  /// A command line that works, and what it does.
  public struct Example: Hashable, Sendable {
    /// The whole command line.
    public let line: String
    /// What it does, as a clause without a full stop.
    public let purpose: String

    /// The command line `line`, which does `purpose`.
    public init(_ line: String, _ purpose: String) {
      self.line = line
      self.purpose = purpose
    }
  }

  /// The word that names it.
  public let name: String
  /// What it does, as a clause without a full stop.
  public let abstract: String
  /// What else a user must know, in paragraphs separated by an empty line.
  public let discussion: String
  /// Its own options; the program's common options come on top.
  public let options: [OptionSpec]
  /// Which of its options exclude each other.
  public let groups: [OptionGroup]
  /// Its arguments, in order; none when it has subcommands.
  public let positionals: [PositionalSpec]
  /// The commands below it.
  public let subcommands: [CommandSpec]
  /// At least one command line that works.
  public let examples: [Example]

  /// A command that does something.
  public init(
    _ name: String, _ abstract: String, discussion: String = "", options: [OptionSpec] = [],
    groups: [OptionGroup] = [], positionals: [PositionalSpec] = [], examples: [Example]
  ) {
    self.init(name, abstract, discussion, options, groups, positionals, [], examples)
  }

  /// A group of commands.
  public init(
    _ name: String, _ abstract: String, discussion: String = "", subcommands: [CommandSpec], examples: [Example]
  ) {
    self.init(name, abstract, discussion, [], [], [], subcommands, examples)
  }

  private init(
    _ name: String, _ abstract: String, _ discussion: String, _ options: [OptionSpec], _ groups: [OptionGroup],
    _ positionals: [PositionalSpec], _ subcommands: [CommandSpec], _ examples: [Example]
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.options = options
    self.groups = groups
    self.positionals = positionals
    self.subcommands = subcommands
    self.examples = examples
  }

  /// The command directly below that is called `name`.
  func subcommand(_ name: String) -> CommandSpec? { subcommands.first { $0.name == name } }
}

/// A whole program: its commands and what is common to them.
public struct ProgramSpec: Hashable, Sendable {
  /// The group of all commands; its name is the program's.
  public let root: CommandSpec
  /// The version, as `--version` prints it after the name.
  public let version: String
  /// Options that every command takes.
  public let commonOptions: [OptionSpec]

  /// A program with the commands of `root`.
  public init(_ root: CommandSpec, version: String, commonOptions: [OptionSpec] = []) {
    self.root = root
    self.version = version
    self.commonOptions = commonOptions
  }

  /// `--help`, which every command takes.
  static let help = OptionSpec.flag("help", short: "h", help: "show this help")
  /// `--version`, which every command takes.
  static let version = OptionSpec.flag("version", help: "show the version")

  /// The common options with the two that every program has.
  var allCommonOptions: [OptionSpec] { commonOptions + [ProgramSpec.help, ProgramSpec.version] }

  /// The common options that `command` takes: a command may have a `--version` of its own, as of a build.
  func commonOptions(of command: CommandSpec) -> [OptionSpec] {
    let hasVersion = command.options.contains { $0.long == ProgramSpec.version.long }
    return allCommonOptions.filter { !hasVersion || $0 != ProgramSpec.version }
  }

  /// Every command with the words that lead to it, a group before its members, in the declared order.
  var commands: [(path: [String], command: CommandSpec)] {
    var found: [(path: [String], command: CommandSpec)] = []
    var waiting: [(path: [String], command: CommandSpec)] = [([], root)]
    while let next = waiting.popLast() {
      found.append(next)
      waiting += next.command.subcommands.reversed().map { (next.path + [$0.name], $0) }
    }
    return found
  }

  /// The program's name and the words of `path`.
  func invocation(_ path: [String]) -> String { ([root.name] + path).joined(separator: " ") }
}
