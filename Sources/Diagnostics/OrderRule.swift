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

  static func decide(kind: DiagnosticKind, frames: [RawFrame], starts: [Bool]) -> (FrameOrder, FrameOrderBasis) {
    let expected: FrameOrder
    switch kind {
    case .crash, .unknown: expected = .innermostFirst
    case .hang, .cpuException, .diskWriteException, .appLaunch, .memoryException: expected = .outermostFirst
    }
    guard let found = outermostEnd(of: frames, starts: starts) else {
      return (expected, kind == .unknown ? .assumed : .kind)
    }
    if kind != .unknown, found == expected { return (expected, .confirmed) }
    return (found, .data)
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
