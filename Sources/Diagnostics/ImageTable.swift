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
  /// Filled when there are more images than are quickly looked through.
  private var byID: [DebugID: Int32] = [:]
  private static let fewImages = 24
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

  /// The image whose identifier was spelt with exactly these bytes before.
  @inline(__always)
  func image(rememberedAs bytes: UnsafeRawBufferPointer) -> Int32? {
    recall(bytes, in: ImageTable.slot(bytes), isName: false)
  }

  /// The image whose identifier these bytes spell; `nil` when they spell none.
  mutating func image(identifiedBy bytes: UnsafeRawBufferPointer, escaped: Bool) -> Int32? {
    let slot = ImageTable.slot(bytes)
    if !escaped, let known = recall(bytes, in: slot, isName: false) { return known }
    guard bytes.count <= 256 else { return nil }
    guard let id = ImageTable.uuid(bytes) ?? DebugID(ImageTable.text(bytes, escaped: escaped, limit: 256)) else {
      return nil
    }
    let image = known(id) ?? append(ImageReference(debugID: id, name: nil))
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

  /// The identifier that a UUID in the form that Apple writes spells, with dashes; `nil` for any other text.
  private static func uuid(_ text: UnsafeRawBufferPointer) -> DebugID? {
    guard text.count == 36, text[8] == 0x2d, text[13] == 0x2d, text[18] == 0x2d, text[23] == 0x2d else { return nil }
    var isGood = true
    func digits(_ range: Range<Int>) -> UInt64 {
      var value: UInt64 = 0
      for at in range {
        let digit = hexDigit(text[at])
        isGood = isGood && digit < 16
        value = value << 4 | UInt64(digit & 15)
      }
      return value
    }
    let high = digits(0..<8) << 32 | digits(9..<13) << 16 | digits(14..<18)
    let low = digits(19..<23) << 48 | digits(24..<36)
    return isGood ? DebugID(high: high, low: low) : nil
  }

  /// The value of a hex digit; 255 for any other byte.
  private static func hexDigit(_ byte: UInt8) -> UInt8 {
    let digit = byte &- 0x30
    if digit <= 9 { return digit }
    let letter = (byte | 0x20) &- 0x61
    if letter <= 5 { return letter &+ 10 }
    return 0xff
  }

  private func known(_ id: DebugID) -> Int32? {
    if images.count > ImageTable.fewImages { return byID[id] }
    return images.firstIndex { $0.debugID == id }.map { Int32(truncatingIfNeeded: $0) }
  }

  private mutating func append(_ image: ImageReference) -> Int32 {
    isUsed = true
    images.append(image)
    if images.count > ImageTable.fewImages {
      let unlisted = byID.isEmpty ? 0 : images.count - 1
      for index in unlisted..<images.count {
        if let id = images[index].debugID { byID[id] = Int32(truncatingIfNeeded: index) }
      }
    }
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
