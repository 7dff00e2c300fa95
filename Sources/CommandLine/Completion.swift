/// A shell for which completions can be written.
public enum Shell: String, CaseIterable, Hashable, Sendable {
  case bash
  case zsh
  case fish
}

extension ProgramSpec {
  /// A script that makes `shell` complete the program's commands, options and values.
  public func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  /// The options of `command` and the common ones.
  func allOptions(of command: CommandSpec) -> [OptionSpec] { command.options + commonOptions(of: command) }

  /// Every name of an option that takes a value, in any command: what stands behind one is no command.
  var valueNames: [String] {
    var names: [String] = []
    for option in commonOptions + commands.flatMap(\.command.options) where option.value != nil {
      for name in option.names where !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The name of a shell function for `path`.
  func functionName(_ path: [String]) -> String {
    "_" + ([root.name] + path).joined(separator: "_").map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }
}

extension OptionSpec {
  /// Its names as written: `-j`, `--jobs`.
  var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
}

/// `text` as one word of a POSIX shell.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
