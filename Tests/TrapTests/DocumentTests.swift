import TestSupport
import Testing

/// What the document says of these tests.
@Suite struct Document {
  @Test func `docs/traps.md has one line for each trap, with a test that is there`() throws {
    let document = try #require(contents(of: Corpus.repository + "/docs/traps.md"))
    let folder = Corpus.repository + "/Tests/TrapTests"
    let sources = files(below: folder).compactMap { contents(of: folder + "/" + $0) }
      .map { String(decoding: $0, as: UTF8.self) }
    let lines = String(decoding: document, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| B.") }
    #expect(lines.count == 58)
    for line in lines {
      let name = try #require(line.split(separator: "`").last { $0.hasPrefix("B.") })
      #expect(sources.contains { $0.contains("`\(name)`") }, "\(name)")
      #expect(line.hasPrefix("| \(name.prefix { $0 != " " }) "), "\(name)")
    }
  }
}
