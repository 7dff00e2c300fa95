/// One line of a call graph as Apple's sampling tools write it: `spindump`, `sample`, and `rawFrame` in App Store Connect's
/// logs.
///
/// The forms, all with the number of samples in front (there is no public grammar; these were taken from real reports):
///
///     49  start + 462 (dyld + 21806) [0x115b4652e] 1-49
///     49  main + 35 (DemoApp.swift:31,1 in DemoApp + 17460019) [0x10772db33]
///    *1   ??? (kernel + 1113914) [0xffffff800031ff3a]
///     49  ??? [0x7ff80721c79a]
///    2757 main  (in testDemo) + 910  [0x1000017be]  main.cpp:353
///    2757 ???  (in testDemo)  load address 0x100000000 + 0x17be  [0x1000017be]
///     44  name (in libdispatch.dylib) + 32 (init.c:1466) [0x19f7cda84]
struct SampledFrame: Hashable, Sendable {
  /// How many samples passed through it.
  var samples: UInt64 = 0
  /// The function.
  var function: String?
  /// The image's file name.
  var image: String?
  /// The distance from the start of the image.
  var offset: UInt64?
  /// The address at run time.
  var address: UInt64?
  /// The source file.
  var file: String?
  /// The line, from 1.
  var line: UInt64?

  /// The frame in `text`, which starts with the number of samples, a `*` before it allowed; `nil` when it holds none.
  ///
  /// Read from the end, since names of functions may hold brackets, blanks and signs. Cost: linear.
  init?(_ text: ArraySlice<UInt8>) {
    var rest = text.drop { $0 == 0x20 || $0 == 0x2a }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    guard let samples = SampledFrame.number(digits), rest.first == 0x20 else { return nil }
    self.samples = samples
    rest = SampledFrame.trimmed(rest)
    var behind: ArraySlice<UInt8> = []
    if let bracket = SampledFrame.last("[0x", in: rest) {
      let hex = rest[(bracket + 3)...].prefix { $0 != 0x5d && $0 != 0x2c }
      address = UInt64(SampledFrame.text(hex), radix: 16)
      let end = rest[bracket...].firstIndex(of: 0x5d) ?? rest.endIndex - 1
      behind = SampledFrame.trimmed(rest[(end + 1)...])
      rest = SampledFrame.trimmed(rest[..<bracket])
    }
    if let place = SampledFrame.last(" (in ", in: rest), readSampleForm(rest, place, behind) { return }
    if readSpindumpForm(rest) { return }
    // Nothing but a name and an address.
    guard address != nil else { return nil }
    nameFunction(rest)
  }

  /// `name  (in Image) + 910` and what may follow.
  private mutating func readSampleForm(
    _ head: ArraySlice<UInt8>, _ place: Int, _ behind: ArraySlice<UInt8>
  ) -> Bool {
    guard let close = head[place...].firstIndex(of: 0x29) else { return false }
    image = SampledFrame.text(head[(place + 5)..<close])
    nameFunction(head[..<place])
    let tail = SampledFrame.trimmed(head[(close + 1)...])
    if tail.starts(with: "load address ".utf8) {
      let sum = SampledFrame.text(tail).split(separator: " ")
      if sum.count == 5, sum[3] == "+" { offset = ReportedValue.unsigned(sum[4]) }
    }
    if let open = tail.firstIndex(of: 0x28), tail.last == 0x29 {
      readPlace(tail[(open + 1)...].dropLast())
    } else {
      readPlace(behind)
    }
    return true
  }

  /// `name + 462 (file:line,column in Image + 21806)`, and some numbers behind it.
  private mutating func readSpindumpForm(_ head: ArraySlice<UInt8>) -> Bool {
    guard let close = head.lastIndex(of: 0x29) else { return false }
    // The bracket that this one closes: images have brackets in their names, too.
    var depth = 0
    var open: Int?
    for index in head[..<close].indices.reversed() {
      if head[index] == 0x29 { depth += 1 }
      if head[index] == 0x28 {
        if depth == 0 {
          open = index
          break
        }
        depth -= 1
      }
    }
    guard let open, let plus = SampledFrame.last(" + ", in: head[open..<close]),
      head[(plus + 3)..<close].allSatisfy({ (0x30...0x39).contains($0) })
    else { return false }
    offset = SampledFrame.number(head[(plus + 3)..<close])
    var inside = head[(open + 1)..<plus]
    if let place = SampledFrame.first(" in ", in: inside) {
      readPlace(inside[..<place])
      inside = inside[(place + 4)...]
    }
    image = SampledFrame.text(inside)
    nameFunction(head[..<open])
    return true
  }

  /// `name`, `name + 462`.
  private mutating func nameFunction(_ text: ArraySlice<UInt8>) {
    var name = SampledFrame.trimmed(text)
    if let plus = SampledFrame.last(" + ", in: name), SampledFrame.number(name[(plus + 3)...]) != nil {
      name = SampledFrame.trimmed(name[..<plus])
    }
    function = name.isEmpty ? nil : SampledFrame.text(name)
  }

  /// `main.cpp:353`, `DemoApp.swift:31,1`, `DemoApp.swift`.
  private mutating func readPlace(_ text: ArraySlice<UInt8>) {
    guard let dot = text.firstIndex(of: 0x2e), dot > text.startIndex else { return }
    let colon = text.lastIndex(of: 0x3a)
    let name = text[..<(colon ?? text.endIndex)]
    guard !name.isEmpty, !name.contains(0x20) else { return }
    file = SampledFrame.text(name)
    if let colon { line = SampledFrame.number(text[(colon + 1)...].prefix { $0 != 0x2c }) }
  }

  // MARK: Bytes

  static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty, digits.count <= 20, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(text(digits))
  }

  static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = rest.last, last == 0x20 || last == 0x09 || last == 0x0d { rest = rest.dropLast() }
    return rest
  }

  static func first(_ word: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    word.withUTF8Buffer { word in
      guard bytes.count >= word.count else { return nil }
      return (bytes.startIndex...(bytes.endIndex - word.count)).first { bytes[$0...].starts(with: word) }
    }
  }

  static func last(_ word: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    word.withUTF8Buffer { word in
      guard bytes.count >= word.count else { return nil }
      return (bytes.startIndex...(bytes.endIndex - word.count)).last { bytes[$0...].starts(with: word) }
    }
  }
}
