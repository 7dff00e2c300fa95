import CommandLine
import Glibc

extension OptionSpec {
  static let store = value(
    "store", "DIR", .directory, environment: "DEMO_STORE", default: "demo-store", help: "the folder of notes")
  static let color = value(
    "color", "WHEN", .choice(["auto", "always", "never"]), default: "auto", help: "when to use colour")
  static let json = flag("json", help: "print one JSON document")
  static let verbose = flag("verbose", short: "v", help: "say more")
  static let jobs = value("jobs", short: "j", "N", .integer(1...64), help: "work on N notes at once")
  static let share = value("min-share", "X", .number(0...1), help: "leave out rarer words")
  static let tag = value("tag", short: "t", "TAG", isRepeatable: true, help: "only notes with this tag")
  static let object = value("object", "FILE", .file, help: "read one file")
  static let image = value("image", "ID", help: "read one note")
  static let author = value("author", "NAME", isRequired: true, help: "who wrote them")
}

extension PositionalSpec {
  static let paths = PositionalSpec("PATH", .file, count: .oneOrMore, help: "files and folders; - is standard input")
  static let shell = PositionalSpec("SHELL", .choice(["bash", "zsh", "fish"]), help: "the shell")
  static let old = PositionalSpec("OLD", help: "the older note")
  static let new = PositionalSpec("NEW", count: .optional, help: "the newer note")
}

/// A program that has one of everything.
let demo = ProgramSpec(
  CommandSpec(
    "demo", "keep notes in a folder",
    discussion: "Notes are plain files. Nothing is ever overwritten.\n\nA second paragraph says so again.",
    subcommands: [
      CommandSpec(
        "add", "add notes",
        options: [.json, .verbose, .jobs, .share, .tag],
        positionals: [.paths],
        examples: [.init("demo add -t home *.txt", "add all texts here")]),
      CommandSpec(
        "notes", "look at notes",
        subcommands: [
          CommandSpec(
            "list", "list notes", options: [.json, .tag],
            examples: [.init("demo notes list --json | jq .", "list notes for a program")]),
          CommandSpec(
            "compare", "compare two notes", positionals: [.old, .new],
            examples: [.init("demo notes compare 1 2", "compare two notes")]),
        ],
        examples: [.init("demo notes list", "list notes")]),
      CommandSpec(
        "read", "read one note", options: [.object, .image, .author],
        groups: [OptionGroup([.object, .image], isRequired: true)],
        examples: [
          .init("demo read --author me --object a.txt", "read a file"),
          .init("demo read --author 'you and me' --image 7", "read a note"),
        ]),
      CommandSpec(
        "completions", "print a completion script", positionals: [.shell],
        examples: [.init("demo completions bash", "print the script for bash")]),
    ],
    examples: [.init("demo add a.txt", "add a note")]),
  version: "1.2.3", commonOptions: [.store, .color])

/// Runs `script` in `shell` and gives what it wrote on standard output.
func run(_ shell: String, _ script: String) -> String {
  let path = "/tmp/command-line-tests-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  guard let file = fopen(path, "w") else { return "" }
  fputs(script, file)
  fclose(file)
  defer { unlink(path) }
  guard let pipe = popen("\(shell) \(path) 2>&1", "r") else { return "" }
  defer { pclose(pipe) }
  var bytes: [UInt8] = []
  while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
  return String(decoding: bytes, as: UTF8.self)
}

/// Whether `name` is an executable in a usual place.
func isInstalled(_ name: String) -> Bool {
  ["/bin/", "/usr/bin/", "/usr/local/bin/"].contains { access($0 + name, X_OK) == 0 }
}
