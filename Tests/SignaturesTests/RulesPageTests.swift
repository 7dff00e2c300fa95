import Glibc
import Signatures
import TestSupport
import Testing

@Suite("The page about rules")
struct RulesPageTests {
  /// The page by lines.
  private func lines() throws -> [String] {
    let file = try #require(fopen(Corpus.repository + "/docs/rules.md", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  @Test("has a project's file that is read without an error and whose tests hold, and lines that are rules")
  func examples() throws {
    var files: [String] = []
    var single: [String] = []
    var block: [String]?
    for line in try lines() {
      if line.hasPrefix("```") {
        if let open = block {
          if open.first?.hasPrefix("symclust-rules ") == true {
            files.append(open.joined(separator: "\n"))
          } else {
            single += open.filter { line in RuleStage.allCases.contains { line.hasPrefix($0.rawValue + " ") } }
          }
        }
        block = block == nil ? [] : nil
      } else {
        block?.append(line)
      }
    }
    #expect(files.count >= 1 && single.count >= 10)
    for file in files {
      do throws(RulesRefusal) {
        let rules = try Rules(parsing: Array(file.utf8), file: "docs/rules.md")
        #expect(rules.tests.count >= 3)
      } catch {
        Issue.record("\(error.errors)")
      }
    }
    for line in single {
      let text = "symclust-rules 1 name=example version=1 extends=apple-default\n" + line
      #expect(throws: Never.self) { try Rules(parsing: Array(text.utf8), file: line) }
    }
  }

  @Test("names every stage")
  func complete() throws {
    let page = try lines().joined(separator: "\n")
    for stage in RuleStage.allCases { #expect(page.contains("| `\(stage.rawValue)` |"), "\(stage.rawValue)") }
  }
}
