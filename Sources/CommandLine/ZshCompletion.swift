extension ProgramSpec {
  /// A completion script for zsh, for a folder of `$fpath` or to be sourced.
  var zshCompletions: String {
    let functions = commands.map { zshFunction($0.path, $0.command) }.joined(separator: "\n")
    let function = functionName([])
    return """
      #compdef \(root.name)
      # zsh completion for \(root.name); written by the program itself.
      \(functions)
      if [[ $funcstack[1] == \(function) ]]; then \(function) "$@"; else compdef \(function) \(root.name); fi

      """
  }

  /// One function for each command; groups call those of their members.
  private func zshFunction(_ path: [String], _ command: CommandSpec) -> String {
    var specs = allOptions(of: command).flatMap { zshOption($0, in: command) }
    specs += command.positionals.enumerated().map { index, positional in
      let place = positional.isRepeated ? "*:" : positional.isRequired ? "\(index + 1):" : "\(index + 1)::"
      return place + zshValue(positional.value)
    }
    let start = "\(functionName(path))() {\n"
    guard !command.subcommands.isEmpty else {
      return start + zshArguments("-s -S", specs) + "}\n"
    }
    specs += ["1:command:->command", "*::argument:->argument"]
    let members = command.subcommands.map { shellQuoted("\($0.name):\($0.abstract)") }.joined(separator: " ")
    let calls = command.subcommands.map { "        \($0.name)) \(functionName(path + [$0.name])) ;;\n" }.joined()
    return start + """
        local context state state_descr line
        typeset -A opt_args
      \(zshArguments("-s -S -C", specs))  case $state in
          command)
            local -a members=(\(members))
            _describe command members ;;
          argument)
            case $line[1] in
      \(calls)      esac ;;
        esac
      }

      """
  }

  private func zshArguments(_ flags: String, _ specs: [String]) -> String {
    "  _arguments \(flags)" + specs.map { " \\\n    " + shellQuoted($0) }.joined() + "\n"
  }

  private func zshOption(_ option: OptionSpec, in command: CommandSpec) -> [String] {
    let rivals = command.groups.filter { $0.options.contains(option) }.flatMap(\.options).flatMap(\.names)
    let excluded = option.names + rivals.filter { !option.names.contains($0) }
    let isRepeated = option.isRepeatable && option.value != nil
    let before = isRepeated ? "*" : excluded.count > 1 ? "(\(excluded.joined(separator: " ")))" : ""
    let help = option.help.reduce(into: "") { $0 += "[]:\\".contains($1) ? "\\\($1)" : "\($1)" }
    return option.names.map { name in
      // A value may follow `--name` behind the sign or as the next word, and `-n` directly or as the next word.
      let sign = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
      return before + name + sign + "[\(help)]" + (option.value.map { ":" + zshValue($0) } ?? "")
    }
  }

  private func zshValue(_ value: ValueSpec) -> String {
    let action =
      switch value.kind {
      case .file: "_files"
      case .directory: "_files -/"
      case .choice(let words): "(\(words.joined(separator: " ")))"
      case .text, .integer, .number: " "
      }
    return value.placeholder + ":" + action
  }
}
