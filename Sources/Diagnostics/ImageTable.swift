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

  /// The image whose identifier is the last string of `reader`; `nil` when that is none.
  mutating func image(identifiedBy reader: borrowing JSONReader) -> Int32? {
    let bytes = reader.tokenBytes
    let slot = ImageTable.slot(bytes)
    if !reader.hasEscapes, let known = recall(bytes, in: slot, isName: false) { return known }
    guard bytes.count <= 256, let id = DebugID(reader.text) else { return nil }
    let image = byID[id] ?? append(ImageReference(debugID: id, name: nil))
    byID[id] = image
    if !reader.hasEscapes { remember(bytes, in: slot, isName: false, image) }
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
