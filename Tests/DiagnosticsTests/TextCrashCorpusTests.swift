import Bytes
import Diagnostics
import Identity
import TestSupport
import Testing

@Suite("The sample text crash reports", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct TextCrashCorpusTests {
  private func report(_ name: String) throws -> Diagnostic {
    try PayloadReader().read(ByteView.mapping(path: Corpus.path("reports/" + name))).diagnostics[0]
  }

  @Test("say the same as the .ips report of the same crash")
  func agreement() throws {
    let ips = try report("macsymbolicator-ios16.ips")
    for name in ["macsymbolicator-ios16-text.crash", "macsymbolicator-ios16-text-with-json-header.crash"] {
      let text = try report(name)
      #expect(text.metadata == ips.metadata)
      #expect(text.stacks.map(\.name) == ips.stacks.map(\.name))
      #expect(text.stacks.map(\.isAttributed) == ips.stacks.map(\.isAttributed))
      for index in ips.stacks.indices {
        #expect(text.shown(index) == ips.shown(index))
        let ids = [text, ips].map { report in
          report.stacks[index].frames.map { report.image(of: $0)?.debugID }
        }
        #expect(ids[0] == ids[1])
        #expect(!ids[0].contains(nil))
        #expect(text.stacks[index].frames.map(\.address) == ips.stacks[index].frames.map(\.address))
      }
    }
  }

  @Test(
    "do no harm when cut at any line or damaged",
    arguments: ["macsymbolicator-ios16-text-with-json-header.crash", "axiom-testflight-ios26.crash"])
  func truncated(name: String) throws {
    let bytes = try Array(ByteView.mapping(path: Corpus.path("reports/" + name)).text.utf8)
    for (index, byte) in bytes.enumerated() where byte == 0x0a { readHostile(Array(bytes[...index])) }
    readDamaged(bytes, count: 100, seed: 22)
  }
}
