extension RustName {
  /// The forms of a name in words, when the words tell that it is Rust's: `core::fmt::write::h0123456789abcdef`,
  /// `<T as Shape>::area`, `f::{{closure}}`, `mycrate[8787f43e282added376]::f`. Cost: linear in the text.
  init?(words text: Substring) {
    var path = text
    let hasHash = RustName.endsInHash(text)
    if hasHash { path = path.dropLast(19) }
    let scan = TextScan(path).withoutDisambiguators()
    guard !scan.bytes.isEmpty, hasHash || RustName.isTold(by: scan) else { return nil }
    let escaped = hasHash ? RustName.unescaped(text) : nil
    self.init(demangled: escaped ?? scan.text(0..<scan.count))
  }

  /// The text of a name that a demangler took for C++: `core::ptr::drop_in_place$LT$u8$GT$::h0123456789abcdef` has its
  /// brackets mangled still.
  private static func unescaped(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return nil }
    let scan = TextScan(text)
    let parts = scan.parts(of: 0..<scan.count, between: "::").map { "\($0.count)" + scan.text($0) }
    return Engines.rust("_ZN" + parts.joined() + "E")
  }

  /// Whether the hash of the legacy mangling stands at the end: `::h` and 16 digits.
  private static func endsInHash(_ text: Substring) -> Bool {
    let tail = Array(text.utf8.suffix(19))
    return tail.count == 19 && tail.starts(with: "::h".utf8) && tail[3...].allSatisfy(isHexDigit)
  }

  private static func isTold(by scan: TextScan) -> Bool {
    // Debuggers for Windows write Rust in the words of C++; there its paths have parameters.
    guard scan.topLevel("(", in: 0..<scan.count).isEmpty else { return false }
    if scan.at(0) == UInt8(ascii: "<"), !scan.has("<lambda", at: 0), scan.has("::", at: scan.afterGroup(at: 0)) {
      return true
    }
    return scan.topLevel("::", in: 0..<scan.count).contains { at in
      scan.has("::{{", at: at) || scan.has("::{closure#", at: at) || scan.has("::{impl#", at: at)
        || (scan.has("::<", at: at) && !scan.has("::<lambda", at: at))
    }
  }
}

extension TextScan {
  /// The text without the numbers that tell crates of one name apart: `mycrate[8787f43e282added]::f`.
  fileprivate func withoutDisambiguators() -> TextScan {
    guard bytes.contains(UInt8(ascii: "[")) else { return self }
    var kept: [UInt8] = []
    var index = 0
    while index < count {
      if bytes[index] == UInt8(ascii: "["), isIdentifier(at(index - 1)) {
        var end = index + 1
        while isHexDigit(at(end)) { end += 1 }
        if end > index + 1, at(end) == UInt8(ascii: "]"), has("::", at: end + 1) {
          index = end + 1
          continue
        }
      }
      kept.append(bytes[index])
      index += 1
    }
    return TextScan(kept)
  }
}

func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f") }
