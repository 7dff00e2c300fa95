internal import Diagnostics
public import FlameGraphs
internal import Identity
public import SignatureStore
public import Signatures
internal import SymbolIndex
internal import Symbolication

/// One cluster looked at closely: its raw stacks with what they mean now.
public struct ClusterInspection: Sendable {
  /// The cluster's id.
  public let id: String
  /// Its raw stacks, sorted by key.
  public let stacks: [ClusterStack]
  private let deriver: StackDeriver
  private let derivations: [Derivation]

  /// The cluster `id` of `store`. Cost: deriving all its raw stacks again.
  public init(_ id: String, in store: some SignatureStore, deriver: StackDeriver) throws(SignatureStoreError) {
    self.id = id
    self.deriver = deriver
    stacks = try store.rawStacks(ofCluster: id)
    derivations = deriver.derive(stacks.map(\.rawStack.stack))
  }

  /// All diagnostics.
  public var diagnostics: Int { stacks.reduce(0) { $0 + $1.diagnostics } }

  /// The signature of the stack with the most diagnostics, of equal ones the first; `nil` for a cluster of nothing.
  public var example: Signature? {
    let best = stacks.indices.max {
      stacks[$0].diagnostics == stacks[$1].diagnostics ? $0 > $1 : stacks[$0].diagnostics < stacks[$1].diagnostics
    }
    return best.map { derivations[$0].signature }
  }

  /// One signature of the cluster.
  public struct Member: Sendable, Hashable {
    /// Its id.
    public var signature: String
    /// One line for people.
    public var title: String
    /// Its diagnostics.
    public var diagnostics: Int
    /// Its raw stacks.
    public var rawStacks: Int
  }

  /// The signatures, most diagnostics first, then by id.
  public var members: [Member] {
    var members: [String: Member] = [:]
    for (stack, derivation) in zip(stacks, derivations) {
      var member =
        members[stack.signature]
        ?? Member(signature: stack.signature, title: derivation.signature.title, diagnostics: 0, rawStacks: 0)
      member.diagnostics += stack.diagnostics
      member.rawStacks += 1
      members[stack.signature] = member
    }
    return members.values.sorted {
      $0.diagnostics == $1.diagnostics ? $0.signature < $1.signature : $0.diagnostics > $1.diagnostics
    }
  }

  /// The heaviest paths of a sampled cluster, at most five: the mean of their shares over its diagnostics, the heaviest first.
  public var paths: [SignaturePath] {
    let total = Double(max(diagnostics, 1))
    var shares: [[String]: Double] = [:]
    for (stack, derivation) in zip(stacks, derivations) {
      for path in derivation.signature.paths {
        shares[path.tokens, default: 0] += path.share * Double(stack.diagnostics) / total
      }
    }
    let sorted = shares.map { SignaturePath(tokens: $0.key, share: $0.value) }.sorted { a, b in
      let (first, second) = ((a.share * 1e6).rounded(), (b.share * 1e6).rounded())
      return first == second ? a.tokens.lexicographicallyPrecedes(b.tokens) : first > second
    }
    return Array(sorted.prefix(5))
  }

  /// What one diagnostic weighs in the call tree, however many samples it has: samples of two devices cannot be added up.
  public static let weightOfDiagnostic: UInt64 = 1_000_000

  /// All stacks as one tree of calls, inlined ones put back; each diagnostic weighs the same.
  public var callTree: CallTree {
    var tree = CallTree()
    for (stack, resolutions) in zip(stacks, deriver.resolve(stacks.map(\.rawStack.stack))) {
      add(stack, resolutions, to: &tree)
    }
    return tree
  }

  private func add(_ stack: ClusterStack, _ resolutions: [Resolution], to tree: inout CallTree) {
    let raw = stack.rawStack.stack
    let total = raw.frames.reduce(0.0) { $0 + Double($1.weight) }
    guard total > 0 else { return }
    let unit = Double(Self.weightOfDiagnostic) * Double(stack.diagnostics) / total
    var nodes: [Int] = []
    for (index, frame) in raw.frames.enumerated() {
      var node = frame.parent < 0 ? -1 : nodes[Int(frame.parent)]
      let image = raw.image(of: index)
      let isSystem = image.map { !deriver.rules.isApp($0) } ?? false
      if isSystem, resolutions[index].frames.isEmpty, let name = image?.name {
        // Its offsets differ with every version of the system and say nothing without symbols: a run of them is one box.
        let frame = CallTreeFrame(name: name, image: name, isSystem: true)
        if node < 0 || tree.nodes[node].frame != frame { node = tree.child(of: node, frame) }
      } else {
        for name in names(of: index, in: raw, resolutions[index]) {
          node = tree.child(of: node, CallTreeFrame(name: name, image: image?.name, isSystem: isSystem))
        }
      }
      nodes.append(node)
      if frame.weight > 0 { tree.add(UInt64((Double(frame.weight) * unit).rounded()), to: node) }
    }
  }

  /// The functions at a frame, outermost first; of one without symbols its offset.
  private func names(of index: Int, in raw: RawStack, _ resolution: Resolution) -> [String] {
    if !resolution.frames.isEmpty { return resolution.frames.reversed().map(\.function) }
    let offset = raw.frames[index].offset.map { "0x" + String($0, radix: 16) } ?? "?"
    return ["\(raw.image(of: index)?.name ?? "?") + \(offset)"]
  }
}
