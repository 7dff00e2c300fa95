internal import Diagnostics
internal import Identity

/// The canonical form of one chain of frames, innermost first: that of nearly every crash.
///
/// Nothing can be merged in it, but some crashes repeat their innermost frame, which is one place (symbolication.md B.2).
struct RawChain {
  /// The canonical stack.
  let reading: RawStackReading

  /// The form of stack number `index` of `diagnostic`; `nil` when it is no chain.
  init?(_ diagnostic: Diagnostic, stack index: Int) {
    guard diagnostic.stacks.indices.contains(index) else { return nil }
    let stack = diagnostic.stacks[index]
    guard stack.order == .innermostFirst, stack.isLinear, let first = stack.frames.first else { return nil }
    // Under another name it is no repetition, but a call that was inlined there.
    let repeats =
      stack.frames.count > 1 && stack.frames[1].isSamePlace(as: first) && stack.frames[1].symbol == first.symbol
    let (images, places) = Self.ranked(diagnostic.images, stack.frames.lazy.map(\.image)) { $0.precedes($1) }
    let (symbols, names) = Self.ranked(diagnostic.symbols, stack.frames.lazy.map(\.symbol)) { $0.precedes($1) }
    var frames: [RawStack.Frame] = []
    var sources: [Int] = []
    frames.reserveCapacity(stack.frames.count)
    sources.reserveCapacity(stack.frames.count)
    for index in stack.frames.indices.reversed() where index != 1 || !repeats {
      let frame = stack.frames[index]
      frames.append(
        RawStack.Frame(
          parent: Int32(truncatingIfNeeded: frames.count) - 1, image: Self.place(frame.image, places),
          offset: frame.offset, weight: index == 0 ? 1 : 0, symbol: Self.place(frame.symbol, names)))
      sources.append(index)
    }
    let raw = RawStack(
      kind: diagnostic.kind, reason: RawReason(diagnostic.metadata), images: images, symbols: symbols, frames: frames)
    reading = RawStackReading(stack: raw, sources: sources, framesLeftOut: 0)
  }

  private static func place(_ index: Int32, _ places: [Int32]) -> Int32 {
    places.indices.contains(Int(index)) ? places[Int(index)] : -1
  }

  /// Those of `all` that `used` names, sorted, each once; and for each of all its place among them.
  private static func ranked<Item: Equatable>(
    _ all: [Item], _ used: some Sequence<Int32>, by precedes: (Item, Item) -> Bool
  ) -> (sorted: [Item], places: [Int32]) {
    if all.isEmpty { return ([], []) }
    var places = [Int32](repeating: -1, count: all.count)
    var found: [Int] = []
    for index in used {
      let item = Int(index)
      guard places.indices.contains(item), places[item] < 0 else { continue }
      places[item] = 0
      found.append(item)
    }
    found.sort { precedes(all[$0], all[$1]) }
    var sorted: [Item] = []
    for item in found {
      if sorted.last != all[item] { sorted.append(all[item]) }
      places[item] = Int32(truncatingIfNeeded: sorted.count - 1)
    }
    return (sorted, places)
  }
}

extension ReportedSymbol {
  /// The order in raw stacks: by function, file and line.
  func precedes(_ b: ReportedSymbol) -> Bool {
    if function != b.function { return function.utf8.lexicographicallyPrecedes(b.function.utf8) }
    if file != b.file { return (file ?? "").utf8.lexicographicallyPrecedes((b.file ?? "").utf8) }
    return (line ?? 0) < (b.line ?? 0)
  }
}

extension ImageReference {
  /// The order in raw stacks: by identifier, name and whether it is the app's own.
  func precedes(_ b: ImageReference) -> Bool {
    if debugID != b.debugID {
      guard let first = debugID else { return true }
      guard let second = b.debugID else { return false }
      return first < second
    }
    guard let second = b.name else { return false }
    guard let first = name else { return true }
    // By bytes: `<` on strings would take differently composed letters as equal.
    if first.utf8.elementsEqual(second.utf8) { return !isOwn && b.isOwn }
    return first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
