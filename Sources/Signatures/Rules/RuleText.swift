// How rules are written: the canonical spelling, which the digest is taken of and `symclust rules show` prints.

extension Rule: CustomStringConvertible {
  /// The rule as a line of a rules file.
  public var description: String {
    var words = [stage.rawValue, id]
    if let callee { words.append("callee(\(callee))") }
    if let caller { words.append("caller(\(caller))") }
    words.append(patterns.map(\.description).joined(separator: " | "))
    if stage == .when { words.append(action.rawValue) }
    for (key, value) in [("class", className), ("reason", reason), ("to", replacement)] where !value.isEmpty {
      words.append(key + "=" + FramePattern.quoted(value))
    }
    if isExpected { words.append("expected=yes") }
    if isEverywhere { words.append("everywhere=yes") }
    return words.joined(separator: " ")
  }
}

extension FramePattern: CustomStringConvertible {
  /// The pattern as words of a rules file.
  public var description: String {
    let parts = [("image", image), ("module", module), ("name", name)].compactMap { key, pattern in
      pattern.map { key + "=" + FramePattern.quoted($0.description) }
    }
    return parts.isEmpty ? "image=*" : parts.joined(separator: " ")
  }

  /// `text`, in quotes when blanks, quotes or parentheses in it could be misread.
  static func quoted(_ text: String) -> String {
    guard text.isEmpty || text.utf8.contains(where: { $0 <= 0x20 || [0x22, 0x28, 0x29].contains($0) }) else {
      return text
    }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"") + "\""
  }
}

extension RuleLimits: CustomStringConvertible {
  /// The numbers as a line of a rules file.
  public var description: String {
    "limit tokens=\(tokens) spine=\(spine) hang.dominating=\(dominating) attach=\(attach) suggest=\(suggest)"
  }
}
