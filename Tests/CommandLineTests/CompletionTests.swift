import CommandLine
import Testing

@Suite struct Completions {
  /// What bash offers for `words`, of which the last is being typed, split as bash splits them.
  private func bash(_ words: String...) -> [String] {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      \(demo.completions(for: .bash))
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); COMPREPLY=()
      _demo; printf '%s\\n' "${COMPREPLY[@]}"
      """
    return run("bash", script).split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
  func `bash completes commands, options and values`() {
    #expect(bash("demo", "") == ["add", "notes", "read", "completions"])
    #expect(bash("demo", "n") == ["notes"])
    #expect(bash("demo", "notes", "") == ["list", "compare"])
    #expect(bash("demo", "notes", "list", "--") == ["--json", "--tag", "--store", "--color", "--help", "--version"])
    #expect(bash("demo", "add", "--color", "a") == ["auto", "always"])
    #expect(bash("demo", "add", "--color", "=") == ["auto", "always", "never"])
    #expect(bash("demo", "add", "--color", "=", "n") == ["never"])
    #expect(bash("demo", "completions", "z") == ["zsh"])
    #expect(bash("demo", "add", "/etc/passw").contains("/etc/passwd"))
    #expect(bash("demo", "--store", "/et").contains("/etc"))
    #expect(bash("demo", "add", "-j", "") == [])
  }

  @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
  func `bash does not take a value for a command`() {
    #expect(bash("demo", "--store", "notes", "") == ["add", "notes", "read", "completions"])
    #expect(bash("demo", "--store", "=", "notes", "") == ["add", "notes", "read", "completions"])
  }

  @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
  func `fish completes commands, options and values`() {
    func fish(_ line: String) -> [String] {
      let script = "\(demo.completions(for: .fish))\ncomplete -C \(line.debugDescription)\n"
      return run("fish --no-config", script).split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(fish("demo ") == ["add", "completions", "notes", "read"])
    #expect(fish("demo notes ") == ["compare", "list"])
    #expect(fish("demo --store notes ") == ["add", "completions", "notes", "read"])
    #expect(fish("demo notes list --j") == ["--json"])
    #expect(fish("demo add --color a") == ["always", "auto"])
    #expect(fish("demo add --color=n") == ["--color=never"])
    #expect(fish("demo add /etc/passw").contains("/etc/passwd"))
  }

  @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
  func `zsh understands the script`() {
    // Completion itself needs an interactive line editor; here the functions are loaded and their arguments seen.
    let script = """
      compdef() { print "compdef $*" }
      _arguments() { print -rl -- "$@" | grep -c . ; line=(notes list); state=argument }
      _describe() { print "describe $*" }
      source <(cat <<'END'
      \(demo.completions(for: .zsh))
      END
      )
      _demo
      functions | grep -c '^_demo.* () {'
      """
    // Ten words each: three flags or two, the common options, and the arguments or the command's own options.
    #expect(run("zsh -f", script) == "compdef _demo demo\n10\n10\n7\n")
  }

  @Test func `the scripts name every command and option`() {
    for shell in Shell.allCases {
      let script = demo.completions(for: shell)
      for word in ["notes", "compare", "min-share", "object", "version", "completions"] {
        #expect(script.contains(word), "\(shell): \(word)")
      }
    }
  }
}
