import Bytes
import ObjectFiles
import Testing

/// The names behind the placeholders that bitcode left.
@Suite struct SymbolMapLines {
  private func map(_ lines: [String]) throws -> BCSymbolMap {
    try #require(BCSymbolMap(ByteView(Array(("BCSymbolMap Version: 2.0\n" + lines.joined(separator: "\n")).utf8))))
  }

  @Test func `parts of a path are put in`() throws {
    let map = try map(["_main", "/src", "kit", "a.swift"])
    #expect(map.name("__hidden#0_") == "main")
    #expect(map.path("__hidden#1_/__hidden#2_/__hidden#3_") == "/src/kit/a.swift")
    #expect(map.path("/build/__hidden#1_") == "/src")
    #expect(map.path("/build/__hidden#9_") == "/build/__hidden#9_")
  }

  @Test(arguments: ["-1", "", "9223372036854775808", "1x", "4"]) func `a placeholder without a line stays`(
    number: String
  ) throws {
    let map = try map(["_main"])
    #expect(map.name("__hidden#\(number)_") == "__hidden#\(number)_")
  }

  @Test(.timeLimit(.minutes(1))) func `thousands of parts that are one long line are no path`() throws {
    for length in [10_000, 100_000, 1 << 20] {
      let map = try map([String(repeating: "n", count: length)])
      let text = [String](repeating: "__hidden#0_", count: 10_000).joined(separator: "/")
      #expect(map.path(text) == text)
    }
    let short = try map([String(repeating: "n", count: 60)])
    #expect(short.path([String](repeating: "__hidden#0_", count: 1_000).joined(separator: "/")).utf8.count == 60_999)
  }
}
