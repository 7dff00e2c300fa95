extension CxxName {
  /// The forms of a name in words, when it can be read as C++: as the demanglers of GNU and LLVM print it, as gdb and
  /// other debuggers do (`f (n=3)`, `A::f<int>`), or the tools of Windows (`public: void __cdecl A::f(class B *)`).
  /// Cost: linear in the text.
  init?(words text: Substring) {
    let whole = TextScan(text)
    let levels = whole.parts(of: 0..<whole.count, between: " in ").map { whole.text($0) }
    guard levels.count > 1 else {
      guard let demangled = CxxWords.demangled(text) else { return nil }
      self.init(demangled: demangled)
      return
    }
    // Our own form: `lambda #1 in A::f`, `Local::f in g`.
    guard levels.count <= 64, !levels.contains("closure"),
      levels.contains(where: { CxxWords.isLambda($0) || $0.contains("::") })
    else { return nil }
    var names: [CxxName] = []
    for level in levels {
      if CxxWords.isLambda(level) {
        names.append(CxxName(display: level, token: "lambda", traits: .closure))
      } else if let demangled = CxxWords.demangled(level[...]) {
        names.append(CxxName(demangled: demangled))
      } else if level.utf8.allSatisfy(isIdentifier) {
        names.append(CxxName(display: level, token: level, traits: []))
      } else {
        return nil
      }
    }
    self.init(
      display: names.map(\.display).joined(separator: " in "), token: names.map(\.token).joined(separator: " in "),
      traits: names.reduce(into: []) { $0.formUnion($1.traits) })
  }
}

/// The many spellings of C++ names in words.
private enum CxxWords {
  /// `lambda #1` or `lambda`, a level of our own form.
  static func isLambda(_ level: String) -> Bool {
    level == "lambda" || level.hasPrefix("lambda #") && level.utf8.dropFirst(8).allSatisfy(isDigit)
  }

  /// The name as the demangler of GNU would print it; `nil` when the text is no name of C++.
  static func demangled(_ text: Substring) -> String? {
    var text = text
    var thunk = ""
    if text.hasPrefix("[thunk]:") {
      text = text.dropFirst(8)
      thunk = "non-virtual thunk to "
    }
    for prefix in CxxName.thunks where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
      thunk = prefix
    }
    if CxxName.data.contains(where: text.hasPrefix) { return String(text) }
    let written = TextScan(text).withGNUSpellings()
    let called = written.withoutDebuggerArguments()
    let scan = called.withoutQualifiers()
    // A name of C that gdb wrote with its values: `main (argc=1)`.
    let isPlain = called.count < written.count && scan.count > 0 && scan.bytes.allSatisfy(isIdentifier)
    return isPlain || isName(scan.hidingCxxNames()) ? thunk + scan.text(0..<scan.count) : nil
  }

  /// Whether the text can be a name: it has a path, parameters, template arguments or an operator, and nothing else.
  private static func isName(_ scan: TextScan) -> Bool {
    var depth = 0
    var inOperator = scan.isOperatorWord(at: 0)
    var isTold = inOperator
    for (index, byte) in scan.bytes.enumerated() {
      let step = scan.step(at: index)
      if depth == 0 {
        let isBehindName = isIdentifier(scan.at(index - 1)) || isClosing(scan.at(index - 1))
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "<"): isTold = isTold || (isBehindName && !isSentence(scan))
        case UInt8(ascii: ":"): isTold = isTold || (index > 0 && scan.has("::", at: index))
        case UInt8(ascii: "o"): inOperator = inOperator || scan.isOperatorWord(at: index)
        default: guard step != 0 || isPartOfName(byte) || (inOperator && byte < 0x7f) else { return false }
        }
      } else if byte == UInt8(ascii: "."), isIdentifier(scan.at(index - 1)), isIdentifier(scan.at(index + 1)),
        !isDigit(scan.at(index - 1))
      {
        // A file or a package: `run(Main.java:3)`.
        return false
      }
      depth += step
      if depth < 0 { return false }
    }
    return isTold && depth == 0
  }

  /// Whether a name without a path or operator has something behind its parameters or template arguments.
  private static func isSentence(_ scan: TextScan) -> Bool {
    guard let last = scan.bytes.last else { return true }
    return last != UInt8(ascii: ")") && last != UInt8(ascii: ">")
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "*"), UInt8(ascii: "&"), UInt8(ascii: "~"), UInt8(ascii: "'"),
      UInt8(ascii: "`"):
      true
    // The bytes below 9 are brackets out of sight.
    default: isIdentifier(byte) || byte < 9
    }
  }

  private static func isClosing(_ byte: UInt8) -> Bool {
    byte < 9 && byte > 0 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "'")
  }
}

extension TextScan {
  /// The text with what other tools write in the spelling of GNU's demangler.
  fileprivate func withGNUSpellings() -> TextScan {
    let marks: [UInt8] = [
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: "o"),
    ]
    guard bytes.contains(where: marks.contains) else { return self }
    var written: [UInt8] = []
    var index = 0
    while index < count {
      if marks.contains(bytes[index]), let (length, spelling) = gnuSpelling(at: index) {
        written += Array(spelling.utf8)
        index += length
      } else {
        written.append(bytes[index])
        index += 1
      }
    }
    return TextScan(written)
  }

  /// What GNU writes for the words at `index`, and how many bytes they have; `nil` for words that it writes so itself.
  private func gnuSpelling(at index: Int) -> (length: Int, spelling: String)? {
    for word: StaticString in ["`anonymous namespace'", "`anonymous-namespace'", "{anonymous}"]
    where has(word, at: index) {
      return (word.utf8CodeUnitCount, "(anonymous namespace)")
    }
    if has("'unnamed", at: index) { return (lengthThroughQuote(from: index), "{unnamed type}") }
    // LLVM has no space between an operator and its template arguments.
    if isOperatorWord(at: index), has("<<", at: index + 8) {
      if at(index + 10) == UInt8(ascii: "<") { return (10, "operator<< ") }
      if isIdentifier(at(index + 10)) { return (9, "operator< ") }
    }
    // `<lambda(int)>` of gcc's debug information, `<lambda_5f1c…>` of Windows.
    if has("<lambda", at: index) { return (afterGroup(at: index) - index, "'lambda'") }
    // "`adjustor{12}' " says how a thunk finds the object.
    if has("`adjustor{", at: index) {
      let length = lengthThroughQuote(from: index)
      return (length + (at(index + length) == UInt8(ascii: " ") ? 1 : 0), "")
    }
    return nil
  }

  private func lengthThroughQuote(from index: Int) -> Int {
    ((index + 1..<count).first { bytes[$0] == UInt8(ascii: "'") } ?? count - 1) + 1 - index
  }

  /// The text without the values that gdb writes: `f (n=3, name="x")`, `main ()`.
  fileprivate func withoutDebuggerArguments() -> TextScan {
    for open in topLevel(" (", in: 0..<count) where open > 0 {
      var end = open + 2
      while isIdentifier(at(end)) { end += 1 }
      let isEmpty = end == open + 2 && at(end) == UInt8(ascii: ")") && end + 1 == count
      guard isEmpty || (end > open + 2 && at(end) == UInt8(ascii: "=")) else { continue }
      return TextScan(bytes[..<open])
    }
    return self
  }

  /// The text without what stands behind the parameters: `const &`.
  fileprivate func withoutQualifiers() -> TextScan {
    let words: [StaticString] = [" const", " volatile", " restrict", " noexcept", " &&", " &"]
    var kept = bytes[...]
    while let word = words.first(where: { has($0, at: kept.count - $0.utf8CodeUnitCount) }) {
      kept = kept.dropLast(word.utf8CodeUnitCount)
    }
    return TextScan(kept)
  }
}
