public import Diagnostics
internal import Identity
public import ReleaseHealth
public import SignatureStore
public import Signatures

/// What `symclust cluster` has to say: the run, and all that the store counts.
public struct ClusterReport: Sendable {
  /// What the run did.
  public var run: RunSummary
  /// Counts, clusters, missing images.
  public var store: StoreReport
  /// For each cluster the frames that its signature keeps, with the places of one of its stacks, innermost first.
  public var frames: [String: [SignatureFrame]]
  /// The rules by which signatures were made.
  public var rules: Rules
  /// How many other images are retained under the name of a missing one: other builds of it, which are never used in
  /// its place (symbolication.md B.56).
  public var retainedNames: [String: Int] = [:]
  /// The fewest payloads of a cohort whose shares are told.
  public var minimumCohort: Int
  /// The calendar of its days.
  public var calendar: ReportingCalendar

  /// One build of one generation in the report.
  public struct Build: Hashable, Sendable, Comparable {
    /// The build of record.
    public var name: BuildOfRecord
    /// The generation of its payloads.
    public var generation: PayloadGeneration

    /// By name, then by generation.
    public static func < (a: Build, b: Build) -> Bool {
      a.name == b.name ? a.generation.rawValue < b.generation.rawValue : a.name < b.name
    }
  }

  /// The counts of one cluster in one build.
  public struct BuildCount: Sendable {
    /// The build.
    public var build: Build
    /// Diagnostics.
    public var diagnostics: Int
    /// Payloads with at least one of them, as a part of the build's accepted payloads.
    public var share: Share
    /// The same for each operating system, sorted.
    public var systems: [ClusterCount]
    /// What its diagnostics measured, by measure.
    public var distributions: [Distribution]
  }

  /// The builds of the store, sorted, with what was accepted from each.
  public var builds: [(build: Build, payloads: Int, diagnostics: Int)] {
    store.builds.map { (Build(name: $0.build, generation: $0.generation), $0.payloads, $0.diagnostics) }
      .sorted { $0.0 < $1.0 }
  }

  /// The counts of a cluster by build, sorted.
  public func buildCounts(of cluster: ClusterRecord) -> [BuildCount] {
    let accepted = Dictionary(builds.map { ($0.build, $0.payloads) }, uniquingKeysWith: +)
    return cluster.builds.map { count in
      let build = Build(name: count.build, generation: count.generation)
      return BuildCount(
        build: build, diagnostics: count.diagnostics,
        share: Share(
          numerator: count.payloads, denominator: accepted[build] ?? 0, minimumCohort: minimumCohort),
        systems: cluster.counts.filter { $0.build == count.build && $0.generation == count.generation },
        distributions: cluster.distributions.filter { $0.build == count.build && $0.generation == count.generation })
    }.sorted { $0.build < $1.build }
  }
}

extension ClusterReport {
  /// The report on all that `store` holds.
  ///
  /// Cost: the store's report, and deriving one stack of each cluster again for its places.
  public init(
    run: RunSummary, store: some SignatureStore, deriver: StackDeriver, minimumCohort: Int,
    calendar: ReportingCalendar = .utc
  ) throws(SignatureStoreError) {
    let report = try store.report(calendar: calendar)
    var samples: [(cluster: String, key: ContentDigest)] = []
    for cluster in report.clusters {
      if let key = cluster.namedBy ?? cluster.rawStacks.first { samples.append((cluster.id, key)) }
    }
    let stacks = try store.rawStacks(samples.map(\.key))
    let stackOfKey = Dictionary(stacks.map { ($0.key, $0.stack) }, uniquingKeysWith: { first, _ in first })
    let found = samples.compactMap { sample in stackOfKey[sample.key].map { (sample.cluster, $0) } }
    var frames: [String: [SignatureFrame]] = [:]
    for ((cluster, _), derivation) in zip(found, deriver.derive(found.map(\.1))) {
      frames[cluster] = derivation.signature.keptFrames
    }
    self.init(
      run: run, store: report, frames: frames, rules: deriver.rules, minimumCohort: minimumCohort, calendar: calendar)
  }
}

extension ClusterReport {
  /// The counts of `store` and nothing of a run or of frames. Cost: the store's report.
  public init(counts store: some SignatureStore, rules: Rules, minimumCohort: Int) throws(SignatureStoreError) {
    self.init(
      run: RunSummary(), store: try store.report(), frames: [:], rules: rules, minimumCohort: minimumCohort,
      calendar: .utc)
  }

  /// How many other images are retained under the name of `image`.
  public func retained(sharingNameOf image: MissingImage) -> Int { image.name.flatMap { retainedNames[$0] } ?? 0 }
}
