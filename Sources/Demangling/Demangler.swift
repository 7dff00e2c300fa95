/// Turns linker names into names for people and tokens for signatures.
///
/// Names are as DWARF spells them: of a Mach-O symbol the caller strips exactly one leading underscore (never of
/// `-[…]`, `+[…]` and `__hidden#…`, which have none). Swift, C++, Rust and Objective-C are told apart by the prefix.
///
/// Names come from files of strangers. A name is bounded by `lengthLimit`, its text by 1 MiB; no name crashes the
/// demangler. The texts of Swift names cannot be bounded before they are printed: names with many back references are
/// printed without types (their tokens then lack the extending module), and what remains is bounded by the memory limit
/// of the process that indexes symbols. The value is stateless and may be used from any thread. Cost: microseconds.
public struct Demangler: Sendable {
  /// The longest name that is demangled, in bytes.
  public static let lengthLimit = 64 * 1024
  /// The rules of display forms and tokens; rises when one name gets another token. Indexes record it.
  public static let version = 2

  /// A demangler.
  public init() {}

  /// The readable form, token and traits of `mangled`.
  ///
  /// `language` is what debug information says about the unit, if anything; a prefix that tells is stronger.
  /// Never fails: see `DemangledName.Outcome`.
  public func demangle(_ mangled: String, language: NameLanguage? = nil) -> DemangledName {
    guard mangled.utf8.count <= Demangler.lengthLimit else {
      let cut = String(decoding: mangled.utf8.prefix(1024), as: UTF8.self)
      return DemangledName(display: cut, token: cut, language: language ?? .plain, outcome: .tooLong)
    }
    // LLVM marks names that it must not decorate with a byte 1; a zero byte would end the name for every engine.
    var whole = mangled.first == "\u{1}" ? mangled.dropFirst() : mangled[...]
    if let zero = whole.utf8.firstIndex(of: 0) { whole = whole[..<zero] }
    if whole.hasPrefix("Swift runtime failure: ") {
      let text = String(whole)
      return DemangledName(
        display: text, token: text, traits: [.runtimeFailure, .synthetic], language: .swift, outcome: .plain)
    }
    let suffix = NameSuffix(splitting: whole)
    // A tail that is taken off is tried again as a part of the name when the rest is no name.
    var name = named(suffix.base, language)
    if name.outcome == .failed, suffix.base.endIndex != whole.endIndex {
      let again = named(whole, language)
      if again.outcome == .demangled { name = again }
    }
    name.traits.formUnion(suffix.traits)
    return name
  }

  func named(_ name: Substring, _ language: NameLanguage?) -> DemangledName {
    if let swift = Demangler.swiftSpelling(name) { return swiftName(swift, whole: name) }
    if let block = BlockName(name) { return blockName(block) }
    if Demangler.isCxx(name) { return cxxName(name) }
    if name.hasPrefix("_R"), let text = Engines.rust(String(name)) { return rustName(text) }
    if language == .rust, name.hasPrefix("_R") {
      return DemangledName(display: String(name), token: String(name), language: .rust, outcome: .failed)
    }
    return plainName(name)
  }

  // MARK: Swift

  /// The name as the Swift demangler wants it; `nil` when it is no Swift name.
  static func swiftSpelling(_ name: Substring) -> Substring? {
    for prefix in ["$s", "$S", "$e", "_T0", "@__swiftmacro_"] where name.hasPrefix(prefix) { return name }
    for prefix in ["_$s", "_$S", "_$e", "__T0"] where name.hasPrefix(prefix) { return name.dropFirst() }
    return nil
  }

  private func swiftName(_ spelling: Substring, whole: Substring) -> DemangledName {
    var name = spelling
    var traits: FunctionTraits = []
    // A demangler that is older than the compiler stumbles over new operators at the end: without them it reads the rest.
    for _ in 0..<8 {
      if let result = printed(name) {
        let forms = SwiftName(short: result.short, full: result.full, module: Demangler.firstModule(name))
        return DemangledName(
          display: forms.display, token: forms.token, traits: forms.traits.union(traits), language: .swift,
          outcome: .demangled)
      }
      guard let at = name.utf8.lastIndex(of: UInt8(ascii: "T")), name.utf8.distance(from: at, to: name.endIndex) <= 48,
        name.utf8.distance(from: name.startIndex, to: at) > 3
      else { break }
      switch name[at...].dropFirst().first {
      case "g", "G", "f": traits.insert(.specialization)
      case "m": traits.insert(.merged)
      case "Q", "Y": traits.insert(.asyncPart)
      default: traits.insert(.thunk)
      }
      name = name[..<at]
    }
    return DemangledName(display: String(whole), token: String(whole), language: .swift, outcome: .failed)
  }

  /// The two texts of a Swift name that demangles.
  private func printed(_ spelling: Substring) -> (short: String, full: String?)? {
    var name = String(spelling)
    if name.hasSuffix("_WZ") || name.hasSuffix("_Wz") {
      // The initialiser of a global prints without its context; as a variable it prints with it.
      name = String(name.dropLast(3)) + "Sivp"
    }
    if Demangler.backReferences(name) <= Demangler.backReferenceLimit {
      guard let full = Engines.swift(name), let short = Engines.swiftShort(name) else { return nil }
      return (short, full)
    }
    guard !Demangler.printsTypes(name) else { return nil }
    return Engines.swiftShort(name).map { ($0, nil) }
  }

  /// Each back reference may double the text, so a name with many could print gigabytes.
  private static let backReferenceLimit = 20

  /// How many substitutions (`AB`, `AbC`, `A2_`) the name may hold.
  private static func backReferences(_ name: String) -> Int {
    var count = 0
    var inReference = false
    for byte in name.utf8 {
      if inReference, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") { count += 1 }
      let wasReference = inReference
      inReference = byte == UInt8(ascii: "A") || (wasReference && (isDigit(byte) || byte >= UInt8(ascii: "a")))
      if wasReference, !inReference { count += 1 }
    }
    return count
  }

  /// Whether the short text of the name spells types: outlined copies (`WO`) and reabstraction thunks (`TR`).
  private static func printsTypes(_ name: String) -> Bool {
    let tail = String(decoding: name.utf8.suffix(24), as: UTF8.self)
    return tail.contains("WO") || tail.contains("TR") || tail.contains("Tr") || tail.contains("TK")
      || tail.contains("Tk")
  }

  /// The module that a Swift name begins with.
  private static func firstModule(_ name: Substring) -> String? {
    guard
      let start = name.utf8.firstIndex(where: {
        $0 == UInt8(ascii: "s") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "S") || $0 == UInt8(ascii: "0")
      })
    else { return nil }
    let rest = name.utf8[start...].dropFirst()
    if rest.starts(with: "So".utf8) { return "__C" }
    if rest.first == UInt8(ascii: "s") || rest.first == UInt8(ascii: "S") { return "Swift" }
    let digits = rest.prefix(while: isDigit)
    guard let length = Int(String(Substring(digits))), length > 0, digits.first != UInt8(ascii: "0") else { return nil }
    let text = rest[digits.endIndex...].prefix(length)
    return text.count == length ? String(Substring(text)) : nil
  }

  // MARK: The others

  static func isCxx(_ name: Substring) -> Bool { name.hasPrefix("_Z") || name.hasPrefix("__Z") }

  private func cxxName(_ whole: Substring) -> DemangledName {
    let name = String(whole.hasPrefix("__Z") ? whole.dropFirst() : whole)
    if Demangler.endsInRustHash(name), let text = Engines.rust(name) { return rustName(text) }
    guard let text = Engines.cxx(name) else {
      return DemangledName(display: String(whole), token: String(whole), language: .cxx, outcome: .failed)
    }
    let forms = CxxName(demangled: text)
    return DemangledName(
      display: forms.display, token: forms.token, traits: forms.traits, language: .cxx, outcome: .demangled)
  }

  private func rustName(_ text: String) -> DemangledName {
    let forms = RustName(demangled: text)
    return DemangledName(
      display: forms.display, token: forms.token, traits: forms.traits, language: .rust, outcome: .demangled)
  }

  /// Whether a legacy Rust hash stands at the end: `17h0123456789abcdefE`.
  private static func endsInRustHash(_ name: String) -> Bool {
    let tail = name.utf8.suffix(20)
    return tail.count == 20 && tail.starts(with: "17h".utf8) && tail.last == UInt8(ascii: "E")
  }

  private func blockName(_ outermost: BlockName) -> DemangledName {
    var block = outermost
    var words = block.isBlock ? "block in " : ""
    // Blocks in blocks: a loop with a bound, since each is as cheap to write as its name is short.
    var depth = 1
    while depth < 64, !block.isMethod, let inner = BlockName(block.function), inner.isBlock {
      block = inner
      words += "block in "
      depth += 1
    }
    if block.isMethod {
      let text = words + block.function
      return DemangledName(
        display: text, token: text, traits: words.isEmpty ? [] : .closure, language: .objectiveC, outcome: .demangled)
    }
    let function = depth < 64 ? named(block.function, nil) : plainName(block.function)
    return DemangledName(
      display: words + function.display, token: words + function.token,
      traits: function.traits.union(.closure), language: function.language,
      outcome: function.outcome == .failed ? .failed : .demangled)
  }

  private func plainName(_ name: Substring) -> DemangledName {
    var token = name
    if let wrapped = Demangler.wrapperPrefixes.first(where: { name.hasPrefix($0) && name.count > $0.count }) {
      token = name.dropFirst(wrapped.count)
    }
    var traits: FunctionTraits = []
    if name.hasPrefix("OUTLINED_FUNCTION") {
      token = "OUTLINED_FUNCTION"
      traits = [.outlined, .synthetic]
    } else if Demangler.blockHelpers.contains(where: name.hasPrefix) {
      traits = [.thunk, .synthetic]
    } else if name.hasPrefix("async_Main") {
      token = "async_Main"
      if name.count > 10 { traits.insert(.asyncPart) }
    }
    return DemangledName(display: String(name), token: String(token), traits: traits)
  }

  /// What sanitizers and linkers put before the name of a function that they wrap.
  private static let wrapperPrefixes = ["___interceptor_", "__interceptor_", "__wrap_", "__real_"]

  private static let blockHelpers = [
    "__copy_helper_block_", "__destroy_helper_block_", "__Block_byref_object_", "block_copy_helper",
    "block_destroy_helper", "__swift_memcpy", "__swift_noop_", "__swift_instantiate", "__swift_project_",
    "__swift_allocate_", "__swift_destroy_", "__swift_mutable_project_",
  ]
}
