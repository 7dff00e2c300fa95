/// Builds our forms from the text that a C++ demangler prints: `ns::f<int>(int) const::{lambda()#1}::operator()()`.
struct CxxName {
  let display: String
  let token: String
  let traits: FunctionTraits

  /// The given forms.
  init(display: String, token: String, traits: FunctionTraits) {
    self.display = display
    self.token = token
    self.traits = traits
  }

  /// The forms of the text `demangled`. Cost: linear in the text.
  init(demangled: String) {
    var text = demangled[...]
    var traits: FunctionTraits = []
    for prefix in CxxName.thunks where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
      traits.insert(.thunk)
    }
    if CxxName.data.contains(where: text.hasPrefix) {
      self.display = demangled
      self.token = demangled
      self.traits = [.thunk, .synthetic]
      return
    }
    let levels = CxxLevels(TextScan(text).hidingCxxNames())
    if levels.hasLambda { traits.insert(.closure) }
    self.display = levels.text(showingArguments: true)
    self.token = levels.text(showingArguments: false)
    self.traits = traits
  }

  static let thunks = [
    "non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ", "TLS init function for ",
    "TLS wrapper function for ",
  ]

  static let data = [
    "vtable for ", "VTT for ", "typeinfo for ", "typeinfo name for ", "typeinfo fn for ", "guard variable for ",
    "construction vtable for ", "reference temporary ", "template parameter object for ", "initializer for module ",
  ]
}

/// The functions and lambdas that a C++ name stands in, outermost first, without parameter lists and result types.
private struct CxxLevels {
  private var levels: [String] = []
  private(set) var hasLambda = false

  init(_ scan: TextScan) {
    var nameStart = 0
    var index = 0
    var inOperator = false
    while index < scan.count {
      let byte = scan.bytes[index]
      if byte == UInt8(ascii: " "), !inOperator {
        // A result type ended, or a qualifier: the name begins behind the last space before its parameters.
        index += 1
        nameStart = index
      } else if scan.isOperatorWord(at: index) {
        inOperator = true
        index += 8
      } else if byte == UInt8(ascii: "(") {
        if index == nameStart {
          // `decltype (…)` and function pointers as results: no name yet.
          index = scan.afterGroup(at: index)
          continue
        }
        add(scan, nameStart..<index)
        index = scan.afterGroup(at: index)
        inOperator = false
        for qualifier: StaticString in [" const", " volatile", " &&", " &"] where scan.has(qualifier, at: index) {
          index += qualifier.utf8CodeUnitCount
        }
        guard scan.has("::", at: index) else { return }
        index += 2
        nameStart = index
      } else if scan.step(at: index) > 0 {
        index = scan.afterGroup(at: index)
      } else {
        index += 1
      }
    }
    // No parameter list: a variable or a function that prints without one.
    if nameStart < scan.count || levels.isEmpty { add(scan, nameStart..<scan.count) }
  }

  private mutating func add(_ scan: TextScan, _ range: Range<Int>) {
    var position = range.lowerBound
    var kept: [String] = []
    let cuts = scan.topLevel("::", in: range) + [range.upperBound]
    for cut in cuts {
      let part = scan.text(position..<max(position, cut))
      position = cut + 2
      if CxxLevels.isLambda(part) {
        hasLambda = true
        if !kept.isEmpty { levels.append(kept.joined(separator: "::")) }
        kept = []
        levels.append("\u{3}" + part)
      } else if kept.isEmpty, let last = levels.last, last.hasPrefix("\u{3}"), CxxLevels.isCall(part) {
        // The call operator of the lambda, or its static twin.
      } else {
        kept.append(part)
      }
    }
    if !kept.isEmpty { levels.append(kept.joined(separator: "::")) }
  }

  private static func isLambda(_ part: String) -> Bool {
    part.hasPrefix("{lambda") || part.hasPrefix("'lambda") || part.hasPrefix("$_")
  }

  private static func isCall(_ part: String) -> Bool {
    part.hasPrefix("operator\u{4}\u{5}") || part == "_FUN" || part == "__invoke" || part.hasPrefix("__invoke<")
  }

  func text(showingArguments: Bool) -> String {
    levels.reversed().map { level in
      if level.hasPrefix("\u{3}") {
        guard showingArguments, let mark = level.lastIndex(of: "#") else { return "lambda" }
        return "lambda " + level[mark...].prefix { $0 != "}" }
      }
      let scan = TextScan(level)
      let plain = showingArguments ? level : scan.withoutGroups(UInt8(ascii: "<"), leaving: "<>")
      let named = TextScan(plain).withoutTags()
      return TextScan.showingCxxNames(showingArguments ? named : TextScan.withoutOrdinals(named))
    }.joined(separator: " in ")
  }
}

extension TextScan {
  /// The text with brackets that are parts of names out of sight: `operator<`, `operator()`, `(anonymous namespace)`.
  func hidingCxxNames() -> TextScan {
    var hidden = self
    var index = 0
    while index < count {
      if has("(anonymous namespace)", at: index) {
        hidden.bytes[index] = 4
        hidden.bytes[index + 20] = 5
        hidden.bytes[index + 10] = 6
        index += 21
      } else if isOperatorWord(at: index) {
        index += 8
        if has("()", at: index) {
          hidden.bytes[index] = 4
          hidden.bytes[index + 1] = 5
          index += 2
        } else if has(" new[]", at: index) || has(" delete[]", at: index) {
          while bytes[index] != UInt8(ascii: "[") { index += 1 }
          hidden.bytes[index] = 7
          hidden.bytes[index + 1] = 8
          index += 2
        } else if has("[]", at: index) {
          hidden.bytes[index] = 7
          hidden.bytes[index + 1] = 8
          index += 2
        } else {
          for position in index..<index + operatorLength(at: index) {
            if bytes[position] == UInt8(ascii: "<") { hidden.bytes[position] = 1 }
            if bytes[position] == UInt8(ascii: ">") { hidden.bytes[position] = 2 }
          }
          index += operatorLength(at: index)
        }
      } else {
        index += 1
      }
    }
    return hidden
  }

  /// Whether the keyword `operator` stands at `index`.
  func isOperatorWord(at index: Int) -> Bool {
    at(index) == UInt8(ascii: "o") && has("operator", at: index) && !isIdentifier(at(index - 1))
      && !isIdentifier(at(index + 8))
  }

  /// How many bytes at `index` are the operator: as many as make one, since template arguments may follow at once, as in
  /// `operator==<int>`, or behind a space, as in `operator< <int>`.
  private func operatorLength(at index: Int) -> Int {
    // `operator<<int>` can only be `<`, with arguments.
    if has("<<", at: index), isIdentifier(at(index + 2)) { return 1 }
    return TextScan.operators.first { has($0, at: index) }?.utf8CodeUnitCount ?? 0
  }

  /// The operators, longer ones first.
  private static let operators: [StaticString] = [
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->", "+=", "-=", "*=",
    "/=",
    "%=", "&=", "|=", "^=", "<", ">", "=", "!", "&", "|", "^", "~", "+", "-", "*", "/", "%", ",",
  ]

  fileprivate static func showingCxxNames(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 9 }) else { return text }
    let shown: [UInt8] = text.utf8.map { byte in
      switch byte {
      case 1: UInt8(ascii: "<")
      case 2: UInt8(ascii: ">")
      case 4: UInt8(ascii: "(")
      case 5: UInt8(ascii: ")")
      case 6: UInt8(ascii: " ")
      case 7: UInt8(ascii: "[")
      case 8: UInt8(ascii: "]")
      default: byte
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// The text without ABI tags: `foo[abi:cxx11]`.
  fileprivate func withoutTags() -> String {
    var result: [UInt8] = []
    var index = 0
    while index < count {
      if has("[abi:", at: index) {
        index = afterGroup(at: index)
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// `{unnamed type#2}` without its number.
  fileprivate static func withoutOrdinals(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "#")) else { return text }
    var result: [UInt8] = []
    var skipping = false
    for byte in text.utf8 {
      skipping = byte == UInt8(ascii: "#") || (skipping && isDigit(byte))
      if !skipping { result.append(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
