extension ProgramSpec {
  /// A completion script for fish 3.0 or newer.
  var fishCompletions: String {
    let at = "_" + functionName([]) + "_at"
    let skipping =
      valueNames.isEmpty ? "" : "\n            case \(valueNames.joined(separator: " "))\n                set skip 1"
    let paths = commands.filter { !$0.path.isEmpty }.map { fishQuoted(invocation($0.path)) }
    var lines = [
      """
      # fish completion for \(root.name); written by the program itself.
      function \(at)
          set -l path \(fishQuoted(root.name))
          set -l skip 0
          for word in (commandline -opc)[2..-1]
              if test $skip = 1
                  set skip 0
                  continue
              end
              switch $word\(skipping)
                  case '-*'
                  case '*'
                      contains -- "$path $word" \(paths.joined(separator: " ")); and set path "$path $word"
              end
          end
          test "$path" = "$argv"
      end
      complete -c \(root.name) -f
      """
    ]
    lines += allCommonOptions.filter { !root.options.contains($0) }.map { fishOption($0, condition: "") }
    for (path, command) in commands {
      let condition = " -n " + fishQuoted("\(at) \(invocation(path))")
      lines += command.options.map { fishOption($0, condition: condition) }
      lines += command.subcommands.map {
        "complete -c \(root.name)\(condition) -a \(fishQuoted($0.name)) -d \(fishQuoted($0.abstract))"
      }
      if let action = command.positionals.first.flatMap({ fishAction($0.value.kind) }) {
        lines.append("complete -c \(root.name)\(condition) \(action)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fishOption(_ option: OptionSpec, condition: String) -> String {
    let short = option.short.map { " -s \($0)" } ?? ""
    let value = option.value.map { " -r " + (fishAction($0.kind) ?? "-f") } ?? ""
    return "complete -c \(root.name)\(condition)\(short) -l \(option.long)\(value) -d \(fishQuoted(option.help))"
  }

  private func fishAction(_ kind: ValueSpec.Kind) -> String? {
    switch kind {
    case .file: "-F"
    case .directory: "-f -a '(__fish_complete_directories)'"
    case .choice(let words): "-f -a \(fishQuoted(words.joined(separator: " ")))"
    case .text, .integer, .number: nil
    }
  }

  /// `text` as one word of fish, where a backslash escapes inside quotes too.
  private func fishQuoted(_ text: String) -> String {
    "'" + text.reduce(into: "") { $0 += "'\\".contains($1) ? "\\\($1)" : "\($1)" } + "'"
  }
}
