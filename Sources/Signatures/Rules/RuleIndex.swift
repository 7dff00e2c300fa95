/// The patterns of a table by stage, so that a look-up touches only those that can match, last ones first.
struct RuleIndex: Sendable {
  /// One pattern and the number of its rule.
  private struct Entry: Sendable {
    var rule: Int
    var pattern: FramePattern
  }

  /// The patterns of one stage, by their numbers, ascending.
  private struct Stage: Sendable {
    var isEmpty = true
    /// Those for any name: all that a frame without a name can match.
    var anyName: [Int] = []
    /// Those whose names may begin with any byte.
    var open: [Int] = []
    /// All that can match a name beginning with the byte.
    var byFirstByte: [[Int]?] = Array(repeating: nil, count: 256)

    mutating func add(_ number: Int, _ pattern: FramePattern) {
      isEmpty = false
      if pattern.isForAnyName { anyName.append(number) }
      guard let first = pattern.name?.firstByte else {
        open.append(number)
        for byte in byFirstByte.indices { byFirstByte[byte]?.append(number) }
        return
      }
      byFirstByte[Int(first)] = (byFirstByte[Int(first)] ?? open) + [number]
    }

    func candidates(_ name: String) -> [Int] { name.utf8.first.flatMap { byFirstByte[Int($0)] } ?? open }
  }

  private var entries: [Entry] = []
  /// By the ordinal of the stage.
  private var stages = RuleStage.allCases.map { _ in Stage() }
  /// Of the rules that say whose an image is: literal names, for one look-up instead of hundreds of comparisons, and the
  /// others.
  private var literalOwners: [String: Int] = [:]
  private var owners: [Int] = []

  init(_ rules: [Rule]) {
    for (number, rule) in rules.enumerated() {
      for pattern in rule.patterns {
        let entry = entries.count
        entries.append(Entry(rule: number, pattern: pattern))
        stages[rule.stage.ordinal].add(entry, pattern)
        guard rule.stage == .app || rule.stage == .system, pattern.isForAnyName else { continue }
        if let name = pattern.image?.literal { literalOwners[name] = entry } else { owners.append(entry) }
      }
    }
  }

  func has(_ stage: RuleStage) -> Bool { !stages[stage.ordinal].isEmpty }

  /// The last rule that says whose the image is.
  func owner(ofImageNamed name: String) -> Int? {
    var best = literalOwners[name] ?? -1
    let bytes = name.utf8Span.span
    for entry in owners.reversed() where entry > best && (entries[entry].pattern.image?.matches(bytes) ?? true) {
      best = entry
      break
    }
    return best < 0 ? nil : entries[best].rule
  }

  /// The last rule of `stage` that matches and `isValid`.
  func find(_ stage: RuleStage, image: String, name: CodeName?, isValid: (Int) -> Bool) -> Int? {
    let stage = stages[stage.ordinal]
    if stage.isEmpty { return nil }
    func last(_ candidates: [Int], _ text: String, _ module: String) -> Int? {
      let (imageBytes, nameBytes, moduleBytes) = (image.utf8Span.span, text.utf8Span.span, module.utf8Span.span)
      // In place: copying an entry costs more than comparing it.
      return candidates.last { number in
        entries[number].pattern.name?.matches(nameBytes) ?? true
          && entries[number].pattern.module?.matches(moduleBytes) ?? true
          && entries[number].pattern.image?.matches(imageBytes) ?? true && isValid(entries[number].rule)
      }
    }
    guard let name else { return last(stage.anyName, "", "").map { entries[$0].rule } }
    var best = last(stage.candidates(name.token), name.token, name.module)
    if let short = name.short, let other = last(stage.candidates(short), short, name.module) {
      best = max(best ?? other, other)
    }
    return best.map { entries[$0].rule }
  }
}
