extension ProgramSpec {
  /// What is wrong with the declaration itself, one sentence each; a program's tests expect none.
  ///
  /// Checked are names, help texts, places of arguments, defaults, clashes between options, and that every command has
  /// an example that parses and begins with the command.
  public var problems: [String] {
    commands.flatMap { path, command in
      (nameProblems(command) + optionProblems(command) + positionalProblems(command) + exampleProblems(path, command))
        .map { "\(invocation(path)): \($0)" }
    }
  }

  private func nameProblems(_ command: CommandSpec) -> [String] {
    var found: [String] = []
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
    if command.name.isEmpty || command.name.hasPrefix("-") || !command.name.allSatisfy({ letters.contains($0) }) {
      found.append("the name is not made of lower-case letters, digits and dashes")
    }
    let names = command.subcommands.map(\.name)
    if Set(names).count < names.count { found.append("two commands have one name") }
    let helps = [command.abstract] + command.options.map(\.help) + command.positionals.map(\.help)
    for help in helps where help.isEmpty || help.hasSuffix(".") {
      found.append("the help '\(help)' is empty or ends with a full stop")
    }
    return found
  }

  private func optionProblems(_ command: CommandSpec) -> [String] {
    var found: [String] = []
    let names = allOptions(of: command).flatMap(\.names)
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      found.append("\(name) is declared twice")
    }
    for option in command.options {
      if let value = option.defaultValue, let problem = option.value?.problem(with: value) {
        found.append("the default '\(value)' of --\(option.long) \(problem)")
      }
    }
    for option in command.groups.flatMap(\.options) where !command.options.contains(option) {
      found.append("--\(option.long) is in a group, but no option")
    }
    return found
  }

  private func positionalProblems(_ command: CommandSpec) -> [String] {
    var found: [String] = []
    for (before, after) in zip(command.positionals, command.positionals.dropFirst()) {
      if before.isRepeated || (!before.isRequired && after.isRequired) {
        found.append("\(after.value.placeholder) cannot be told from \(before.value.placeholder)")
      }
    }
    let names = command.positionals.map(\.value.placeholder)
    if Set(names).count < names.count { found.append("two arguments have one name") }
    return found
  }

  private func exampleProblems(_ path: [String], _ command: CommandSpec) -> [String] {
    guard !command.examples.isEmpty else { return ["there is no example"] }
    return command.examples.compactMap { example in
      let words = firstCommand(in: example.line)
      guard Array(words.prefix(path.count + 1)) == [root.name] + path else {
        return "the example '\(example.line)' does not begin with the command"
      }
      do throws(UsageError) {
        _ = try parse(Array(words.dropFirst()))
        return nil
      } catch { return "the example '\(example.line)' fails: \(error.message)" }
    }
  }

  /// The words of a command line up to a pipe, a redirection or a list operator; quotes keep a word together.
  private func firstCommand(in line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == " " {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else if "|<>&;".contains(character) {
        return words
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
