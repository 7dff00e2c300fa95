/// Reads the two texts that the Swift runtime prints for one name and builds our forms from them.
///
/// The short text (`closure #1 in Cart.apply(coupon:)`) has the structure without types, so it can be taken apart
/// without doubt; the full text has what the short one lacks: modules, extensions, and what was unwrapped.
struct SwiftName {
  let display: String
  let token: String
  let traits: FunctionTraits

  /// The forms for a name whose short text is `short`; `full` may be missing for names whose types are too big to print,
  /// then `module` is the first module that the mangled name itself spells.
  init(short: String, full: String?, module: String?) {
    var facts = SwiftFacts(full: full)
    if facts.module == nil { facts.module = module }
    self.init(short: short, facts: facts)
  }

  /// The forms for a name whose short text is `short`, with what else is known.
  init(short: String, facts: SwiftFacts) {
    var levels = SwiftLevels(short: short)
    var traits = facts.traits.union(levels.traits)
    if facts.isPhrase || levels.isPhrase {
      // A thunk, witness or accessor without an entity of its own; the braces keep it apart from every function.
      traits.formUnion([.thunk, .synthetic])
      self.display = short
      self.token = "{" + levels.phrase + "}"
      self.traits = traits
      return
    }
    if let labels = facts.subscriptLabels { levels.setSubscriptLabels(labels) }
    if let type = facts.conformingType { levels.setConformingType(type) }
    self.display = levels.display
    self.token = levels.token(module: facts.module)
    self.traits = traits
  }
}

/// What the full text of a Swift name tells beyond the short one.
struct SwiftFacts {
  /// The module of the outermost context; for an extension of another module's type, `Extending:Extended`.
  var module: String?
  /// The labels of a subscript whose accessor this is.
  var subscriptLabels: String?
  /// The type, without its module, in whose conformance a witness stands.
  var conformingType: String?
  /// What was unwrapped.
  var traits: FunctionTraits = []
  /// Whether the text names no entity: outlined copies, reabstraction thunks, metadata accessors.
  var isPhrase = false
  /// Where the text of the entity lies, without what was unwrapped.
  var entity = 0..<0

  init(full: String?) {
    guard let full else { return }
    let scan = TextScan(full).hidingSwiftOperators()
    var start = 0
    var end = scan.topLevel(" with unmangled suffix ", in: 0..<scan.count).first ?? scan.count
    for _ in 0..<64 {
      guard let (next, trait) = SwiftFacts.unwrap(scan, start..<end) else { break }
      traits.formUnion(trait)
      start = next
    }
    if scan.has("vtable thunk for ", at: start) {
      traits.insert(.thunk)
      if let to = scan.topLevel(" dispatching to ", in: start..<end).first { start = to + 16 }
    }
    if scan.has("protocol witness for ", at: start) {
      traits.insert(.thunk)
      start += 21
      if let cut = scan.topLevel(" in conformance ", in: start..<end).last {
        let type = cut + 16
        let typeEnd = scan.topLevel(" : ", in: type..<end).first ?? end
        readContext(scan, type..<typeEnd)
        conformingType = SwiftFacts.nominal(scan, type..<typeEnd)
        end = cut
      }
    }
    entity = start..<max(start, end)
    let text = scan.text(entity)
    if SwiftFacts.phrases.contains(where: text.hasPrefix) || text.contains(" value witness for ") {
      isPhrase = true
      if text.hasPrefix("outlined ") { traits.insert(.outlined) }
      return
    }
    let context = scan.topLevel(" in ", in: start..<end).last.map { $0 + 4 } ?? start
    if conformingType == nil { readContext(scan, context..<end) }
    if let at = scan.topLevel(".subscript.", in: context..<end).last,
      let type = scan.topLevel(" : ", in: at..<end).first
    {
      subscriptLabels = SwiftFacts.labels(scan, from: type + 3, to: end)
    }
  }

  private mutating func readContext(_ scan: TextScan, _ range: Range<Int>) {
    var start = range.lowerBound
    if scan.has("static ", at: start) { start += 7 }
    var extending: String?
    if scan.has("(extension in ", at: start) {
      let close = scan.afterGroup(at: start)
      extending = scan.text(start + 14..<max(start + 14, close - 1))
      start = close + (scan.at(close) == UInt8(ascii: ":") ? 1 : 0)
    }
    let end = scan.topLevel(".", in: start..<max(start, range.upperBound)).first
    guard let end, end > start else { return }
    let own = scan.text(start..<end)
    guard let extending, extending != own else {
      module = own
      return
    }
    module = own == "__C" ? extending + ":" : extending + ":" + own
  }

  /// The next prefix to unwrap in `range`: where it ends and what it tells.
  private static func unwrap(_ scan: TextScan, _ range: Range<Int>) -> (Int, FunctionTraits)? {
    let start = range.lowerBound
    for (prefix, trait) in prefixes where scan.has(prefix, at: start) {
      return (start + prefix.utf8CodeUnitCount, trait)
    }
    if scan.at(start) == UInt8(ascii: "("), isDigit(scan.at(start + 1)) {
      for part: StaticString in [") await resume partial function for ", ") suspend resume partial function for "] {
        if let at = (start + 2..<min(start + 12, scan.count)).first(where: { scan.has(part, at: $0) }) {
          return (at + part.utf8CodeUnitCount, .asyncPart)
        }
      }
    }
    for (word, trait) in specializations where scan.has(word, at: start) {
      guard let open = (start..<range.upperBound).first(where: { scan.bytes[$0] == UInt8(ascii: "<") }) else { break }
      // Constants in the brackets may hold brackets of their own; then the last `> of ` is the end.
      let close = scan.afterGroup(at: open)
      if scan.has(" of ", at: close) { return (close + 4, trait) }
      let last = (open..<range.upperBound).last { scan.has("> of ", at: $0) }
      return last.map { ($0 + 5, trait) }
    }
    for word: StaticString in ["default argument "] where scan.has(word, at: start) {
      let digits = (start + word.utf8CodeUnitCount..<range.upperBound).first { !isDigit(scan.bytes[$0]) }
      if let digits, scan.has(" of ", at: digits) { return (digits + 4, .synthetic) }
    }
    return nil
  }

  /// The argument labels of the parameter list that begins at `start`, maybe behind generic parameters.
  static func labels(_ scan: TextScan, from start: Int, to end: Int) -> String? {
    var open = start
    if scan.at(open) == UInt8(ascii: "<") { open = scan.afterGroup(at: open) }
    guard scan.at(open) == UInt8(ascii: "(") else { return nil }
    let close = scan.afterGroup(at: open) - 1
    guard close > open + 1, close <= end else { return "()" }
    var text = "("
    var position = open + 1
    let cuts = scan.topLevel(", ", in: open + 1..<close) + [close]
    for cut in cuts {
      let word = (position..<cut).first { !isIdentifier(scan.bytes[$0]) && scan.bytes[$0] != UInt8(ascii: "`") } ?? cut
      text += word > position && scan.has(": ", at: word) ? scan.text(position..<word) + ":" : "_:"
      position = cut + 2
    }
    return text + ")"
  }

  /// A nominal type in `range` without module and generic arguments; `nil` for any other type.
  private static func nominal(_ scan: TextScan, _ range: Range<Int>) -> String? {
    guard !range.isEmpty, isIdentifier(scan.at(range.lowerBound)) else { return nil }
    let text = TextScan(scan.bytes[range]).withoutGroups(UInt8(ascii: "<"))
    let names = text.split(separator: ".").dropFirst()
    return names.isEmpty ? nil : names.joined(separator: ".")
  }

  private static let prefixes: [(StaticString, FunctionTraits)] = [
    ("merged ", .merged), ("partial apply forwarder for ", .thunk), ("partial apply ObjC forwarder for ", .thunk),
    ("curry thunk of ", .thunk), ("dispatch thunk of ", .thunk), ("@objc ", .thunk), ("@nonobjc ", .thunk),
    ("async function pointer to ", .thunk), ("back deployment thunk for ", .thunk),
    ("back deployment fallback for ", []), ("distributed thunk ", .thunk), ("distributed accessor for ", .thunk),
    ("key path getter for ", .thunk), ("key path setter for ", .thunk), ("override ", []), ("super ", []),
    ("dynamic ", []), ("variable initialization expression of ", []), ("property wrapper backing initializer of ", []),
    ("property wrapper init from projected value of ", []), ("property wrapped field init accessor of ", []),
    ("coro function pointer to ", .thunk), ("native owning mutable addressor ", []),
    ("opened existential ", []),
  ]

  private static let specializations: [(StaticString, FunctionTraits)] = [
    ("generic ", .specialization), ("function signature specialization ", .specialization),
    ("inlined generic function ", .specialization),
  ]

  private static let phrases = [
    "outlined ", "reabstraction thunk ", "type metadata ", "full type metadata ", "lazy ", "associated type ",
    "associated conformance ", "protocol witness table ", "generic protocol witness ", "metadata ",
    "demangling cache ", "nominal type ", "protocol conformance ", "reflection metadata ", "method descriptor ",
    "property descriptor ", "opaque type ", "method lookup ", "class metadata ", "default associated ",
    "base witness table ", "autodiff ", "type symbolic ", "symbolic ", "objc metadata ", "ObjC metadata ",
    "ObjC resilient ", "merged type metadata ", "coroutine continuation ", "key path equality ", "key path hash ",
    "noncanonical ", "canonical ", "accessible function ", "runtime discoverable ",
  ]
}
