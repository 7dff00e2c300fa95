import CommandLine
import Testing

private func parsed(_ words: String..., environment: [String: String] = [:]) throws(UsageError) -> ParsedCommand {
  switch try demo.parse(words, environment: { environment[$0] }) {
  case .run(let command): return command
  case .show(let text): throw UsageError("shows: \(text)", in: "test")
  }
}

private func failure(_ words: [String], environment: [String: String] = [:]) -> String? {
  do throws(UsageError) {
    _ = try demo.parse(words, environment: { environment[$0] })
    return nil
  } catch { return error.message }
}

@Suite struct Parsing {
  @Test func `the declaration of the sample program has no problems`() {
    #expect(demo.problems == [])
  }

  @Test func `commands may be nested one level`() throws {
    #expect(try parsed("notes", "list").path == ["notes", "list"])
    #expect(try parsed("add", "a").path == ["add"])
  }

  @Test(arguments: [
    ["--jobs", "4"], ["--jobs=4"], ["-j4"], ["-j", "4"], ["-vj4"], ["-vvj", "4"],
  ])
  func `an option's value may be written in every usual way`(words: [String]) throws {
    guard case .run(let command) = try demo.parse(["add"] + words + ["a"]) else { return #expect(Bool(false)) }
    #expect(command.integer(.jobs) == 4)
    #expect(command.flag(.verbose) == words[0].hasPrefix("-v"))
    #expect(command.positionals == ["a"])
  }

  @Test func `options may stand before, between and behind arguments`() throws {
    let command = try parsed("--store", "s", "add", "a", "-v", "b", "--json")
    #expect(command.positionals == ["a", "b"])
    #expect(command.list(.paths) == ["a", "b"])
    #expect(command.flag(.verbose) && command.flag(.json))
    #expect(command.text(.store) == "s")
  }

  @Test func `two dashes end the options and one dash is an argument`() throws {
    #expect(try parsed("add", "-", "--", "--json", "-v", "--").positionals == ["-", "--json", "-v", "--"])
    #expect(try parsed("add", "--", "--json").flag(.json) == false)
  }

  @Test func `a repeatable option keeps all values in order`() throws {
    #expect(try parsed("add", "--tag", "b", "x", "-ta", "--tag==").list(.tag) == ["b", "a", "="])
    #expect(try parsed("add", "x").list(.tag) == [])
  }

  @Test func `a value comes from the command line, else the environment, else the default`() throws {
    #expect(try parsed("add", "x", "--store=a", environment: ["DEMO_STORE": "b"]).text(.store) == "a")
    #expect(try parsed("add", "x", environment: ["DEMO_STORE": "b"]).text(.store) == "b")
    #expect(try parsed("add", "x", environment: ["DEMO_STORE": ""]).text(.store) == "demo-store")
    #expect(try parsed("add", "x").text(.jobs) == nil)
  }

  @Test func `numbers are read as numbers`() throws {
    #expect(try parsed("add", "x", "--min-share", "0.25").number(.share) == 0.25)
    #expect(try parsed("add", "x").integer(.jobs) == nil)
  }

  @Test func `arguments are bound to their names by place`() throws {
    #expect(try parsed("notes", "compare", "1").text(.old) == "1")
    #expect(try parsed("notes", "compare", "1").text(.new) == nil)
    #expect(try parsed("notes", "compare", "1", "2").text(.new) == "2")
  }
}

@Suite struct WrongUsage {
  @Test(
    arguments: [
      ([], "a command is missing: one of add, notes, read, completions"),
      (["notes"], "a command is missing: one of list, compare"),
      (["ad", "x"], "unknown command 'ad'; did you mean 'add'?"),
      (["notes", "lsit"], "unknown command 'lsit'; did you mean 'list'?"),
      (["quite-different"], "unknown command 'quite-different'"),
      (["add", "--jsn", "x"], "unknown option '--jsn'; did you mean '--json'?"),
      (["add", "--verbsoe=1", "x"], "unknown option '--verbsoe'; did you mean '--verbose'?"),
      (["add", "-vx", "y"], "unknown option '-x'"),
      (["--json", "add"], "unknown option '--json'"),
      (["add", "--json=yes", "x"], "--json takes no value"),
      (["add", "x", "--jobs"], "--jobs needs a value: N"),
      (["add", "x", "-j"], "-j needs a value: N"),
      (
        ["add", "x", "--tag", "--json"], "--tag needs a value, but '--json' follows (write --tag=VALUE if it is meant)"
      ),
      (["add", "x", "--tag="], "the value '' of --tag is empty"),
      (["add", "x", "--tag", ""], "the value '' of --tag is empty"),
      (["add", "x", "-j0"], "the value '0' of -j is not a whole number from 1 to 64"),
      (["add", "x", "-j", "-5"], "the value '-5' of -j is not a whole number from 1 to 64"),
      (["add", "x", "--jobs=4x"], "the value '4x' of --jobs is not a whole number from 1 to 64"),
      (["add", "x", "--min-share=nan"], "the value 'nan' of --min-share is not a number from 0.0 to 1.0"),
      (["add", "x", "--jobs=1", "-j2"], "-j is given twice"),
      (
        ["add", "x", "--color=nevr"],
        "the value 'nevr' of --color is not one of auto, always, never; did you mean 'never'?"
      ),
      (["add"], "PATH is missing"),
      (["add", ""], "PATH '' is empty"),
      (["notes", "compare", "1", "2", "3"], "unexpected argument '3'"),
      (["completions", "csh"], "SHELL 'csh' is not one of bash, zsh, fish; did you mean 'zsh'?"),
      (["read", "--author", "me"], "one of --object, --image is missing"),
      (["read", "--image", "1"], "--author NAME is missing"),
      (["read", "--author", "me", "--object", "a", "--image", "1"], "--object and --image exclude each other"),
      (["add", "--\u{1b}[31m\n", "x"], "unknown option '--\\u{1b}[31m\\n'"),
    ] as [([String], String)])
  func `says what is wrong`(words: [String], message: String) {
    #expect(failure(words) == message)
  }

  @Test func `of an environment variable names the variable`() {
    let spec = ProgramSpec(
      CommandSpec(
        "p", "do", options: [.value("jobs", "N", .integer(1...2), environment: "P_JOBS", help: "n")],
        examples: [.init("p", "do")]), version: "1")
    #expect(
      throws: UsageError("the value '9' of the environment variable P_JOBS is not a whole number from 1 to 2", in: "p")
    ) {
      try spec.parse([], environment: { $0 == "P_JOBS" ? "9" : nil })
    }
  }

  @Test func `tells where help is`() {
    let error = UsageError("PATH is missing", in: "demo notes list")
    #expect(error.description == "demo notes list: PATH is missing\nTry 'demo notes list --help'.")
    #expect(ExitCode.usage.rawValue == 64)
  }

  @Test(arguments: [
    ("lsit", "list", true), ("lst", "list", true), ("lisst", "list", true), ("liat", "list", true),
    ("ltsi", "list", false), ("remvoe", "remove", true), ("rmoves", "remove", true), ("rmvoe", "remove", false),
    ("rmvo", "remove", false),
    ("completion", "completions", true), ("cmpletinos", "completions", true), ("x", "y", true), ("", "abc", false),
    (String(repeating: "x", count: 200), "list", false),
  ])
  func `a name is suggested when about a third of the letters or fewer are wrong`(
    typed: String, name: String, isSuggested: Bool
  ) {
    let command = CommandSpec(name, "do", examples: [])
    let spec = ProgramSpec(CommandSpec("p", "do", subcommands: [command], examples: []), version: "1")
    do throws(UsageError) {
      _ = try spec.parse([typed])
      Issue.record("'\(typed)' is no command")
    } catch {
      #expect(error.message.contains("did you mean '\(name)'?") == isSuggested)
    }
  }
}

@Suite struct Declarations {
  @Test func `a bad declaration is found out`() {
    let option = OptionSpec.value("jobs", "N", .integer(1...2), default: "3", help: "Ends with a full stop.")
    let bad = ProgramSpec(
      CommandSpec(
        "p", "do",
        subcommands: [
          CommandSpec("Bad_Name", "do", examples: [.init("p other", "do")]),
          CommandSpec(
            "two", "do", options: [option, option], groups: [OptionGroup([.json])],
            positionals: [PositionalSpec("A", count: .any, help: "a"), PositionalSpec("A", help: "a")],
            examples: [.init("p two --nothing", "do")]),
          CommandSpec("two", "", examples: []),
        ], examples: [.init("p", "do")]), version: "1")
    #expect(
      bad.problems == [
        "p: two commands have one name",
        "p: the example 'p' fails: a command is missing: one of Bad_Name, two, two",
        "p Bad_Name: the name is not made of lower-case letters, digits and dashes",
        "p Bad_Name: the example 'p other' does not begin with the command",
        "p two: the help 'Ends with a full stop.' is empty or ends with a full stop",
        "p two: the help 'Ends with a full stop.' is empty or ends with a full stop",
        "p two: --jobs is declared twice",
        "p two: the default '3' of --jobs is not a whole number from 1 to 2",
        "p two: the default '3' of --jobs is not a whole number from 1 to 2",
        "p two: --json is in a group, but no option",
        "p two: A cannot be told from A",
        "p two: two arguments have one name",
        "p two: the example 'p two --nothing' fails: unknown option '--nothing'",
        "p two: the help '' is empty or ends with a full stop",
        "p two: there is no example",
      ])
  }

  @Test func `the exit codes are those of the manual`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 64])
    #expect(ExitCode.allCases.allSatisfy { !$0.meaning.isEmpty })
  }
}
