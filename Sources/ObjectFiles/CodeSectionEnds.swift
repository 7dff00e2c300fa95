/// For each address of the code the end of its section; where sections overlap, the nearest end.
///
/// A damaged file may have as many sections as symbols, so that looking through all of them for each symbol takes the
/// square of its size.
public struct CodeSectionEnds: Sendable {
  /// Addresses whose nearest end is the same, ascending and disjoint.
  private var pieces: [(range: Range<UInt64>, end: UInt64)] = []
  private let codeRanges: [Range<UInt64>]

  /// `codeRanges` answer where no section does: files without sections have segments only.
  init(sections: [Range<UInt64>], codeRanges: [Range<UInt64>]) {
    self.codeRanges = codeRanges
    // What is covered already, ascending and disjoint. Its ends are the nearer ones, since sections come by their ends.
    var covered: [Range<UInt64>] = []
    for section in sections.sorted(by: { ($0.upperBound, $0.lowerBound) < ($1.upperBound, $1.lowerBound) }) {
      var free = section.upperBound
      var start = section.lowerBound
      while let last = covered.last, last.upperBound > section.lowerBound {
        if last.upperBound < free { pieces.append((last.upperBound..<free, section.upperBound)) }
        free = last.lowerBound
        start = min(start, last.lowerBound)
        covered.removeLast()
      }
      if section.lowerBound < free { pieces.append((section.lowerBound..<free, section.upperBound)) }
      if start < section.upperBound { covered.append(start..<section.upperBound) }
    }
    pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The end of the section of instructions that `address` lies in; `nil` outside of all code.
  public func end(containing address: UInt64) -> UInt64? {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].range.lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    if low > 0, pieces[low - 1].range.contains(address) { return pieces[low - 1].end }
    guard let index = codeRanges.lastIndex(startingAtOrBefore: address) else { return nil }
    return codeRanges[index].contains(address) ? codeRanges[index].upperBound : nil
  }
}
