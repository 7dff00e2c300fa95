public import Files
public import Identity
internal import JSON

/// Builds and images whose symbols are never removed, because somebody said so.
public struct SymbolPins: Sendable, Hashable {
  /// Pinned images.
  public var images: Set<DebugID> = []
  /// Pinned builds, with all their images.
  public var builds: Set<BuildName> = []

  static let schema = "symclust.pins/1"
  static let file = "symbols/pins.json"

  /// No pins.
  public init() {}

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", Self.schema)
    writer.key("images")
    writer.beginArray()
    for image in images.sorted() { writer.string(image.hex) }
    writer.endArray()
    writer.key("builds")
    writer.beginArray()
    for build in builds.sorted() {
      writer.beginObject()
      writer.member("app", build.app)
      writer.member("version", build.version)
      writer.member("build", build.build)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let images = value["images"]?.array,
      let builds = value["builds"]?.array
    else { return nil }
    for image in images {
      guard let id = image.string.flatMap({ DebugID($0) }) else { return nil }
      self.images.insert(id)
    }
    for build in builds {
      guard let app = build["app"]?.string, let version = build["version"]?.string, let number = build["build"]?.string
      else { return nil }
      self.builds.insert(BuildName(app: app, version: version, build: number))
    }
  }
}

extension SymbolStore {
  /// Every image of which something is retained, by identifier. A damaged record goes to `onDamage`, and is left out.
  ///
  /// Cost: reading one small file for each image.
  public func records(onDamage: (StoreError) -> Void = { _ in }) throws(StoreError) -> [ImageRecord] {
    var records: [ImageRecord] = []
    for name in try files(in: "symbols/images") {
      guard let id = DebugID(stem(name)) else {
        onDamage(StoreError(.damaged, directory.path(name), "its name is no debug identifier"))
        continue
      }
      do throws(StoreError) {
        if let record = try record(of: id) { records.append(record) }
      } catch {
        onDamage(error)
      }
    }
    return records.sorted { $0.debugID < $1.debugID }
  }

  /// The manifests of all builds, by name. A damaged one goes to `onDamage`, and is left out.
  public func manifests(onDamage: (StoreError) -> Void = { _ in }) throws(StoreError) -> [BuildManifest] {
    var manifests: [BuildManifest] = []
    for name in try directory.list("symbols/builds") {
      let path = "symbols/builds/\(name)"
      do throws(StoreError) {
        guard let value = try document(path) else { continue }
        guard let manifest = BuildManifest(value), manifestName(manifest.build) == path else {
          throw StoreError(.damaged, directory.path(path), "this is no manifest of a build")
        }
        manifests.append(manifest)
      } catch {
        onDamage(error)
      }
    }
    return manifests.sorted { $0.build < $1.build }
  }

  /// What is pinned.
  public func pins() throws(StoreError) -> SymbolPins {
    guard let value = try document(SymbolPins.file) else { return SymbolPins() }
    guard let pins = SymbolPins(value) else {
      throw StoreError(.damaged, directory.path(SymbolPins.file), "this is no list of pins")
    }
    return pins
  }

  /// Pins exactly these. To be called with the store's lock.
  public func set(_ pins: SymbolPins) throws(StoreError) {
    try publish(to: SymbolPins.file) { () throws(JSONWriterError) in try pins.json() }
  }

  /// The files two levels below `root`, as names of the store.
  func files(in root: String) throws(StoreError) -> [String] {
    var names: [String] = []
    for folder in try directory.list(root) {
      for name in try directory.list("\(root)/\(folder)") { names.append("\(root)/\(folder)/\(name)") }
    }
    return names
  }

  /// The name of a file without its folders and its extension.
  func stem(_ name: String) -> String {
    String((name.split(separator: "/").last ?? "").prefix { $0 != "." })
  }
}
