import TestSupport
import Testing

/// What LLVM says of the same addresses, held against our answers by the scripts that also run in full by hand.
@Suite("Answers held against peers", .enabled(if: programIsBuilt && Tool.llvm("llvm-symbolizer") != nil))
struct DifferentialTests {
  private var root: String { Corpus.repository }

  private func run(_ script: String, _ arguments: String..., seconds: Int) throws -> Tool.Outcome {
    let program = try #require(Tool.symclust)
    return Tool.run("/usr/bin/python3", ["\(root)/scripts/\(script)", "--tool", program] + arguments, seconds: seconds)
  }

  @Test("differ from llvm-symbolizer only where a rule proves why, for files of many compilers and flags")
  func differential() throws {
    let outcome = try run("differential", "--sample", "20", seconds: 400)
    #expect(outcome.code == 0, "\(outcome.text.suffix(3_000)) \(outcome.errorText.suffix(500))")
    #expect(outcome.text.contains(" 0 unexplained"))
  }

  @Test(
    "differ from what peers recorded only as docs/symbolication-differences.md says",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func recorded() throws {
    let outcome = try run("lookup-differences", seconds: 400)
    #expect(outcome.code == 0, "\(outcome.text.suffix(3_000)) \(outcome.errorText.suffix(500))")
    #expect(outcome.text.contains(" 0 without proof, 0 listed amiss"))
  }
}
