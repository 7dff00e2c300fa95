/// Compiles a regular expression in one pass, with a stack of its own for groups: no recursion over the pattern.
struct ExpressionCompiler {
  private typealias Step = RegularExpression.Step
  private typealias ByteSet = RegularExpression.ByteSet

  /// An open group, or the whole expression.
  private struct Level {
    /// The group's number; `nil` for one that is not noted.
    var group: Int?
    /// Where it was opened.
    var start: Int
    var alternatives: [[Step]] = []
    var sequence: [Step] = []
    /// Where in `sequence` the part begins that a following `*` would repeat.
    var atom: Int?
  }

  private let bytes: [UInt8]
  private var place = 0
  private var levels = [Level(group: nil, start: 0)]
  private(set) var groups = 0

  init(_ pattern: String) { bytes = Array(pattern.utf8) }

  mutating func compile() throws(PatternError) -> [RegularExpression.Step] {
    if bytes.isEmpty { throw PatternError(0, "the regular expression is empty") }
    if bytes.count > RegularExpression.lengthLimit {
      throw PatternError(
        RegularExpression.lengthLimit, "the regular expression is longer than \(RegularExpression.lengthLimit) bytes")
    }
    while place < bytes.count { try readPart() }
    guard levels.count == 1 else { throw PatternError(levels[levels.count - 1].start, "'(' is not closed") }
    return joined(levels[0])
  }

  private mutating func readPart() throws(PatternError) {
    let start = place
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "("): try open(start)
    case UInt8(ascii: ")"): try close(start)
    case UInt8(ascii: "|"):
      levels[levels.count - 1].alternatives.append(levels[levels.count - 1].sequence)
      levels[levels.count - 1].sequence = []
      levels[levels.count - 1].atom = nil
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): try repeatAtom(byte, start)
    case UInt8(ascii: "^"): anchor(.start)
    case UInt8(ascii: "$"): anchor(.end)
    case UInt8(ascii: "."): append([.byte(ByteSet().inverted)])
    case UInt8(ascii: "["): append([.byte(try readClass(start))])
    case UInt8(ascii: "\\"): append([.byte(try readEscape())])
    case UInt8(ascii: "{"), UInt8(ascii: "}"):
      throw PatternError(start, "counted repetition is not known; a brace itself is written '\\{'")
    default:
      // A letter outside ASCII is repeated as a whole.
      while byte >= 0xc0, place < bytes.count, bytes[place] & 0xc0 == 0x80 { place += 1 }
      append(bytes[start..<place].map { .byte(ByteSet([$0])) })
    }
  }

  private mutating func append(_ steps: [Step]) {
    levels[levels.count - 1].atom = levels[levels.count - 1].sequence.count
    levels[levels.count - 1].sequence += steps
  }

  private mutating func anchor(_ step: Step) {
    levels[levels.count - 1].atom = nil
    levels[levels.count - 1].sequence.append(step)
  }

  private mutating func open(_ start: Int) throws(PatternError) {
    if place < bytes.count, bytes[place] == UInt8(ascii: "?") {
      guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: ":") else {
        throw PatternError(start, "of the groups with '(?' only '(?:' is known")
      }
      place += 2
      levels.append(Level(group: nil, start: start))
    } else {
      groups += 1
      guard groups <= 9 else { throw PatternError(start, "more than 9 groups; write '(?:' for those not needed") }
      levels.append(Level(group: groups, start: start))
    }
  }

  private mutating func close(_ start: Int) throws(PatternError) {
    guard levels.count > 1, let level = levels.popLast() else { throw PatternError(start, "')' closes no group") }
    let body = joined(level)
    append(level.group.map { [.save(2 * $0)] + body + [.save(2 * $0 + 1)] } ?? body)
  }

  /// The alternatives of a level as one program.
  private func joined(_ level: Level) -> [Step] {
    var result = level.sequence
    for earlier in level.alternatives.reversed() {
      result = [.split(1, earlier.count + 2)] + earlier + [.jump(result.count + 1)] + result
    }
    return result
  }

  private mutating func repeatAtom(_ sign: UInt8, _ start: Int) throws(PatternError) {
    let text = String(UnicodeScalar(sign))
    guard let atom = levels[levels.count - 1].atom else {
      throw PatternError(start, "'\(text)' repeats nothing; lazy and possessive repetition are not known")
    }
    let part = Array(levels[levels.count - 1].sequence[atom...])
    let repeated: [Step] =
      switch sign {
      case UInt8(ascii: "*"): [.split(1, part.count + 2)] + part + [.jump(-(part.count + 1))]
      case UInt8(ascii: "+"): part + [.split(-part.count, 1)]
      default: [.split(1, part.count + 1)] + part
      }
    levels[levels.count - 1].sequence.replaceSubrange(atom..., with: repeated)
    levels[levels.count - 1].atom = nil
  }

  // MARK: Sets of bytes

  private static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
  private static let spaces = ByteSet([0x20, 0x09, 0x0a, 0x0d])
  private static let words: ByteSet = {
    var set = digits
    set.formUnion(ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z")))
    set.formUnion(ByteSet(UInt8(ascii: "A")...UInt8(ascii: "Z")))
    set.insert(UInt8(ascii: "_"))
    return set
  }()

  /// What follows a backslash.
  private mutating func readEscape() throws(PatternError) -> ByteSet {
    guard place < bytes.count else { throw PatternError(place - 1, "nothing follows the backslash") }
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "d"): return ExpressionCompiler.digits
    case UInt8(ascii: "w"): return ExpressionCompiler.words
    case UInt8(ascii: "s"): return ExpressionCompiler.spaces
    default:
      guard byte > 0x20, byte < 0x7f, !ExpressionCompiler.words.contains(byte) else {
        throw PatternError(place - 2, "unknown escape; '\\' stands before punctuation, d, w or s")
      }
      return ByteSet([byte])
    }
  }

  private mutating func readClass(_ start: Int) throws(PatternError) -> ByteSet {
    var set = ByteSet()
    var isInverted = false
    if place < bytes.count, bytes[place] == UInt8(ascii: "^") {
      isInverted = true
      place += 1
    }
    let first = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "]") {
      let byte = bytes[place]
      let position = place
      place += 1
      guard byte < 0x80 else { throw PatternError(position, "a class holds ASCII only") }
      if byte == UInt8(ascii: "\\") {
        set.formUnion(try readEscape())
        continue
      }
      guard place + 1 < bytes.count, bytes[place] == UInt8(ascii: "-"), bytes[place + 1] != UInt8(ascii: "]") else {
        set.insert(byte)
        continue
      }
      let last = bytes[place + 1]
      guard last < 0x80, last != UInt8(ascii: "\\"), byte <= last else {
        throw PatternError(position, "the range of the class has no end, or one before its start")
      }
      set.formUnion(ByteSet(byte...last))
      place += 2
    }
    guard place < bytes.count else { throw PatternError(start, "'[' is not closed") }
    guard place > first else { throw PatternError(start, "the class is empty") }
    place += 1
    return isInverted ? set.inverted : set
  }
}
