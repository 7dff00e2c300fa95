public import Files
public import Identity
internal import JSON

/// Images whose symbols `symbols gc` removed, so that their absence is told from damage.
///
/// Records say what is retained; this is asked only about images that have none.
public struct RemovedImages: Sendable, Hashable {
  /// The names by which they were known.
  public var images: [DebugID: String] = [:]

  static let schema = "symclust.removed/1"
  static let file = "symbols/removed.json"

  /// None.
  public init() {}

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", Self.schema)
    writer.key("images")
    writer.beginArray()
    for (image, name) in images.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.member("debug_id", image.hex)
      writer.member("name", name)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let images = value["images"]?.array else { return nil }
    for image in images {
      guard let id = image["debug_id"]?.string.flatMap({ DebugID($0) }), let name = image["name"]?.string else {
        return nil
      }
      self.images[id] = name
    }
  }
}

extension SymbolStore {
  /// The images whose symbols were removed on purpose; some may be retained again.
  public func removedImages() throws(StoreError) -> RemovedImages {
    guard let value = try document(RemovedImages.file) else { return RemovedImages() }
    guard let removed = RemovedImages(value) else {
      throw StoreError(.damaged, directory.path(RemovedImages.file), "this is no list of removed images")
    }
    return removed
  }

  /// To be called with the store's lock.
  func set(_ removed: RemovedImages) throws(StoreError) {
    try publish(to: RemovedImages.file) { () throws(JSONWriterError) in try removed.json() }
  }
}
