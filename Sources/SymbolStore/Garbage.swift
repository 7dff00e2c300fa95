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
  public var shipped: Set<ShippedBuild>
  /// Images that diagnostics of the window name.
  public var seen: Set<DebugID>

  /// Rules with these parts.
  public init(newestBuilds: Int, since: Int64, shipped: Set<ShippedBuild> = [], seen: Set<DebugID> = []) {
    self.newestBuilds = newestBuilds
    self.since = since
    self.shipped = shipped
    self.seen = seen
  }
}

/// A build as diagnostics tell it, which may not say everything.
public struct ShippedBuild: Sendable, Hashable {
  /// The bundle identifier.
  public var app: String?
  /// The marketing version.
  public var version: String?
  /// The build number.
  public var build: String?

  /// The build of which this is known.
  public init(app: String?, version: String?, build: String?) {
    self.app = app
    self.version = version
    self.build = build
  }

  /// Whether `name` may be this build. What diagnostics do not say agrees with everything, but an app alone is no build.
  func mayBe(_ name: BuildName) -> Bool {
    guard version != nil || build != nil else { return false }
    return app ?? name.app == name.app && version ?? name.version == name.version && build ?? name.build == name.build
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
    for manifest in manifests where pins.builds.contains(manifest.build) {
      for image in manifest.images { keep(image.debugID, .pinnedBuild) }
    }
    for manifest in manifests where rules.shipped.contains(where: { $0.mayBe(manifest.build) }) {
      for image in manifest.images { keep(image.debugID, .shipped) }
    }
    for id in rules.seen { keep(id, .seen) }
    for manifest in manifests where newest.contains(manifest.build) {
      for image in manifest.images { keep(image.debugID, .newestBuild) }
    }
    let retained = Set(records.map(\.debugID))
    let borrowed = try borrowedRecords { damage = damage ?? $0 }
    if let damage { throw damage }
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
    // A borrowed index stays for as long as somebody may ask for it; an upload takes its place.
    for record in borrowed where !retained.contains(record.debugID) {
      let names = [borrowedIndexName(record.debugID), borrowedRecordName(record.debugID)]
      if names.contains(where: { fileStatus($0).map { $0.modified >= rules.since } ?? false }) {
        keep(record.debugID, .recent)
      }
      if let reason = reasons[record.debugID] {
        plan.kept.append((record, reason))
      } else {
        plan.removed.append((record, names.reduce(0) { $0 + (fileStatus($1)?.bytes ?? 0) }))
      }
    }
    plan.kept.sort { $0.record.debugID < $1.record.debugID }
    plan.removed.sort { $0.record.debugID < $1.record.debugID }
    let kept = Set(plan.kept.map(\.record.debugID))
    let empty = manifests.filter { manifest in
      !pins.builds.contains(manifest.build) && !manifest.images.contains { kept.contains($0.debugID) }
    }
    plan.builds = empty.map(\.build)
    let unused = try orphans(records) + borrowedOrphans(retained, borrowed)
    plan.orphans = unused.map { ($0, fileStatus($0)?.bytes ?? 0) }
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

  /// Removes what `plan` says. To be called with the store's lock, under which the plan was made.
  ///
  /// Whatever dies when, every reader sees each image with all that it needs or not at all, and another removal goes on
  /// where this one ended.
  public func remove(_ plan: GarbagePlan) throws(StoreError) {
    for step in try steps(of: plan) { try perform(step) }
  }

  /// One change on disk.
  enum RemovalStep: Hashable {
    /// Says which images are gone on purpose.
    case note(RemovedImages)
    /// Removes a file.
    case remove(String)
    /// Waits until what was removed from a folder is gone from the disk: it must not outlive what follows.
    case settle(String)
  }

  /// The changes that `plan` asks for, in order: that images go is said before they do; an index goes before its record, since
  /// it would be rebuilt; files go when nothing names them.
  func steps(of plan: GarbagePlan) throws(StoreError) -> [RemovalStep] {
    var steps: [RemovalStep] = []
    if !plan.removed.isEmpty {
      var removed = try removedImages()
      for (record, _) in plan.kept { removed.images[record.debugID] = nil }
      for (record, _) in plan.removed { removed.images[record.debugID] = record.name }
      steps.append(.note(removed))
    }
    steps += plan.builds.map { .remove(manifestName($0)) }
    for (record, _) in plan.removed {
      let id = record.debugID
      steps +=
        record.borrowedFrom == nil
        ? [.remove(indexName(id)), .remove(recordName(id))]
        : [.remove(borrowedRecordName(id)), .remove(borrowedIndexName(id))]
    }
    let indexes = Set(plan.removed.map { indexName($0.record.debugID) })
    let own = plan.kept.map(\.record).filter { $0.borrowedFrom == nil }
    let files =
      try orphans(own).filter { !indexes.contains($0) }
      + plan.orphans.map(\.name).filter { $0.hasPrefix(Self.borrowedFolder) }
    let gone = plan.removed.map(\.record).filter { $0.borrowedFrom == nil }
    let folders = Set(gone.map { folder(of: recordName($0.debugID)) }).sorted()
    return steps + folders.map { .settle($0) } + files.map { .remove($0) }
  }

  private func folder(of name: String) -> String { name.split(separator: "/").dropLast().joined(separator: "/") }

  func perform(_ step: RemovalStep) throws(StoreError) {
    switch step {
    case .note(let removed): try set(removed)
    case .remove(let name):
      guard PathName.unlink(directory.path(name)) == 0 || errno == ENOENT else {
        throw StoreError(FileError(path: directory.path(name), step: "remove"))
      }
    case .settle(let folder): try directory.flush(folder: folder)
    }
  }
}
