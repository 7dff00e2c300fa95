internal import Diagnostics

/// A tree of samples (hang, CPU, disk writes, launch) with its branches merged by token.
///
/// The dominating function is the deepest one of the app that at least half of the samples passed through; it and its
/// callers are the signature. Branches whose tokens are equal are one branch whatever their offsets, so the order and
/// the number of samples do not matter. No recursion: raw frames come in preorder and tokens are added below their
/// caller's.
struct SampledTree {
  /// A merged call.
  private struct Node {
    var parent: Int
    /// The number of the node's key.
    var call: Int
    /// The level that stands for it: the first in canonical order.
    var level: FrameReader.Level
    var own: UInt64 = 0
    var inclusive: UInt64 = 0
  }

  private struct Edge: Hashable {
    var parent: Int
    var call: Int
  }

  private let reader: FrameReader
  private let levels: [[FrameReader.Level]]
  private var numbers: [String: Int] = [:]
  private var edges: [Edge: Int] = [:]
  /// Node 0 stands above all roots.
  private var nodes: [Node] = []
  /// For each raw frame and level, innermost first, its node; -1 when it has none.
  private var placed: [[Int]] = []
  /// For each raw frame the innermost node at or above it.
  private var reached: [Int] = []
  private var total: UInt64 = 0

  /// Which levels become nodes.
  private enum Grain {
    case app
    case system
  }

  init(reader: FrameReader) {
    self.reader = reader
    levels = reader.levels()
  }

  /// The signature of the tree.
  func signature(by builder: SignatureBuilder) -> Signature {
    var signature = keyed(by: builder)
    guard reader.stack.kind == .hang else { return signature }
    if isExpectedWait {
      signature.markAsExpected()
    } else if signature.blame == nil, isIdle {
      signature.mark("idle")
    }
    return signature
  }

  /// Whether half of the samples stood in a run loop that waited for something to do: in the kernel, called by
  /// CoreFoundation, called by what runs the main thread's loop. Told by images alone, since names are rarely known.
  private var isIdle: Bool {
    let frames = reader.stack.frames
    var idle: UInt64 = 0
    var all: UInt64 = 0
    for (index, frame) in frames.enumerated() where frame.weight > 0 {
      all = all.addingSaturating(frame.weight)
      var next = index
      for images in SampledTree.idleLoop {
        guard next >= 0, images.contains(reader.stack.image(of: next)?.name ?? "") else {
          next = -1
          break
        }
        while next >= 0, images.contains(reader.stack.image(of: next)?.name ?? "") { next = Int(frames[next].parent) }
      }
      if next >= 0 { idle = idle.addingSaturating(frame.weight) }
    }
    return idle > 0 && idle >= all - idle
  }

  /// The images of a waiting run loop, innermost first, each a run: iOS, then macOS.
  private static let idleLoop: [Set<String>] = [
    ["libsystem_kernel.dylib"], ["CoreFoundation"], ["GraphicsServices", "HIToolbox"],
  ]

  /// Whether half of the samples passed through waits that somebody wants.
  private var isExpectedWait: Bool {
    var isInside = [Bool](repeating: false, count: levels.count)
    var inside: UInt64 = 0
    var all: UInt64 = 0
    for (index, frame) in reader.stack.frames.enumerated() {
      isInside[index] =
        levels[index].contains(where: \.isExpectedWait) || (frame.parent >= 0 && isInside[Int(frame.parent)])
      all = all.addingSaturating(frame.weight)
      if isInside[index] { inside = inside.addingSaturating(frame.weight) }
    }
    return inside > 0 && inside >= all - inside
  }

  private func keyed(by builder: SignatureBuilder) -> Signature {
    var tree = self
    tree.grow(.app)
    let reason = ReasonClass(kind: reader.stack.kind, raw: reader.stack.reason)
    let paths = tree.heaviestPaths()
    if let dominating = tree.dominatingNode(share: builder.rules.limits.dominating) {
      var signature = tree.dominated(dominating, reason, builder)
      signature.paths = paths
      return signature
    }
    // No function of the app has half of the samples. When half of them touch the app at all, several causes are mixed in
    // one event, and nothing can be said; else the system's own work decides.
    let touching = tree.nodes.dropFirst().reduce(UInt64(0)) { $1.parent == 0 ? $0.addingSaturating($1.inclusive) : $0 }
    let path = SignatureBuilder.heaviestPath(reader.stack)
    if touching <= tree.total / 2 {
      if tree.nodes.count == 1 {
        // The program's entry may be all there is.
        let alone = builder.chain(reader, levels, path: path)
        if alone.blame != nil { return alone }
      }
      var signature = builder.systemOnly(reader, tree.systemChain(), reason: reason)
      signature.paths = paths
      signature.carrier = tree.vote(below: 0)
      return signature
    }
    var chain = FrameChain(levels: path.flatMap { levels[$0] })
    for place in chain.levels.indices where chain.levels[place].frame.isKept {
      chain.drop(place, Explanation.noDominance.rawValue)
    }
    chain.dropAll()
    var signature = builder.systemOnly(reader, FrameChain(levels: []), reason: reason)
    signature.title = SignatureBuilder.title(reader.stack, reason.description, ["mixed"])
    signature.frames = chain.levels.map(\.frame)
    signature.paths = paths
    return signature
  }

  // MARK: Growing

  private mutating func grow(_ grain: Grain) {
    let stack = reader.stack
    let empty = SignatureFrame(rawFrame: -1, image: nil, token: "", isKept: false, rule: "")
    nodes = [Node(parent: -1, call: -1, level: FrameReader.Level(frame: empty, role: .dropped, key: "", looseKey: ""))]
    edges = [:]
    placed = levels.map { [Int](repeating: -1, count: $0.count) }
    reached = [Int](repeating: 0, count: stack.frames.count)
    // Whether something that the frame calls is the app's, for thunks.
    var callsApp = [Bool](repeating: false, count: stack.frames.count)
    for index in stack.frames.indices.reversed() {
      let parent = Int(stack.frames[index].parent)
      guard parent >= 0, let outermost = levels[index].last(where: { $0.role != .dropped }) else { continue }
      if outermost.role == .app || outermost.role == .unsymbolicated || outermost.role == .thunk {
        callsApp[parent] = true
      }
    }
    for (index, frame) in stack.frames.enumerated() {
      var node = frame.parent < 0 ? 0 : reached[Int(frame.parent)]
      for place in levels[index].indices.reversed() {
        let level = levels[index][place]
        // Its callers take no part.
        if level.stop != nil { node = 0 }
        let takesPart =
          switch (grain, level.role) {
          case (.app, .app), (.app, .unsymbolicated), (.system, .system): true
          case (.app, .thunk):
            !callsApp[index] && !levels[index][..<place].contains { $0.role == .app || $0.role == .thunk }
          default: false
          }
        guard takesPart else { continue }
        node = child(of: node, level)
        placed[index][place] = node
      }
      reached[index] = node
      nodes[node].own = nodes[node].own.addingSaturating(frame.weight)
    }
    for index in nodes.indices { nodes[index].inclusive = nodes[index].own }
    for index in nodes.indices.dropFirst().reversed() {
      let parent = nodes[index].parent
      nodes[parent].inclusive = nodes[parent].inclusive.addingSaturating(nodes[index].inclusive)
    }
    total = nodes[0].inclusive
  }

  /// How long the rounds of a recursion may be to be merged.
  private static let periodLimit = 8

  /// The node for `level` called from `parent`; that of an earlier round when the call closes a round of a recursion.
  private mutating func child(of parent: Int, _ level: FrameReader.Level) -> Int {
    let call = numbers[level.key] ?? numbers.count
    numbers[level.key] = call
    if let known = edges[Edge(parent: parent, call: call)] { return known }
    if parent > 0, FrameChain.isClosure(level.key, of: nodes[parent].level.key) {
      edges[Edge(parent: parent, call: call)] = parent
      return parent
    }
    for length in 1...SampledTree.periodLimit {
      // The last `length` calls, this one included, against the `length` before them.
      var inner = parent
      var outer = parent
      for _ in 1..<length where outer > 0 { outer = nodes[outer].parent }
      let earlier = outer
      guard earlier > 0, nodes[earlier].call == call else { continue }
      outer = nodes[outer].parent
      var isEqual = true
      for _ in 1..<length {
        guard inner > 0, outer > 0, nodes[inner].call == nodes[outer].call else {
          isEqual = false
          break
        }
        inner = nodes[inner].parent
        outer = nodes[outer].parent
      }
      if isEqual {
        edges[Edge(parent: parent, call: call)] = earlier
        return earlier
      }
    }
    edges[Edge(parent: parent, call: call)] = nodes.count
    nodes.append(Node(parent: parent, call: call, level: level))
    return nodes.count - 1
  }

  // MARK: Reading

  /// The deepest node that this share of the samples passed through; `nil` when there is none.
  private func dominatingNode(share: Double) -> Int? {
    guard total > 0 else { return nil }
    let least = share * Double(total)
    var heaviest = [Int](repeating: -1, count: nodes.count)
    for index in nodes.indices.dropFirst() {
      let parent = nodes[index].parent
      let best = heaviest[parent]
      if best < 0 || nodes[index].inclusive > nodes[best].inclusive
        || (nodes[index].inclusive == nodes[best].inclusive && nodes[index].level.key < nodes[best].level.key)
      {
        heaviest[parent] = index
      }
    }
    var node = 0
    while heaviest[node] >= 0, Double(nodes[heaviest[node]].inclusive) >= least {
      node = heaviest[node]
    }
    return node == 0 ? nil : node
  }

  /// The nodes from `node` outwards, at most `limit`.
  private func spine(_ node: Int, limit: Int = .max) -> [Int] {
    var spine: [Int] = []
    var next = node
    while next > 0, spine.count < limit {
      spine.append(next)
      next = nodes[next].parent
    }
    return spine
  }

  private func dominated(_ dominating: Int, _ reason: ReasonClass, _ builder: SignatureBuilder) -> Signature {
    let spine = spine(dominating)
    var spineChain = FrameChain(levels: spine.map { nodes[$0].level })
    for place in spine.indices where spineChain.levels[place].role == .thunk { spineChain.takePart(place) }
    let entries = spineChain.appEntries()
    let kept = spineChain.keep(entries, limit: builder.rules.limits.spine)
    // What is shown is one real path: the heaviest through the dominating function.
    var shown = FrameChain(levels: path(through: dominating).flatMap { levels[$0] })
    let keptNodes = Set(kept.map { spine[$0.place] })
    let spineNodes = Set(spine)
    let shownPlaces = path(through: dominating).flatMap { placed[$0] }
    for place in shown.levels.indices {
      let node = shownPlaces[place]
      if node > 0, !keptNodes.contains(node) {
        shown.mark(
          place, kept: false, spineNodes.contains(node) ? Explanation.limit.rawValue : Explanation.noDominance.rawValue)
      } else if node <= 0, shown.levels[place].frame.isKept {
        shown.mark(
          place, kept: false,
          shown.levels[place].role == .thunk ? Explanation.thunk.rawValue : shown.levels[place].frame.rule)
      }
    }
    if let innermost = shown.levels.firstIndex(where: \.frame.isKept) { shown.cutCallers(from: innermost) }
    var signature = builder.finish(reader, shown, kept: kept, blame: FrameChain.blame(entries), reason: reason)
    signature.carrier = vote(below: dominating)
    signature.dominance = Double(nodes[dominating].inclusive) / Double(max(total, 1))
    return signature
  }

  /// The raw frames of the heaviest path through the node, innermost first.
  private func path(through node: Int) -> [Int] {
    let stack = reader.stack
    let weights = stack.inclusiveWeights
    let candidates = placed.indices.filter { placed[$0].contains(node) }
    guard let start = candidates.max(by: { weights[$0] == weights[$1] ? $0 > $1 : weights[$0] < weights[$1] }) else {
      return []
    }
    var best = [Int](repeating: -1, count: stack.frames.count)
    for index in stack.frames.indices {
      let parent = Int(stack.frames[index].parent)
      if parent >= 0, best[parent] < 0 || weights[index] > weights[best[parent]] { best[parent] = index }
    }
    var path: [Int] = []
    var next = start
    while next >= 0 {
      path.append(next)
      next = best[next]
    }
    path.reverse()
    var above = Int(stack.frames[start].parent)
    while above >= 0 {
      path.append(above)
      above = Int(stack.frames[above].parent)
    }
    return path
  }

  /// The class of carrier in which most of the samples below the node ended; `compute` for none.
  private func vote(below node: Int) -> String? {
    var inside = [Bool](repeating: false, count: nodes.count)
    for index in nodes.indices {
      inside[index] = index == node || (nodes[index].parent >= 0 && inside[nodes[index].parent])
    }
    var votes: [String: UInt64] = [:]
    for (index, frame) in reader.stack.frames.enumerated() where frame.weight > 0 && inside[reached[index]] {
      let level = levels[index].first { $0.role != .dropped }
      let name = level?.role == .system ? level?.carrier ?? "system" : "compute"
      votes[name] = (votes[name] ?? 0).addingSaturating(frame.weight)
    }
    return votes.max { a, b in a.value == b.value ? a.key > b.key : a.value < b.value }?.key
  }

  private func heaviestPaths() -> [SignaturePath] {
    guard total > 0 else { return [] }
    let ends = nodes.indices.dropFirst().filter { nodes[$0].own > 0 }
    let paths = ends.map { end in
      (
        weight: nodes[end].own,
        tokens: spine(end, limit: SignatureBuilder.spineLimit).map { nodes[$0].level.frame.token }
      )
    }
    return paths.sorted { a, b in
      a.weight == b.weight ? a.tokens.lexicographicallyPrecedes(b.tokens) : a.weight > b.weight
    }.prefix(5).map { SignaturePath(tokens: $0.tokens, share: Double($0.weight) / Double(total)) }
  }

  /// The images of the system that half of the samples passed through, as a chain.
  private func systemChain() -> FrameChain {
    var tree = self
    tree.grow(.system)
    guard let node = tree.dominatingNode(share: 0.5) else { return FrameChain(levels: []) }
    return FrameChain(levels: tree.spine(node).map { tree.nodes[$0].level })
  }
}
