internal import Identity
internal import JSON

/// The images that the frames of one call stack tree name, each once; found without allocating for each frame.
///
/// An image is known by its identifier; by its name only where there is none, since one name may belong to several
/// images of a process.
struct ImageTable {
  private struct Remembered {
    var start: UnsafeRawPointer?
    var count = 0
    var image: Int32 = -1
    var isName = false
  }

  private(set) var images: [ImageReference] = []
  private var byID: [DebugID: Int32] = [:]
  private var byName: [String: Int32] = [:]
  // Direct-mapped by a hash of the text as it stands in the document. It is only a short cut: what is not found
  // there is looked up in the dictionaries, whose hashing is seeded, so crafted texts cost no more than that.
  // Safety: the pointers lie in the document that is being read, and are forgotten before the next one.
  private var remembered = [Remembered](repeating: Remembered(), count: 128)
  private var isUsed = false

  mutating func reset() {
    guard isUsed else { return }
    isUsed = false
    images.removeAll()
    byID.removeAll(keepingCapacity: true)
    byName.removeAll(keepingCapacity: true)
    for index in remembered.indices { remembered[index] = Remembered() }
  }

  /// Takes the images out.
  mutating func take() -> [ImageReference] {
    var taken: [ImageReference] = []
    swap(&taken, &images)
    return taken
  }

  /// The image whose identifier these bytes spell; `nil` when they spell none.
  mutating func image(identifiedBy bytes: UnsafeRawBufferPointer, escaped: Bool) -> Int32? {
    let slot = ImageTable.slot(bytes)
    if !escaped, let known = recall(bytes, in: slot, isName: false) { return known }
    guard bytes.count <= 256 else { return nil }
    let canonical = ImageTable.uuid(bytes).flatMap { DebugID(bytes: $0) }
    guard let id = canonical ?? DebugID(ImageTable.text(bytes, escaped: escaped, limit: 256)) else { return nil }
    let image = byID[id] ?? append(ImageReference(debugID: id, name: nil))
    byID[id] = image
    if !escaped { remember(bytes, in: slot, isName: false, image) }
    return image
  }

  /// The image without identifier whose name these bytes are.
  mutating func image(named bytes: UnsafeRawBufferPointer, escaped: Bool, limit: Int) -> Int32 {
    let slot = ImageTable.slot(bytes)
    if !escaped, let known = recall(bytes, in: slot, isName: true) { return known }
    let name = ImageTable.text(bytes, escaped: escaped, limit: limit)
    let image = byName[name] ?? append(ImageReference(debugID: nil, name: name))
    byName[name] = image
    if !escaped { remember(bytes, in: slot, isName: true, image) }
    return image
  }

  /// Gives `image` the name in these bytes, unless it has one.
  @inline(__always)
  mutating func name(_ image: Int32, _ bytes: UnsafeRawBufferPointer, escaped: Bool, limit: Int) {
    if images[Int(image)].name != nil { return }
    images[Int(image)].name = ImageTable.text(bytes, escaped: escaped, limit: limit)
  }

  /// The 16 bytes of a UUID in the form that Apple writes, with dashes; `nil` for any other text.
  private static func uuid(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count == 36 else { return nil }
    var isGood = true
    let bytes = [UInt8](unsafeUninitializedCapacity: 16) { output, count in
      var at = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          isGood = isGood && text[at] == 0x2d
          at &+= 1
        }
        let high = hexDigit(text[at])
        let low = hexDigit(text[at &+ 1])
        isGood = isGood && high | low < 16
        output[index] = high << 4 | low
        at &+= 2
      }
      count = 16
    }
    return isGood ? bytes : nil
  }

  /// The value of a hex digit; 255 for any other byte.
  private static func hexDigit(_ byte: UInt8) -> UInt8 {
    let digit = byte &- 0x30
    if digit <= 9 { return digit }
    let letter = (byte | 0x20) &- 0x61
    if letter <= 5 { return letter &+ 10 }
    return 0xff
  }

  private mutating func append(_ image: ImageReference) -> Int32 {
    isUsed = true
    images.append(image)
    return Int32(truncatingIfNeeded: images.count - 1)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer, escaped: Bool, limit: Int) -> String {
    var decoded: [UInt8] = []
    if escaped { JSONReader.decode(bytes, into: &decoded) } else { decoded.append(contentsOf: bytes) }
    return Text.cut(decoded, to: limit)
  }

  private static func slot(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash = UInt64(truncatingIfNeeded: bytes.count)
    if bytes.count >= 8 {
      hash ^= bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
      hash = hash &* 0x9e37_79b9_7f4a_7c15 ^ bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    } else {
      for byte in bytes { hash = hash << 8 ^ UInt64(byte) }
    }
    return Int((hash &* 0x9e37_79b9_7f4a_7c15) >> 57)
  }

  private func recall(_ bytes: UnsafeRawBufferPointer, in slot: Int, isName: Bool) -> Int32? {
    let entry = remembered[slot]
    guard let start = entry.start, entry.count == bytes.count, entry.isName == isName else { return nil }
    let known = UnsafeRawBufferPointer(start: start, count: entry.count)
    var at = 0
    while at &+ 8 <= bytes.count {
      let mine = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if mine != known.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return nil }
      at &+= 8
    }
    while at < bytes.count {
      if bytes[at] != known[at] { return nil }
      at &+= 1
    }
    return entry.image
  }

  private mutating func remember(_ bytes: UnsafeRawBufferPointer, in slot: Int, isName: Bool, _ image: Int32) {
    isUsed = true
    remembered[slot] = Remembered(start: bytes.baseAddress, count: bytes.count, image: image, isName: isName)
  }
}

/// Texts of limited length.
enum Text {
  /// `bytes` as text, cut at a character to at most `limit` bytes.
  static func cut(_ bytes: [UInt8], to limit: Int) -> String {
    guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
    var end = max(0, limit)
    while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
