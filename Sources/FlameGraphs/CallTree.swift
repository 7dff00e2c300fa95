/// One function on its way into a call tree.
public struct CallTreeFrame: Hashable, Sendable {
  /// What is shown: a function, or `Image + offset`.
  public var name: String
  /// The image; `nil` when unknown.
  public var image: String?
  /// Whether the image is the system's.
  public var isSystem: Bool

  /// A frame with these parts.
  public init(name: String, image: String? = nil, isSystem: Bool = false) {
    self.name = name
    self.image = image
    self.isSystem = isSystem
  }
}

/// A weighted tree of calls, merged over many stacks: what folded stacks, speedscope and flame graphs show.
///
/// Nodes lie in one array, parents before their children, so no walk needs recursion however deep a stack is. Where a node
/// lies depends on the order in which stacks came; `sorted` does not.
public struct CallTree: Sendable {
  /// One function under one chain of callers.
  public struct Node: Sendable, Hashable {
    /// Index of the caller, -1 for an outermost function.
    public var parent: Int
    /// The function.
    public var frame: CallTreeFrame
    /// How many calls lie above.
    public var depth: Int
    /// Weight that ended here.
    public var own: UInt64 = 0
    /// Weight that passed through: its own and that of everything it called.
    public var total: UInt64 = 0
  }

  private struct Edge: Hashable {
    var parent: Int
    var frame: CallTreeFrame
  }

  /// The nodes, parents before their children.
  public private(set) var nodes: [Node] = []
  private var edges: [Edge: Int] = [:]

  /// A tree of nothing.
  public init() {}

  /// The number of the node for `frame` called from node `parent`; -1 stands for nobody.
  public mutating func child(of parent: Int, _ frame: CallTreeFrame) -> Int {
    let edge = Edge(parent: parent, frame: frame)
    if let known = edges[edge] { return known }
    nodes.append(Node(parent: parent, frame: frame, depth: parent < 0 ? 0 : nodes[parent].depth + 1))
    edges[edge] = nodes.count - 1
    return nodes.count - 1
  }

  /// Adds weight that ended in node `index`. Sums stop at the largest number.
  public mutating func add(_ weight: UInt64, to index: Int) {
    guard nodes.indices.contains(index) else { return }
    nodes[index].own = nodes[index].own.addingCapped(weight)
  }

  /// The weight of the whole tree.
  public var total: UInt64 { nodes.reduce(0) { $0.addingCapped($1.own) } }

  /// The tree in its one order: preorder, the heavier sibling first, of equal ones by name, then by image.
  ///
  /// Cost: linear, times the logarithm of the widest node.
  public var sorted: CallTree {
    var nodes = nodes
    for index in nodes.indices { nodes[index].total = nodes[index].own }
    for index in nodes.indices.reversed() where nodes[index].parent >= 0 {
      nodes[nodes[index].parent].total = nodes[nodes[index].parent].total.addingCapped(nodes[index].total)
    }
    var children = [[Int]](repeating: [], count: nodes.count)
    var roots: [Int] = []
    for (index, node) in nodes.enumerated() {
      if node.parent < 0 { roots.append(index) } else { children[node.parent].append(index) }
    }
    func precedes(_ a: Int, _ b: Int) -> Bool {
      let (a, b) = (nodes[a], nodes[b])
      if a.total != b.total { return a.total > b.total }
      if a.frame.name != b.frame.name { return a.frame.name.utf8.lexicographicallyPrecedes(b.frame.name.utf8) }
      if a.frame.image != b.frame.image {
        return (a.frame.image ?? "").utf8.lexicographicallyPrecedes((b.frame.image ?? "").utf8)
      }
      return !a.frame.isSystem && b.frame.isSystem
    }
    var tree = CallTree()
    tree.nodes.reserveCapacity(nodes.count)
    var pending = roots.sorted(by: precedes).reversed().map { (node: $0, parent: -1) }
    while let (index, parent) = pending.popLast() {
      var node = nodes[index]
      node.parent = parent
      let place = tree.nodes.count
      tree.nodes.append(node)
      for child in children[index].sorted(by: precedes).reversed() { pending.append((child, place)) }
    }
    return tree
  }

  /// The frames from the outermost to node `index`.
  public func path(to index: Int) -> [CallTreeFrame] {
    var path: [CallTreeFrame] = []
    var next = index
    while nodes.indices.contains(next) {
      path.append(nodes[next].frame)
      next = nodes[next].parent
    }
    return path.reversed()
  }
}

extension UInt64 {
  /// The sum, or the largest number when it does not fit.
  func addingCapped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
