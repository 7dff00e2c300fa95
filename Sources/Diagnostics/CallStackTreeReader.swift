internal import Identity
internal import JSON

/// A call stack tree as read, before its order and its offsets are decided.
struct CallStackTree {
  /// The frames of all call stacks, one after another; parents count within their own stack.
  var frames: [RawFrame] = []
  /// Where each call stack ends in `frames`, and its `threadAttributed`.
  var stacks: [(end: Int, isAttributed: Bool?)] = []
  var images: [ImageReference] = []
  var isPerThread: Bool?
  /// Whether it has `callStacks`: v1.
  var hasStacks = false
  /// Whether a stack has flat `callStackFrames`, which `OpenTelemetryStack` reads.
  var isFlat = false
  /// Whether it has `callStackThreads`: v2.
  var hasThreads = false
  /// Whether it is v2: `callStackThreads` or `binaryInfo`.
  var isVersion2: Bool { hasThreads || hasBinaryInfo }
  /// Whether it has `binaryInfo`: v2.
  var hasBinaryInfo = false
  /// The names of images, where they stand apart from the frames (v2 `binaryInfo`).
  var names: [DebugID: String] = [:]
  var notes: Notebook
}

/// Reads `callStacks` arrays (v2 `callStackThreads`): frames into one flat array, with a loop and a list of the open frames.
struct CallStackTreeReader {
  private struct OpenFrame {
    var index: Int
    var nameStart: UnsafeRawPointer?
    var nameCount = 0
    var nameIsEscaped = false
  }

  private let limits: ReadingLimits
  private var table = ImageTable()
  private var frames: [RawFrame] = []
  private var open: [OpenFrame] = []
  private var framesInDocument = 0
  private var framesCut = 0

  init(limits: ReadingLimits) { self.limits = limits }

  /// Reads the value of `callStacks`, or with `isVersion2` of `callStackThreads`, which is next.
  mutating func readStacks(
    _ reader: inout JSONReader, into tree: inout CallStackTree, isVersion2: Bool
  ) throws(JSONError) {
    if isVersion2 ? tree.hasThreads : tree.hasStacks { tree.notes.add(.duplicateKey, byte: reader.tokenOffset) }
    if isVersion2 { tree.hasThreads = true } else { tree.hasStacks = true }
    tree.stacks.removeAll()
    tree.images.removeAll()
    table.reset()
    frames.removeAll(keepingCapacity: true)
    framesCut = 0
    var stacksCut = 0

    let token = try reader.next()
    guard token == .beginArray else {
      if token != .null { tree.notes.add(.treeUnreadable, byte: reader.tokenOffset) }
      if token == .beginObject { try reader.leaveContainer() }
      return
    }
    while true {
      let element = try reader.next()
      if element == .endArray { break }
      if element == .beginObject, tree.stacks.count < limits.stacks {
        try readStack(&reader, into: &tree)
        continue
      }
      if element == .beginObject { stacksCut += 1 } else { tree.notes.add(.stackUnreadable, byte: reader.tokenOffset) }
      if element == .beginObject || element == .beginArray { try reader.leaveContainer() }
    }
    if stacksCut > 0 { tree.notes.add(.stacksCut, at: "\(stacksCut) more") }
    if framesCut > 0 { tree.notes.add(.framesCut, at: "\(framesCut) more, with all below them") }
    // A copy of exactly this size; the buffer serves the next tree.
    tree.frames = frames.withUnsafeBufferPointer { Array($0) }
    tree.images = table.take()
    framesInDocument += frames.count
  }

  /// Reads one call stack; its `{` has been read.
  private mutating func readStack(_ reader: inout JSONReader, into tree: inout CallStackTree) throws(JSONError) {
    let base = frames.count
    var isAttributed: Bool?
    while try reader.nextKey() {
      if reader.tokenIs("callStackRootFrames") || reader.tokenIs("rootFrames") {
        if frames.count > base {
          tree.notes.add(.duplicateKey, byte: reader.tokenOffset)
          frames.removeLast(frames.count - base)
        }
        if readPlainFrames(&reader, base: base) { continue }
        let token = try reader.next()
        if token == .beginArray {
          try readFrames(&reader, base: base, notes: &tree.notes)
        } else if token != .null {
          tree.notes.add(.stackUnreadable, byte: reader.tokenOffset)
          if token == .beginObject { try reader.leaveContainer() }
        }
      } else if reader.tokenIs("threadAttributed") {
        isAttributed = try MetadataValue.bool(&reader)
      } else {
        if reader.tokenIs("callStackFrames") { tree.isFlat = true }
        try reader.skipValue()
      }
    }
    tree.stacks.append((frames.count, isAttributed))
  }

  /// Reads all frames of one call stack, whose array is the next value, if they have the usual form.
  private mutating func readPlainFrames(_ reader: inout JSONReader, base: Int) -> Bool {
    let limit = min(limits.frames, limits.framesInDocument &- framesInDocument)
    let isRead = reader.nextValue { bytes, start, depth in
      let plain = PlainFrameReader(bytes, depth: depth, frameLimit: limit, limits: limits)
      return plain.read(at: start, into: &frames, &table)
    }
    // The images that it found stay: the general reader finds the same ones in the same order.
    if !isRead { frames.removeLast(frames.count - base) }
    return isRead
  }

  /// Reads all frames of one call stack; the `[` of its root frames has been read.
  private mutating func readFrames(
    _ reader: inout JSONReader, base: Int, notes: inout Notebook
  ) throws(JSONError) {
    open.removeAll(keepingCapacity: true)
    while true {
      // Inside an array of frames.
      switch try reader.next() {
      case .beginObject:
        guard frames.count < limits.frames, framesInDocument &+ frames.count < limits.framesInDocument else {
          framesCut += 1
          try reader.leaveContainer()
          continue
        }
        var parent: Int32 = -1
        if let outer = open.last { parent = Int32(truncatingIfNeeded: outer.index &- base) }
        open.append(OpenFrame(index: frames.count))
        frames.append(RawFrame(parent: parent))
      case .endArray:
        if open.isEmpty { return }
      case .beginArray:
        notes.add(.frameUnreadable, byte: reader.tokenOffset)
        try reader.leaveContainer()
        continue
      default:
        notes.add(.frameUnreadable, byte: reader.tokenOffset)
        continue
      }
      // Inside a frame, until its sub-frames begin or it ends.
      try readMembers(&reader, notes: &notes)
    }
  }

  /// Reads members of the innermost open frame, until its `subFrames` array has begun or it has ended.
  private mutating func readMembers(_ reader: inout JSONReader, notes: inout Notebook) throws(JSONError) {
    // Worked on in registers, and written back once.
    var current = open[open.count &- 1]
    var frame = frames[current.index]
    while try reader.nextKey() {
      if reader.tokenIs("subFrames") {
        let key = reader.tokenOffset
        let token = try reader.next()
        if token == .beginArray {
          let below = frames.count &- current.index &- 1
          if below > 0 {
            notes.add(.duplicateKey, byte: key)
            frames.removeLast(below)
          }
          frames[current.index] = frame
          open[open.count &- 1] = current
          return
        }
        if token != .null {
          notes.add(.frameUnreadable, byte: reader.tokenOffset)
          if token == .beginObject { try reader.leaveContainer() }
        }
      } else if reader.tokenIs("offsetIntoBinaryTextSegment") {
        frame.offset = try MetadataValue.unsigned(&reader, notes: &notes)
      } else if reader.tokenIs("address") {
        frame.address = try MetadataValue.unsigned(&reader, notes: &notes)
      } else if reader.tokenIs("sampleCount") {
        frame.sampleCount = try MetadataValue.unsigned(&reader, notes: &notes)
      } else if reader.tokenIs("binaryUUID") {
        frame.image = try readIdentifier(&reader, notes: &notes)
      } else if reader.tokenIs("binaryName") {
        let token = try reader.next()
        if token == .string {
          let name = reader.tokenBytes
          if name.count > limits.textBytes { notes.add(.textCut, byte: reader.tokenOffset) }
          current.nameStart = name.baseAddress
          current.nameCount = name.count
          current.nameIsEscaped = reader.hasEscapes
        } else if token == .beginObject || token == .beginArray {
          try reader.leaveContainer()
        }
      } else {
        try reader.skipValue()
      }
    }
    nameImage(of: &frame, current)
    frames[current.index] = frame
    open.removeLast()
  }

  /// Reads the value of `binaryUUID`, which is next; gives the image or -1.
  private mutating func readIdentifier(_ reader: inout JSONReader, notes: inout Notebook) throws(JSONError) -> Int32 {
    let token = try reader.next()
    if token == .string {
      let text = reader.tokenBytes
      if let image = table.image(identifiedBy: text, escaped: reader.hasEscapes) { return image }
      if text.isEmpty { return -1 }
    }
    if token == .null { return -1 }
    notes.add(.badUUID, byte: reader.tokenOffset)
    if token == .beginObject || token == .beginArray { try reader.leaveContainer() }
    return -1
  }

  /// Gives the image of a frame its name, now that both are known in whatever order they came.
  private mutating func nameImage(of frame: inout RawFrame, _ read: OpenFrame) {
    guard let start = read.nameStart, read.nameCount > 0 else { return }
    let name = UnsafeRawBufferPointer(start: start, count: read.nameCount)
    if frame.image >= 0 {
      table.name(frame.image, name, escaped: read.nameIsEscaped, limit: limits.textBytes)
    } else {
      frame.image = table.image(named: name, escaped: read.nameIsEscaped, limit: limits.textBytes)
    }
  }
}
