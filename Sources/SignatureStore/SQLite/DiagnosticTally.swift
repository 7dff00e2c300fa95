internal import Diagnostics
internal import Identity
internal import Signatures

/// Everything that a report counts of the recorded diagnostics, in one pass in the order of their payloads.
///
/// Payloads are counted besides diagnostics, and a payload with several of them counts once: in this order that takes one
/// number for each count, and no list of payloads. Cost: linear in the diagnostics; memory follows the distinct counts.
struct DiagnosticTally {
  /// A number of diagnostics and of the payloads they came in.
  struct Count {
    private(set) var payloads = 0
    private(set) var diagnostics = 0
    private var last: Int64 = -1

    mutating func add(_ payload: Int64) {
      diagnostics += 1
      guard payload != last else { return }
      payloads += 1
      last = payload
    }
  }

  /// Small numbers of which one stands for something: a cluster, a cohort, a build; with the generation of payloads.
  struct Key: Hashable, Comparable {
    var cluster: Int32 = -1
    var place: Int32 = -1
    var generation: PayloadGeneration

    static func < (a: Key, b: Key) -> Bool {
      (a.cluster, a.place, a.generation.rawValue) < (b.cluster, b.place, b.generation.rawValue)
    }
  }

  struct DayKey: Hashable {
    var day: ReportingDay?
    var generation: PayloadGeneration
  }

  /// What is kept of one cluster.
  struct Cluster {
    var diagnostics = 0
    var first: PointInTime?
    var last: PointInTime?
    /// The smallest digests, sorted.
    var samples: [ContentDigest] = []
  }

  /// How many examples a cluster shows.
  static let sampleLimit = 5

  /// The ids of clusters; their numbers are the places in it.
  private(set) var clusterIDs: [String] = []
  private(set) var clusters: [Cluster] = []
  /// The cohorts by build, then system, and the builds, as reports sort them.
  private(set) var cohorts: [(build: Int32, system: OperatingSystem)] = []
  private(set) var builds: [BuildOfRecord] = []
  private(set) var byCohort: [Key: Count] = [:]
  private(set) var byBuild: [Key: Count] = [:]
  private(set) var byDay: [DayKey: Count] = [:]
  private(set) var byCluster: [Key: Count] = [:]
  private(set) var byClusterAndCohort: [Key: Count] = [:]
  private(set) var byClusterAndBuild: [Key: Count] = [:]
  /// The diagnostics of each raw stack.
  private(set) var ofRawStack: [Int64: Int] = [:]
  private(set) var diagnostics = 0

  /// Counts all that `store` holds, on the snapshot that is open.
  init(_ store: SQLiteSignatureStore, calendar: ReportingCalendar) throws(SignatureStoreError) {
    let cohortOfRow = try readCohorts(store)
    let clusterOfStack = try readClusters(store)
    try store.eachDiagnostic { diagnostic throws(SignatureStoreError) in
      guard let cohort = cohortOfRow[diagnostic.cohort] else { throw store.damaged("a diagnostic has no cohort") }
      let (payload, generation) = (diagnostic.payload, diagnostic.generation)
      let (begin, end) = (diagnostic.begin, diagnostic.end)
      add(
        payload, generation, cohort, diagnostic.rawStack, day: ReportingDay(from: begin, to: end, in: calendar))
      guard let cluster = clusterOfStack[diagnostic.rawStack] else { return }
      add(payload, generation, cohort, toCluster: cluster)
      clusters[Int(cluster)].add(seen: end ?? begin, in: diagnostic.digest)
    }
  }

  private mutating func add(
    _ payload: Int64, _ generation: PayloadGeneration, _ cohort: Int32, _ stack: Int64, day: ReportingDay?
  ) {
    diagnostics += 1
    ofRawStack[stack, default: 0] += 1
    byCohort[Key(place: cohort, generation: generation), default: Count()].add(payload)
    byBuild[Key(place: cohorts[Int(cohort)].build, generation: generation), default: Count()].add(payload)
    byDay[DayKey(day: day, generation: generation), default: Count()].add(payload)
  }

  private mutating func add(
    _ payload: Int64, _ generation: PayloadGeneration, _ cohort: Int32, toCluster cluster: Int32
  ) {
    byCluster[Key(cluster: cluster, generation: generation), default: Count()].add(payload)
    byClusterAndCohort[Key(cluster: cluster, place: cohort, generation: generation), default: Count()].add(payload)
    let build = cohorts[Int(cohort)].build
    byClusterAndBuild[Key(cluster: cluster, place: build, generation: generation), default: Count()].add(payload)
  }

  /// The number of the cohort of each row.
  private mutating func readCohorts(_ store: SQLiteSignatureStore) throws(SignatureStoreError) -> [Int64: Int32] {
    var numbers: [Int64: Int32] = [:]
    try store.database.rows(
      """
      SELECT c.id, b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build
      FROM cohorts c JOIN builds b ON b.id = c.build ORDER BY 2, 5, 3, 4, 6, 7, 8
      """
    ) { row throws(SignatureStoreError) in
      let build = store.build(row, 1)
      if builds.last != build { builds.append(build) }
      numbers[row.integer(0)] = Int32(truncatingIfNeeded: cohorts.count)
      cohorts.append((Int32(truncatingIfNeeded: builds.count - 1), store.system(row, 5)))
    }
    return numbers
  }

  /// The number of the cluster of each raw stack.
  private mutating func readClusters(_ store: SQLiteSignatureStore) throws(SignatureStoreError) -> [Int64: Int32] {
    var numbers: [Int64: Int32] = [:]
    try store.database.rows(
      """
      SELECT s.cluster, m.raw_stack FROM mapping m JOIN forms f ON f.id = m.form JOIN signatures s ON s.id = f.signature
      WHERE m.algorithm = ?1 ORDER BY s.cluster
      """, [store.algorithm]
    ) { row throws(SignatureStoreError) in
      let id = row.text(0) ?? ""
      if clusterIDs.last != id { clusterIDs.append(id) }
      numbers[row.integer(1)] = Int32(truncatingIfNeeded: clusterIDs.count - 1)
    }
    clusters = Array(repeating: Cluster(), count: clusterIDs.count)
    return numbers
  }
}

extension DiagnosticTally.Cluster {
  mutating func add(seen time: PointInTime?, in digest: ContentDigest) {
    diagnostics += 1
    if let time {
      first = min(first ?? time, time)
      last = max(last ?? time, time)
    }
    guard samples.count < DiagnosticTally.sampleLimit || digest < samples[samples.count - 1] else { return }
    guard let place = samples.firstIndex(where: { !($0 < digest) }) else { return samples.append(digest) }
    if samples[place] == digest { return }
    samples.insert(digest, at: place)
    if samples.count > DiagnosticTally.sampleLimit { samples.removeLast() }
  }
}
