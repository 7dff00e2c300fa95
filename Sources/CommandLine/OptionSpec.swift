/// One option of a command: a flag, or a name with a value.
///
/// A program declares each option once, as a static member in an extension, and uses that member both in its
/// `CommandSpec` and to read the parsed value, so that a mistyped name does not compile.
public struct OptionSpec: Hashable, Sendable {
  /// The name behind two dashes.
  public let long: String
  /// The name behind one dash.
  public let short: Character?
  /// The value it takes; `nil` for a flag.
  public let value: ValueSpec?
  /// Whether it may be given more than once.
  public let isRepeatable: Bool
  /// Whether it must be given.
  public let isRequired: Bool
  /// The environment variable that is read when the option is not given.
  public let environment: String?
  /// The value when neither the option nor the variable is given.
  public let defaultValue: String?
  /// What it does, as a clause without a full stop.
  public let help: String

  /// An option without a value.
  public static func flag(_ long: String, short: Character? = nil, help: String) -> OptionSpec {
    OptionSpec(
      long: long, short: short, value: nil, isRepeatable: true, isRequired: false, environment: nil,
      defaultValue: nil, help: help)
  }

  /// An option with a value, which help texts show as `placeholder`.
  public static func value(
    _ long: String, short: Character? = nil, _ placeholder: String, _ kind: ValueSpec.Kind = .text,
    isRepeatable: Bool = false, isRequired: Bool = false, environment: String? = nil, default value: String? = nil,
    help: String
  ) -> OptionSpec {
    OptionSpec(
      long: long, short: short, value: ValueSpec(placeholder, kind), isRepeatable: isRepeatable,
      isRequired: isRequired, environment: environment, defaultValue: value, help: help)
  }

  /// The option as a user writes it, with its value: `--jobs N`.
  var written: String { "--\(long)" + (value.map { " \($0.placeholder)" } ?? "") }

  /// The option as the first column of a help text: `-j, --jobs N`.
  var label: String { (short.map { "-\($0), " } ?? "") + written + (isRepeatable && value != nil ? " …" : "") }

  /// The help with what the declaration knows besides: choices, default, variable.
  var fullHelp: String {
    var notes: [String] = []
    if case .choice(let words)? = value?.kind { notes.append(words.joined(separator: ", ")) }
    if let defaultValue { notes.append("default: \(defaultValue)") }
    if let environment { notes.append("or \(environment)") }
    return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
  }
}

/// Options of which at most one may be given.
public struct OptionGroup: Hashable, Sendable {
  /// The options.
  public let options: [OptionSpec]
  /// Whether exactly one must be given.
  public let isRequired: Bool

  /// At most one of `options`, or exactly one when `isRequired`.
  public init(_ options: [OptionSpec], isRequired: Bool = false) {
    self.options = options
    self.isRequired = isRequired
  }

  /// The group as a usage line shows it: `(--object FILE | --image ID)`.
  var written: String { "(" + options.map(\.written).joined(separator: " | ") + ")" }
}

/// One argument that is told by its place.
public struct PositionalSpec: Hashable, Sendable {
  /// How many there may be.
  public enum Count: Hashable, Sendable {
    /// Exactly one.
    case one
    /// None or one.
    case optional
    /// One or more; only the last argument of a command.
    case oneOrMore
    /// Any number; only the last argument of a command.
    case any
  }

  /// What may be written there.
  public let value: ValueSpec
  /// How many there may be.
  public let count: Count
  /// What it is, as a clause without a full stop.
  public let help: String

  /// An argument shown as `placeholder`.
  public init(_ placeholder: String, _ kind: ValueSpec.Kind = .text, count: Count = .one, help: String) {
    self.value = ValueSpec(placeholder, kind)
    self.count = count
    self.help = help
  }

  /// Whether at least one must be given.
  var isRequired: Bool { count == .one || count == .oneOrMore }
  /// Whether more than one may be given.
  var isRepeated: Bool { count == .oneOrMore || count == .any }

  /// The argument as a usage line shows it: `[OFFSET…]`.
  var written: String {
    let name = value.placeholder + (isRepeated ? "…" : "")
    return isRequired ? name : "[\(name)]"
  }
}
