import CommandLine
import Testing

private func shown(_ words: String...) throws -> String? {
  guard case .show(let text) = try demo.parse(words) else { return nil }
  return text
}

@Suite struct Help {
  @Test func `of the program lists commands and exit codes`() throws {
    #expect(
      try shown("--help") == """
        demo: keep notes in a folder

        Usage: demo COMMAND

        Notes are plain files. Nothing is ever overwritten.

        A second paragraph says so again.

        Commands:
          add          add notes
          notes        look at notes
          read         read one note
          completions  print a completion script

        Common options:
          --store DIR   the folder of notes (default: demo-store; or DEMO_STORE)
          --color WHEN  when to use colour (auto, always, never; default: auto)
          -h, --help    show this help
          --version     show the version

        Exit codes:
          0   done
          1   nothing useful could be done
          3   done, with gaps: missing symbols, rejected files, mended damage
          4   alerts fired
          5   the store is damaged, newer or locked
          64  wrong usage

        Example:
          # add a note
          demo add a.txt

        """)
  }

  @Test func `of a command lists arguments and options`() throws {
    #expect(
      try shown("add", "--help") == """
        demo add: add notes

        Usage: demo add [options] PATH…

        Arguments:
          PATH…  files and folders; - is standard input

        Options:
          --json           print one JSON document
          -v, --verbose    say more
          -j, --jobs N     work on N notes at once
          --min-share X    leave out rarer words
          -t, --tag TAG …  only notes with this tag

        Common options:
          --store DIR   the folder of notes (default: demo-store; or DEMO_STORE)
          --color WHEN  when to use colour (auto, always, never; default: auto)
          -h, --help    show this help
          --version     show the version

        Example:
          # add all texts here
          demo add -t home *.txt

        """)
  }

  @Test func `shows what is required in the usage line`() {
    #expect(
      demo.help(for: ["read"]).contains("Usage: demo read [options] --author NAME (--object FILE | --image ID)\n"))
    #expect(demo.help(for: ["notes", "compare"]).contains("Usage: demo notes compare [options] OLD [NEW]\n"))
  }

  @Test(arguments: [
    ["notes", "list", "--help"], ["notes", "list", "-h"], ["help", "notes", "list"], ["--help", "notes", "list"],
    ["notes", "--help", "list"],
    ["notes", "list", "-t", "x", "-th", "-h"], ["--nonsense", "notes", "list", "x", "y", "--help"],
  ])
  func `is shown however it is asked for`(words: [String]) throws {
    #expect(try demo.parse(words) == .show(demo.help(for: ["notes", "list"])))
  }

  @Test func `is shown for a letter in a cluster, in the width that is asked for`() throws {
    #expect(try demo.parse(["add", "-vh"], width: 50) == .show(demo.help(for: ["add"], width: 50)))
  }

  @Test func `is not shown behind two dashes`() throws {
    #expect(try shown("add", "--", "--help") == nil)
  }

  @Test(arguments: [[], ["add"], ["notes"], ["notes", "list"], ["notes", "compare"], ["read"], ["completions"]])
  func `ends with an example and keeps to the width`(path: [String]) throws {
    for width in [40, 60, 80] {
      let lines = demo.help(for: path, width: width).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.dropLast().last?.hasPrefix("  demo ") == true)
      // Examples are never wrapped, so that they can be copied.
      for line in lines where !line.hasPrefix("  demo ") {
        #expect(line.displayWidth <= width && !line.hasSuffix(" "))
      }
    }
  }

  @Test(arguments: [["--version"], ["add", "--version"]]) func `the version is one line`(words: [String]) throws {
    #expect(try demo.parse(words) == .show("demo 1.2.3\n"))
  }
}

@Suite struct ManualPage {
  let page = demo.manPage(date: "January 5, 2026")

  @Test func `has the sections of a manual page in their order`() {
    let sections = page.split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map { String($0.dropFirst(4)) }
    #expect(
      sections == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMON OPTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES",
      ])
    #expect(page.hasPrefix(".Dd January 5, 2026\n.Dt DEMO 1\n.Os\n.Sh NAME\n.Nm demo\n.Nd keep notes in a folder\n"))
  }

  @Test(.enabled(if: isInstalled("mandoc"), "mandoc is not installed"))
  func `is clean to mandoc's checks`() {
    let report = run("mandoc -Tlint -Wwarning", page)
    #expect(report == "")
  }

  @Test(.enabled(if: isInstalled("mandoc"), "mandoc is not installed"))
  func `shows what is declared when it is rendered`() {
    // Bold and underlined letters are written twice with a backspace between.
    let text = run("mandoc -Tutf8 -O width=200", page).replacing(/.\u{8}/, with: "")
    for part in ["-j, --jobs N", "DEMO_STORE", "demo notes list --json | jq ."] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(text.contains("demo notes compare [options] OLD [NEW]"))
  }
}
