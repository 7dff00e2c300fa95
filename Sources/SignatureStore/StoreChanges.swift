/// What is other in a store than before raw stacks were derived anew: of those that were derived, what differs.
///
/// A stack counts as changed when its signature, what that reads like, or its cluster is another one now.
public struct StoreChanges: Sendable, Hashable {
  /// Raw stacks that changed.
  public var stacks = 0
  /// Their diagnostics.
  public var diagnostics = 0
  /// Diagnostics among them whose signature has another id now.
  public var moved = 0
  /// Diagnostics among them that waited for symbols of the app and do not any more.
  public var settled = 0
  /// Diagnostics among them that are in a cluster with another id now.
  public var reclustered = 0
  /// The builds with diagnostics that changed, sorted.
  public var builds: [BuildChange] = []
  /// The aliases that were left behind, sorted.
  public var aliases: [SignatureAlias] = []

  /// Changes of nothing.
  public init() {}

  /// How many signatures were renamed, joined or divided. One that was divided counts once.
  public func signatures(_ kind: SignatureAlias.Kind) -> Int {
    Set(aliases.lazy.filter { $0.kind == kind }.map(\.old)).count
  }
}

/// What changed in one build.
public struct BuildChange: Sendable, Hashable {
  /// The build.
  public var build: BuildOfRecord
  /// Its raw stacks that changed. One that other builds have as well counts in each.
  public var stacks: Int
  /// Its diagnostics that changed.
  public var diagnostics: Int
  /// Those of them whose signature has another id now.
  public var moved: Int
  /// Those of them that waited for symbols of the app and do not any more.
  public var settled: Int
}
