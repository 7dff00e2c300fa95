extension Rule {
  /// The name that takes the place of `name`, which the rule's pattern matches; `nil` when it would be empty.
  func renamed(_ name: CodeName, image: String) -> CodeName? {
    guard let pattern = patterns.first?.name, let expression = try? pattern.expression() else { return nil }
    for text in [name.token, name.short ?? ""] where pattern.matches(text) {
      let bytes = Array(text.utf8)
      guard let groups = expression.groups(in: text.utf8Span.span) else { continue }
      // What the match did not take stays. A short name gets its module back: it was only not shown.
      var result = Array(bytes[..<groups[0]])
      result += replaced(bytes, groups) + bytes[groups[1]...]
      guard !result.isEmpty else { return nil }
      let new = String(decoding: result, as: UTF8.self)
      return CodeName(text == name.token ? new : CodeName.qualified(new, module: name.module), image: image)
    }
    return nil
  }

  /// `to=` with the groups put in.
  private func replaced(_ bytes: [UInt8], _ groups: [Int]) -> [UInt8] {
    var result: [UInt8] = []
    var isGroup = false
    for byte in replacement.utf8 {
      let number = Int(byte) - 48
      if isGroup, (0...9).contains(number), 2 * number + 1 < groups.count {
        result.removeLast()
        if groups[2 * number] >= 0 { result += bytes[groups[2 * number]..<groups[2 * number + 1]] }
        isGroup = false
      } else {
        result.append(byte)
        isGroup = byte == UInt8(ascii: "$")
      }
    }
    return result
  }
}

extension CodeName {
  /// `short` with `module` where it belongs: before the outermost level.
  static func qualified(_ short: String, module: String) -> String {
    let bytes = Array(short.utf8)
    let word = Array(" in ".utf8)
    var start = 0
    for index in bytes.indices where bytes[index...].starts(with: word) { start = index + word.count }
    return String(decoding: bytes[..<start], as: UTF8.self) + module + "."
      + String(decoding: bytes[start...], as: UTF8.self)
  }
}
