extension Rules {
  /// The name that a rule gives a function of `image`, and the rule; `nil` when it keeps its own.
  ///
  /// A rule for a function is one for the closures in it, too.
  func renaming(of name: CodeName, image: String) -> (name: CodeName, rule: Rule)? {
    guard has(.rename) else { return nil }
    var whole = ""
    var inner = name
    while true {
      if let rule = rule(.rename, image: image, name: inner), let new = rule.renamed(inner) {
        return (CodeName(whole + new, image: image), rule)
      }
      guard whole.isEmpty, name.entityStart > 0 else { return nil }
      whole = String(decoding: name.token.utf8.prefix(name.entityStart), as: UTF8.self)
      inner = CodeName(String(decoding: name.token.utf8.dropFirst(name.entityStart), as: UTF8.self), image: image)
    }
  }
}

extension Rule {
  /// The token that takes the place of the one of `name`, which the rule's pattern matches.
  fileprivate func renamed(_ name: CodeName) -> String? {
    guard let expression = try? patterns.first?.name?.expression() else { return nil }
    for text in [name.token, name.short] {
      guard let text, let groups = expression.groups(in: text.utf8Span.span) else { continue }
      let bytes = Array(text.utf8)
      // What the match did not take stays.
      let new = String(
        decoding: bytes[..<groups[0]] + replaced(bytes, groups) + bytes[groups[1]...], as: UTF8.self)
      if text == name.token { return new }
      // A short name gets its module back where it belongs: it was only not shown.
      let start = CodeName(new, image: "").entityStart
      return String(decoding: new.utf8.prefix(start), as: UTF8.self) + name.module + "."
        + String(decoding: new.utf8.dropFirst(start), as: UTF8.self)
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
