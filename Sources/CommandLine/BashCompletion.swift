extension ProgramSpec {
  /// A completion script for bash 4.2 or newer; it needs no other package.
  var bashCompletions: String {
    let function = functionName([])
    let skipping = valueNames.isEmpty ? "" : "\n      \(valueNames.joined(separator: "|"))) skip=1 ;;"
    let paths = commands.filter { !$0.path.isEmpty }.map { shellQuoted(invocation($0.path)) }
    return """
      # bash completion for \(root.name); written by the program itself.
      \(function)() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
        local path=\(shellQuoted(root.name)) skip='' words='' kind='' word
        # bash splits --option=value at the sign.
        if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          [[ $word == = ]] && continue
          [[ -n $skip ]] && { skip=''; continue; }
          case $word in\(skipping)
            *) case "$path $word" in \(paths.joined(separator: "|"))) path="$path $word" ;; esac ;;
          esac
        done
        case "$path|$prev" in
      \(bashValues)
          *)
            case "$path|$cur" in
      \(bashWords)
            esac ;;
        esac
        if [[ -n $kind ]]; then
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen "$kind" -- "$cur")
        else
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        fi
      }
      complete -F \(function) \(shellQuoted(root.name))

      """
  }

  /// What may stand behind each option.
  private var bashValues: String {
    commands.flatMap { path, command in
      allOptions(of: command).compactMap { option -> String? in
        guard let value = option.value else { return nil }
        let patterns = option.names.map { shellQuoted("\(invocation(path))|\($0)") }.joined(separator: "|")
        return "    \(patterns)) \(bashAction(value.kind));;"
      }
    }.joined(separator: "\n")
  }

  /// What may stand elsewhere: options behind a dash, otherwise commands or arguments.
  private var bashWords: String {
    commands.map { path, command in
      let place = shellQuoted(invocation(path) + "|")
      let options = allOptions(of: command).flatMap(\.names).joined(separator: " ")
      let commands = command.subcommands.map(\.name).joined(separator: " ")
      let elsewhere = commands.isEmpty ? bashAction(command.positionals.first?.value.kind) : "words='\(commands)' "
      return "        \(place)-*) words='\(options)' ;;\n        \(place)*) \(elsewhere);;"
    }.joined(separator: "\n")
  }

  private func bashAction(_ kind: ValueSpec.Kind?) -> String {
    switch kind {
    case .file: "kind=-f "
    case .directory: "kind=-d "
    case .choice(let words): "words=\(shellQuoted(words.joined(separator: " "))) "
    case .text, .integer, .number, nil: ""
    }
  }
}
