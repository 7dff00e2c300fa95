internal import Demangling
internal import Diagnostics
internal import SymbolIndex
internal import Symbolication

extension Resolution {
  /// The resolution, or what the report itself said when no retained symbols name the frame.
  ///
  /// Retained symbols come first: they are of this very build and tell inlined calls; a report says what somebody's tool
  /// made of it.
  func completed(by symbol: ReportedSymbol?) -> Resolution {
    guard status != .resolved, let symbol else { return self }
    return Resolution(status: .reported, frames: [Frame(symbol)])
  }
}

/// One frame of a chain, as far as it tells whether a report wrote several lines for it.
struct ReportedPlace: Equatable {
  /// The number of the image.
  var image: Int32
  /// The offset in it.
  var offset: UInt64?
  /// The number of the name that the report gives; -1 for none.
  var symbol: Int32

  /// Whether both are one return address under two names: a report that was symbolicated before writes each inlined call
  /// on a line of its own. (A recursion repeats the name as well.)
  fileprivate func isInlined(into next: ReportedPlace) -> Bool {
    image == next.image && offset != nil && offset == next.offset && symbol >= 0 && next.symbol >= 0
      && symbol != next.symbol
  }
}

extension Array<Resolution> {
  /// The same for a chain of frames, innermost first, but with inlined calls where the report has lines for them.
  ///
  /// Retained symbols name all calls at a place, each line of the report would get all of them. So its lines share them,
  /// the outermost first, which is the function that was really there; lines that are left over keep their names.
  func shared(among places: [ReportedPlace]) -> [Resolution] {
    var result = self
    var start = 0
    while start < places.count {
      var end = start + 1
      while end < places.count, places[end - 1].isInlined(into: places[end]) { end += 1 }
      defer { start = end }
      // Only of the innermost frame of a chain the address is exact, and the first line has that.
      let whole = self[start == 0 ? start : end - 1]
      guard end - start > 1, whole.status == .resolved else { continue }
      var rest = whole.frames[...]
      for index in stride(from: end - 1, through: start, by: -1) {
        let share = index == start ? [Frame](rest) : [Frame](rest.suffix(1))
        rest = rest.dropLast(share.count)
        result[index] = Resolution(status: share.isEmpty ? .noSymbol : .resolved, frames: share)
      }
    }
    return result
  }
}

extension Frame {
  /// A frame with the name that a report gave it, which may be mangled or spelled for people.
  init(_ symbol: ReportedSymbol) {
    let name = Demangler().demangle(reported: symbol.function)
    self.init(
      function: name.display, mangled: name.isDemangled ? symbol.function : nil, token: name.token, file: symbol.file,
      line: symbol.line, source: .report, traits: name.traits)
  }
}
