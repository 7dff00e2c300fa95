import Demangling
import Glibc
import TestSupport
import Testing

@Suite("Names of real files, held against other demanglers")
struct RealNameTests {
  static let corpusNames: [String] = {
    guard Corpus.isPresent else { return [] }
    let text = output(
      "find '\(Corpus.path("symbols"))' -type f -size +1k ! -name '*.json*' -print0 | sort -z | xargs -0 -n1 "
        + "llvm-nm-19 --format=just-symbols 2>/dev/null | sort -u")
    return text.split(separator: "\n").map { line in
      // Mach-O symbols have one underscore more; the caller takes exactly that one off.
      let isDecorated = ["_$", "__Z", "____Z", "___Z", "__T0", "_-[", "___1"].contains { line.hasPrefix($0) }
      return String(isDecorated ? line.dropFirst() : line)
    }
  }()

  @Test(
    "Every mangled Swift, Rust and C++ name that another demangler reads is read",
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func everything() {
    let names = RealNameTests.corpusNames
    #expect(names.count > 10_000)
    let failed = names.filter { Demangler().demangle($0).outcome == .failed }
    let others = failed.isEmpty ? [] : lines(filtering: failed, through: "c++filt")
    #expect(zip(failed, others).filter { $0 != $1 }.map(\.0) == [])
  }

  @Test(
    "Tokens hold no ordinals, hashes, discriminators or types",
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func cleanTokens() {
    for mangled in RealNameTests.corpusNames {
      let name = Demangler().demangle(mangled)
      guard name.isDemangled, !name.traits.contains(.synthetic) else { continue }
      for dirt in ["closure#", "{lambda", " -> ", "::h0", "__allocating_init", "with unmangled suffix"] {
        #expect(!name.token.contains(dirt), "\(mangled): \(name.token)")
      }
      #expect(!name.token.hasPrefix(".") && !name.token.hasSuffix(" in ") && !name.token.isEmpty, "\(mangled)")
    }
  }

  @Test(
    "C++ names equal those that c++filt prints without parameters",
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func againstCxxfilt() {
    let names = RealNameTests.corpusNames.filter { mangled in
      guard mangled.hasPrefix("_Z"), !mangled.contains("."), !mangled.contains("["), !mangled.hasPrefix("_ZNKSs") else {
        return false
      }
      let name = Demangler().demangle(mangled)
      return name.isDemangled && name.language == .cxx && !name.traits.contains(.thunk)
        && !name.traits.contains(.closure) && !name.display.contains(" in ")
    }
    #expect(names.count > 1000)
    for (mangled, theirs) in zip(names, lines(filtering: names, through: "c++filt -p")) {
      let ours = Demangler().demangle(mangled).display
      // c++filt writes std::string out and keeps ABI tags, trailing qualifiers and the result types of templates.
      let plain = theirs.replacing("[abi:", with: "\u{1}").split(separator: "\u{1}", omittingEmptySubsequences: false)
      let untagged = plain.dropFirst().reduce(String(plain[0])) { text, rest in
        text + (rest.firstIndex(of: "]").map { rest[rest.index(after: $0)...] } ?? rest)
      }
      #expect(
        untagged == ours || untagged.hasSuffix(" " + ours) || untagged.hasSuffix("> const"),
        "\(mangled): \(ours) / \(untagged)")
    }
  }

  @Test("Swift names agree with the toolchain's demangler, and both optimisation levels give one set of tokens")
  func againstSwiftDemangle() throws {
    let folder = output("mktemp -d").split(separator: "\n").first.map(String.init) ?? ""
    try #require(!folder.isEmpty)
    defer { _ = output("rm -rf '\(folder)'") }
    let source = """
      public struct Cart<Item: Hashable> {
        public var items: [Item] = []
        public init() {}
        @inline(never) fileprivate func hidden(_ x: Int) -> Int { x + items.count }
        @inline(never) public func apply(coupon: String, to n: Int = 3) throws -> Int {
          @inline(never) func local(_ q: Int) -> Int { q &+ hidden(n) }
          return try [1, 2, 3].map { try work($0 + local(n)) }.reduce(0, +)
        }
      }
      @inline(never) public func work(_ n: Int) throws -> Int { n &* 3 }
      public func call() throws -> Int { try Cart<String>().apply(coupon: "a") &+ Cart<Int>().apply(coupon: "b", to: 4) }
      extension Array where Element == Int { @inline(never) public func sum(by k: Int) -> Int { reduce(0) { $0 + $1 * k } } }
      public actor Bank { public var x = 0; @inline(never) public func pay(_ n: Int) async { x += n; await Task.yield() } }
      """
    try #require(write(source, to: folder + "/a.swift"))
    var tokens: [Set<String>] = []
    for level in ["-Onone", "-O"] {
      _ = output(
        "cd '\(folder)' && swiftc -emit-object \(level) -wmo -parse-as-library -module-name MyApp a.swift -o a.o")
      let names = output("nm '\(folder)/a.o' | awk '$2 ~ /[tTW]/ { print $3 }' | grep '^\\$s'")
        .split(separator: "\n").map(String.init)
      #expect(names.count > 20)
      var found: Set<String> = []
      for (mangled, theirs) in zip(names, lines(filtering: names, through: "swift-demangle -compact -simplified")) {
        let name = Demangler().demangle(mangled)
        #expect(name.isDemangled, "\(mangled)")
        if name.traits.contains(.synthetic) { continue }
        for part in name.display.split(separator: " in ") where !theirs.contains("in conformance") {
          let identifier = part.split(separator: "(")[0].split(separator: ".").last.map(String.init) ?? ""
          #expect(
            theirs.contains(identifier == "init" ? "init" : identifier), "\(mangled): \(name.display) / \(theirs)")
        }
        if name.token.contains("MyApp"), !name.traits.contains(.thunk) { found.insert(name.token) }
      }
      tokens.append(found)
    }
    let never = [
      "hidden(_:)", "apply(coupon:to:)", "local(_:) in MyApp.Cart.apply(coupon:to:)", "sum(by:)", "work(_:)", "pay(_:)",
    ]
    for name in never {
      for set in tokens { #expect(set.contains { $0.hasSuffix(name) }, "\(name)") }
    }
  }
}

/// What a shell command prints.
func output(_ command: String) -> String {
  guard let pipe = popen(command, "r") else { return "" }
  defer { pclose(pipe) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, pipe)
    if count == 0 { break }
    bytes += buffer[0..<count]
  }
  return String(decoding: bytes, as: UTF8.self)
}

func write(_ text: String, to path: String) -> Bool {
  guard let file = fopen(path, "w") else { return false }
  defer { fclose(file) }
  return fputs(text, file) >= 0
}

/// What `command` prints for each of `names`, fed on its standard input.
func lines(filtering names: [String], through command: String) -> [String] {
  let path = output("mktemp").split(separator: "\n").first.map(String.init) ?? ""
  guard !path.isEmpty, write(names.joined(separator: "\n") + "\n", to: path) else { return [] }
  defer { unlink(path) }
  return output("\(command) < '\(path)'").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
