public import Identity
internal import JSON

/// Which build of which app symbols belong to.
public struct BuildName: Sendable, Hashable, Comparable {
  /// The bundle identifier.
  public var app: String
  /// The marketing version, for example `2.1`.
  public var version: String
  /// The build number, for example `812`.
  public var build: String

  /// The build `build` of version `version` of `app`.
  public init(app: String, version: String, build: String) {
    self.app = app
    self.version = version
    self.build = build
  }

  /// By text: a stable order for listing, not the order of release.
  public static func < (a: BuildName, b: BuildName) -> Bool {
    (a.app, a.version, a.build) < (b.app, b.version, b.build)
  }

  /// The name of its file in a store: a digest, since the texts come from outside.
  var key: String {
    ContentDigest(of: Array("\(app)\u{0}\(version)\u{0}\(build)".utf8)).hex
  }
}

/// The images of one build.
public struct BuildManifest: Sendable, Hashable {
  /// One image.
  public struct Image: Sendable, Hashable {
    /// Its debug identifier.
    public var debugID: DebugID
    /// Its architecture.
    public var architecture: String
    /// The base name of the file it came in.
    public var name: String
  }

  /// Where files of the build came from.
  public struct Provenance: Sendable, Hashable {
    /// The commit that was built.
    public var commit: String?
    /// Who handed them in: a person, or a job of a build server.
    public var uploader: String?

    /// Built from `commit`, handed in by `uploader`; `nil` when neither is known.
    public init?(commit: String?, uploader: String?) {
      if commit == nil, uploader == nil { return nil }
      self.commit = commit
      self.uploader = uploader
    }
  }

  /// The build.
  public var build: BuildName
  /// Its images, sorted by name and identifier.
  public internal(set) var images: [Image]
  /// Where they came from, each origin once, first come first: two commits under one build are both shown.
  public internal(set) var provenance: [Provenance] = []

  static let schema = "symclust.build/1"

  /// Adds an image, or nothing when it is there. Tells whether the manifest changed.
  mutating func add(_ image: Image) -> Bool {
    guard !images.contains(where: { $0.debugID == image.debugID }) else { return false }
    images.append(image)
    images.sort { ($0.name, $0.debugID) < ($1.name, $1.debugID) }
    return true
  }

  /// Adds an origin, or nothing when it is there. Tells whether the manifest changed.
  mutating func add(_ origin: Provenance) -> Bool {
    guard !provenance.contains(origin) else { return false }
    provenance.append(origin)
    return true
  }

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    for (key, text) in [
      ("schema", Self.schema), ("app", build.app), ("version", build.version), ("build", build.build),
    ] {
      writer.key(key)
      writer.string(text)
    }
    writer.key("provenance")
    writer.beginArray()
    for origin in provenance {
      writer.beginObject()
      writer.member("commit", origin.commit)
      writer.member("uploader", origin.uploader)
      writer.endObject()
    }
    writer.endArray()
    writer.key("images")
    writer.beginArray()
    for image in images {
      writer.beginObject()
      for (key, text) in [
        ("debug_id", image.debugID.hex), ("architecture", image.architecture), ("name", image.name),
      ] {
        writer.key(key)
        writer.string(text)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  init(build: BuildName, images: [Image] = []) {
    self.build = build
    self.images = images
  }

  /// The manifest that `value` says; `nil` when something is missing.
  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let app = value["app"]?.string,
      let version = value["version"]?.string, let build = value["build"]?.string, let images = value["images"]?.array
    else { return nil }
    self.init(build: BuildName(app: app, version: version, build: build))
    provenance = (value["provenance"]?.array ?? []).compactMap {
      Provenance(commit: $0["commit"]?.string, uploader: $0["uploader"]?.string)
    }
    for image in images {
      guard let id = image["debug_id"]?.string.flatMap({ DebugID($0) }),
        let architecture = image["architecture"]?.string, let name = image["name"]?.string
      else { return nil }
      self.images.append(Image(debugID: id, architecture: architecture, name: name))
    }
  }
}
