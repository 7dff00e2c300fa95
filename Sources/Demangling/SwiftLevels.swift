/// The short text of a Swift name taken apart: an entity, and the functions and closures that it stands in.
struct SwiftLevels {
  /// Innermost first; never empty unless the text is a phrase.
  private var levels: [Level] = []
  /// What the wrappers tell.
  private(set) var traits: FunctionTraits = []
  /// Whether the text names no entity.
  private(set) var isPhrase = false
  /// The normal form of such a text.
  private(set) var phrase = ""

  private struct Level {
    var isClosure = false
    var name: String
    var ordinal = ""
  }

  /// A chain longer than this is not taken apart further: the rest stays one level.
  private static let levelLimit = 64

  init(short: String) {
    let scan = TextScan(short).hidingSwiftOperators()
    var start = 0
    var end = scan.count
    while let (prefix, trait) = SwiftLevels.wrappers.first(where: { scan.has($0.0, at: start) }) {
      start += prefix.utf8CodeUnitCount
      traits.formUnion(trait)
    }
    if scan.has("vtable thunk for ", at: start) {
      traits.insert(.thunk)
      start = scan.topLevel(" dispatching to ", in: start..<end).first.map { $0 + 16 } ?? start + 17
    }
    if scan.has("protocol witness for ", at: start) {
      traits.insert(.thunk)
      start += 21
      end = scan.topLevel(" in conformance ", in: start..<end).last ?? end
    } else if scan.has("key path ", at: start) {
      traits.insert(.thunk)
      start = scan.topLevel(" for ", in: start..<end).first.map { $0 + 5 } ?? start
      end = scan.topLevel(" : ", in: start..<end).first ?? end
    } else if scan.has("default argument ", at: start) {
      start = scan.topLevel(" of ", in: start..<end).first.map { $0 + 4 } ?? start
    }
    if scan.has("outlined ", at: start) || scan.has("thunk for ", at: start) || scan.has("thunk ", at: start) {
      isPhrase = true
      if scan.has("outlined ", at: start) { traits.insert(.outlined) }
    }
    let wordEnd = scan.topLevel(" of ", in: start..<end).first ?? scan.topLevel(" for ", in: start..<end).first ?? end
    phrase = scan.shownText(start..<wordEnd)
    if isPhrase { return }

    var position = start
    let cuts = scan.topLevel(" in ", in: start..<end).prefix(SwiftLevels.levelLimit) + [end]
    for cut in cuts {
      if let level = read(scan, position..<max(position, cut)) { levels.append(level) }
      position = cut + 4
    }
    // An entity has no spaces but those of its operators and labels; a text that has is a phrase of the runtime about
    // some data: `protocol descriptor for Shape`.
    if levels.allSatisfy(\.isClosure) || levels.contains(where: { SwiftLevels.isSentence($0.name) }) { isPhrase = true }
  }

  private mutating func read(_ scan: TextScan, _ range: Range<Int>) -> Level? {
    var start = range.lowerBound
    if scan.has("implicit closure #", at: start) {
      // An autoclosure or a method reference is written in its entity's own words: no level of its own.
      traits.insert(.closure)
      return nil
    }
    if scan.has("closure #", at: start) {
      traits.insert(.closure)
      return Level(isClosure: true, name: "closure", ordinal: scan.text(start + 7..<range.upperBound))
    }
    var ordinal = ""
    if scan.has("static ", at: start) { start += 7 }
    var text = TextScan(scan.bytes[start..<range.upperBound]).withoutGroups(UInt8(ascii: "<"))
    if let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")), mark > text.startIndex {
      // `local #1 (_:)`: a function or type in a function; the ordinal tells namesakes apart.
      let digits = text.utf8[mark...].dropFirst().prefix(while: isDigit)
      if !digits.isEmpty {
        ordinal = "#" + String(Substring(digits))
        var rest = text[digits.endIndex...]
        if rest.hasPrefix(" ") { rest = rest.dropFirst() }
        var head = text[..<mark]
        if head.hasSuffix(" ") { head = head.dropLast() }
        text = String(head) + String(rest)
      }
    }
    for (from, to) in [
      ("__allocating_init(", "init("), ("__deallocating_deinit", "deinit"),
      ("__isolated_deallocating_deinit", "deinit"),
    ] {
      if let at = text.utf8.count >= from.utf8.count ? SwiftLevels.component(from, in: text) : nil {
        text = text[..<at] + to + text[text.utf8.index(at, offsetBy: from.utf8.count)...]
      }
    }
    if text.hasSuffix(".getter") { text = String(text.dropLast(7)) }
    if text.hasSuffix(".unsafeMutableAddressor") {
      text = String(text.dropLast(23))
      traits.insert(.thunk)
    }
    return Level(name: text, ordinal: ordinal)
  }

  private static func isSentence(_ name: String) -> Bool {
    let scan = TextScan(name)
    return scan.topLevel(" ", in: 0..<scan.count).contains { at in
      !scan.has(" infix(", at: at) && !scan.has(" prefix(", at: at) && !scan.has(" postfix(", at: at)
    }
  }

  /// Where `word` begins as a component of the path `text`.
  private static func component(_ word: String, in text: String) -> String.Index? {
    if text.hasPrefix(word) { return text.startIndex }
    var rest = text[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: dot)...]
      if rest.hasPrefix(word) { return rest.startIndex }
    }
    return nil
  }

  /// Puts the labels into the subscript of the outermost level.
  mutating func setSubscriptLabels(_ labels: String) {
    guard let last = levels.indices.last else { return }
    let name = levels[last].name
    guard let at = SwiftLevels.component("subscript", in: name) else { return }
    let end = name.utf8.index(at, offsetBy: 9)
    if name[end...].isEmpty || name[end...].hasPrefix(".") { levels[last].name = name[..<end] + labels + name[end...] }
  }

  /// Says the entity of a witness by the type that conforms instead of the protocol: `Impl.run()` and not `Proto.run()`.
  mutating func setConformingType(_ type: String) {
    guard let last = levels.indices.last else { return }
    guard let dot = levels[last].name.firstIndex(of: ".") else { return }
    levels[last].name = type + levels[last].name[dot...]
  }

  /// The form to show: ordinals, no modules.
  var display: String {
    levels.map { $0.isClosure ? "closure" + $0.ordinal : $0.name }.map(TextScan.showingOperators)
      .joined(separator: " in ")
  }

  /// The normal form: no ordinals, the module before the outermost level.
  func token(module: String?) -> String {
    var names = levels.map { TextScan.showingOperators($0.name) }
    if let module, let last = names.indices.last, !levels[last].isClosure {
      names[last] = module.hasSuffix(":") ? module + names[last] : module + "." + names[last]
    }
    return names.joined(separator: " in ")
  }

  private static let wrappers: [(StaticString, FunctionTraits)] = [
    ("specialized ", .specialization), ("merged ", .merged), ("partial apply for ", .thunk),
    ("partial apply ObjC forwarder for ", .thunk), ("curry thunk of ", .thunk), ("dispatch thunk of ", .thunk),
    ("@objc ", .thunk), ("@nonobjc ", .thunk), ("async function pointer to ", .thunk),
    ("back deployment thunk for ", .thunk), ("back deployment fallback for ", []), ("distributed thunk ", .thunk),
    ("distributed accessor for ", .thunk), ("override ", []), ("super ", []), ("dynamic ", []),
    ("variable initialization expression of ", []), ("property wrapper backing initializer of ", []),
    ("property wrapper init from projected value of ", []), ("property wrapped field init accessor of ", []),
    ("coro function pointer to ", .thunk),
  ]
}

extension TextScan {
  /// The text with the brackets of Swift operators (`static Money.< infix(_:_:)`) out of sight, so that they cannot be
  /// taken for generic arguments.
  func hidingSwiftOperators() -> TextScan {
    var hidden = self
    for word: StaticString in [" infix", " prefix", " postfix"] {
      var index = 0
      while index < count {
        defer { index += 1 }
        guard bytes[index] == UInt8(ascii: " "), has(word, at: index) else { continue }
        let after = at(index + word.utf8CodeUnitCount)
        guard after == UInt8(ascii: "(") || after == UInt8(ascii: "<") else { continue }
        var start = index
        while start > 0, TextScan.isOperator(bytes[start - 1]) { start -= 1 }
        for position in start..<index {
          switch hidden.bytes[position] {
          case UInt8(ascii: "<"): hidden.bytes[position] = 1
          case UInt8(ascii: ">"): hidden.bytes[position] = 2
          default: break
          }
        }
      }
    }
    return hidden
  }

  /// `text` with its operators in sight again.
  static func showingOperators(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 1 || $0 == 2 }) else { return text }
    return String(
      decoding: text.utf8.map { $0 == 1 ? UInt8(ascii: "<") : $0 == 2 ? UInt8(ascii: ">") : $0 }, as: UTF8.self)
  }

  /// The text of `range` with its operators in sight again.
  func shownText(_ range: Range<Int>) -> String { TextScan.showingOperators(text(range)) }

  /// The text without the groups that `bracket` opens.
  func withoutGroups(_ bracket: UInt8, leaving mark: String = "") -> String {
    var result: [UInt8] = []
    var index = 0
    while index < count {
      if bytes[index] == bracket {
        index = afterGroup(at: index)
        result += Array(mark.utf8)
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isOperator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "&"),
      UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "~"), UInt8(ascii: "?"):
      true
    default: false
    }
  }
}
