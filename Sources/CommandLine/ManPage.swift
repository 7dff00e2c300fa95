extension ProgramSpec {
  /// The manual page in section 1, in the mdoc language (mdoc(7)), for all commands.
  ///
  /// `date` is written as it is, for example `$Mdocdate$` or `January 5, 2026`; the clock is not read, so that the page
  /// is the same in every build.
  public func manPage(date: String) -> String {
    var page = ManPage()
    page.macro("Dd", date)
    page.macro("Dt", root.name.uppercased() + " 1")
    page.macro("Os")
    page.section("Sh", "NAME")
    page.macro("Nm", root.name)
    page.macro("Nd", root.abstract)
    page.section("Sh", "SYNOPSIS")
    for (path, command) in commands where command.subcommands.isEmpty {
      page.macro("Nm", root.name)
      page.text(String(usage(of: command, at: path).dropFirst(root.name.count + 1)))
      page.paragraph()
    }
    page.section("Sh", "DESCRIPTION")
    page.paragraphs(root.discussion.isEmpty ? root.abstract : root.discussion)
    for (path, command) in commands where !path.isEmpty {
      page.section("Ss", path.joined(separator: " "))
      page.text(command.abstract + ".")
      page.paragraph()
      page.paragraphs(command.discussion)
      page.list(command.positionals.map { ($0.written, $0.help) } + command.options.map { ($0.label, $0.fullHelp) })
    }
    page.section("Sh", "COMMON OPTIONS")
    page.list(allCommonOptions.map { ($0.label, $0.fullHelp) })
    let variables = environmentVariables
    if !variables.isEmpty {
      page.section("Sh", "ENVIRONMENT")
      page.list(variables)
    }
    page.section("Sh", "EXIT STATUS")
    page.list(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    page.section("Sh", "EXAMPLES")
    for example in commands.flatMap(\.command.examples) {
      page.text(example.purpose + ":")
      page.display(example.line)
    }
    return page.source
  }

  private var environmentVariables: [(String, String)] {
    var found: [(String, String)] = []
    for option in commonOptions + commands.flatMap(\.command.options) {
      guard let name = option.environment, !found.contains(where: { $0.0 == name }) else { continue }
      found.append((name, "\(option.help), when --\(option.long) is not given"))
    }
    return found
  }
}

/// mdoc source as it grows.
private struct ManPage {
  var source = ""
  private var isParagraphDue = false

  /// A macro line. The arguments are literal text.
  mutating func macro(_ name: String, _ argument: String = "") {
    beginParagraph()
    source += argument.isEmpty ? ".\(name)\n" : ".\(name) \(escaped(argument))\n"
  }

  mutating func section(_ macro: String, _ title: String) {
    isParagraphDue = false
    self.macro(macro, title)
  }

  /// A new paragraph, if more text follows here: mdoc wants none before a list or a section.
  mutating func paragraph() { isParagraphDue = true }

  /// Text, each sentence on a line of its own as mdoc wants it.
  mutating func text(_ text: some StringProtocol) {
    for line in String(text).replacing(". ", with: ".\n").split(separator: "\n") { self.line(line) }
  }

  /// One line of text; one that begins like a macro is protected.
  mutating func line(_ line: some StringProtocol) {
    beginParagraph()
    source += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + escaped(line) + "\n"
  }

  mutating func paragraphs(_ text: String) {
    for paragraph in text.split(separator: "\n\n") {
      self.text(paragraph)
      self.paragraph()
    }
  }

  mutating func list(_ rows: [(String, String)]) {
    guard !rows.isEmpty else { return }
    isParagraphDue = false
    source += ".Bl -tag -width Ds\n"
    for (label, text) in rows {
      // The words of `It` are parsed; behind \& none is taken for a macro.
      source += ".It " + label.split(separator: " ").map { "\\&" + escaped($0) }.joined(separator: " ") + "\n"
      self.text(text)
    }
    source += ".El\n"
  }

  mutating func display(_ line: String) {
    source += ".Bd -literal -offset indent\n"
    self.line(line)
    source += ".Ed\n"
    paragraph()
  }

  private mutating func beginParagraph() {
    if isParagraphDue { source += ".Pp\n" }
    isParagraphDue = false
  }

  private func escaped(_ text: some StringProtocol) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "…": result += "..."
      default: result.append(character)
      }
    }
  }
}
