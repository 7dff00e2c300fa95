/// What a command line asks for.
public enum Invocation: Hashable, Sendable {
  /// A command is to be run.
  case run(ParsedCommand)
  /// A text, help or the version, is to be printed on standard output, and that is all.
  case show(String)
}

/// One command with its values, all checked against the declaration.
public struct ParsedCommand: Hashable, Sendable {
  /// The words that name the command, without the program: `["symbols", "list"]`.
  public let path: [String]
  /// All positional arguments in order.
  public let positionals: [String]

  private let flags: Set<String>
  private let values: [String: [String]]
  private let arguments: [String: [String]]

  init(
    path: [String], positionals: [String], flags: Set<String>, values: [String: [String]],
    arguments: [String: [String]]
  ) {
    self.path = path
    self.positionals = positionals
    self.flags = flags
    self.values = values
    self.arguments = arguments
  }

  /// Whether the flag was given.
  public func flag(_ option: OptionSpec) -> Bool { flags.contains(option.long) }

  /// The value: the given one, else the environment's, else the default.
  public func text(_ option: OptionSpec) -> String? { values[option.long]?.last }

  /// The value of an option of kind `integer`.
  public func integer(_ option: OptionSpec) -> Int? { text(option).flatMap { Int($0) } }

  /// The value of an option of kind `number`.
  public func number(_ option: OptionSpec) -> Double? { text(option).flatMap { Double($0) } }

  /// All values of a repeatable option, in the order given.
  public func list(_ option: OptionSpec) -> [String] { values[option.long] ?? [] }

  /// The values of one positional argument.
  public func list(_ positional: PositionalSpec) -> [String] { arguments[positional.value.placeholder] ?? [] }

  /// The value of a positional argument that is given at most once.
  public func text(_ positional: PositionalSpec) -> String? { list(positional).first }
}
