public import Files
public import Identity
internal import SymbolIndex

/// Something about a store that is not as it must be.
public struct StoreFinding: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// Something is lost or wrong.
    case damage
    /// Something lies about that nothing needs.
    case leftover
  }

  /// How bad it is.
  public var severity: Severity
  /// The file, or what it concerns.
  public var place: String
  /// What is wrong.
  public var problem: String
  /// What to do.
  public var advice: String

  /// A finding with these parts.
  public init(_ severity: Severity, _ place: String, _ problem: String, advice: String) {
    self.severity = severity
    self.place = place
    self.problem = problem
    self.advice = advice
  }
}

extension SymbolStore {
  /// Looks at every file: manifests, pins, records, retained files against their digests, indexes against their checksums and
  /// against the files they were built from, and that each names only what is there. Nothing is changed.
  ///
  /// `used` are images whose symbols named something once: they are missed, too, unless 'symbols gc' removed them. Without the
  /// store's lock, what another process is about to finish may be found. Cost: decompressing and hashing everything that is
  /// retained.
  public func audit(used: Set<DebugID> = []) throws(StoreError) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    func damaged(_ error: StoreError, _ advice: String) {
      findings.append(StoreFinding(.damage, error.path, error.detail, advice: advice))
    }
    let records = try records {
      damaged($0, "remove the file and upload the symbols again")
    }
    let manifests = try manifests {
      damaged($0, "remove the file and upload the build again")
    }
    _ = try declarations { damaged($0, "remove the file and declare the build again") }
    var pins = SymbolPins()
    do throws(StoreError) { pins = try self.pins() } catch { damaged(error, "remove the file and pin again") }
    var removed = RemovedImages()
    do throws(StoreError) { removed = try removedImages() } catch { damaged(error, "remove the file") }
    let borrowed = try borrowedRecords {
      damaged($0, "remove the file and name the source again")
    }
    findings += missing(records + borrowed, manifests, pins, used.subtracting(removed.images.keys), removed)
    for record in records {
      let again = "upload the symbols of \(record.name) \(record.debugID) again"
      for digest in digests(of: record) {
        do throws(StoreError) { try checkRetained(digest) } catch { damaged(error, again) }
      }
      do throws(StoreError) { try checkIndex(of: record) } catch { damaged(error, again) }
    }
    for record in borrowed {
      let again = "name \(record.borrowedFrom ?? "") again, or remove the file"
      do throws(StoreError) { try checkIndex(of: record) } catch { damaged(error, again) }
    }
    for name in try orphans(records) + borrowedOrphans(Set(records.map(\.debugID)), borrowed) {
      findings.append(
        StoreFinding(
          .leftover, directory.path(name), "no image needs it; an interrupted run left it", advice: "run 'symbols gc'"))
    }
    for name in try directory.list("tmp") {
      findings.append(
        StoreFinding(
          .leftover, directory.path("tmp/\(name)"), "a file of a run that is not over, or was interrupted",
          advice: "the next run that changes the store removes it, if it is ours"))
    }
    return findings
  }

  /// What is named somewhere and not retained.
  private func missing(
    _ records: [ImageRecord], _ manifests: [BuildManifest], _ pins: SymbolPins, _ used: Set<DebugID>,
    _ removed: RemovedImages
  ) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    var told = Set(records.map(\.debugID)).union(removed.images.keys)
    func lost(_ id: DebugID, _ problem: String, _ advice: String) {
      findings.append(StoreFinding(.damage, directory.path(recordName(id)), problem, advice: advice))
      told.insert(id)
    }
    for manifest in manifests {
      let build = "\(manifest.build.app) \(manifest.build.version) (\(manifest.build.build))"
      for image in manifest.images where !told.contains(image.debugID) {
        lost(
          image.debugID,
          "\(image.name) \(image.debugID) belongs to \(build), and nothing of it is retained any more",
          "upload the symbols of the build again")
      }
    }
    for id in pins.images.sorted() where !told.contains(id) {
      lost(id, "image \(id) is pinned, and nothing of it is retained any more", "upload its symbols again, or unpin it")
    }
    for id in used.sorted() where !told.contains(id) {
      lost(
        id, "image \(id) named frames of recorded diagnostics, and nothing of it is retained any more",
        "upload its symbols again, before 'reprocess' or new rules miss them")
    }
    let declared = Set(manifests.map(\.build))
    for build in pins.builds.sorted() where !declared.contains(build) {
      findings.append(
        StoreFinding(
          .damage, directory.path(manifestName(build)),
          "build \(build.app) \(build.version) (\(build.build)) is pinned, and its manifest is gone",
          advice: "upload the symbols of the build again, or unpin it"))
    }
    return findings
  }

  private func checkIndex(of record: ImageRecord) throws(StoreError) {
    let name = record.borrowedFrom == nil ? indexName(record.debugID) : borrowedIndexName(record.debugID)
    let path = directory.path(name)
    guard let index = try openIndex(of: record.debugID, in: name).get() else {
      if record.isIndexedOnDemand { return }
      throw StoreError(.damaged, path, "the index is missing")
    }
    let sources: [ContentDigest]
    do throws(IndexError) { sources = try index.sources() } catch {
      throw StoreError(.damaged, path, error.description)
    }
    guard Set(sources) == Set(record.sources.filter { !$0.isConflicting }.map(\.digest)) else {
      throw StoreError(.damaged, path, "the index was not built from the files that are retained of the image")
    }
  }
}
