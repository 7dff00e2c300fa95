public import SignatureStore

/// A build that its makers said exists: by uploading its symbols, or by `symclust builds declare`.
public struct DeclaredBuild: Sendable, Hashable {
  /// The bundle identifier.
  public var app: String
  /// The marketing version.
  public var version: String
  /// The build number; empty when diagnostics do not tell it.
  public var build: String
  /// To whom it goes, for example `beta`; `nil` is a release.
  public var channel: String?
  /// Its place among the builds of its app, where versions do not tell.
  public var order: Int?

  /// A declared build with these parts.
  public init(app: String, version: String, build: String, channel: String? = nil, order: Int? = nil) {
    (self.app, self.version, self.build, self.channel, self.order) = (app, version, build, channel, order)
  }

  /// Whether it went to everybody: what later builds are held against.
  public var isRelease: Bool { channel == nil || channel == "release" }

  /// Whether diagnostics of `record` are of this build. A version that a diagnostic does not tell agrees with any.
  public func isBuild(of record: BuildOfRecord) -> Bool {
    !record.isMixed && record.app == app && record.build ?? "" == build && record.version ?? version == version
  }

  /// As people write it: `1.2 (120)`.
  public var text: String { version.isEmpty && build.isEmpty ? "unknown" : "\(version) (\(build))" }
}

/// In which order the builds of one app came.
///
/// When every one of them was declared with a place, places decide; else version, then build number, both as numbers between
/// dots. Two builds with one place, or with what are no numbers, have no order, and nothing is claimed of it.
public struct BuildOrder: Sendable, Hashable {
  /// Why the builds stand as they do.
  public enum Basis: String, Sendable, Hashable {
    /// By the places that were declared.
    case declared
    /// By version and build number.
    case numbers
  }

  /// The builds whose order is known, earliest first.
  public let builds: [DeclaredBuild]
  /// The declared builds whose place is not known, by text.
  public let unordered: [DeclaredBuild]
  /// What decides.
  public let basis: Basis

  /// The order of the `declared` builds of one app.
  public init(_ declared: [DeclaredBuild]) {
    basis = !declared.isEmpty && declared.allSatisfy { $0.order != nil } ? .declared : .numbers
    var keyed: [[[Int]]: [DeclaredBuild]] = [:]
    var unknown: [DeclaredBuild] = []
    for build in Set(declared) {
      if basis == .declared, let order = build.order {
        keyed[[[order]], default: []].append(build)
      } else if let version = Self.numbers(build.version), let number = Self.numbers(build.build) {
        keyed[[version, number], default: []].append(build)
      } else {
        unknown.append(build)
      }
    }
    var ordered: [DeclaredBuild] = []
    for (_, builds) in keyed.sorted(by: { Self.precedes($0.key, $1.key) }) {
      if builds.count == 1 { ordered += builds } else { unknown += builds }
    }
    builds = ordered
    unordered = unknown.sorted { ($0.version, $0.build) < ($1.version, $1.build) }
  }

  /// The build of the order that `record` names; `nil` when its place is not known.
  public func place(of record: BuildOfRecord) -> Int? { builds.firstIndex { $0.isBuild(of: record) } }

  /// The place of a build in the order.
  public func place(of build: DeclaredBuild) -> Int? {
    builds.firstIndex { $0.version == build.version && $0.build == build.build }
  }

  /// The last build that went to everybody.
  public var latest: DeclaredBuild? { builds.last(where: \.isRelease) }

  /// What the build at `place` is held against: the last release before it.
  public func baseline(of place: Int) -> DeclaredBuild? { builds.prefix(place).last(where: \.isRelease) }

  /// The numbers between the dots, without zeros at the end; `nil` when something else stands there.
  private static func numbers(_ text: String) -> [Int]? {
    var numbers: [Int] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard (1...18).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(part)
      else { return nil }
      numbers.append(number)
    }
    while numbers.last == 0 { numbers.removeLast() }
    return numbers
  }

  private static func precedes(_ a: [[Int]], _ b: [[Int]]) -> Bool {
    for (x, y) in zip(a, b) where x != y { return x.lexicographicallyPrecedes(y) }
    return a.count < b.count
  }
}
