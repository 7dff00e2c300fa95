internal import Bytes
internal import Demangling

/// What an index says of one offset.
public enum IndexAnswer: Sendable, Hashable {
  /// The frames, innermost first; at least one.
  case frames([Frame])
  /// No function covers the offset.
  case hole
  /// The offset lies behind the image.
  case outsideImage
  /// The index contradicts itself here.
  case corrupt
}

extension SymbolIndex {
  /// The frames at `offset` bytes from the start of the image.
  ///
  /// With `isReturnAddress` the call before the offset is looked up: the byte before a return address always lies in
  /// the call instruction. A resume point of an async function is entered, not returned to: when `offset` is exactly
  /// where one begins, it is taken as it is (symbolication.md B.3, B.4).
  ///
  /// On 32-bit ARM bit 0 of an address is the instruction set's and not a place's (B.8).
  ///
  /// Cost: one binary search and one step for each frame.
  public func lookup(_ offset: UInt64, isReturnAddress: Bool = false) -> IndexAnswer {
    let offset = usesThumbBit ? offset & ~1 : offset
    guard offset < imageSize || (isReturnAddress && offset == imageSize) else { return .outsideImage }
    // No call lies before the image.
    if isReturnAddress, offset == 0 { return .hole }
    guard isReturnAddress else { return answer(atRun: run(containing: offset)) }
    let before = run(containing: offset - 1)
    if let entry = run(containing: offset), start(ofRun: entry) == offset, isAsyncPart(entry),
      before.flatMap(physicalFunction(ofRun:)) != physicalFunction(ofRun: entry)
    {
      return answer(atRun: entry)
    }
    return answer(atRun: before)
  }

  /// Whether any place is in an inlined call. Cost: a pass over the places up to the first that is.
  public var hasInlinedCalls: Bool {
    (0..<locations.count / IndexFormat.locationSize).contains { place in
      let parent: UInt32? = locations.load(at: place * IndexFormat.locationSize + 12)
      return parent ?? 0 != 0
    }
  }

  /// Whether the code is for 32-bit ARM, by the numbers of Mach-O and ELF.
  private var usesThumbBit: Bool { cpu.type == 12 || cpu.type == 40 }

  /// The run that holds `offset`; `nil` before the first and after the last.
  func run(containing offset: UInt64) -> Int? {
    guard let wanted = UInt32(exactly: offset) else { return nil }
    var low = 0
    var high = runCount
    while low < high {
      let middle = (low + high) / 2
      guard let start: UInt32 = starts.load(at: middle * 4) else { return nil }
      if start <= wanted { low = middle + 1 } else { high = middle }
    }
    // The last entry only ends the run before it.
    return low == 0 || low == runCount ? nil : low - 1
  }

  private func start(ofRun run: Int) -> UInt64? { starts.load(at: run * 4, as: UInt32.self).map(UInt64.init) }

  private func answer(atRun run: Int?) -> IndexAnswer {
    guard let run, let location: UInt32 = runs.load(at: run * 4), location != 0 else { return .hole }
    var frames: [Frame] = []
    var current = location
    while current != 0 {
      guard frames.count < IndexFormat.maximumDepth, let (frame, parent) = frame(at: current), parent < current else {
        return .corrupt
      }
      frames.append(frame)
      current = parent
    }
    return .frames(frames)
  }

  private func frame(at location: UInt32) -> (frame: Frame, parent: UInt32)? {
    let at = Int(location) * IndexFormat.locationSize
    guard let file: UInt32 = locations.load(at: at), let line: UInt32 = locations.load(at: at + 4),
      let function: UInt32 = locations.load(at: at + 8), let parent: UInt32 = locations.load(at: at + 12),
      let column: UInt16 = columns.load(at: Int(location) * 2), let marks: UInt8 = marks.load(at: Int(location)),
      var frame = self.function(function), let path = path(ofFile: file)
    else { return nil }
    frame.file = path.isEmpty ? nil : path
    frame.line = line == 0 ? nil : line
    frame.column = column == 0 ? nil : UInt32(column)
    frame.isInlined = parent != 0
    frame.isApproximate = marks & IndexFormat.markApproximate != 0
    if SourceFileName.isPseudo(path) { frame.traits.insert(.synthetic) }
    return (frame, parent)
  }

  private func function(_ number: UInt32) -> Frame? {
    let at = Int(number) * IndexFormat.functionSize
    guard let name: UInt32 = functions.load(at: at), let display: UInt32 = functions.load(at: at + 4),
      let token: UInt32 = functions.load(at: at + 8), let source: UInt8 = functions.load(at: at + 17),
      let traits: UInt16 = functions.load(at: at + 18), let origin = FrameSource(code: source),
      let mangled = string(name), let shown = display == 0 ? mangled : string(display),
      let normal = token == 0 ? shown : string(token)
    else { return nil }
    var frame = Frame(
      function: shown, mangled: mangled.isEmpty ? nil : mangled, token: normal, source: origin,
      traits: FunctionTraits(rawValue: traits))
    if let run: UInt32 = functions.load(at: at + 12), run > 0 {
      guard let names = aliasNames(run) else { return nil }
      frame.aliases = names
    }
    return frame
  }

  /// The names in a run of the ALIAS table.
  private func aliasNames(_ run: UInt32) -> [String]? {
    guard let count: UInt32 = aliases.load(at: Int(run) * 4), count <= UInt32(SymbolRanges.maximumAliases) else {
      return nil
    }
    var names: [String] = []
    for index in 0..<Int(count) {
      guard let position: UInt32 = aliases.load(at: (Int(run) + 1 + index) * 4), let name = string(position) else {
        return nil
      }
      names.append(name)
    }
    return names
  }

  private func physicalFunction(ofRun run: Int) -> UInt32? {
    guard var location: UInt32 = runs.load(at: run * 4), location != 0 else { return nil }
    for _ in 0..<IndexFormat.maximumDepth {
      guard let parent: UInt32 = locations.load(at: Int(location) * IndexFormat.locationSize + 12), parent < location
      else { return nil }
      if parent == 0 { return locations.load(at: Int(location) * IndexFormat.locationSize + 8) }
      location = parent
    }
    return nil
  }

  private func isAsyncPart(_ run: Int) -> Bool {
    guard let function = physicalFunction(ofRun: run),
      let traits: UInt16 = functions.load(at: Int(function) * IndexFormat.functionSize + 18)
    else { return false }
    return FunctionTraits(rawValue: traits).contains(.asyncPart)
  }

  private func path(ofFile number: UInt32) -> String? {
    if number == 0 { return "" }
    let at = Int(number) * IndexFormat.fileSize
    guard let folder: UInt32 = files.load(at: at), let base: UInt32 = files.load(at: at + 4),
      let folderText = string(folder), let baseText = string(base)
    else { return nil }
    return folderText + baseText
  }

  private func string(_ position: UInt32) -> String? {
    var cursor = ByteCursor(strings, at: Int(position))
    guard position < strings.count, let length = try? cursor.readULEB128(), let text = try? cursor.read(count: length)
    else { return nil }
    return text.text
  }
}
