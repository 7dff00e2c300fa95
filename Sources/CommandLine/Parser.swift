extension ProgramSpec {
  /// Understands a command line.
  ///
  /// `arguments` are the words after the program's name; `environment` looks up a variable. Options may stand anywhere
  /// after the command they belong to; `--opt value`, `--opt=value`, `-o value`, `-ovalue` and clusters of flags are the
  /// same; `--` ends the options; `-` is an argument. A help request wins over any error; its lines are at most `width`
  /// columns wide.
  public func parse(
    _ arguments: [String], width: Int = 80, environment: (String) -> String? = { _ in nil }
  ) throws(UsageError) -> Invocation {
    if let path = helpRequest(arguments) { return .show(help(for: path, width: width)) }
    var parser = Parser(program: self, arguments: arguments)
    return try parser.run(environment, width: width)
  }

  /// The command whose help `arguments` ask for, by `--help`, `-h` or the word `help` in front.
  private func helpRequest(_ arguments: [String]) -> [String]? {
    let options = arguments.prefix { $0 != "--" }
    let isAsked = arguments.first == "help" || options.contains("--help") || options.contains("-h")
    guard isAsked else { return nil }
    var (path, command) = ([String](), root)
    for word in options where !word.hasPrefix("-") && !(word == "help" && path.isEmpty) {
      guard let next = command.subcommand(word) else { break }
      path.append(word)
      command = next
    }
    return path
  }
}

/// One pass over a command line.
private struct Parser {
  let program: ProgramSpec
  let arguments: [String]
  var index = 0
  var path: [String] = []
  var command: CommandSpec
  var flags: Set<String> = []
  var values: [String: [String]] = [:]
  var words: [String] = []

  init(program: ProgramSpec, arguments: [String]) {
    self.program = program
    self.arguments = arguments
    self.command = program.root
  }

  mutating func run(_ environment: (String) -> String?, width: Int) throws(UsageError) -> Invocation {
    var optionsEnded = false
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if optionsEnded || argument == "-" || !argument.hasPrefix("-") {
        try takeWord(argument)
      } else if argument == "--" {
        optionsEnded = true
      } else if argument.hasPrefix("--") {
        try takeLong(argument.dropFirst(2))
      } else {
        try takeCluster(argument.dropFirst())
      }
      // `-h` in a cluster is no word of its own, so it was not seen before.
      if flags.contains(ProgramSpec.help.long) { return .show(program.help(for: path, width: width)) }
      if flags.contains(ProgramSpec.version.long) { return .show("\(program.root.name) \(program.version)\n") }
    }
    guard command.subcommands.isEmpty else {
      throw failure("a command is missing: one of \(command.subcommands.map(\.name).joined(separator: ", "))")
    }
    try checkGroups()
    try fillIn(environment)
    return .run(
      ParsedCommand(path: path, positionals: words, flags: flags, values: values, arguments: try boundWords()))
  }

  // MARK: Words

  private mutating func takeWord(_ word: String) throws(UsageError) {
    guard !command.subcommands.isEmpty else {
      words.append(word)
      return
    }
    guard let next = command.subcommand(word) else {
      let hint = suggestion(for: word, among: command.subcommands.map(\.name))
      throw failure("unknown command '\(visible(word))'\(hint)")
    }
    path.append(word)
    command = next
  }

  private func boundWords() throws(UsageError) -> [String: [String]] {
    var bound: [String: [String]] = [:]
    var rest = words[...]
    for positional in command.positionals {
      let name = positional.value.placeholder
      let taken = positional.isRepeated ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      if taken.isEmpty && positional.isRequired { throw failure("\(name) is missing") }
      for word in taken {
        if let problem = positional.value.problem(with: word) { throw failure("\(name) '\(visible(word))' \(problem)") }
      }
      bound[name] = Array(taken)
    }
    if let word = rest.first { throw failure("unexpected argument '\(visible(word))'") }
    return bound
  }

  // MARK: Options

  private var knownOptions: [OptionSpec] { command.options + program.commonOptions(of: command) }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let equals = text.firstIndex(of: "=")
    let name = String(text[..<(equals ?? text.endIndex)])
    guard let option = knownOptions.first(where: { $0.long == name }) else {
      let hint = suggestion(for: "--" + name, among: knownOptions.map { "--" + $0.long })
      throw failure("unknown option '--\(visible(name))'\(hint)")
    }
    try take(option, as: "--\(name)", inline: equals.map { String(text[text.index(after: $0)...]) })
  }

  private mutating func takeCluster(_ text: Substring) throws(UsageError) {
    var rest = text
    while let letter = rest.popFirst() {
      guard let option = knownOptions.first(where: { $0.short == letter }) else {
        throw failure("unknown option '-\(visible(String(letter)))'")
      }
      let takesRest = option.value != nil && !rest.isEmpty
      try take(option, as: "-\(letter)", inline: takesRest ? String(rest) : nil)
      if takesRest { return }
    }
  }

  private mutating func take(_ option: OptionSpec, as name: String, inline: String?) throws(UsageError) {
    guard let value = option.value else {
      if inline != nil { throw failure("\(name) takes no value") }
      flags.insert(option.long)
      return
    }
    let text = if let inline { inline } else { try separateValue(of: value, for: name) }
    if let problem = value.problem(with: text) {
      throw failure("the value '\(visible(text))' of \(name) \(problem)")
    }
    if values[option.long] != nil && !option.isRepeatable { throw failure("\(name) is given twice") }
    values[option.long, default: []].append(text)
  }

  /// The next word as a value. A word that looks like an option is refused: it mostly stands behind a variable of a
  /// script that is empty.
  private mutating func separateValue(of value: ValueSpec, for name: String) throws(UsageError) -> String {
    guard index < arguments.count else { throw failure("\(name) needs a value: \(value.placeholder)") }
    let next = arguments[index]
    let isNumber = Double(next) != nil
    if next.hasPrefix("-") && next != "-" && !isNumber {
      throw failure("\(name) needs a value, but '\(visible(next))' follows (write \(name)=VALUE if it is meant)")
    }
    index += 1
    return next
  }

  private func checkGroups() throws(UsageError) {
    for group in command.groups {
      let given = group.options.filter { values[$0.long] != nil || flags.contains($0.long) }
      if given.count > 1 {
        throw failure("--\(given[0].long) and --\(given[1].long) exclude each other")
      }
      if given.isEmpty && group.isRequired {
        throw failure("one of \(group.options.map { "--" + $0.long }.joined(separator: ", ")) is missing")
      }
    }
  }

  private mutating func fillIn(_ environment: (String) -> String?) throws(UsageError) {
    for option in knownOptions where values[option.long] == nil {
      guard let value = option.value else { continue }
      if let name = option.environment, let text = environment(name), !text.isEmpty {
        if let problem = value.problem(with: text) {
          throw failure("the value '\(visible(text))' of the environment variable \(name) \(problem)")
        }
        values[option.long] = [text]
      } else if let text = option.defaultValue {
        values[option.long] = [text]
      } else if option.isRequired {
        throw failure("\(option.written) is missing")
      }
    }
  }

  private func failure(_ message: String) -> UsageError { UsageError(message, in: program.invocation(path)) }
}
