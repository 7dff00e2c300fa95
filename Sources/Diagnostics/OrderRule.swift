/// Decides which end of a call stack is the innermost call: by the kind, checked against the data.
///
/// Crashes start at the innermost call, all sampled kinds at the outermost. Every thread starts in `dyld`,
/// `libdyld.dylib` or `libsystem_pthread.dylib`; when exactly one end of the stack lies there, that end is the
/// outermost, whatever the kind says.
enum OrderRule {
  /// For each image whether threads start in it.
  static func startsThreads(_ images: [ImageReference]) -> [Bool] {
    images.map { $0.name == "dyld" || $0.name == "libdyld.dylib" || $0.name == "libsystem_pthread.dylib" }
  }

  /// Decides for every call stack of one diagnostic.
  ///
  /// Where the kind is unknown, a call stack that does not tell follows those that do; failing that, a tree that
  /// branches was sampled (one caller, several callees, or several threads merged), and a chain is taken for a crash.
  static func apply(to stacks: inout [CallStack], kind: DiagnosticKind, starts: [Bool]) {
    let found = stacks.map { outermostEnd(of: $0.frames, starts: starts) }
    let expected: FrameOrder
    switch kind {
    case .crash: expected = .innermostFirst
    case .hang, .cpuException, .diskWriteException, .appLaunch, .memoryException: expected = .outermostFirst
    case .unknown:
      let balance = found.reduce(0) { $0 + ($1 == .innermostFirst ? 1 : $1 == .outermostFirst ? -1 : 0) }
      let branches = balance == 0 && stacks.contains { $0.hasBranches }
      expected = balance < 0 || branches ? .outermostFirst : .innermostFirst
    }
    for index in stacks.indices {
      stacks[index].order = found[index] ?? expected
      switch found[index] {
      case nil: stacks[index].orderBasis = kind == .unknown ? .assumed : .kind
      case expected where kind != .unknown: stacks[index].orderBasis = .confirmed
      default: stacks[index].orderBasis = .data
      }
    }
  }

  private static func outermostEnd(of frames: [RawFrame], starts: [Bool]) -> FrameOrder? {
    guard frames.count > 1, let (root, leaf) = spine(of: frames), root != leaf else { return nil }
    let rootStarts = frames[root].image >= 0 && starts[Int(frames[root].image)]
    let leafStarts = frames[leaf].image >= 0 && starts[Int(frames[leaf].image)]
    if rootStarts == leafStarts { return nil }
    return rootStarts ? .outermostFirst : .innermostFirst
  }

  /// Both ends of the heaviest path: from the heaviest root always on to the heaviest child, the first of equals.
  private static func spine(of frames: [RawFrame]) -> (root: Int, leaf: Int)? {
    var isLinear = true
    for index in frames.indices where Int(frames[index].parent) != index - 1 {
      isLinear = false
      break
    }
    if isLinear { return (0, frames.count - 1) }
    var heaviestChild = [Int](repeating: -1, count: frames.count)
    var root = -1
    for index in frames.indices {
      let weight = frames[index].sampleCount ?? 0
      let parent = Int(frames[index].parent)
      let rival = parent < 0 ? root : heaviestChild[parent]
      if rival >= 0, frames[rival].sampleCount ?? 0 >= weight { continue }
      if parent < 0 { root = index } else { heaviestChild[parent] = index }
    }
    guard root >= 0 else { return nil }
    var leaf = root
    while heaviestChild[leaf] >= 0 { leaf = heaviestChild[leaf] }
    return (root, leaf)
  }
}

extension CallStack {
  /// Whether any frame has two children, or there are two roots.
  fileprivate var hasBranches: Bool {
    // The roots' place is behind the frames.
    var hasChild = [Bool](repeating: false, count: frames.count + 1)
    for frame in frames {
      let parent = frame.parent < 0 ? frames.count : Int(frame.parent)
      if hasChild[parent] { return true }
      hasChild[parent] = true
    }
    return false
  }
}
