internal import Bytes
public import Files
internal import Glibc
public import Identity
internal import JSON

/// Which symbols may go. Every rule keeps; what no rule keeps is removed.
public struct GarbageRules: Sendable {
  /// Of each app this many of the builds that were uploaded last are kept.
  public var newestBuilds: Int
  /// What was retained since this time is kept, in seconds since 1970.
  public var since: Int64
  /// Builds that are known to be out: diagnostics of them were recorded.
  public var shipped: Set<BuildName>
  /// Images that diagnostics of the window name.
  public var seen: Set<DebugID>

  /// Rules with these parts.
  public init(newestBuilds: Int, since: Int64, shipped: Set<BuildName> = [], seen: Set<DebugID> = []) {
    self.newestBuilds = newestBuilds
    self.since = since
    self.shipped = shipped
    self.seen = seen
  }
}

/// Why an image stays.
public enum KeepReason: String, Sendable, Hashable, CaseIterable {
  /// Somebody pinned it.
  case pinned
  /// Somebody pinned a build that it belongs to.
  case pinnedBuild = "pinned_build"
  /// A build that it belongs to is out.
  case shipped
  /// Diagnostics of the window name it.
  case seen
  /// It belongs to one of the newest builds.
  case newestBuild = "newest_build"
  /// It was retained lately.
  case recent
}

/// What would be removed, and why the rest stays.
public struct GarbagePlan: Sendable {
  /// The images that stay, by identifier.
  public var kept: [(record: ImageRecord, reason: KeepReason)] = []
  /// The images that go, by identifier.
  public var removed: [(record: ImageRecord, bytes: Int)] = []
  /// Files that belong to nothing, as an interrupted run leaves them: names in the store.
  public var orphans: [(name: String, bytes: Int)] = []
  /// The builds of which nothing stays.
  public var builds: [BuildName] = []

  /// How much is freed, in bytes.
  public var freedBytes: Int { removed.reduce(0) { $0 + $1.bytes } + orphans.reduce(0) { $0 + $1.bytes } }
}

extension SymbolStore {
  /// What `rules` leave of the store. A store with a damaged record or manifest is not touched: what it names is not known.
  ///
  /// Cost: reading one small file for each image and build, and looking at each file once.
  public func garbage(_ rules: GarbageRules) throws(StoreError) -> GarbagePlan {
    var damage: StoreError?
    let records = try records { damage = damage ?? $0 }
    let manifests = try manifests { damage = damage ?? $0 }
    if let damage { throw damage }
    let pins = try pins()
    let newest = newestBuilds(of: manifests, rules.newestBuilds)
    var reasons: [DebugID: KeepReason] = [:]
    func keep(_ id: DebugID, _ reason: KeepReason) { reasons[id] = reasons[id] ?? reason }
    for id in pins.images { keep(id, .pinned) }
    for (reason, builds) in [(KeepReason.pinnedBuild, pins.builds), (.shipped, rules.shipped)] {
      for manifest in manifests where builds.contains(manifest.build) {
        for image in manifest.images { keep(image.debugID, reason) }
      }
    }
    for id in rules.seen { keep(id, .seen) }
    for manifest in manifests where newest.contains(manifest.build) {
      for image in manifest.images { keep(image.debugID, .newestBuild) }
    }
    var plan = GarbagePlan()
    var keptDigests: Set<ContentDigest> = []
    for record in records {
      let times = fileNames(of: record).compactMap { fileStatus($0)?.modified }
      if times.contains(where: { $0 >= rules.since }) { keep(record.debugID, .recent) }
      guard let reason = reasons[record.debugID] else { continue }
      plan.kept.append((record, reason))
      keptDigests.formUnion(digests(of: record))
    }
    for record in records where reasons[record.debugID] == nil {
      // A file may serve two images; it goes with the last.
      let own = Set(digests(of: record)).subtracting(keptDigests).map(sourceName)
      let bytes = (own + [indexName(record.debugID), recordName(record.debugID)]).reduce(0) {
        $0 + (fileStatus($1)?.bytes ?? 0)
      }
      plan.removed.append((record, bytes))
    }
    let kept = Set(plan.kept.map(\.record.debugID))
    let empty = manifests.filter { manifest in
      !pins.builds.contains(manifest.build) && !manifest.images.contains { kept.contains($0.debugID) }
    }
    plan.builds = empty.map(\.build)
    plan.orphans = try orphans(records).map { ($0, fileStatus($0)?.bytes ?? 0) }
    return plan
  }

  /// Of each app the builds whose manifests changed last.
  private func newestBuilds(of manifests: [BuildManifest], _ count: Int) -> Set<BuildName> {
    var newest: Set<BuildName> = []
    for builds in Dictionary(grouping: manifests.map(\.build), by: \.app).values {
      let times = builds.map { (build: $0, time: fileStatus(manifestName($0))?.modified ?? 0) }
      let sorted = times.sorted { a, b in a.time == b.time ? b.build < a.build : a.time > b.time }
      newest.formUnion(sorted.prefix(count).map(\.build))
    }
    return newest
  }

  /// Files that no record names.
  func orphans(_ records: [ImageRecord]) throws(StoreError) -> [String] {
    let named = Set(records.flatMap(fileNames))
    let indexes = Set(records.map { indexName($0.debugID) })
    let sources = try files(in: "symbols/sources")
    let found = try files(in: "symbols/index")
    return sources.filter { !named.contains($0) } + found.filter { !indexes.contains($0) }
  }

  /// Removes what `plan` says. To be called with the store's lock.
  ///
  /// Manifests go first, then the record of each image, then its files: whatever dies when, nothing is named that is gone,
  /// and what is left over belongs to nothing and goes with the next run.
  public func remove(_ plan: GarbagePlan) throws(StoreError) {
    let gone = Set(plan.removed.map(\.record.debugID))
    for var manifest in try manifests() {
      if plan.builds.contains(manifest.build) {
        try remove(manifestName(manifest.build))
      } else if manifest.images.contains(where: { gone.contains($0.debugID) }) {
        manifest.images.removeAll { gone.contains($0.debugID) }
        try publish(to: manifestName(manifest.build)) { () throws(JSONWriterError) in try manifest.json() }
      }
    }
    for image in plan.removed { try remove(recordName(image.record.debugID)) }
    // What belonged to the removed images belongs to nothing now.
    for name in try orphans(records()) { try remove(name) }
  }

  private func remove(_ name: String) throws(StoreError) {
    guard unlink(directory.path(name)) == 0 || errno == ENOENT else {
      throw StoreError(FileError(path: directory.path(name), step: "remove"))
    }
  }
}
