/// The tail that compilers and linkers put behind a mangled name: `.cold`, `.llvm.123`, `@@GLIBC_2.2`, `[clone …]`.
///
/// The tails name a copy or a part of the function, not another function, so they come off before demangling.
struct NameSuffix {
  /// The name without tails.
  let base: Substring
  /// What the tails tell.
  let traits: FunctionTraits

  /// Splits the tails off `name`. A tail that is not known stays, except a number: `.14`.
  ///
  /// With `inWords` the name is one for people: demanglers and debuggers write tails behind it as ` [clone .cold]` or
  /// ` (.cold)`, and a dot may stand before a member: `Page.content` has no tail.
  init(splitting name: some StringProtocol, inWords: Bool = false) {
    var base = Substring(name)
    var traits: FunctionTraits = []
    // Real names have two or three tails; a bound keeps hostile ones from costing their square.
    for _ in 0..<16 {
      if let cut = inWords ? NameSuffix.behindWords(base) : NameSuffix.bracketedOrVersioned(base) {
        base = base[..<cut]
        continue
      }
      guard let dot = base.lastIndex(of: "."), dot != base.startIndex else { break }
      let word = base[base.index(after: dot)...]
      var head = base[..<dot]
      if word.utf8.allSatisfy(isDigit) {
        if word.isEmpty { break }
        // `.part.3`: the word before the number says what it is; a bare number is a copy.
        if let before = head.lastIndex(of: "."), before != head.startIndex,
          let trait = NameSuffix.words[String(head[head.index(after: before)...])]
        {
          head = head[..<before]
          traits.formUnion(trait)
        }
      } else if let trait = NameSuffix.words[String(word)], !inWords || NameSuffix.wordsOfNoMember.contains(word) {
        traits.formUnion(trait)
      } else if NameSuffix.isSwiftTail(word), base.hasPrefix("$") || base.hasPrefix("_$") {
        // `…TA.14TQ0_`: the part of an async copy.
        traits.insert(.asyncPart)
      } else if word.hasPrefix("__part") || word.hasPrefix("eh") && word.dropFirst(2).utf8.allSatisfy(isDigit) {
        // Basic-block sections.
      } else {
        break
      }
      base = head
    }
    self.base = base
    self.traits = traits
  }

  private static let words: [String: FunctionTraits] = [
    "cold": [], "part": [], "constprop": .specialization, "isra": .specialization, "llvm": [], "lto_priv": [],
    "resume": .asyncPart, "destroy": .asyncPart, "cleanup": .asyncPart, "localalias": [], "warm": [], "hot": [],
    "unlikely": [], "startup": [], "exit": [], "clone": [], "specialized": .specialization, "thinlto": [],
    "ifunc": [], "resolver": [], "default": [], "__uniq": [], "content": [], "memprof": [], "str": [],
  ]

  /// Tails that stand alone and that nobody calls a member.
  private static let wordsOfNoMember: Set<Substring> = [
    "cold", "constprop", "isra", "lto_priv", "localalias", "thinlto",
  ]

  /// Where ` [clone …]` or ` (.cold)` begins behind a name in words, or what may follow a name of C.
  private static func behindWords(_ name: Substring) -> Substring.Index? {
    if name.hasSuffix("]"), let open = name.range(of: " [clone ") { return open }
    if name.hasSuffix(")"), let open = name.range(of: " (.") { return open }
    if let last = name.lastIndex(of: "@"),
      name[last...].dropFirst().utf8.allSatisfy({ isIdentifier($0) || $0 == UInt8(ascii: ".") })
    {
      var head = name[..<last]
      if head.hasSuffix("@") { head = head.dropLast() }
      // Behind a space an attribute begins: `thunk for @escaping () -> ()`.
      if !head.isEmpty, !head.hasSuffix(" "), name.index(after: last) != name.endIndex { return head.endIndex }
    }
    return name.range(of: "$VARIANT$")
  }

  /// Where ` [clone …]`, `@VERSION`, `@@VERSION` or `$VARIANT$…` begins.
  private static func bracketedOrVersioned(_ name: Substring) -> Substring.Index? {
    if name.hasSuffix("]"), let open = name.range(of: " [clone") { return open }
    if let at = name.firstIndex(of: "@"), at != name.startIndex, !name.hasPrefix("@__swiftmacro_"),
      !name.hasPrefix("$"), !name.hasPrefix("-["), !name.hasPrefix("+["), name.index(after: at) != name.endIndex
    {
      return at
    }
    return name.range(of: "$VARIANT$") ?? name.range(of: "$tlv$init")
  }

  private static func isSwiftTail(_ word: Substring) -> Bool {
    let tail = word.drop { $0.isASCII && $0.isNumber }
    return tail.hasPrefix("TQ") || tail.hasPrefix("TY") || tail == "Tu"
  }
}

extension Substring {
  /// Where `word` first begins, not at the start.
  fileprivate func range(of word: StaticString) -> Index? {
    let wanted = word.withUTF8Buffer { Array($0) }
    let bytes = Array(utf8)
    guard bytes.count > wanted.count else { return nil }
    for start in 1...(bytes.count - wanted.count) where bytes[start..<start + wanted.count].elementsEqual(wanted) {
      return utf8.index(utf8.startIndex, offsetBy: start)
    }
    return nil
  }
}
