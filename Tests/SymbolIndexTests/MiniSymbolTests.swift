import Bytes
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

@Suite("Symbols packed into a file", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct MiniSymbolTests {
  private func bytes() throws -> [UInt8] {
    try #require(contents(of: Corpus.path("symbols/generated/elf/minidebug/libcorpus.so")))
  }

  private func index(_ bytes: [UInt8]) throws -> SymbolIndex {
    try SymbolIndex(ByteView(product(sources(bytes)).bytes))
  }

  @Test func `are read along with the file's own`() throws {
    let names = try index(bytes())
    #expect(names.lookup(0x30f0).frames.map(\.function) == ["recursive"])
    #expect(names.lookup(0x31e0).frames.map(\.function) == ["hidden_function"])
    #expect(try names.summary().problems.isEmpty)
  }

  @Test func `and damaged are told, and the rest is used`() throws {
    var damaged = try bytes()
    // Behind the header of the xz stream.
    let start = try #require(damaged.firstRange(of: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])).lowerBound
    for index in 20..<60 { damaged[start + index] ^= 0x5a }
    let names = try index(damaged)
    let summary = try names.summary()
    #expect(summary.problems.contains { $0.hasPrefix(".gnu_debugdata: ") })
    #expect(summary.functionCount > 0)
    #expect(names.lookup(0x30f0).frames.isEmpty)
  }
}
