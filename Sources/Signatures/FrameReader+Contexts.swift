internal import Diagnostics

extension FrameReader {
  /// Drops and keeps frames for what they call or who calls them.
  ///
  /// A context is the next call, whatever became of it, inlined ones included. Where a tree of samples has several
  /// callees, one that matches is enough.
  func applyContexts(to levels: inout [[Level]]) {
    let contexts = rules.rules.filter { $0.stage == .when }
    var callees = levels.map { _ in [Int]() }
    for (index, frame) in stack.frames.enumerated() where frame.parent >= 0 { callees[Int(frame.parent)].append(index) }
    let before = levels
    func matches(_ pattern: FramePattern, _ level: Level) -> Bool {
      !level.image.isEmpty && pattern.matches(image: level.image, name: level.name)
    }
    for index in levels.indices {
      for place in levels[index].indices {
        let level = before[index][place]
        let parent = Int(stack.frames[index].parent)
        let isOutermost = place + 1 == before[index].count
        let caller = isOutermost ? (parent < 0 ? nil : before[parent].first) : before[index][place + 1]
        let called = place > 0 ? [before[index][place - 1]] : callees[index].compactMap { before[$0].last }
        let decision = contexts.last { rule in
          rule.patterns.contains { matches($0, level) }
            && (rule.caller.map { pattern in caller.map { matches(pattern, $0) } ?? false } ?? true)
            && (rule.callee.map { pattern in called.contains { matches(pattern, $0) } } ?? true)
        }
        if let decision { levels[index][place].apply(decision) }
      }
    }
  }
}

extension FrameReader.Level {
  /// Drops or keeps the level by a rule about its context. A frame of the system is never kept as the app's.
  fileprivate mutating func apply(_ rule: Rule) {
    switch rule.action {
    case .drop:
      role = .dropped
      frame.isKept = false
    case .keep:
      guard role != .system, let name else { return }
      role = .app
      reporter = false
      frame.isKept = true
      key = name.token
    }
    frame.rule = rule.id
  }
}
