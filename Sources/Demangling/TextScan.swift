/// Walks over demangled text with its brackets in view.
///
/// The texts are the output of a demangler, which may hold anything a hostile symbol table held: a scan never traps,
/// never recurses and takes time linear in the text.
struct TextScan {
  /// The text as bytes.
  var bytes: [UInt8]

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }
  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  var count: Int { bytes.count }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func has(_ word: StaticString, at index: Int) -> Bool {
    let size = word.utf8CodeUnitCount
    guard index >= 0, size <= count - index else { return false }
    return word.withUTF8Buffer { bytes[index..<index + size].elementsEqual($0) }
  }

  /// The byte at `index`, or zero outside.
  func at(_ index: Int) -> UInt8 { index >= 0 && index < count ? bytes[index] : 0 }

  /// How the byte at `index` changes the depth of brackets: +1, -1 or 0. The `>` of an arrow is no bracket.
  func step(at index: Int) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "{"): 1
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): -1
    case UInt8(ascii: ">"): at(index - 1) == UInt8(ascii: "-") ? 0 : -1
    default: 0
    }
  }

  /// The position after the bracket that closes the one at `index`; the end when none does.
  func afterGroup(at index: Int) -> Int {
    var depth = 0
    var position = index
    while position < count {
      depth += step(at: position)
      position += 1
      if depth <= 0 { return position }
    }
    return count
  }

  /// The positions in `range` where `word` stands outside all brackets.
  func topLevel(_ word: StaticString, in range: Range<Int>) -> [Int] {
    var found: [Int] = []
    var depth = 0
    var position = range.lowerBound
    while position < range.upperBound {
      if depth <= 0, has(word, at: position), position + word.utf8CodeUnitCount <= range.upperBound {
        found.append(position)
        position += word.utf8CodeUnitCount
        continue
      }
      depth += step(at: position)
      position += 1
    }
    return found
  }
}

/// Whether `byte` may stand in an identifier; all of non-ASCII may.
func isIdentifier(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xff: true
  default: false
  }
}

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
