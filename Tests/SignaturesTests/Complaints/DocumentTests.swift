import TestSupport
import Testing

/// What the page says of these tests.
@Suite("The page about complaints") struct ComplaintsPageTests {
  @Test("has one line for each complaint, with a test that is there, and every test has its line")
  func complete() throws {
    let document = try #require(contents(of: Corpus.repository + "/docs/complaints.md"))
    let parts = String(decoding: document, as: UTF8.self).split(separator: "## Not yet built")
    #expect(parts.count == 2)
    let held = numbers(in: parts[0])
    let open = numbers(in: parts[1])
    #expect(held.filter { $0.hasPrefix("D.") } == (1...43).map { "D.\($0)" })
    #expect(open.filter { $0.hasPrefix("D.") } == (44...47).map { "D.\($0)" })
    // The second list is told in full as well, some of it as the same complaint again.
    for number in 1...21 {
      let name = number < 10 ? "G-0\(number)" : "G-\(number)"
      #expect(parts.contains { $0.contains(name) }, "\(name)")
    }

    let folder = Corpus.repository + "/Tests/SignaturesTests/Complaints"
    let tests = files(below: folder).compactMap { contents(of: folder + "/" + $0) }.flatMap { names(in: $0) }
    #expect(Set(tests).count == tests.count)
    for line in parts[0].split(separator: "\n") where isRow(line) {
      let number = try #require(line.dropFirst(2).split(separator: " ").first)
      let named = try #require(line.split(separator: "`").last { $0.hasPrefix(number + " ") })
      #expect(tests.contains(String(named)), "\(named)")
      // "(and 1 more)" when several tests hold it.
      let more = tests.count { $0.hasPrefix(number + " ") } - 1
      #expect(line.hasSuffix(more == 0 ? "` |" : "` (and \(more) more) |"), "\(number)")
    }
    #expect(Set(tests.compactMap { $0.split(separator: " ").first }) == Set(held))
  }

  /// The names of the tests in a source file.
  private func names(in source: [UInt8]) -> [String] {
    String(decoding: source, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("  @Test func `") || $0.hasPrefix("  func `") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
  }

  private func isRow(_ line: Substring) -> Bool { line.hasPrefix("| D.") || line.hasPrefix("| G-") }

  private func numbers(in text: Substring) -> [Substring] {
    text.split(separator: "\n").filter(isRow).compactMap { $0.dropFirst(2).split(separator: " ").first }
  }
}
