public import Diagnostics
internal import Identity

/// A raw stack and where its frames came from.
public struct RawStackReading: Sendable, Hashable {
  /// The canonical stack.
  public let stack: RawStack
  /// For each frame of the canonical stack, the index of one frame of the diagnostic's stack that it stands for: what
  /// was found out about that frame holds for this one.
  public let sources: [Int]
  /// Frames of the document that were left out, because an inverted tree would have grown beyond its bound.
  public let framesLeftOut: Int
}

extension RawStack {
  /// The canonical form of stack number `index` of `diagnostic`; with `nil`, or a number that is not there, of no stack.
  ///
  /// Cost: linear in the frames of the stack, times their logarithm.
  public static func reading(_ diagnostic: Diagnostic, stack index: Int?) -> RawStackReading {
    if let index, let chain = RawChain(diagnostic, stack: index) { return chain.reading }
    var forest = RawForest(diagnostic)
    if let index, diagnostic.stacks.indices.contains(index) { forest.add(diagnostic.stacks[index]) }
    return forest.reading(kind: diagnostic.kind, reason: RawReason(diagnostic.metadata))
  }
}

/// Grows the canonical forest, merging frames that cannot be told apart.
private struct RawForest {
  struct Key: Hashable {
    var parent: Int32
    var image: Int32
    var offset: UInt64?
    var symbol: Int32
    var isInnermost: Bool
  }

  private let images: [ImageReference]
  /// For each image of the diagnostic its place in `images`.
  private let ranks: [Int32]
  private let symbols: [ReportedSymbol]
  /// For each symbol of the diagnostic its place in `symbols`.
  private let symbolRanks: [Int32]
  private var nodes: [Key: Int32] = [:]
  private var keys: [Key] = []
  private var weights: [UInt64] = []
  private var sources: [Int] = []
  private var leftOut = 0

  /// More samples than this in one frame are no news; the bound keeps all sums far from overflow.
  private static let weightLimit: UInt64 = 1 << 40
  /// How many paths of an inverted tree are followed.
  private static let pathLimit = 256

  init(_ diagnostic: Diagnostic) {
    let order = diagnostic.images.indices.sorted { diagnostic.images[$0].precedes(diagnostic.images[$1]) }
    var images: [ImageReference] = []
    var ranks = [Int32](repeating: -1, count: diagnostic.images.count)
    for index in order {
      if images.last != diagnostic.images[index] { images.append(diagnostic.images[index]) }
      ranks[index] = Int32(truncatingIfNeeded: images.count - 1)
    }
    self.images = images
    self.ranks = ranks
    (symbols, symbolRanks) = RawForest.ranked(diagnostic.symbols)
  }

  private static func ranked(_ all: [ReportedSymbol]) -> (sorted: [ReportedSymbol], ranks: [Int32]) {
    var sorted: [ReportedSymbol] = []
    var ranks = [Int32](repeating: -1, count: all.count)
    for index in all.indices.sorted(by: { all[$0].precedes(all[$1]) }) {
      if sorted.last != all[index] { sorted.append(all[index]) }
      ranks[index] = Int32(truncatingIfNeeded: sorted.count - 1)
    }
    return (sorted, ranks)
  }

  private func rank(_ frame: RawFrame) -> Int32 {
    ranks.indices.contains(Int(frame.image)) ? ranks[Int(frame.image)] : -1
  }

  private func symbolRank(_ frame: RawFrame) -> Int32 {
    symbolRanks.indices.contains(Int(frame.symbol)) ? symbolRanks[Int(frame.symbol)] : -1
  }

  private mutating func node(_ frame: RawFrame, source: Int, parent: Int32, isInnermost: Bool) -> Int32 {
    let key = Key(
      parent: parent, image: rank(frame), offset: frame.offset, symbol: symbolRank(frame), isInnermost: isInnermost)
    if let known = nodes[key] { return known }
    let new = Int32(truncatingIfNeeded: keys.count)
    nodes[key] = new
    keys.append(key)
    weights.append(0)
    sources.append(source)
    return new
  }

  private mutating func weigh(_ node: Int32, _ weight: UInt64) {
    weights[Int(node)] = min(weights[Int(node)].addingSaturating(weight), 1 << 50)
  }

  mutating func add(_ stack: CallStack) {
    guard !stack.frames.isEmpty else { return }
    switch stack.order {
    case .innermostFirst: addInverted(stack.frames)
    case .outermostFirst: addTree(stack.frames)
    }
  }

  /// A tree whose roots are the outermost calls: samples.
  private mutating func addTree(_ frames: [RawFrame]) {
    var hasChildren = [Bool](repeating: false, count: frames.count)
    var below = [UInt64](repeating: 0, count: frames.count)
    var own = [UInt64](repeating: 0, count: frames.count)
    for index in frames.indices.reversed() {
      let stated = frames[index].sampleCount.map { min($0, RawForest.weightLimit) }
      let inclusive = stated ?? (hasChildren[index] ? below[index] : 1)
      // Counts of children may exceed their parent's; nothing is left for the parent then.
      own[index] = inclusive > below[index] ? inclusive - below[index] : 0
      let parent = Int(frames[index].parent)
      if parent >= 0, parent < index {
        hasChildren[parent] = true
        below[parent] = below[parent].addingSaturating(max(inclusive, below[index]))
      }
    }
    var canonical = [Int32](repeating: -1, count: frames.count)
    for index in frames.indices {
      let parent = Int(frames[index].parent)
      let above = parent >= 0 && parent < index ? canonical[parent] : -1
      canonical[index] = node(frames[index], source: index, parent: above, isInnermost: !hasChildren[index])
      // Samples that ended here, at a place that others called on from: for them the address is no return address.
      let isBoth = hasChildren[index] && own[index] > 0
      let end = isBoth ? node(frames[index], source: index, parent: above, isInnermost: true) : canonical[index]
      weigh(end, own[index])
    }
  }

  /// A tree whose roots are the innermost calls and whose branches are different callers: every path from a leaf to its
  /// root is one chain.
  private mutating func addInverted(_ frames: [RawFrame]) {
    var hasChildren = [Bool](repeating: false, count: frames.count)
    for (index, frame) in frames.enumerated() where frame.parent >= 0 && Int(frame.parent) < index {
      hasChildren[Int(frame.parent)] = true
    }
    var steps = 4 * frames.count + 4096
    var paths = 0
    for leaf in frames.indices where !hasChildren[leaf] {
      guard paths < RawForest.pathLimit, steps > 0 else {
        leftOut += 1
        continue
      }
      paths += 1
      var parent: Int32 = -1
      var index = leaf
      while true {
        let next = Int(frames[index].parent)
        let isRoot = next < 0 || next >= index
        parent = node(frames[index], source: index, parent: parent, isInnermost: isRoot)
        steps -= 1
        if isRoot { break }
        index = next
      }
      weigh(parent, min(frames[leaf].sampleCount ?? 1, RawForest.weightLimit))
    }
  }

  func reading(kind: DiagnosticKind, reason: RawReason) -> RawStackReading {
    var (frames, order) = treeFrames()
    // Only the images that the chosen stack names belong to it: other threads must not change the key.
    var used = [Bool](repeating: false, count: images.count)
    for frame in frames where frame.image >= 0 { used[Int(frame.image)] = true }
    var places = [Int32](repeating: -1, count: images.count)
    var kept: [ImageReference] = []
    for index in images.indices where used[index] {
      places[index] = Int32(kept.count)
      kept.append(images[index])
    }
    for index in frames.indices where frames[index].image >= 0 {
      frames[index].image = places[Int(frames[index].image)]
    }
    let names = keepUsedSymbols(&frames)
    let stack = RawStack(kind: kind, reason: reason, images: kept, symbols: names, frames: frames)
    return RawStackReading(stack: stack, sources: order, framesLeftOut: leftOut)
  }

  /// The symbols that `frames` name, which are numbered anew.
  private func keepUsedSymbols(_ frames: inout [RawStack.Frame]) -> [ReportedSymbol] {
    if symbols.isEmpty { return [] }
    let used = Set(frames.map(\.symbol).filter { $0 >= 0 }).sorted()
    let places = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, Int32($0)) })
    for index in frames.indices { frames[index].symbol = places[frames[index].symbol] ?? -1 }
    return used.map { symbols[Int($0)] }
  }

  private func treeFrames() -> (frames: [RawStack.Frame], sources: [Int]) {
    // Children in canonical order, then a walk in preorder with a stack of our own.
    var children: [[Int32]] = Array(repeating: [], count: keys.count)
    var roots: [Int32] = []
    for (index, key) in keys.enumerated() {
      if key.parent < 0 { roots.append(Int32(index)) } else { children[Int(key.parent)].append(Int32(index)) }
    }
    var divisor = weights.reduce(0, RawForest.gcd)
    var weights = weights
    if divisor == 0 {
      // Samples without counts: each innermost frame counts once.
      for (index, key) in keys.enumerated() where key.isInnermost { weights[index] = 1 }
      divisor = 1
    }
    var frames: [RawStack.Frame] = []
    var order: [Int] = []
    frames.reserveCapacity(keys.count)
    var pending: [(node: Int32, parent: Int32)] = roots.sorted(by: precedes).reversed().map { ($0, -1) }
    while let (node, parent) = pending.popLast() {
      let key = keys[Int(node)]
      let place = Int32(truncatingIfNeeded: frames.count)
      frames.append(
        RawStack.Frame(
          parent: parent, image: key.image, offset: key.offset, weight: weights[Int(node)] / divisor,
          symbol: key.symbol))
      order.append(sources[Int(node)])
      for child in children[Int(node)].sorted(by: precedes).reversed() { pending.append((child, place)) }
    }
    return (frames, order)
  }

  private func precedes(_ a: Int32, _ b: Int32) -> Bool {
    let (a, b) = (keys[Int(a)], keys[Int(b)])
    if a.image != b.image { return a.image < b.image }
    if a.offset != b.offset {
      guard let second = b.offset else { return false }
      guard let first = a.offset else { return true }
      return first < second
    }
    if a.symbol != b.symbol { return a.symbol < b.symbol }
    return a.isInnermost && !b.isInnermost
  }

  private static func gcd(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
