/// A regular expression over the bytes of one name, matched in time linear in the name.
///
/// Literals, `.`, classes, `*`, `+`, `?`, `|`, groups and the anchors `^` and `$`; `\d`, `\w`, `\s` and `\` before
/// punctuation. No counted or lazy repetition, no look-around, no back-references: those cannot be matched in linear time,
/// or say nothing that a longer pattern does not. It compiles to a program of at most a few steps for each byte of the
/// pattern, and all its states move through the name together (Thompson 1968, Pike's `sam`): nothing is ever tried twice.
struct RegularExpression: Hashable, Sendable {
  /// One instruction. Jumps are relative, so that programs can be put together without being changed.
  enum Step: Hashable, Sendable {
    /// Passes one byte of the set.
    case byte(ByteSet)
    /// Goes both ways; the first is preferred.
    case split(Int, Int)
    case jump(Int)
    /// Notes the place in a slot: two for each group.
    case save(Int)
    case start
    case end
  }

  /// A set of bytes.
  struct ByteSet: Hashable, Sendable {
    private var bits = SIMD4<UInt64>()

    init() {}

    init(_ bytes: some Sequence<UInt8>) { for byte in bytes { insert(byte) } }

    mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    func contains(_ byte: UInt8) -> Bool { bits[Int(byte >> 6)] >> UInt64(byte & 63) & 1 != 0 }

    mutating func formUnion(_ other: ByteSet) { bits |= other.bits }

    var inverted: ByteSet {
      var set = self
      set.bits = ~bits
      return set
    }
  }

  /// The longest pattern, in bytes.
  static let lengthLimit = 256
  /// Longer names match no regular expression.
  static let nameLimit = 4096

  let steps: [Step]
  /// How many groups there are, the whole match not counted.
  let groups: Int
  /// The bytes that a match can begin with; `nil` when it can be empty.
  private let first: ByteSet?
  /// Whether a match can only begin at the start.
  private let isAnchored: Bool

  /// The expression that `pattern` spells.
  init(_ pattern: String) throws(PatternError) {
    var compiler = ExpressionCompiler(pattern)
    steps = try compiler.compile()
    groups = compiler.groups
    first = RegularExpression.first(of: steps, passingStart: true)
    isAnchored = RegularExpression.first(of: steps, passingStart: false) == ByteSet()
  }

  /// The bytes that can be passed first; `nil` when none need be.
  private static func first(of steps: [Step], passingStart: Bool) -> ByteSet? {
    var set = ByteSet()
    var seen = [Bool](repeating: false, count: steps.count)
    var pending = [0]
    while let step = pending.popLast() {
      guard step < steps.count else { return nil }
      if seen[step] { continue }
      seen[step] = true
      switch steps[step] {
      case .byte(let bytes): set.formUnion(bytes)
      case .jump(let distance): pending.append(step + distance)
      case .split(let one, let other): pending += [step + one, step + other]
      case .save: pending.append(step + 1)
      case .start: if passingStart { pending.append(step + 1) }
      case .end: return nil
      }
    }
    return set
  }

  /// Whether a match can begin at a place of `name`.
  private func canBegin(at place: Int, of name: Span<UInt8>) -> Bool {
    if isAnchored, place > 0 { return false }
    guard let first else { return true }
    return place < name.count && first.contains(name[place])
  }

  /// Whether the expression is found anywhere in `name`.
  func matches(_ name: Span<UInt8>) -> Bool { find(in: name, slots: 0) != nil }

  /// Where the whole match and each group lie in the first match in `name`; -1 and -1 for a group that took no part.
  func groups(in name: Span<UInt8>) -> [Int]? { find(in: name, slots: 2 * (groups + 1)) }

  /// The states that wait at one place of the name, preferred ones first.
  private struct Threads {
    var waiting: [(step: Int, slots: [Int])] = []
    private var seen: [Bool]

    init(steps: Int) { seen = [Bool](repeating: false, count: steps + 1) }

    mutating func removeAll() {
      waiting.removeAll(keepingCapacity: true)
      for index in seen.indices { seen[index] = false }
    }

    /// Adds what is reached from `step` without passing a byte.
    mutating func add(_ step: Int, _ slots: [Int], at place: Int, of count: Int, _ steps: [Step]) {
      var pending = [(step, slots)]
      while let (step, before) = pending.popLast() {
        if seen[step] { continue }
        var slots = before
        seen[step] = true
        guard step < steps.count else {
          waiting.append((step, slots))
          continue
        }
        switch steps[step] {
        case .byte: waiting.append((step, slots))
        case .jump(let distance): pending.append((step + distance, slots))
        case .split(let first, let second):
          pending.append((step + second, slots))
          pending.append((step + first, slots))
        case .save(let slot):
          if slots.indices.contains(slot) { slots[slot] = place }
          pending.append((step + 1, slots))
        case .start: if place == 0 { pending.append((step + 1, slots)) }
        case .end: if place == count { pending.append((step + 1, slots)) }
        }
      }
    }
  }

  private func find(in name: Span<UInt8>, slots: Int) -> [Int]? {
    guard name.count <= RegularExpression.nameLimit else { return nil }
    // Most names have no place to begin at, and cost nothing more.
    guard (isAnchored ? 0...0 : 0...name.count).contains(where: { canBegin(at: $0, of: name) }) else { return nil }
    var now = Threads(steps: steps.count)
    var next = Threads(steps: steps.count)
    var found: [Int]?
    for place in 0...name.count {
      if found == nil, canBegin(at: place, of: name) {
        var fresh = [Int](repeating: -1, count: slots)
        if slots > 0 { fresh[0] = place }
        now.add(0, fresh, at: place, of: name.count, steps)
      }
      if now.waiting.isEmpty, found != nil || isAnchored { break }
      next.removeAll()
      for (step, slots) in now.waiting {
        guard step < steps.count else {
          found = slots
          if !slots.isEmpty { found?[1] = place }
          break
        }
        if place < name.count, case .byte(let set) = steps[step], set.contains(name[place]) {
          next.add(step + 1, slots, at: place + 1, of: name.count, steps)
        }
      }
      if found != nil, slots == 0 { break }
      swap(&now, &next)
    }
    return found
  }
}
