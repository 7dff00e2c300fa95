internal import Glibc
internal import Identity
internal import JSON

/// Reads single values of reports as leniently as their writers vary, and exactly.
enum ReportedValue {
  /// An integer: a number, or a text with decimal digits or `0x` and hexadecimal ones.
  static func unsigned(_ value: JSONValue?) -> UInt64? {
    switch value {
    case .number(let number): number.uint64
    case .string(let text): unsigned(text)
    default: nil
    }
  }

  /// Decimal digits, or `0x` and hexadecimal ones; nothing else around them.
  static func unsigned(_ text: some StringProtocol) -> UInt64? {
    guard text.utf8.count <= 64 else { return nil }
    let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isHex ? text.dropFirst(2) : text[...]
    if digits.first == "+" || digits.first == "-" { return nil }
    return UInt64(digits, radix: isHex ? 16 : 10)
  }

  /// An integer with a sign, in the same spellings.
  static func signed(_ value: JSONValue?) -> Int64? {
    if let number = unsigned(value) { return Int64(exactly: number) }
    switch value {
    case .number(let number): return number.int64
    case .string(let text): return text.hasPrefix("-") && text.utf8.count <= 64 ? Int64(text) : nil
    default: return nil
    }
  }

  /// An integer as its 64 bits, whether it was written with a sign or without: codes of exceptions come as both.
  static func bits(_ value: JSONValue?) -> UInt64? {
    unsigned(value) ?? signed(value).map { UInt64(bitPattern: $0) }
  }

  /// A text with something in it, or the digits of an integer.
  static func text(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text): text.isEmpty ? nil : text
    case .number(.unsigned(let number)): String(number)
    case .number(.negative(let number)): String(number)
    default: nil
    }
  }

  /// The name at the end of a path; `nil` for what reports write where they know none.
  static func fileName(_ path: String?) -> String? {
    guard let name = path?.split(separator: "/").last, name != "(null)", name != "???" else { return nil }
    return String(name)
  }

  /// `iPhone OS 18.5 (22F76)`: system, version and build as MetricKit puts them together.
  static func system(_ name: String?, _ version: String?, _ build: String?) -> String? {
    guard let version else { return name }
    // Older systems called themselves differently; counts by system should not.
    let name = name == "Mac OS" || name == "Mac OS X" || name == "OS X" ? "macOS" : name
    return (name.map { $0 + " " } ?? "") + version + (build.map { " (\($0))" } ?? "")
  }

  /// The bits of a user address on Apple's 64-bit ARM systems, without the signature that a pointer may carry above
  /// them; addresses of the kernel, which have bit 55, are left whole.
  static func withoutSignature(_ address: UInt64, architecture: String?) -> UInt64 {
    guard architecture?.hasPrefix("arm64") == true, address >> 55 & 1 == 0 else { return address }
    return address & (1 << 47 - 1)
  }

  /// Why good JSON cannot be read into a tree of values; `nil` for broken JSON, which `PayloadReader` tells of.
  static func refusal(for error: JSONError, in document: UnsafeRawBufferPointer) -> PayloadRefusal? {
    let place = JSONPlace(of: error.offset, in: document)
    switch error.code {
    case .tooDeep: return PayloadRefusal(.tooDeep, at: place)
    case .tooManyValues, .numberOutOfRange: return PayloadRefusal(.noDiagnostics, at: place, detail: error.what)
    default: return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes of `word` stand anywhere in these. Cost: one pass.
  func holds(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard let base = baseAddress, length > 0, count >= length else { return false }
    var at = 0
    let end = count - length + 1
    // Safety: from each place before `end` the word's length lies inside.
    while at < end, let found = memchr(base + at, Int32(word.utf8Start[0]), end - at) {
      if memcmp(found, word.utf8Start, length) == 0 { return true }
      at = UnsafeRawPointer(found) - base + 1
    }
    return false
  }
}

extension Diagnostic {
  /// Finds out what the field that stands in `offset` of every frame holds: see `OffsetRule`.
  mutating func decideOffsets(limits: ReadingLimits) {
    var frames = stacks.flatMap(\.frames)
    var notebook = Notebook(limit: limits.notes)
    OffsetRule.apply(
      to: &frames, images: images, architecture: metadata.platformArchitecture, notes: &notebook
    ) { "frame \($0)" }
    var rest = frames[...]
    for index in stacks.indices {
      let count = stacks[index].frames.count
      stacks[index].frames = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    notes = Array((notes + notebook.closed).prefix(limits.notes + 1))
  }
}

extension Array {
  /// The last element that starts at or before `address`; the elements are sorted by their start.
  func last(startingAtOrBefore address: UInt64, by start: (Element) -> UInt64) -> Element? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if start(self[middle]) <= address { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? self[low - 1] : nil
  }
}
