internal import Identity

/// The images of the target process of a `spindump` or `sample` report.
struct SampledImages {
  struct Image {
    var start: UInt64
    var end: UInt64?
    var debugID: DebugID?
    var name: String
  }

  private struct Place: Hashable {
    var name: String
    var start: UInt64
  }

  private(set) var isEmpty = true
  private var images: [Image] = []
  private var byPlace: [Place: Int] = [:]
  /// The only image of a name; -1 where there are several.
  private var byName: [String: Int] = [:]

  /// Adds the image in `0x1c917b000 - 0x1c91c1fff libdispatch.dylib <BB347F0E-…> /usr/lib/system/libdispatch.dylib`; gives
  /// `false` for a line that holds none.
  ///
  /// The end may be `???`, a `*` marks the kernel's images and a `+` those of the app, and before the identifier may stand
  /// a bundle with its version.
  mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.first == 0x2a ? line.dropFirst() : line
    guard text.starts(with: "0x".utf8) else { return false }
    guard images.count < 65_536, let dash = SampledFrame.first(" - ", in: text),
      let start = ReportedValue.unsigned(SampledFrame.text(SampledFrame.trimmed(text[..<dash]))),
      let close = text.lastIndex(of: 0x3e), let open = text[..<close].lastIndex(of: 0x3c)
    else { return true }
    guard dash + 3 <= open else { return true }
    let words = text[(dash + 3)..<open].split(separator: 0x20)
    let end = words.first.flatMap { ReportedValue.unsigned(SampledFrame.text($0)) }
    let path = SampledFrame.text(SampledFrame.trimmed(text[(close + 1)...]))
    var stated = words.dropFirst().first.map { SampledFrame.text($0) }
    if stated?.hasPrefix("+") == true { stated?.removeFirst() }
    guard let name = ReportedValue.fileName(path) ?? stated else { return true }
    let debugID = DebugID(SampledFrame.text(text[(open + 1)..<close]))
    images.append(Image(start: start, end: end, debugID: debugID, name: name))
    isEmpty = false
    return true
  }

  /// To be called when all are there.
  mutating func sort() {
    images.sort { $0.start < $1.start }
    for (index, image) in images.enumerated() {
      byPlace[Place(name: image.name, start: image.start)] = index
      byName[image.name] = byName[image.name] == nil ? index : -1
    }
  }

  /// The image of a frame: of several with one name the one that lies where the frame says.
  func image(of frame: SampledFrame) -> Image? {
    let name = ReportedValue.fileName(frame.image)
    if let name, let only = byName[name], only >= 0 { return images[only] }
    guard let address = frame.address else { return nil }
    if let name, let offset = frame.offset {
      return byPlace[Place(name: name, start: address &- offset)].map { images[$0] }
    }
    guard let image = lastImage(notAbove: address), let end = image.end, address <= end,
      name == nil || name == image.name
    else { return nil }
    return image
  }

  private func lastImage(notAbove address: UInt64) -> Image? {
    images.last(startingAtOrBefore: address, by: \.start)
  }
}
