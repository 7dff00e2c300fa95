/// Builds our forms from the text that a Rust demangler prints: `<T as mycrate::Shape>::area::{{closure}}`.
struct RustName {
  let display: String
  let token: String
  let traits: FunctionTraits

  /// The forms of the text `demangled`, which has no hash any more. Cost: linear in the text.
  init(demangled: String) {
    let scan = TextScan(demangled)
    var parts: [String] = []
    var position = 0
    for cut in scan.topLevel("::", in: 0..<scan.count) + [scan.count] {
      let part = scan.text(position..<max(position, cut))
      position = cut + 2
      // The generic arguments of a path (`Vec<u8>` or `Vec::<u8>`) fall; `<T as Trait>` at the start is the type itself.
      if part.hasPrefix("<") {
        guard parts.isEmpty else { continue }
        let inner = TextScan(part.utf8.dropFirst().dropLast(part.hasSuffix(">") ? 1 : 0))
        parts.append("<" + inner.withoutGroups(UInt8(ascii: "<")) + ">")
      } else {
        parts.append(TextScan(part).withoutGroups(UInt8(ascii: "<")))
      }
    }
    var closures = 0
    while let last = parts.last, last.hasPrefix("{{closure") || last.hasPrefix("{closure") || last.hasPrefix("{async") {
      closures += 1
      parts.removeLast()
    }
    // Closures in the middle of a path belong to inner items and lose their numbers only.
    let path = parts.map { $0.hasPrefix("{closure") ? "{{closure}}" : $0 }.joined(separator: "::")
    self.token = path.isEmpty ? demangled : String(repeating: "closure in ", count: min(closures, 64)) + path
    self.display = token
    self.traits = closures > 0 ? .closure : []
  }
}
