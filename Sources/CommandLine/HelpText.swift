extension ProgramSpec {
  /// The help text of the command that `path` names (the program itself when it is empty), for lines of `width` columns.
  ///
  /// It ends with an example.
  public func help(for path: [String] = [], width: Int = 80) -> String {
    var command = root
    for word in path {
      guard let next = command.subcommand(word) else { break }
      command = next
    }
    let page = HelpPage(program: self, path: path, command: command, width: max(40, min(width, 100)))
    return page.text
  }

  /// The usage line of a command, without the word `Usage`.
  func usage(of command: CommandSpec, at path: [String]) -> String {
    guard command.subcommands.isEmpty else { return invocation(path) + " COMMAND" }
    let inGroups = Set(command.groups.filter(\.isRequired).flatMap(\.options))
    let required = command.options.filter { $0.isRequired && !inGroups.contains($0) }.map(\.written)
    let groups = command.groups.filter(\.isRequired).map(\.written)
    let words = ["[options]"] + required + groups + command.positionals.map(\.written)
    return ([invocation(path)] + words).joined(separator: " ")
  }
}

/// One help text.
private struct HelpPage {
  let program: ProgramSpec
  let path: [String]
  let command: CommandSpec
  let width: Int

  var text: String {
    var sections = [wrapped("\(program.invocation(path)): \(command.abstract)", indent: 0, hanging: 2)]
    sections.append(wrapped("Usage: " + program.usage(of: command, at: path), indent: 0, hanging: 2))
    if !command.discussion.isEmpty {
      let paragraphs = command.discussion.split(separator: "\n\n").map { wrapped($0, indent: 0) }
      sections.append(paragraphs.joined(separator: "\n"))
    }
    sections.append(list("Commands", command.subcommands.map { ($0.name, $0.abstract) }))
    sections.append(list("Arguments", command.positionals.map { ($0.written, $0.help) }))
    sections.append(list("Options", command.options.map { ($0.label, $0.fullHelp) }))
    sections.append(list("Common options", program.commonOptions(of: command).map { ($0.label, $0.fullHelp) }))
    if path.isEmpty {
      sections.append(list("Exit codes", ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }))
    }
    sections.append(examples)
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var examples: String {
    let title = command.examples.count > 1 ? "Examples:\n" : "Example:\n"
    // The line itself is never wrapped, so that it can be copied.
    return title
      + command.examples.map { wrapped("# " + $0.purpose, indent: 2, hanging: 2) + "  \($0.line)\n" }.joined()
  }

  private func list(_ title: String, _ rows: [(String, String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let column = min(24, rows.map { $0.0.displayWidth }.max() ?? 0) + 4
    return rows.reduce("\(title):\n") { text, row in
      let label = "  " + row.0
      let lines = wrapped(row.1, indent: column)
      guard label.displayWidth + 2 <= column else { return text + label + "\n" + lines }
      return text + label + lines.dropFirst(label.displayWidth)
    }
  }

  private func wrapped(_ text: some StringProtocol, indent: Int, hanging: Int = 0) -> String {
    wrappedText(text, to: width, indent: indent, hanging: hanging)
  }
}
