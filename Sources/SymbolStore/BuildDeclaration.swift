public import Files
internal import JSON

/// That a build exists, as an upload of its symbols or somebody at the command line said. It stays when its symbols go.
public struct BuildDeclaration: Sendable, Hashable {
  /// The build.
  public var build: BuildName
  /// To whom it goes, for example `beta`; `nil` when nothing was said, which is a release.
  public var channel: String?
  /// Its place among the builds of its app; `nil` when version and build number tell.
  public var order: Int?

  /// What was said of `build`.
  public init(_ build: BuildName, channel: String? = nil, order: Int? = nil) {
    (self.build, self.channel, self.order) = (build, channel, order)
  }

  static let schema = "symclust.declared-build/1"

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", Self.schema)
    writer.member("app", build.app)
    writer.member("version", build.version)
    writer.member("build", build.build)
    writer.member("channel", channel)
    writer.member("order", order)
    writer.endObject()
    return try writer.finish()
  }

  init?(_ value: JSONValue) {
    guard value["schema"]?.string == Self.schema, let app = value["app"]?.string,
      let version = value["version"]?.string, let number = value["build"]?.string
    else { return nil }
    self.init(
      BuildName(app: app, version: version, build: number), channel: value["channel"]?.string,
      order: value["order"]?.int.map { Int($0) })
  }
}

extension SymbolStore {
  private static var declarations: String { "builds" }

  private func declarationName(_ build: BuildName) -> String { "\(Self.declarations)/\(build.key).json" }

  /// What was declared of a build; `nil` when nothing was.
  public func declaration(of build: BuildName) throws(StoreError) -> BuildDeclaration? {
    try declaration(in: declarationName(build))
  }

  private func declaration(in name: String) throws(StoreError) -> BuildDeclaration? {
    try document(name).map { value throws(StoreError) in
      guard let declaration = BuildDeclaration(value), name == declarationName(declaration.build) else {
        throw StoreError(.damaged, directory.path(name), "this is no declaration of a build")
      }
      return declaration
    }
  }

  /// Every declared build, sorted by name. A damaged declaration goes to `onDamage`, and is left out.
  public func declarations(onDamage: (StoreError) -> Void = { _ in }) throws(StoreError) -> [BuildDeclaration] {
    var declarations: [BuildDeclaration] = []
    for name in try directory.list(Self.declarations) {
      do throws(StoreError) {
        if let declaration = try declaration(in: "\(Self.declarations)/\(name)") { declarations.append(declaration) }
      } catch {
        onDamage(error)
      }
    }
    return declarations.sorted { $0.build < $1.build }
  }

  /// Keeps a declaration, in the place of an earlier one. To be called with the store's lock.
  public func declare(_ declaration: BuildDeclaration) throws(StoreError) {
    try publish(to: declarationName(declaration.build), declaration.json)
  }
}
