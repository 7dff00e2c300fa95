internal import DebugInfo

/// A piece of code and who owns it.
struct CoverPiece<Owner> {
  var start: UInt64
  var end: UInt64
  var owner: Owner
}

/// Turns ranges that may overlap into pieces that do not.
///
/// Where ranges overlap, the one that starts later wins inside (assembler labels, cold parts), and of two that start
/// together the shorter one; what is equal in both goes to the first (symbolication.md B.42, B.44). After the end of a
/// range comes a hole, or the range around it, never the range before it.
enum CodeCover {
  /// The pieces in address order. `ranges` must be sorted by start ascending, then by end descending. Cost: linear.
  static func pieces<Owner>(of ranges: [CoverPiece<Owner>]) -> [CoverPiece<Owner>] {
    var pieces: [CoverPiece<Owner>] = []
    pieces.reserveCapacity(ranges.count)
    var open: [CoverPiece<Owner>] = []
    var position: UInt64 = 0

    func emit(until end: UInt64) {
      guard let top = open.last, position < end else { return }
      pieces.append(CoverPiece(start: max(position, top.start), end: end, owner: top.owner))
    }
    func close(until limit: UInt64) {
      while let top = open.last, top.end <= limit {
        emit(until: top.end)
        position = max(position, top.end)
        open.removeLast()
      }
    }
    for range in ranges {
      close(until: range.start)
      emit(until: range.start)
      position = max(position, range.start)
      open.append(range)
    }
    close(until: .max)
    return pieces
  }
}
