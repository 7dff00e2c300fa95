import CommandLine

private let shell = PositionalSpec("SHELL", .choice(Shell.allCases.map(\.rawValue)), help: "bash, zsh or fish")

let completionsCommand = Command(
  spec: CommandSpec(
    "completions", "Print the completions for a shell", positionals: [shell],
    examples: [.init("symclust completions bash > /etc/bash_completion.d/symclust", "for every user of bash")]),
  run: { session throws(CommandFailure) in
    guard let chosen = session.command.text(shell).flatMap(Shell.init) else {
      throw CommandFailure(.usage, "completions are for bash, zsh or fish")
    }
    session.out.write(program.completions(for: chosen))
    return .done
  })

let manualCommand = Command(
  spec: CommandSpec(
    "manual", "Print the manual page",
    examples: [.init("symclust manual | man -l -", "read it")]),
  run: { session throws(CommandFailure) in
    session.out.write(program.manPage(date: "$Mdocdate$"))
    return .done
  })
