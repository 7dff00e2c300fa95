extension StringProtocol {
  /// The number of terminal columns that the text takes, as far as terminals agree: 2 for East Asian wide characters
  /// and emoji, 0 for marks that stand on the character before, else 1.
  ///
  /// The text must not hold control characters; `visible(_:)` removes them. Source: East Asian Width (Unicode UAX #11),
  /// wide ranges rounded to blocks. Cost: linear.
  public var displayWidth: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The longest beginning of the text that takes at most `width` columns; `…` at the end says that it was cut.
  public func cut(toWidth width: Int) -> String {
    guard displayWidth > width else { return String(self) }
    var result = ""
    var used = 1
    for character in self {
      used += character.displayWidth
      if used > width { break }
      result.append(character)
    }
    return width > 0 ? result + "…" : ""
  }
}

extension Character {
  fileprivate var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // U+FE0F asks for the emoji form of a character that also has a text form.
    let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{fe0f}")
    return isEmoji || wideRanges.contains { $0.contains(first.value) } ? 2 : 1
  }
}

private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff,
  0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x1_7000...0x1_8dff, 0x1_b000...0x1_b2ff, 0x2_0000...0x3_fffd,
]
