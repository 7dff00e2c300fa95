/// The patterns of a table by stage, so that a look-up touches only those that can match, last ones first.
struct RuleIndex: Sendable {
  /// One pattern and the number of its rule.
  private struct Entry: Sendable {
    var rule: Int
    var image: Glob
    var module: Glob
    var name: Glob
    /// The whole pattern when regular expressions are in it; they stand as `*` above.
    var expressions: FramePattern?

    init(_ rule: Int, _ pattern: FramePattern) {
      self.rule = rule
      image = pattern.image.map { $0.glob ?? .any } ?? .any
      module = pattern.module.map { $0.glob ?? .any } ?? .any
      name = pattern.name.map { $0.glob ?? .any } ?? .any
      let parts = [pattern.image, pattern.module, pattern.name]
      expressions = parts.contains { $0 != nil && $0?.glob == nil } ? pattern : nil
    }
  }

  /// Numbers of entries, ascending, by the first byte of a text that they may match.
  private struct ByFirstByte: Sendable {
    /// Those for texts that begin with any byte.
    private(set) var open: [Int] = []
    private var lists: [[Int]] = []

    mutating func add(_ number: Int, first: UInt8?) {
      guard let first else { return open.append(number) }
      if lists.isEmpty { lists = Array(repeating: [], count: 256) }
      lists[Int(first)].append(number)
    }

    /// Those for texts that begin like `text`.
    func narrow(_ text: String) -> [Int] {
      guard !lists.isEmpty, let first = text.utf8.first else { return [] }
      return lists[Int(first)]
    }
  }

  /// The patterns of one stage, by their numbers.
  private struct Stage: Sendable {
    var isEmpty = true
    /// Those for any name: all that a frame without a name can match.
    var anyName: [Int] = []
    /// Those with a module and any name.
    var byModule = ByFirstByte()
    /// All others.
    var byName = ByFirstByte()
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
      for pattern in rule.patterns { add(pattern, of: rule.stage, number) }
    }
  }

  private mutating func add(_ pattern: FramePattern, of stage: RuleStage, _ rule: Int) {
    let number = entries.count
    entries.append(Entry(rule, pattern))
    if stage == .app || stage == .system, pattern.isForAnyName {
      if let name = pattern.image?.literal { literalOwners[name] = number } else { owners.append(number) }
      return
    }
    let place = stage.ordinal
    stages[place].isEmpty = false
    if pattern.isForAnyName { stages[place].anyName.append(number) }
    if pattern.name == nil, let module = pattern.module {
      stages[place].byModule.add(number, first: module.firstByte)
    } else {
      stages[place].byName.add(number, first: pattern.name?.firstByte)
    }
  }

  func has(_ stage: RuleStage) -> Bool { !stages[stage.ordinal].isEmpty }

  /// The last rule that says whose the image is.
  func owner(ofImageNamed name: String) -> Int? {
    let best = literalOwners[name] ?? -1
    let bytes = name.utf8Span.span
    for number in owners.reversed() {
      if number < best { break }
      guard entries[number].image.matches(bytes) else { continue }
      if let pattern = entries[number].expressions, !pattern.matches(image: name, name: nil) { continue }
      return entries[number].rule
    }
    return best < 0 ? nil : entries[best].rule
  }

  /// The last rule of `stage` that matches and `isValid`.
  func find(_ stage: RuleStage, image: String, name: CodeName?, isValid: (Int) -> Bool) -> Int? {
    let place = stage.ordinal
    if stages[place].isEmpty { return nil }
    var best = -1
    func look(_ candidates: [Int], _ text: String, _ module: String) {
      let (imageBytes, nameBytes, moduleBytes) = (image.utf8Span.span, text.utf8Span.span, module.utf8Span.span)
      for number in candidates.reversed() {
        if number <= best { return }
        // In place: copying an entry costs more than comparing it.
        guard entries[number].name.matches(nameBytes), entries[number].module.matches(moduleBytes),
          entries[number].image.matches(imageBytes), isValid(entries[number].rule)
        else { continue }
        if let pattern = entries[number].expressions, !pattern.matches(image: image, name: name) { continue }
        best = number
        return
      }
    }
    if let name {
      look(stages[place].byName.narrow(name.token), name.token, name.module)
      look(stages[place].byName.open, name.token, name.module)
      look(stages[place].byModule.narrow(name.module), name.token, name.module)
      look(stages[place].byModule.open, name.token, name.module)
      if let short = name.short {
        look(stages[place].byName.narrow(short), short, name.module)
        look(stages[place].byName.open, short, name.module)
      }
    } else {
      look(stages[place].anyName, "", "")
    }
    return best < 0 ? nil : entries[best].rule
  }
}
