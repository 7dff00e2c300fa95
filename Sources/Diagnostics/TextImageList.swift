internal import Identity

/// The `Binary Images:` of a text report: which image lay where.
///
///     0x102230000 -        0x102237fff My App arm64  <82d13d98219e3040b62a07a297007a7c> /private/var/…/My App
///     0x1084c0000 -        0x1084d3ff7 +com.example.app (1.0 - 7) <82D13D98-219E-3040-B62A-07A297007A7C> /Applications/…
///
/// The first form is that of iOS and of third-party writers, the second that of macOS, which gives bundle identifiers
/// instead of names.
struct TextImageList {
  struct Image {
    var start: UInt64
    var end: UInt64
    var debugID: DebugID?
    var name: String?
  }

  /// Far more than a process has; what follows is left out.
  private static let limit = 65_536

  private var images: [Image] = []
  private var isSorted = true
  private var byName: [String: Int] = [:]

  /// Takes up one line; `false` when it describes no image.
  mutating func add(_ line: TextLine) -> Bool {
    guard images.count < TextImageList.limit, let image = TextImageList.image(in: line) else { return false }
    // macOS lists everything that is nowhere as one image over all addresses, `??? (*)`.
    guard image.end >= image.start, image.end - image.start < 1 << 40, image.name != nil || image.debugID != nil
    else { return true }
    if let last = images.last, last.start > image.start { isSorted = false }
    images.append(image)
    return true
  }

  /// Called once, after the last line.
  mutating func close() {
    // Of several at one place the first counts.
    if !isSorted {
      images = images.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        .map(\.element)
    }
    isSorted = true
    for (index, image) in images.enumerated() {
      if let name = image.name { byName[name] = byName[name] == nil ? index : -1 }
    }
  }

  /// The image that holds `address`.
  func image(at address: UInt64) -> Image? {
    guard let index = lastIndex(atOrBelow: address) else { return nil }
    return address <= images[index].end ? images[index] : nil
  }

  /// The image loaded at exactly `address`.
  func image(loadedAt address: UInt64) -> Image? {
    guard var index = lastIndex(atOrBelow: address), images[index].start == address else { return nil }
    while index > 0, images[index - 1].start == address { index -= 1 }
    return images[index]
  }

  /// The only image of this name.
  func image(named name: String) -> Image? {
    guard let index = byName[name], index >= 0 else { return nil }
    return images[index]
  }

  private func lastIndex(atOrBelow address: UInt64) -> Int? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  // MARK: One line

  private static func image(in line: TextLine) -> Image? {
    var rest = line.trimmed
    guard let start = rest.takeWord().hexNumber, rest.takeWord().elementsEqual([0x2d]),
      let end = rest.takeWord().hexNumber
    else { return nil }
    var debugID: DebugID?
    var path = TextLine()
    var name = rest
    if let (range, id) = identifier(in: rest) {
      debugID = id
      path = rest[range.upperBound...].trimmed
      name = rest[..<range.lowerBound].trimmed
    } else if let slash = rest.place(of: " /") {
      path = rest[slash.lowerBound...].trimmed
      name = rest[..<slash.lowerBound].trimmed
    }
    return Image(start: start, end: end, debugID: debugID, name: self.name(name, path: path))
  }

  /// `<…>` with hexadecimal digits, dashes or `(null)` in it.
  private static func identifier(in text: TextLine) -> (Range<Int>, DebugID?)? {
    var at = text.startIndex
    while let open = text[at...].firstIndex(of: 0x3c) {
      let inner = text[(open + 1)...].prefix(65).prefix { $0 != 0x3e && $0 != 0x3c }
      if inner.endIndex < text.endIndex, text[inner.endIndex] == 0x3e {
        let isHex = inner.count >= 32 && inner.allSatisfy { $0.hexDigitValue != nil || $0 == 0x2d }
        if isHex { return (open..<inner.endIndex + 1, DebugID(inner.text)) }
        if inner.elementsEqual("(null)".utf8) || inner.isEmpty { return (open..<inner.endIndex + 1, nil) }
      }
      at = open + 1
    }
    return nil
  }

  /// The file's name, as MetricKit has it: from the path, else from the words before the identifier.
  private static func name(_ text: TextLine, path: TextLine) -> String? {
    if let slash = path.lastIndex(of: 0x2f), slash + 1 < path.endIndex { return path[(slash + 1)...].text }
    var name = text
    if name.first == 0x2b { name = name.dropFirst() }
    if let version = name.place(of: " (") {
      name = name[..<version.lowerBound]
    } else if let space = name.lastIndex(of: 0x20), isArchitecture(name[(space + 1)...]) {
      name = name[..<space]
    }
    let shown = name.trimmed.text
    return ["", "???", "(null)"].contains(shown) ? nil : shown
  }

  private static func isArchitecture(_ word: TextLine) -> Bool {
    word.starts(with: "arm") || word.starts(with: "x86") || word.elementsEqual("i386".utf8)
  }
}
