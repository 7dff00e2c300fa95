/// One frame line of a text report:
///
///     2   My App         0x1022364bc 0x102230000 + 25788
///     4   UIKitCore      0x192fb1330 -[UIViewController view] + 24 (UIViewController.m:12)
///
/// Apple documents the columns in "Examining the fields in a crash report". Other writers add to them: `(symbol + 97)`
/// behind the offset (KSCrash of old), `symbol (in Image) (file:12)` (`atos`), `mangled (mangled ---> readable)`.
struct TextFrame {
  /// The image as the line names it; `nil` for `???` and `(null)`.
  var image: String?
  var address: UInt64
  /// The load address of the image, when the line gives it.
  var loadAddress: UInt64?
  var function: String?
  var file: String?
  var line: UInt64?

  /// The frame in `line`; `nil` when it is none.
  init?(_ text: TextLine) {
    var rest = text.trimmed
    guard rest.takeWord().decimalNumber != nil else { return nil }
    // Names of images may hold spaces, and a tab ends them in most reports. The address is the first that follows.
    var search = rest
    if let tab = rest.firstIndex(of: 0x09) { search = rest[tab...] }
    guard let (range, address) = TextFrame.firstHexNumber(in: search) else { return nil }
    self.address = address
    let image = rest[..<range.lowerBound].trimmed.text
    self.image = ["", "???", "(null)", "<unknown>"].contains(image) ? nil : image
    readPlace(rest[range.upperBound...].trimmed)
  }

  private static func firstHexNumber(in text: TextLine) -> (Range<Int>, UInt64)? {
    var rest = text.drop { $0.isTextSpace }
    while !rest.isEmpty {
      let start = rest.startIndex
      let word = rest.takeWord()
      if let number = word.hexNumber { return (start..<word.endIndex, number) }
    }
    return nil
  }

  // MARK: Behind the address

  private mutating func readPlace(_ text: TextLine) {
    var text = text
    if let load = TextFrame.loadAddress(at: text) {
      loadAddress = load.address == 0 ? nil : load.address
      // `0x8000 + 30425 (-[Crasher throwException] + 101)`
      if text[load.end...].trimmed.first == 0x28 {
        setFunction(TextFrame.withoutOffset(text[load.end...].trimmed.dropFirst().dropLast()))
      }
      return
    }
    // `name (in App) (File.swift:3) 0x104360000 + 83704`
    var at = text.endIndex
    while let space = text[..<at].lastIndex(of: 0x20), text.endIndex - space < 64 {
      if let load = TextFrame.loadAddress(at: text[(space + 1)...]), text[load.end...].trimmed.isEmpty {
        loadAddress = load.address == 0 ? nil : load.address
        text = text[..<space].trimmed
        break
      }
      at = space
    }
    if let inlined = text.place(of: " [inlined]") { text = text[..<inlined.lowerBound] + text[inlined.upperBound...] }
    // `main (in App) (main.m:14) main + 116`: what `atos` said comes first.
    if let inImage = text.place(of: " (in ") {
      readFile(in: text[inImage.lowerBound...])
      return setFunction(text[..<inImage.lowerBound])
    }
    if readFile(atEndOf: text), let open = text.lastIndex(of: 0x28) { text = text[..<open].trimmed }
    let name = TextFrame.withoutOffset(text)
    // `App + 12345`: `backtrace_symbols` knows no symbol and counts from the beginning of the image.
    if name.count < text.count, name.text == image, let offset = text.suffix(20).split(separator: 0x20).last {
      if let number = offset.decimalNumber, number <= address { loadAddress = loadAddress ?? (address - number) }
      return
    }
    if name.count < text.count,
      let offset = text[name.endIndex...].suffix(20).split(separator: 0x20).last?.decimalNumber,
      CrashReportWords.isNearestOnly(offset)
    {
      return
    }
    setFunction(name)
  }

  private mutating func setFunction(_ text: TextLine) {
    var name = text.trimmed
    if name.place(of: " ---> ") != nil, let space = name.place(of: " (") { name = name[..<space.lowerBound] }
    function = name.isEmpty || name.hexNumber != nil || name.elementsEqual([0x30]) ? nil : name.text
  }

  /// `0x102230000 + 25788` (macOS also writes `0x0 + n` and `0 + n` for code in no image).
  private static func loadAddress(at text: TextLine) -> (address: UInt64, end: Int)? {
    var rest = text
    let word = rest.takeWord()
    guard let address = word.hexNumber ?? (word.elementsEqual([0x30]) ? 0 : nil) else { return nil }
    guard rest.takeWord().elementsEqual([0x2b]) else { return nil }
    let offset = rest.prefix { !$0.isTextSpace }
    return offset.decimalNumber == nil ? nil : (address, offset.endIndex)
  }

  /// The text without ` + 312` at its end.
  private static func withoutOffset(_ text: TextLine) -> TextLine {
    let text = text.trimmed
    let digits = text.count - (text.lastIndex { $0 < 0x30 || $0 > 0x39 }.map { $0 + 1 - text.startIndex } ?? 0)
    guard digits > 0, digits < text.count else { return text }
    let before = text.dropLast(digits)
    guard before.suffix(3).elementsEqual([0x20, 0x2b, 0x20]) else { return text }
    return before.dropLast(3).trimmed
  }

  // MARK: Files

  /// Looks through the groups in parentheses for `(File.swift:12)`.
  private mutating func readFile(in text: TextLine) {
    var rest = text
    while let open = rest.firstIndex(of: 0x28), let close = rest[open...].firstIndex(of: 0x29) {
      if setFile(rest[(open + 1)..<close]) { return }
      rest = rest[(close + 1)...]
    }
  }

  private mutating func readFile(atEndOf text: TextLine) -> Bool {
    guard text.last == 0x29, let open = text.lastIndex(of: 0x28), open > text.startIndex, text[open - 1] == 0x20 else {
      return false
    }
    return setFile(text[(open + 1)...].dropLast())
  }

  /// `File.swift:12`. Xcode writes `:-1` where it knows nothing, and line 0 for code of the compiler's own making.
  private mutating func setFile(_ text: TextLine) -> Bool {
    guard let colon = text.lastIndex(of: 0x3a) else { return false }
    let number = text[(colon + 1)...]
    guard number.decimalNumber != nil || number.elementsEqual([0x2d, 0x31]) else { return false }
    let path = text[..<colon].text
    file = path.isEmpty || path.hasSuffix("<compiler-generated>") ? nil : path
    line = file == nil ? nil : number.decimalNumber.flatMap { $0 == 0 ? nil : $0 }
    return true
  }
}
