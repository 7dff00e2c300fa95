import Files
import TestSupport
import Testing

@Suite("A pattern of paths")
struct PathPatternTests {
  private let folder = TemporaryFolder("patterns")

  @Test("gives what exists, sorted by bytes")
  func expanded() throws {
    let folder = try #require(folder)
    for name in ["b.json", "a.json", "B.json", "c.txt", ".d.json", "x/e.json"] { _ = folder.write([1], to: name) }
    func names(_ pattern: String) -> [String] {
      PathPattern.expanded(folder.entry(pattern)).map { String($0.dropFirst(folder.path.count + 1)) }
    }
    #expect(names("*.json") == ["B.json", "a.json", "b.json"])
    #expect(names("[ab].json") == ["a.json", "b.json"])
    #expect(names("*/e.????") == ["x/e.json"])
    // What matches nothing is told by its own name, and so is a file whose name looks like a pattern.
    #expect(names("*.none") == ["*.none"])
    #expect(names("a.json") == ["a.json"])
    _ = folder.write([1], to: "[ab].json")
    #expect(names("[ab].json") == ["[ab].json"])
  }
}
