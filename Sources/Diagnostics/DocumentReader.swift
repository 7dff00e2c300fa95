internal import JSON

/// Reads one document in one pass: payloads, diagnostics, trees and the envelopes around them, in any order of keys.
///
/// What an object is shows only at its end, so each open object collects what it holds. A loop with a list of the
/// open objects; only a JSON text inside a string starts a second loop, and inside that one no third.
struct DocumentReader {
  let limits: ReadingLimits
  var payload = Payload()
  var notes: Notebook
  var treeReader: CallStackTreeReader
  private(set) var levels: [DocumentLevel] = []
  private var nextOrdinal = 0
  private var embeddings = 0
  var diagnosticsCut = 0
  var hasLists = false
  /// Whether a tree has the shape of a neighbouring format: an array of trees, or flat frames.
  var sawNeighbourTree = false
  var sawVersion2 = false
  /// For each diagnostic taken whether it came in v2 form.
  var isVersion2: [Bool] = []
  var sawMixedVersions = false
  var sawIPSHeader = false

  init(limits: ReadingLimits) {
    self.limits = limits
    notes = Notebook(limit: limits.notes)
    treeReader = CallStackTreeReader(limits: limits)
  }

  /// Reads the next value of `reader` and all in it.
  mutating func read(_ reader: inout JSONReader, expecting expected: ExpectedElement) throws(JSONError) {
    let floor = levels.count
    try begin(reader.next(), &reader, expecting: expected, kind: nil)
    while levels.count > floor {
      if levels[levels.count - 1].isObject {
        if try reader.nextKey() {
          try readMember(&reader)
        } else {
          let level = levels.removeLast()
          finish(level)
        }
      } else {
        let token = try reader.next()
        if token == .endArray {
          let level = levels.removeLast()
          closeList(upTo: level)
        } else {
          let expected = levels[levels.count - 1].expected
          let kind = levels[levels.count - 1].namedKind
          try begin(token, &reader, expecting: expected, kind: kind)
        }
      }
    }
  }

  /// Takes up the value that `token` begins.
  private mutating func begin(
    _ token: JSONToken, _ reader: inout JSONReader, expecting expected: ExpectedElement, kind: DiagnosticKind?
  ) throws(JSONError) {
    let place = reader.tokenOffset
    var ordinal: Int?
    if case .diagnostic = expected {
      ordinal = nextOrdinal
      nextOrdinal += 1
    }
    let isEmbedded = token == .string && DocumentReader.looksLikeJSON(reader)
    guard token == .beginObject || (token == .beginArray && ordinal == nil) || isEmbedded else {
      if ordinal != nil {
        notes.add(.diagnosticUnreadable, byte: place)
      } else if levels.last?.isObject == false, token != .null {
        notes.add(.notADiagnostic, byte: place)
      }
      if token == .beginArray { try reader.leaveContainer() }
      return
    }
    if ordinal != nil, payload.diagnostics.count >= limits.diagnostics {
      diagnosticsCut += 1
      if !isEmbedded { try reader.leaveContainer() }
      return
    }
    if isEmbedded {
      // The number is taken again by what the text holds, and lost if that cannot be read.
      nextOrdinal = ordinal ?? nextOrdinal
      readEmbedded(reader, expecting: expected)
      if let ordinal { nextOrdinal = ordinal + 1 }
      return
    }
    // An envelope is an object, and mostly an array in it.
    guard levels.count < limits.envelopeDepth * 2 else {
      notes.add(.envelopeTooDeep, byte: place)
      return try reader.leaveContainer()
    }
    push(isObject: token == .beginObject, expecting: expected, at: place, kind: kind, ordinal: ordinal)
  }

  private mutating func push(
    isObject: Bool, expecting expected: ExpectedElement, at place: Int, kind: DiagnosticKind?, ordinal: Int? = nil
  ) {
    var level = DocumentLevel(
      isObject: isObject, expected: expected, place: place, firstDiagnostic: payload.diagnostics.count,
      noteLimit: limits.notes)
    level.namedKind = kind
    level.ordinal = ordinal
    levels.append(level)
  }

  /// A number for a diagnostic outside the kinds' arrays.
  mutating func takeOrdinal() -> Int {
    defer { nextOrdinal += 1 }
    return nextOrdinal
  }

  // MARK: Members

  private mutating func readMember(_ reader: inout JSONReader) throws(JSONError) {
    let current = levels.count - 1
    guard let key = reader.key(in: DocumentKey.set) else {
      if let key = reader.key(in: MetadataKey.set) {
        try levels[current].readBeside(key, &reader, limits: limits)
      } else if DocumentReader.isDiagnosticKey(reader.tokenBytes) {
        // A result that a later system invented: its stacks are read all the same.
        levels[current].notes.add(.unknownKind, at: Text.cut(Array(reader.text.utf8), to: 64))
        try begin(reader.next(), &reader, expecting: .anything, kind: .unknown)
      } else if levels[current].isResult {
        try beginUnknownResult(&reader)
      } else {
        if DocumentReader.isMetricKey(reader.tokenBytes) { levels[current].metricKeys += 1 }
        payload.unknownKeys += 1
        try reader.skipValue()
      }
      return
    }
    if let kind = key.listedKind { return try beginList(of: kind, &reader) }
    if let kind = key.singleKind {
      levels[current].hasSingleKind = true
      return try begin(reader.next(), &reader, expecting: .anything, kind: kind)
    }
    switch key {
    case .callStackTree, .callStack: try readTree(&reader)
    case .callStacks: try readStacks(&reader, isVersion2: false)
    case .callStackPerThread:
      let value = try MetadataValue.bool(&reader)
      withTree { $0.isPerThread = value }
    case .callStackThreads: try readStacks(&reader, isVersion2: true)
    case .binaryInfo: try readBinaryInfo(&reader)
    case .diagnosticMetaData, .raw: try readMetadata(&reader, isRaw: key == .raw)
    case .metaData:
      var metadata = MetadataReader()
      payload.unknownKeys += try metadata.readObject(&reader, limits: limits, notes: &levels[current].notes)
      levels[current].metricMetadata = metadata.metadata
    case .version:
      let token = try reader.next()
      if token == .string { levels[current].hasVersion2 = reader.text.hasPrefix("2.") }
      if token == .beginObject || token == .beginArray { try reader.leaveContainer() }
    case .timeRange: levels[current].timeRange = try ReportEnvironment.timeRange(&reader)
    case .environment: levels[current].environment = try ReportEnvironment(&reader, limits: limits)
    case .applicationBuildVersion:
      levels[current].hasVersion2Environment = true
      try reader.skipValue()
    case .type, .kind:
      let text = try MetadataValue.text(&reader, limit: 64, notes: &levels[current].notes)
      if let kind = text.flatMap(DiagnosticKind.init(word:)) { levels[current].statedKind = kind }
    case .bugType:
      levels[current].isIPSHeader = true
      try reader.skipValue()
    case .signpostData: try reader.skipValue()
    case .result:
      let token = try reader.next()
      let count = levels.count
      if token == .beginObject || token == .beginArray || token == .string {
        try begin(token, &reader, expecting: .anything, kind: nil)
      }
      if levels.count > count { levels[count].isResult = token == .beginObject }
    case .firstValue: try begin(reader.next(), &reader, expecting: .anything, kind: levels[current].namedKind)
    default:
      let token = try reader.next()
      if token == .beginObject || token == .beginArray || token == .string {
        try begin(token, &reader, expecting: .anything, kind: nil)
      }
    }
  }

  /// Begins the value of a member of `result` that no kind is named after: something a later system invented, or a
  /// vendor's envelope. Which of the two, shows at its end.
  private mutating func beginUnknownResult(_ reader: inout JSONReader) throws(JSONError) {
    let name = Text.cut(Array(reader.text.utf8), to: 64)
    payload.unknownKeys += 1
    let count = levels.count
    try begin(reader.next(), &reader, expecting: .anything, kind: .unknown)
    if levels.count > count { levels[count].unknownResult = name }
  }

  private mutating func beginList(of kind: DiagnosticKind, _ reader: inout JSONReader) throws(JSONError) {
    let current = levels.count - 1
    if let earlier = levels[current].lists.firstIndex(where: { $0.kind == kind }) {
      notes.add(.duplicateKey, byte: reader.tokenOffset)
      forget(levels[current].lists[earlier].diagnostics)
      levels[current].lists.remove(at: earlier)
    }
    let token = try reader.next()
    hasLists = true
    guard token == .beginArray else {
      if token != .null { notes.add(.diagnosticUnreadable, byte: reader.tokenOffset) }
      if token == .beginObject { try reader.leaveContainer() }
      let end = payload.diagnostics.count
      levels[current].lists.append((kind, end..<end))
      return
    }
    levels[current].openList = (kind, payload.diagnostics.count)
    push(isObject: false, expecting: .diagnostic(kind), at: reader.tokenOffset, kind: nil)
  }

  private mutating func closeList(upTo array: DocumentLevel) {
    guard case .diagnostic = array.expected, let list = levels.last?.openList else {
      if array.holdsFinding, !levels.isEmpty { levels[levels.count - 1].holdsFinding = true }
      return
    }
    levels[levels.count - 1].lists.append((list.kind, list.start..<payload.diagnostics.count))
    levels[levels.count - 1].openList = nil
  }

  /// Removes diagnostics that a later member of the same name replaces.
  private mutating func forget(_ range: Range<Int>) {
    payload.diagnostics.removeSubrange(range)
    isVersion2.removeSubrange(range)
    let current = levels.count - 1
    for index in levels[current].lists.indices
    where levels[current].lists[index].diagnostics.lowerBound >= range.upperBound {
      let old = levels[current].lists[index].diagnostics
      levels[current].lists[index].diagnostics = (old.lowerBound - range.count)..<(old.upperBound - range.count)
    }
  }

  private mutating func readMetadata(_ reader: inout JSONReader, isRaw: Bool) throws(JSONError) {
    let current = levels.count - 1
    var metadata = MetadataReader()
    let unknown = try metadata.readObject(&reader, limits: limits, notes: &levels[current].notes)
    payload.unknownKeys += unknown
    if let kind = metadata.kind { levels[current].statedKind = levels[current].statedKind ?? kind }
    if isRaw, metadata.kind == nil { return }
    if levels[current].metadata != nil, !isRaw { levels[current].notes.add(.duplicateKey, byte: reader.offset) }
    levels[current].metadata = metadata
  }

  /// Marks what stands around the current object.
  mutating func markEnclosing() {
    if !levels.isEmpty { levels[levels.count - 1].holdsFinding = true }
  }

  // MARK: Trees

  private mutating func withTree(_ change: (inout CallStackTree) -> Void) {
    let current = levels.count - 1
    var tree = levels[current].tree ?? CallStackTree(notes: Notebook(limit: limits.notes))
    change(&tree)
    levels[current].tree = tree
  }

  /// Reads the value of `binaryInfo`, which is next.
  private mutating func readBinaryInfo(_ reader: inout JSONReader) throws(JSONError) {
    let names = try ReportEnvironment.binaryNames(&reader, limits: limits)
    withTree {
      $0.hasBinaryInfo = true
      $0.names = names
    }
  }

  private mutating func readStacks(_ reader: inout JSONReader, isVersion2: Bool) throws(JSONError) {
    let current = levels.count - 1
    var tree = levels[current].tree ?? CallStackTree(notes: Notebook(limit: limits.notes))
    levels[current].tree = nil
    try treeReader.readStacks(&reader, into: &tree, isVersion2: isVersion2)
    levels[current].tree = tree
  }

  /// Reads the value of `callStackTree`: the tree, or a text that holds it.
  private mutating func readTree(_ reader: inout JSONReader) throws(JSONError) {
    let current = levels.count - 1
    if levels[current].tree != nil { levels[current].notes.add(.duplicateKey, byte: reader.tokenOffset) }
    levels[current].tree = CallStackTree(notes: Notebook(limit: limits.notes))
    let token = try reader.next()
    let place = reader.tokenOffset
    if token == .beginObject { return try readTreeMembers(&reader) }
    if token == .string, DocumentReader.looksLikeJSON(reader) {
      var text: [UInt8] = []
      reader.appendText(to: &text)
      do {
        try JSONReader.read(text, depthLimit: limits.depth) { (inner) throws(JSONError) in
          guard try inner.next() == .beginObject else { throw JSONError(.wrongType, at: inner.tokenOffset) }
          try readTreeMembers(&inner)
          _ = try inner.next()
        }
      } catch {
        levels[current].tree = CallStackTree(notes: Notebook(limit: limits.notes))
        levels[current].notes.add(.embeddedTextUnreadable, at: "byte \(place): \(error)")
      }
      return
    }
    if token != .null { levels[current].notes.add(.treeUnreadable, byte: place) }
    guard token == .beginArray else { return }
    sawNeighbourTree = true
    try reader.leaveContainer()
  }

  private mutating func readTreeMembers(_ reader: inout JSONReader) throws(JSONError) {
    while try reader.nextKey() {
      if reader.tokenIs("callStacks") {
        try readStacks(&reader, isVersion2: false)
      } else if reader.tokenIs("callStackPerThread") {
        let value = try MetadataValue.bool(&reader)
        withTree { $0.isPerThread = value }
      } else if reader.tokenIs("callStackThreads") {
        try readStacks(&reader, isVersion2: true)
      } else if reader.tokenIs("binaryInfo") {
        try readBinaryInfo(&reader)
      } else {
        try reader.skipValue()
      }
    }
  }

  // MARK: Texts that hold JSON

  private static func looksLikeJSON(_ reader: borrowing JSONReader) -> Bool {
    let first = reader.tokenBytes.first
    return first == 0x7b || first == 0x5b
  }

  /// Reads the document in the last string of `reader`. Nothing of a broken one is kept.
  private mutating func readEmbedded(_ reader: borrowing JSONReader, expecting expected: ExpectedElement) {
    let place = reader.tokenOffset
    guard embeddings == 0 else {
      notes.add(.envelopeTooDeep, byte: place)
      return
    }
    var text: [UInt8] = []
    reader.appendText(to: &text)
    let floor = levels.count
    let count = payload.diagnostics.count
    embeddings += 1
    defer { embeddings -= 1 }
    do {
      try JSONReader.read(text, depthLimit: limits.depth) { (inner) throws(JSONError) in
        try read(&inner, expecting: expected)
        _ = try inner.next()
      }
    } catch {
      levels.removeLast(levels.count - floor)
      payload.diagnostics.removeLast(payload.diagnostics.count - count)
      isVersion2.removeLast(isVersion2.count - count)
      notes.add(.embeddedTextUnreadable, at: "byte \(place): \(error)")
    }
  }

  private static func isMetricKey(_ name: UnsafeRawBufferPointer) -> Bool { ends(name, in: "Metrics") }

  private static func isDiagnosticKey(_ name: UnsafeRawBufferPointer) -> Bool { ends(name, in: "Diagnostic") }

  private static func ends(_ name: UnsafeRawBufferPointer, in suffix: StaticString) -> Bool {
    guard name.count > suffix.utf8CodeUnitCount else { return false }
    return suffix.withUTF8Buffer { name.suffix($0.count).elementsEqual($0) }
  }
}
