public import Diagnostics

/// What was accepted of some builds of one app, cell by cell: what rates and comparisons are made of.
///
/// All numbers are payloads of one generation. A payload with several diagnostics of a cell counts once in it, so cells do not
/// add up; each total is counted by itself.
public struct HealthTable: Sendable, Hashable {
  /// The systems that are compared with each other: one platform, one release up to its second number.
  public struct Stratum: Sendable, Hashable, Comparable {
    /// For example `iPhone OS`; `nil` when it is unknown.
    public var platform: String?
    /// For example `18.5`; `nil` when it is unknown.
    public var release: String?

    /// The stratum of these parts.
    public init(platform: String?, release: String?) { (self.platform, self.release) = (platform, release) }

    /// The stratum that `system` belongs to. Reports of other makers say `iOS` where Apple says `iPhone OS`.
    public init(_ system: OperatingSystem) {
      platform = system.platform == "iOS" ? "iPhone OS" : system.platform
      release = system.version.map { $0.split(separator: ".").prefix(2).joined(separator: ".") }
    }

    /// Whether platform and release are known: only then it can be compared.
    public var isKnown: Bool { platform != nil && release != nil }

    /// By texts: an order for output.
    public static func < (a: Stratum, b: Stratum) -> Bool {
      (a.platform ?? "", a.release ?? "") < (b.platform ?? "", b.release ?? "")
    }
  }

  /// One build on the systems of one stratum.
  public struct Cell: Sendable, Hashable {
    /// The build.
    public var build: BuildOfRecord
    /// The systems.
    public var stratum: Stratum

    /// The cell of `build` and `stratum`.
    public init(build: BuildOfRecord, stratum: Stratum) { (self.build, self.stratum) = (build, stratum) }
  }

  /// A number of payloads, and of them that were reported on each day that is known.
  public struct Count: Sendable, Hashable {
    /// Payloads.
    public var payloads: Int
    /// The same by day.
    public var days: [ReportingDay: Int]

    /// A count with these parts.
    public init(payloads: Int = 0, days: [ReportingDay: Int] = [:]) { (self.payloads, self.days) = (payloads, days) }
  }

  /// What was counted of one cluster.
  public struct Cluster: Sendable, Hashable {
    /// Its id.
    public var id: String
    /// What happened.
    public var kind: DiagnosticKind
    /// One line for people.
    public var title: String
    /// Whether its name may still change, or tells too little to claim anything by it.
    public var isUnproven: Bool
    /// Payloads with it, by cell.
    public var cells: [Cell: Count]

    /// A cluster with the given parts.
    public init(
      id: String, kind: DiagnosticKind, title: String, isUnproven: Bool = false, cells: [Cell: Count] = [:]
    ) {
      (self.id, self.kind, self.title, self.isUnproven, self.cells) = (id, kind, title, isUnproven, cells)
    }
  }

  /// The accepted payloads, by cell.
  public var accepted: [Cell: Count] = [:]
  /// The accepted payloads, by build.
  public var builds: [BuildOfRecord: Int] = [:]
  /// The accepted payloads with a diagnostic of each kind, by build. A payload with several kinds counts in each.
  public var kinds: [BuildOfRecord: [DiagnosticKind: Int]] = [:]
  /// The clusters, by id.
  public var clusters: [Cluster] = []
  /// The report-days, by cell; a cell without any is not there.
  public var reportDays: [Cell: Int] = [:]
  /// Accepted payloads of the app that cannot be compared since they span an update of it.
  public var mixed = 0
  /// Accepted payloads of the same builds that came in each other generation.
  public var otherGenerations: [PayloadGeneration: Int] = [:]

  /// A table of nothing.
  public init() {}
}
