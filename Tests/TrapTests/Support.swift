import Bytes
import CompanionFiles
import Diagnostics
import Files
import Identity
import ObjectFiles
import Pipeline
import SymbolIndex
import SymbolStore
import Symbolication
import TestSupport
import Workers

// What the suites share: from the bytes of a file to the answer that a user gets.

/// The slices of a file as index sources.
func sources(_ bytes: [UInt8]) throws -> [IndexSource] { try sources(in: ByteView(bytes)) }

/// The slices in `bytes` as index sources.
func sources(in bytes: ByteView) throws -> [IndexSource] {
  try Container(bytes).objects.map { IndexSource(object: $0, digest: ContentDigest(of: $0.bytes)) }
}

/// The index of some sources and what was found on the way.
func product(_ sources: [IndexSource]) throws(IndexError) -> IndexBuilder.Product { try IndexBuilder().build(sources) }

/// The opened index of a file in memory.
func index(_ bytes: [UInt8]) throws -> SymbolIndex { try SymbolIndex(ByteView(product(sources(bytes)).bytes)) }

/// The opened index of a made-up file.
func index(_ file: DebugFileBuilder) throws -> SymbolIndex { try index(file.build()) }

/// What building the index of a made-up file tells.
func summary(_ file: DebugFileBuilder) throws -> IndexSummary { try product(sources(file.build())).summary }

extension IndexAnswer {
  /// The frames as `function file:line:column` with marks, or what there is instead.
  var lines: [String] {
    switch self {
    case .frames(let frames): frames.map(\.summary)
    case .hole: ["hole"]
    case .outsideImage: ["outside"]
    case .corrupt: ["corrupt"]
    }
  }

  /// The frames, innermost first; none when there are none.
  var frames: [Frame] {
    if case .frames(let frames) = self { return frames }
    return []
  }

  /// The linker's names of the frames.
  var names: [String] { frames.map { $0.mangled ?? $0.function } }
}

extension Frame {
  /// The frame in one line of text.
  var summary: String {
    "\(mangled ?? function) \(file ?? "?"):\(line ?? 0)" + (column.map { ":\($0)" } ?? "")
      + (isInlined ? " inlined" : "") + (isApproximate ? " approximate" : "")
  }
}

/// A unit in `/src` whose line table stands at `lines` of `.debug_line`; `body` adds its entries.
func unit(
  version: UInt16 = 5, lines: UInt64 = 0, lowPC: UInt64 = 0, _ body: (inout DWARFUnitBuilder) -> Void
) -> DWARFUnitBuilder {
  var unit = DWARFUnitBuilder(version: version)
  unit.begin(
    DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(lines)), (DW.lowPC, .address(lowPC))])
  body(&unit)
  return unit
}

extension DWARFUnitBuilder {
  /// Adds a function without children.
  mutating func function(_ name: String, _ low: UInt64, _ high: UInt64) {
    entry(DW.function, [(DW.name, .string(name))] + code(low, high))
  }
}

/// A file with several units, one after another, each with abbreviations of its own.
func debugFile(_ units: [DWARFUnitBuilder], lines: [UInt8] = []) -> DebugFileBuilder {
  var info: [UInt8] = []
  var abbreviations: [UInt8] = []
  for unit in units {
    var (bytes, own) = unit.finish()
    let at = unit.version >= 5 ? 8 : 6
    for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: abbreviations.count >> (8 * byte)) }
    info += bytes
    // A reference to another unit has no case of its own in the builder: its forms are written as `data4` at first.
    own = own.replacing([UInt8(DW.origin), 0x06], with: [UInt8(DW.origin), 0x10])
    abbreviations += own
  }
  var file = DebugFileBuilder()
  file.sections = [("debug_info", info), ("debug_abbrev", abbreviations), ("debug_line", lines)]
  return file
}

extension [UInt8] {
  /// These bytes with each run `old` replaced by `new` of the same length.
  func replacing(_ old: [UInt8], with new: [UInt8]) -> [UInt8] {
    var result = self
    for start in indices.dropLast(old.count - 1) where self[start..<start + old.count].elementsEqual(old) {
      result.replaceSubrange(start..<start + old.count, with: new)
    }
    return result
  }
}

/// A small arm64 image at base 0 with a section of code at `0x1000`, changed by `change`.
func image(_ change: (inout MachOBuilder) -> Void) -> [UInt8] {
  var builder = MachOBuilder()
  builder.fileType = 2
  builder.text = (0, 0x4000)
  builder.sections = [.code(at: 0x1000, size: 0x100)]
  change(&builder)
  return builder.build()
}

/// The identifier with these bytes in their order, ended by `last`.
func uuid(_ last: UInt8) -> [UInt8] { (1...15).map { $0 } + [last] }

/// A store in a temporary folder.
struct TestStore {
  let folder: TemporaryFolder
  let store: SymbolStore

  init() throws {
    folder = try TestStore.folder("store")
    store = SymbolStore(try StoreDirectory(root: folder.entry("store"), creating: true))
  }

  static func folder(_ purpose: String) throws -> TemporaryFolder {
    struct NoFolder: Error {}
    guard let folder = TemporaryFolder(purpose) else { throw NoFolder() }
    return folder
  }

  /// Hands files or folders in and gives the reports on their slices.
  @discardableResult
  func upload(_ paths: String...) throws -> [SliceReport] {
    var intake = try SymbolIntake(into: store, build: nil)
    try intake.take(paths)
    return intake.reports
  }

  /// Writes a file beside the store and hands it in.
  @discardableResult
  func upload(_ bytes: [UInt8], as name: String) throws -> [SliceReport] {
    try upload(folder.write(bytes, to: "in/" + name))
  }

  /// What the store says of an offset in an image.
  func lookup(_ id: [UInt8], _ offset: UInt64) throws -> [String] {
    guard let id = DebugID(bytes: id), let index = try store.index(of: id) else { return ["missing"] }
    return index.lookup(offset).lines
  }
}

/// The verdicts on files or folders without a store.
func verdicts(_ paths: String...) throws -> [SliceReport] {
  var intake = SymbolIntake()
  try intake.take(paths)
  return intake.reports
}

/// Reads one MetricKit document in `text`.
func payload(_ text: String) throws -> Payload { try PayloadReader().read(ByteView(Array(text.utf8))) }

/// One diagnostic with one stack; `metadata` says its kind.
func diagnostic(_ frames: String, metadata: String = #"{"signal":11}"#) throws -> Diagnostic {
  try payload(
    #"{"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":["#
      + frames + #"]}]},"diagnosticMetaData":"# + metadata + "}"
  ).diagnostics[0]
}

/// One frame of the image with identifier `id`; `inner` are its sub-frames.
func frame(
  _ offset: UInt64?, address: UInt64?, id: [UInt8] = uuid(16), name: String? = "App", samples: UInt64? = nil,
  _ inner: String? = nil
) -> String {
  var members = [#""binaryUUID":"\#(DebugID(bytes: id)?.description ?? "")""#]
  if let offset { members.append(#""offsetIntoBinaryTextSegment":\#(offset)"#) }
  if let address { members.append(#""address":\#(address)"#) }
  if let name { members.append(#""binaryName":"\#(name)""#) }
  if let samples { members.append(#""sampleCount":\#(samples)"#) }
  if let inner { members.append(#""subFrames":[\#(inner)]"#) }
  return "{" + members.joined(separator: ",") + "}"
}

/// Frames inside each other, the first the outermost brace: `place` gives offset and address of each.
func nested(_ places: [(offset: UInt64, address: UInt64)], id: [UInt8] = uuid(16)) -> String {
  var text: String?
  for place in places.reversed() { text = frame(place.offset, address: place.address, id: id, text) }
  return text ?? ""
}

/// The frames of each raw frame of a diagnostic's first stack, with `index` as the only image that is retained.
func symbolicated(_ diagnostic: Diagnostic, _ index: SymbolIndex) -> [Resolution] {
  let wanted = index.debugID
  let symbolicator = Symbolicator(source: { $0 == wanted ? .available(index) : .missing })
  return symbolicator.resolve([diagnostic])[0].resolutions[0]
}
