public import Files
public import Identity
internal import JSON

/// Which images servers said they do not have, and when, so that they are not asked again soon.
///
/// It is a memory and nothing else: losing it costs some questions. An upload makes it void.
public struct AbsentImages: Sendable, Hashable {
  /// By the name of the server: image and time of the answer, in seconds since 1970.
  public var times: [String: [DebugID: Int64]] = [:]

  static let schema = "symclust.absent/1"
  static let file = "symbols/absent.json"

  /// None.
  public init() {}

  /// Only what was answered since `time`.
  public func since(_ time: Int64) -> AbsentImages {
    var recent = self
    recent.times = times.mapValues { $0.filter { $0.value >= time } }.filter { !$0.value.isEmpty }
    return recent
  }

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", Self.schema)
    writer.key("servers")
    writer.beginArray()
    for (server, images) in times.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.member("server", server)
      writer.key("images")
      writer.beginArray()
      for (image, time) in images.sorted(by: { $0.key < $1.key }) {
        writer.beginObject()
        writer.member("debug_id", image.hex)
        writer.member("asked", time)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let servers = value["servers"]?.array else { return nil }
    for server in servers {
      guard let name = server["server"]?.string, let images = server["images"]?.array else { return nil }
      for image in images {
        guard let id = image["debug_id"]?.string.flatMap({ DebugID($0) }), let time = image["asked"]?.int else {
          return nil
        }
        times[name, default: [:]][id] = time
      }
    }
  }
}

extension SymbolStore {
  /// Which images servers did not have. One that cannot be read is none.
  public func absentImages() -> AbsentImages {
    ((try? document(AbsentImages.file)) ?? nil).flatMap { AbsentImages($0) } ?? AbsentImages()
  }

  /// Remembers exactly these.
  public func set(_ absent: AbsentImages) throws(StoreError) {
    try publish(to: AbsentImages.file) { () throws(JSONWriterError) in try absent.json() }
  }
}
