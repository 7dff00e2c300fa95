/// What a function's name has in common with the names of other functions: its entity without labels, and its type.
///
/// Read from the normal form that signatures use (see `DemangledName.token`), whatever the language. Cost: linear.
struct NameTerms: Hashable {
  /// The name without argument labels, accessor or closing parts of a selector: equal for `Cart.apply(coupon:)` and
  /// `Cart.apply(code:)`, for `-[Cart apply:coupon:]` and `-[Cart apply:code:]`.
  var entity: String
  /// The enclosing type; `nil` for what stands in a module alone.
  var type: String?

  init(_ name: String) {
    let bytes = Array(name.utf8)
    // `closure in f`, `local() in f`: the path is that of the outermost context.
    let context = NameTerms.last(Array(" in ".utf8), in: bytes).map { $0 + 4 } ?? 0
    let outer = bytes[context...]
    if outer.count > 3, outer.first == UInt8(ascii: "-") || outer.first == UInt8(ascii: "+"),
      outer.dropFirst().first == UInt8(ascii: "[")
    {
      let inside = outer.dropFirst(2)
      let method = inside.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "]") }
      entity = String(decoding: bytes[..<context] + outer.prefix(2) + method, as: UTF8.self)
      type = String(
        decoding: inside.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: "]") },
        as: UTF8.self)
      return
    }
    let path = NameTerms.path(outer)
    entity = String(decoding: NameTerms.withoutLabels(bytes[..<context]) + path, as: UTF8.self)
    type = NameTerms.type(path)
  }

  /// `path` without labels and without the word of an accessor.
  private static func path(_ path: ArraySlice<UInt8>) -> [UInt8] {
    let bare = withoutLabels(path)
    for accessor in [".setter", ".getter", ".modify", ".read", ".didset", ".willset"]
    where bare.count > accessor.utf8.count && bare.suffix(accessor.utf8.count).elementsEqual(accessor.utf8) {
      return Array(bare.dropLast(accessor.utf8.count))
    }
    return bare
  }

  /// The bytes without groups in parentheses that stand behind a name; `(anonymous namespace)::f` keeps its own.
  private static func withoutLabels(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var depth = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "(") where depth > 0 || !(kept.isEmpty || kept.last == UInt8(ascii: ":")): depth += 1
      case UInt8(ascii: ")") where depth > 0: depth -= 1
      default: if depth == 0 { kept.append(byte) }
      }
    }
    return kept
  }

  /// All but the last part of a path: of `a::b::c`, and of `Module.Type.member`, whose first part is no type.
  private static func type(_ path: [UInt8]) -> String? {
    if let end = last([UInt8(ascii: ":"), UInt8(ascii: ":")], in: path) {
      return end == 0 ? nil : String(decoding: path[..<end], as: UTF8.self)
    }
    let dots = path.indices.filter { path[$0] == UInt8(ascii: ".") }
    return dots.count < 2 ? nil : String(decoding: path[..<dots[dots.count - 1]], as: UTF8.self)
  }

  /// Where `word` begins for the last time.
  private static func last(_ word: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= word.count else { return nil }
    return stride(from: bytes.count - word.count, through: 0, by: -1).first {
      bytes[$0..<$0 + word.count].elementsEqual(word)
    }
  }
}
