internal import Bytes
public import DebugInfo
public import Identity
internal import JSON
internal import ObjectFiles

/// What a store holds of one image: its retained files, best first. One small JSON file per image.
public struct ImageRecord: Sendable, Hashable {
  /// One retained file.
  public struct Source: Sendable, Hashable {
    /// The SHA-256 of the slice, and its name in the store.
    public var digest: ContentDigest
    /// The base name of the file it came in.
    public var name: String
    /// What the file is for.
    public var kind: String
    /// The size of the slice in bytes.
    public var byteCount: Int
    /// The size of its `.debug_info`; 0 without.
    public var debugInfoBytes: Int
    /// Whether it holds other code than the first file of this identifier, and is kept but not used.
    public var isConflicting: Bool
  }

  /// One retained file with a part of the debug information (`.dwo`, `.dwp`, what dwz moved out).
  public struct Companion: Sendable, Hashable {
    /// What it holds.
    public var role: CompanionFile.Role
    /// Of a `.dwo` file, the identifier of its unit.
    public var unit: UInt64?
    /// The SHA-256 of the file, and its name in the store.
    public var digest: ContentDigest
    /// The base name of the file.
    public var name: String
  }

  /// The image.
  public var debugID: DebugID
  /// Its architecture.
  public var architecture: String
  /// The ranges of code, by which two files are told to be of one image; as text, for example `1000-4488`.
  var codeShape: String
  /// The retained files, in order of digest.
  public var sources: [Source]
  /// The retained files with parts of the debug information.
  public var companions: [Companion] = []
  /// The retained BCSymbolMap, if any.
  public var symbolMap: ContentDigest?
  /// Whether the index is built when it is needed, so that there may be none yet.
  public var isIndexedOnDemand = false
  /// The source beyond the store that has the files, when none is retained.
  public var borrowedFrom: String?

  /// The base name that people know the image by: that of the file with most debug information.
  public var name: String {
    sources.max { ($0.debugInfoBytes, $1.digest) < ($1.debugInfoBytes, $0.digest) }?.name ?? ""
  }

  static let schema = "symclust.image/1"

  /// The bytes of the record's file.
  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    for (key, text) in [
      ("schema", Self.schema), ("debug_id", debugID.hex), ("architecture", architecture), ("code", codeShape),
    ] {
      writer.key(key)
      writer.string(text)
    }
    writer.member("symbol_map", symbolMap?.hex)
    writer.member("index", isIndexedOnDemand ? "on_demand" : "built")
    if let borrowedFrom { writer.member("borrowed_from", borrowedFrom) }
    writer.key("companions")
    writer.beginArray()
    for companion in companions.sorted(by: { ($0.role.rawValue, $0.digest) < ($1.role.rawValue, $1.digest) }) {
      writer.beginObject()
      writer.member("role", companion.role.rawValue)
      writer.member("unit", companion.unit?.hex)
      writer.member("sha256", companion.digest.hex)
      writer.member("name", companion.name)
      writer.endObject()
    }
    writer.endArray()
    writer.key("sources")
    writer.beginArray()
    for source in sources.sorted(by: { $0.digest < $1.digest }) {
      writer.beginObject()
      for (key, text) in [("sha256", source.digest.hex), ("name", source.name), ("kind", source.kind)] {
        writer.key(key)
        writer.string(text)
      }
      writer.key("bytes")
      writer.integer(source.byteCount)
      writer.key("debug_info_bytes")
      writer.integer(source.debugInfoBytes)
      writer.key("conflicting")
      writer.bool(source.isConflicting)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  /// The record that `value` says; `nil` when something is missing.
  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let id = value["debug_id"]?.string.flatMap({ DebugID($0) }),
      let architecture = value["architecture"]?.string, let code = value["code"]?.string,
      let sources = value["sources"]?.array
    else { return nil }
    self.init(debugID: id, architecture: architecture, codeShape: code, sources: [])
    symbolMap = value["symbol_map"]?.string.flatMap { ContentDigest(hex: $0) }
    isIndexedOnDemand = value["index"]?.string == "on_demand"
    borrowedFrom = value["borrowed_from"]?.string
    for companion in value["companions"]?.array ?? [] {
      guard let role = companion["role"]?.string.flatMap(CompanionFile.Role.init),
        let digest = companion["sha256"]?.string.flatMap({ ContentDigest(hex: $0) }),
        let name = companion["name"]?.string
      else { return nil }
      let unit = companion["unit"]?.string.flatMap { UInt64($0.dropFirst(2), radix: 16) }
      companions.append(Companion(role: role, unit: unit, digest: digest, name: name))
    }
    for source in sources {
      guard let digest = source["sha256"]?.string.flatMap({ ContentDigest(hex: $0) }),
        let name = source["name"]?.string, let kind = source["kind"]?.string, let bytes = source["bytes"]?.uint,
        let debugInfo = source["debug_info_bytes"]?.uint
      else { return nil }
      self.sources.append(
        Source(
          digest: digest, name: name, kind: kind, byteCount: Int(clamping: bytes),
          debugInfoBytes: Int(clamping: debugInfo), isConflicting: source["conflicting"]?.bool ?? false))
    }
  }

  init(debugID: DebugID, architecture: String, codeShape: String, sources: [Source]) {
    self.debugID = debugID
    self.architecture = architecture
    self.codeShape = codeShape
    self.sources = sources
  }
}

extension ImageRecord.Source {
  /// A file of the image, taken to be no conflict.
  init(_ object: ObjectFile, _ digest: ContentDigest, name: String) {
    self.init(
      digest: digest, name: name, kind: object.kind.rawValue, byteCount: object.bytes.count,
      debugInfoBytes: object.dwarfSection(".debug_info")?.data?.count ?? 0, isConflicting: false)
  }
}

extension ImageRecord {
  /// Adds a file, in the place of the same one.
  mutating func add(_ source: Source) {
    sources.removeAll { $0.digest == source.digest }
    sources.append(source)
  }

  /// Whether a file of this identifier holds other code.
  func conflicts(with object: ObjectFile) -> Bool {
    codeShape != object.codeShape && !object.codeShape.isEmpty
  }
}

extension ObjectFile {
  /// Where the code lies, as offsets from the image base: equal for a binary and its dSYM.
  var codeShape: String {
    codeRanges.map {
      String($0.lowerBound &- imageBase, radix: 16) + "-" + String($0.upperBound &- imageBase, radix: 16)
    }.joined(separator: ",")
  }
}
