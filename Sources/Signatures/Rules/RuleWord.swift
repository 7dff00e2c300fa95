/// One word of a line: `key=value`, `callee(…)`, or a word alone.
struct RuleWord: Hashable {
  /// What stands before `=` or `(`; `nil` for a word alone.
  var key: String?
  /// The value, without quotes; the word itself when there is no key.
  var value: String
  /// The byte of the line where the word begins, from 0.
  var column: Int
  /// The byte of the line where the value begins.
  var valueColumn: Int
  /// The words between the parentheses of a context.
  var context: [RuleWord]?
}

/// Takes a line apart. Words are separated by blanks; a part in `"` may hold blanks, and `\"` for the quote itself; a `#`
/// where a word would begin starts a comment.
struct RuleScanner {
  private let bytes: [UInt8]
  private var place: Int
  private let end: Int

  init(_ line: [UInt8]) {
    bytes = line
    place = 0
    end = line.count
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    place = range.lowerBound
    end = range.upperBound
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The words of the line.
  mutating func words() throws(PatternError) -> [RuleWord] {
    var words: [RuleWord] = []
    while true {
      while place < end, RuleScanner.isBlank(bytes[place]) { place += 1 }
      guard place < end, bytes[place] != UInt8(ascii: "#") else { return words }
      words.append(try word())
    }
  }

  private mutating func word() throws(PatternError) -> RuleWord {
    let start = place
    while place < end, RuleScanner.isKeyByte(bytes[place]) { place += 1 }
    if place < end, place > start {
      let key = String(decoding: bytes[start..<place], as: UTF8.self)
      if bytes[place] == UInt8(ascii: "=") {
        place += 1
        let column = place < end && bytes[place] == UInt8(ascii: "\"") ? place + 1 : place
        return RuleWord(key: key, value: try text(), column: start, valueColumn: column)
      }
      if bytes[place] == UInt8(ascii: "("), key == "callee" || key == "caller" {
        let inside = try parentheses()
        var scanner = RuleScanner(bytes, inside)
        return RuleWord(
          key: key, value: "", column: start, valueColumn: inside.lowerBound, context: try scanner.words())
      }
    }
    place = start
    return RuleWord(key: nil, value: try text(), column: start, valueColumn: start)
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// The text up to the next blank outside quotes.
  private mutating func text() throws(PatternError) -> String {
    var text: [UInt8] = []
    var quote: Int?
    while place < end, quote != nil || !RuleScanner.isBlank(bytes[place]) {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\"") {
        quote = quote == nil ? place : nil
      } else if quote != nil, byte == UInt8(ascii: "\\"), place + 1 < end, bytes[place + 1] == UInt8(ascii: "\"") {
        text.append(bytes[place + 1])
        place += 1
      } else {
        text.append(byte)
      }
      place += 1
    }
    if let quote { throw PatternError(quote, "the quote is not closed") }
    return String(decoding: text, as: UTF8.self)
  }

  /// What lies between the parenthesis at `place` and the one that closes it; both are passed.
  private mutating func parentheses() throws(PatternError) -> Range<Int> {
    let start = place
    var depth = 0
    var isQuoted = false
    while place < end {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\""), bytes[place - 2] != UInt8(ascii: "\\") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return start + 1..<place - 1 }
    }
    throw PatternError(start, "'(' is not closed")
  }
}
