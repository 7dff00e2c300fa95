import CommandLine
import Glibc
import TestSupport
import Testing

@testable import symclust

private let commandNames = [
  "upload-symbols", "check", "lookup", "symbolicate", "cluster", "completions", "manual",
]

@Suite("The declaration of the command line")
struct DeclarationTests {
  @Test("has no problems")
  func problems() { #expect(program.problems == []) }

  @Test("names every command once")
  func commands() {
    var paths: [String] = []
    for line in program.help(for: []).split(separator: "\n") {
      if let name = commandNames.first(where: { line.hasPrefix("  \($0) ") }) { paths.append(name) }
    }
    #expect(paths == commandNames)
  }
}

@Suite("The command line", .enabled(if: programIsBuilt, programAbsence))
struct CommandLineTests {
  @Test("shows help with an example for every command", arguments: [""] + commandNames)
  func help(name: String) {
    let words = name.isEmpty ? [] : [name]
    for option in ["--help", "-h"] {
      let outcome = symclust(words + [option])
      #expect(outcome.code == 0)
      #expect(outcome.errorText.isEmpty)
      #expect(outcome.text.contains("\nExample:\n") || outcome.text.contains("\nExamples:\n"))
      #expect(outcome.text.contains("symclust \(name)"))
      #expect(outcome.lines.allSatisfy { $0.count <= 100 })
    }
  }

  @Test("explains every exit code in its help, and in the manual")
  func exitCodes() {
    let help = symclust(["--help"]).text
    let manual = symclust(["manual"])
    #expect(manual.code == 0)
    for code in ExitCode.allCases {
      #expect(help.contains("  \(code.rawValue) ") && help.contains(code.meaning))
      #expect(manual.text.contains(".It \\&\(code.rawValue)\n\(code.meaning)"))
    }
    let plain = manual.text.replacing("\\-", with: "-")
    for name in commandNames { #expect(plain.contains(name)) }
  }

  @Test(
    "refuses wrong usage with 64, one reason, and nothing on standard output",
    arguments: [
      [], ["frobnicate"], ["--frobnicate"], ["cluster"], ["cluster", "--jobs", "0", "x"], ["cluster", "--jobs"],
      ["cluster", "--jobs", "1025", "x"], ["cluster", "--top", "-1", "x"], ["cluster", "--min-cohort", "0", "x"],
      ["cluster", "--min-cohort", "many", "x"], ["cluster", "--color", "blue", "x"], ["upload-symbols"], ["check"],
      ["check", "--store", "x", "y"], ["lookup"], ["symbolicate"], ["completions"], ["completions", "tcsh"],
      ["manual", "extra"], ["cluster", "--json", "--json", "--bogus", "x"],
    ])
  func usage(words: [String]) {
    let outcome = symclust(words)
    #expect(outcome.code == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorText.hasPrefix("symclust"))
    #expect(outcome.errorText.contains("--help") || outcome.errorText.split(separator: "\n").count == 1)
  }

  @Test("tells its version, completions for every shell, and a manual page that is read without complaint")
  func others() throws {
    #expect(symclust(["--version"]).text == "symclust \(programVersion)\n")
    for shell in ["bash", "zsh", "fish"] {
      let outcome = symclust(["completions", shell])
      #expect(outcome.code == 0)
      #expect(outcome.text.contains("upload-symbols"))
    }
    let folder = try #require(TemporaryFolder("completions"))
    let file = folder.write(symclust(["completions", "bash"]).output, to: "symclust.bash")
    #expect(bash(#"bash -n "$1""#, [file]).errorText.isEmpty)
  }

  @Test(
    "is quiet when its reader goes away",
    arguments: [
      #""$symclust" manual | head -1"#, #""$symclust" cluster --help | head -1"#,
      #""$symclust" symbolicate --store "$1" "$2" | head -1"#,
      #""$symclust" symbolicate --json --store "$1" "$2" | head -c 1"#,
      #""$symclust" cluster --json --store "$1" "$2" | head -1"#,
      #"yes 0x4000 2> /dev/null | "$symclust" lookup --json --object "$3" | head -1"#,
    ])
  func brokenPipe(line: String) throws {
    let store = try Store()
    store.uploadSamples()
    let outcome = bash(
      line + #"; echo "${PIPESTATUS[@]}" >&2"#, [store.path, Sample.diagnostics, Sample.kitFile])
    #expect(outcome.ended)
    // No message and no signal: only the codes of the pipe's commands.
    let codes = outcome.errorText.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    #expect(codes.last == 0, "\(outcome.errorText)")
    #expect(outcome.errorText.split(separator: "\n").count == 1, "\(outcome.errorText)")
    #expect(codes.dropLast().last.map { [0, 3].contains($0) } == true, "\(outcome.errorText)")
  }

  @Test("says that the output cannot be written")
  func fullDisk() {
    for words in ["manual", #"check "$1""#, #"check --json "$1""#] {
      let outcome = bash("\"$symclust\" \(words) > /dev/full", [Sample.kit])
      #expect(outcome.code == 1, "\(words)")
      #expect(outcome.errorText.contains("standard output: cannot write: No space left on device"), "\(words)")
    }
  }

  @Test("takes the store from the environment, and makes one in the current folder without either")
  func storeByName() throws {
    let store = try Store()
    let named = bash(#"SYMCLUST_STORE="$1" "$symclust" upload-symbols "$2""#, [store.path, Sample.kit])
    #expect(named.code == 0)
    #expect(files(below: store.path).contains("format"))
    let here = bash(
      #"cd "$1" && env -u SYMCLUST_STORE "$symclust" upload-symbols "$2""#, [store.folder.path, Sample.kit])
    #expect(here.code == 0)
    #expect(here.errorText == "symclust: made a new store in symclust-store\n")
    #expect(files(below: store.folder.entry("symclust-store")).contains("format"))
  }
}
