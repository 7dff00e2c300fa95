internal import Identity
internal import JSON

/// Reads the frames of one call stack in the form in which Apple's systems write them, several times as fast as the
/// general reader; anything else it declines, and then `CallStackTreeReader` reads the same bytes again.
///
/// Declined is whatever the general reader would note, cut or read differently: unknown keys, keys that occur twice,
/// escapes, numbers that are no plain integers, other types, limits reached, broken JSON. So both always agree, and only
/// one of them has to know what to do about an odd document.
struct PlainFrameReader {
  private enum Place {
    case firstFrame
    case afterFrame
    case firstMember
    case afterMember
  }

  /// A frame whose end has not been read: plain numbers, which stay in registers.
  private struct OpenFrame {
    var index: Int
    var offset: UInt64 = 0
    var address: UInt64 = 0
    var samples: UInt64 = 0
    var nameStart = 0
    var nameCount = 0
    var parent: Int32 = -1
    var image: Int32 = -1
    /// One bit for each member that was read.
    var members: UInt8 = 0

    /// The frame as it stands in the document.
    var frame: RawFrame {
      RawFrame(
        parent: parent, image: image, address: members & PlainKey.address.bit == 0 ? nil : address,
        offset: members & PlainKey.offset.bit == 0 ? nil : offset,
        sampleCount: members & PlainKey.samples.bit == 0 ? nil : samples)
    }
  }

  private let text: PlainText
  private let depth: Int
  private let nameLimit: Int
  /// How many frames there may be when all are read.
  private let frameLimit: Int

  /// A reader of frames in `bytes`, at most `depth` levels of containers inside each other.
  init(_ bytes: UnsafeRawBufferPointer, depth: Int, frameLimit: Int, limits: ReadingLimits) {
    text = PlainText(bytes)
    self.depth = depth
    self.frameLimit = frameLimit
    nameLimit = limits.textBytes
  }

  /// Reads the array that begins at `start`, appending to `frames`; gives the byte after it, or `nil` when it declines.
  func read(at start: Int, into frames: inout [RawFrame], _ table: inout ImageTable) -> Int? {
    guard start < text.count, text[start] == UInt8(ascii: "["), depth > 0 else { return nil }
    let base = frames.count
    var open: [OpenFrame] = []
    open.reserveCapacity(64)
    var at = start + 1
    var place = Place.firstFrame
    // Worked on in registers; the frames around it wait in `open`.
    var current = OpenFrame(index: -1)
    while true {
      at = text.skipWhiteSpace(at)
      guard at &+ PlainText.reach <= text.count else { return nil }
      var byte = text[at]
      at &+= 1
      switch place {
      case .firstFrame, .afterFrame:
        if byte == UInt8(ascii: "]") {
          guard let outer = open.popLast() else { return at }
          current = outer
          place = .afterMember
          continue
        }
        if place == .afterFrame {
          guard byte == UInt8(ascii: ",") else { return nil }
          at = text.skipWhiteSpace(at)
          guard at &+ PlainText.reach <= text.count else { return nil }
          byte = text[at]
          at &+= 1
        }
        guard byte == UInt8(ascii: "{"), frames.count < frameLimit, 2 &* open.count &+ 2 <= depth else { return nil }
        let parent = open.isEmpty ? -1 : open[open.count &- 1].index &- base
        current = OpenFrame(index: frames.count, parent: Int32(truncatingIfNeeded: parent))
        frames.append(RawFrame(parent: -1))
        place = .firstMember
      case .firstMember, .afterMember:
        if byte == UInt8(ascii: "}") {
          name(&current, &table)
          frames[current.index] = current.frame
          place = .afterFrame
          continue
        }
        if place == .afterMember {
          guard byte == UInt8(ascii: ",") else { return nil }
          at = text.skipWhiteSpace(at)
          guard at &+ PlainText.reach <= text.count else { return nil }
          byte = text[at]
          at &+= 1
        }
        guard byte == UInt8(ascii: "\""), let key = text.key(at) else { return nil }
        guard current.members & key.bit == 0 else { return nil }
        current.members |= key.bit
        at = text.skipWhiteSpace(at &+ key.count)
        guard at < text.count, text[at] == UInt8(ascii: ":") else { return nil }
        at = text.skipWhiteSpace(at &+ 1)
        guard at &+ PlainText.reach <= text.count else { return nil }
        if key == .subFrames {
          guard text[at] == UInt8(ascii: "[") else { return nil }
          at &+= 1
          open.append(current)
          place = .firstFrame
          continue
        }
        guard let end = value(of: key, at: at, &current, &table) else { return nil }
        at = end
        place = .afterMember
      }
    }
  }

  // MARK: Members

  /// Reads the value at `at`; gives the byte after it.
  @inline(__always)
  private func value(of key: PlainKey, at: Int, _ current: inout OpenFrame, _ table: inout ImageTable) -> Int? {
    switch key {
    case .identifier:
      // Mostly one that was seen before, and so need not be looked through again.
      if text[at] == UInt8(ascii: "\""), at &+ 38 <= text.count, text[at &+ 37] == UInt8(ascii: "\""),
        let image = table.image(rememberedAs: text[(at &+ 1)..<(at &+ 37)])
      {
        current.image = image
        return at &+ 38
      }
      guard text[at] == UInt8(ascii: "\""), let end = text.endOfString(at &+ 1),
        let image = table.image(identifiedBy: text[(at &+ 1)..<end], escaped: false)
      else { return nil }
      current.image = image
      return end &+ 1
    case .name:
      guard text[at] == UInt8(ascii: "\""), let end = text.endOfString(at &+ 1), end &- at &- 1 <= nameLimit else {
        return nil
      }
      current.nameStart = at &+ 1
      current.nameCount = end &- at &- 1
      return end &+ 1
    case .offset, .samples, .address:
      guard let (number, end) = text.number(at) else { return nil }
      switch key {
      case .offset: current.offset = number
      case .samples: current.samples = number
      default: current.address = number
      }
      return end
    case .subFrames: return nil
    }
  }

  /// Gives the image of a frame its name, as the general reader does at the frame's end.
  @inline(__always)
  private func name(_ current: inout OpenFrame, _ table: inout ImageTable) {
    guard current.nameCount > 0 else { return }
    let name = text[current.nameStart..<(current.nameStart &+ current.nameCount)]
    if current.image >= 0 {
      table.name(current.image, name, escaped: false, limit: nameLimit)
    } else {
      current.image = table.image(named: name, escaped: false, limit: nameLimit)
    }
  }
}
