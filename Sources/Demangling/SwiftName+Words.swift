extension SwiftName {
  /// The forms of a name in words, when the words tell that it is Swift's: what the demangler prints in full
  /// (`MyApp.Cart.apply(coupon: Swift.String) -> Swift.Int`) or in short, as reports of crashes do
  /// (`closure #1 in Cart.apply(coupon:)`). The short form tells no module. Cost: linear in the text.
  init?(words text: Substring) {
    let scan = TextScan(text).hidingSwiftOperators()
    guard SwiftWords.areSwift(scan) else { return nil }
    let text = String(text)
    guard SwiftWords.areFull(scan) else {
      var facts = SwiftFacts(full: nil)
      // `protocol witness for Shape.area() in conformance Square`
      if text.hasPrefix("protocol witness for "), let at = scan.topLevel(" in conformance ", in: 0..<scan.count).last {
        facts.conformingType = TextScan(scan.bytes[(at + 16)...]).withoutGroups(UInt8(ascii: "<"))
      }
      self.init(short: text, facts: facts)
      return
    }
    var facts = SwiftFacts(full: text)
    if facts.isPhrase {
      self.init(short: text.hasPrefix("reabstraction thunk ") ? "thunk for " : text, facts: facts)
      return
    }
    if facts.module?.utf8.allSatisfy({ isIdentifier($0) || $0 == UInt8(ascii: ":") }) == false { facts.module = nil }
    self.init(short: SwiftWords.shortened(scan, facts.entity, hasModule: facts.module != nil), facts: facts)
  }
}

/// The words of Swift's demangler.
private enum SwiftWords {
  // MARK: Telling them

  static func areSwift(_ scan: TextScan) -> Bool {
    if starts.contains(where: { scan.has($0, at: 0) }) { return true }
    if scan.at(0) == UInt8(ascii: "("), isDigit(scan.at(1)),
      scan.has(" resume partial function for ", at: 9)
        || scan.has(" resume partial function for ", at: 11)
    {
      return true
    }
    let all = 0..<scan.count
    guard scan.topLevel("::", in: all).isEmpty else { return false }
    return scan.parts(of: all, between: " in ").contains { isPath(scan, $0) }
  }

  /// Whether the text in `range` is a path that nobody but Swift writes: with labels, an accessor, or a result type.
  private static func isPath(_ scan: TextScan, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    if scan.has("closure #", at: index) || scan.has("implicit closure #", at: index) { return true }
    if scan.has("static ", at: index) { index += 7 }
    var hasDot = false
    var last = index
    while index < range.upperBound {
      last = index
      if scan.privateName(at: index) != nil {
        index = scan.afterGroup(at: index)
      } else {
        while index < range.upperBound, isIdentifier(scan.at(index)) || scan.at(index) == UInt8(ascii: "`") {
          index += 1
        }
      }
      guard index > last else { break }
      if scan.at(index) == UInt8(ascii: "<") { index = scan.afterGroup(at: index) }
      guard index < range.upperBound, scan.at(index) == UInt8(ascii: ".") else { break }
      index += 1
      hasDot = true
    }
    if [" infix(", " prefix(", " postfix("].contains(where: { scan.has($0, after: index, in: range) }) { return true }
    if index > last, hasDot, index == range.upperBound || scan.has(" : ", at: index),
      accessors.contains(scan.text(last..<index))
    {
      return true
    }
    if scan.has(" #", at: index) {
      index = (index + 2..<range.upperBound).first { !isDigit(scan.at($0)) } ?? range.upperBound
      if scan.at(index) == UInt8(ascii: " ") { index += 1 }
    }
    guard index > last, index < range.upperBound, scan.at(index) == UInt8(ascii: "(") else { return false }
    let close = scan.afterGroup(at: index)
    guard close <= range.upperBound else { return false }
    let isTyped = [" -> ", " async", " throws"].contains { scan.has($0, after: close, in: close..<close) }
    guard close == range.upperBound || isTyped else { return false }
    return isTyped || areLabels(scan, index + 1..<close - 1) || (hasDot && close == index + 2)
  }

  /// Whether the words have types in them, and therefore the module.
  static func areFull(_ scan: TextScan) -> Bool {
    let all = 0..<scan.count
    return !scan.topLevel(" -> ", in: all).isEmpty || !scan.topLevel(" : ", in: all).isEmpty
      || full.contains { scan.has($0, at: 0) } || all.contains { scan.has("(extension in ", at: $0) }
      || all.contains { scan.privateName(at: $0) != nil }
  }

  /// `coupon:to:_:`, without types.
  private static func areLabels(_ scan: TextScan, _ range: Range<Int>) -> Bool {
    guard let last = range.last, scan.at(last) == UInt8(ascii: ":") else { return false }
    return range.allSatisfy { at in
      let byte = scan.at(at)
      return isIdentifier(byte) || byte == UInt8(ascii: "`")
        || (byte == UInt8(ascii: ":") && at > range.lowerBound && scan.at(at - 1) != byte)
    }
  }

  // MARK: Shortening them

  /// The full text in `range` as the demangler prints it in short; without its module when it has one.
  static func shortened(_ scan: TextScan, _ range: Range<Int>, hasModule: Bool) -> String {
    let levels = scan.parts(of: range, between: " in ")
    return levels.enumerated().map { number, level in
      TextScan.showingOperators(short(scan, level, hasModule: hasModule && number == levels.count - 1))
    }.joined(separator: " in ")
  }

  private static func short(_ scan: TextScan, _ range: Range<Int>, hasModule: Bool) -> String {
    var index = range.lowerBound
    for closure: StaticString in ["closure #", "implicit closure #"] where scan.has(closure, at: index) {
      let digits = index + closure.utf8CodeUnitCount
      return scan.text(index..<((digits..<range.upperBound).first { !isDigit(scan.at($0)) } ?? range.upperBound))
    }
    if scan.has("static ", at: index) { index += 7 }
    if scan.has("(extension in ", at: index) {
      index = scan.afterGroup(at: index)
      if scan.at(index) == UInt8(ascii: ":") { index += 1 }
    }
    let end = scan.topLevel(" : ", in: index..<max(index, range.upperBound)).first ?? range.upperBound
    if hasModule, let dot = scan.topLevel(".", in: index..<max(index, end)).first { index = dot + 1 }
    var kept: [UInt8] = []
    while index < end {
      if scan.at(index) == UInt8(ascii: "<") {
        index = scan.afterGroup(at: index)
      } else if scan.at(index) != UInt8(ascii: "(") {
        kept.append(scan.bytes[index])
        index += 1
      } else if let name = scan.privateName(at: index) {
        kept += scan.bytes[name]
        index = scan.afterGroup(at: index)
      } else {
        let close = min(scan.afterGroup(at: index), end)
        let isShort = close > index + 1 && areLabels(scan, index + 1..<close - 1)
        let labels = isShort ? scan.text(index..<close) : SwiftFacts.labels(scan, from: index, to: end) ?? "()"
        kept += Array(labels.utf8)
        break
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  // MARK: Words

  private static let accessors: Set<String> = [
    "getter", "setter", "modify", "read", "modify2", "read2", "willset", "didset", "deinit", "__deallocating_deinit",
    "__isolated_deallocating_deinit", "unsafeMutableAddressor", "unsafeAddressor",
  ]

  /// Words that stand in full texts only.
  private static let full: [StaticString] = [
    "generic ", "function signature ", "inlined generic function ", "partial apply forwarder for ",
    "reabstraction thunk ",
    "(",
  ]

  /// How no name begins but Swift's.
  private static let starts: [StaticString] = [
    "specialized ", "generic specialization <", "generic not re-abstracted specialization <",
    "generic partial specialization <", "function signature specialization <", "inlined generic function <", "merged ",
    "partial apply for ", "partial apply forwarder for ", "partial apply ObjC forwarder for ", "curry thunk of ",
    "dispatch thunk of ", "vtable thunk for ", "protocol witness for ", "reabstraction thunk helper ", "thunk for @",
    "@objc ", "@nonobjc ", "closure #", "implicit closure #", "async function pointer to ", "key path getter for ",
    "key path setter for ", "variable initialization expression of ", "default argument ", "outlined ",
    "type metadata accessor for ", "lazy protocol witness table accessor for ", "protocol witness table accessor for ",
    "associated type witness table accessor for ", "back deployment thunk for ", "back deployment fallback for ",
    "distributed thunk ", "distributed accessor for ", "property wrapper backing initializer of ", "(extension in ",
    "coro function pointer to ",
  ]
}

extension TextScan {
  /// Where the name lies in `(name in _928FD29E8D17D0254FC564E9864FE29E)`, a private entity that begins at `index`.
  fileprivate func privateName(at index: Int) -> Range<Int>? {
    guard at(index) == UInt8(ascii: "("), isIdentifier(at(index + 1)) else { return nil }
    var end = index + 1
    while isIdentifier(at(end)) { end += 1 }
    guard has(" in _", at: end), isHexDigit(at(end + 5) | 0x20) else { return nil }
    return index + 1..<end
  }

  /// The parts of `range` between the words `word` that stand outside all brackets.
  func parts(of range: Range<Int>, between word: StaticString) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for cut in topLevel(word, in: range) {
      parts.append(start..<max(start, cut))
      start = cut + word.utf8CodeUnitCount
    }
    parts.append(start..<max(start, range.upperBound))
    return parts
  }

  /// Whether `word` begins at `index` or, for an operator of Swift, behind the operator's characters there.
  fileprivate func has(_ word: StaticString, after index: Int, in range: Range<Int>) -> Bool {
    var index = index
    while index < range.upperBound, at(index) != UInt8(ascii: " "), at(index) != UInt8(ascii: "(") { index += 1 }
    return has(word, at: index)
  }
}
