import TestSupport
import Testing

@testable import SymbolIndex

/// Overlapping ranges against a painter that colours every address by the stated rule.
@Suite struct CodeCovers {
  /// The owner of each address: of the ranges around it the one that starts last, of those the shortest, of those the
  /// first.
  private func painted(_ ranges: [CoverPiece<Int>], upTo end: UInt64) -> [Int?] {
    (0..<end).map { address in
      ranges.filter { $0.start <= address && address < $0.end }
        .min { a, b in
          if a.start != b.start { return a.start > b.start }
          if a.end != b.end { return a.end < b.end }
          return a.owner < b.owner
        }?.owner
    }
  }

  private func covered(_ ranges: [CoverPiece<Int>], upTo end: UInt64) -> [Int?] {
    // Of equal ranges only the first is ever given to the cover.
    var distinct: [CoverPiece<Int>] = []
    for range in ranges.sorted(by: { ($0.start, ~$0.end, $0.owner) < ($1.start, ~$1.end, $1.owner) })
    where distinct.last.map({ $0.start != range.start || $0.end != range.end }) ?? true {
      distinct.append(range)
    }
    let pieces = CodeCover.pieces(of: distinct)
    for (first, second) in zip(pieces, pieces.dropFirst()) { #expect(first.end <= second.start) }
    #expect(pieces.allSatisfy { $0.start < $0.end })
    return (0..<end).map { address in pieces.first { $0.start <= address && address < $0.end }?.owner }
  }

  @Test(arguments: 0..<40) func `made-up ranges are covered as painted`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let ranges = (0..<Int.random(in: 1...12, using: &random)).map { owner in
        let start = UInt64.random(in: 0..<40, using: &random)
        return CoverPiece(start: start, end: start + UInt64.random(in: 1...12, using: &random), owner: owner)
      }
      #expect(covered(ranges, upTo: 60) == painted(ranges, upTo: 60), "\(ranges)")
    }
  }

  @Test func `after a nested range its surroundings go on, and after the last one comes a hole`() {
    let pieces = CodeCover.pieces(of: [
      CoverPiece(start: 0, end: 100, owner: "outer"), CoverPiece(start: 40, end: 60, owner: "inner"),
    ])
    #expect(pieces.map { "\($0.owner) \($0.start)-\($0.end)" } == ["outer 0-40", "inner 40-60", "outer 60-100"])
  }
}
