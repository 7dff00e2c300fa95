internal import Bytes
public import CompanionFiles
public import Files
internal import Identity
internal import ObjectFiles
public import SymbolIndex

/// Takes files of symbols and gives a verdict on each slice in them.
///
/// With a store the slices are retained and indexed at once, so that a bad dSYM fails the release and not the engineer
/// on call; without one the same verdicts are given and nothing is kept (`symclust check`).
public struct SymbolIntake {
  let store: SymbolStore?
  let builder: any IndexBuilding
  private let finder: (any CompanionFinding)?
  /// Where files are copied before they are looked at.
  private let temporaryFolder: String
  /// The build's images and where they came from, as they are kept when all is taken; `nil` when no build was named.
  public private(set) var manifest: BuildManifest?
  private var manifestChanged = false
  private var maps = SymbolMaps([])
  /// Files that may turn out to be parts of other files' debug information.
  private var possibleCompanions: [(path: String, object: ObjectFile)] = []
  /// The files that were taken along with another, and of which image they are.
  private var companions: [ContentDigest: DebugID] = [:]
  /// What was reported so far, in the order of the paths.
  public private(set) var reports: [SliceReport] = []
  /// How many files were looked at that are no symbol files (icons, plists); they get no verdict.
  public private(set) var otherFiles = 0

  /// An intake into `store` for `build`, which looks for companions with `finder`. The caller holds the store's lock.
  ///
  /// `provenance` says where the files of the build come from.
  public init(
    into store: SymbolStore, build: BuildName?, provenance: BuildManifest.Provenance? = nil,
    finder: (any CompanionFinding)? = nil
  ) throws(StoreError) {
    self.store = store
    self.finder = finder
    builder = store.builder
    temporaryFolder = store.directory.path("tmp")
    guard let build else { return }
    var manifest = try store.manifest(of: build) ?? BuildManifest(build: build)
    if let provenance { manifestChanged = manifest.add(provenance) }
    self.manifest = manifest
  }

  /// An intake that only gives verdicts. Each file is copied to `temporaryFolder` while it is looked at.
  public init(
    checkingWith builder: any IndexBuilding = IndexBuilder(), finder: (any CompanionFinding)? = nil,
    temporaryFolder: String = "/tmp"
  ) {
    store = nil
    self.builder = builder
    self.finder = finder
    self.temporaryFolder = temporaryFolder
  }

  /// Takes all files below `paths`; `report` hears of each verdict as it is given.
  ///
  /// One bad file never fails another. Throws only when the store itself fails.
  public mutating func take(_ paths: [String], report: (SliceReport) -> Void = { _ in }) throws(StoreError) {
    var found: [FoundFile] = []
    FileWalk.files(below: paths) { found.append($0) }
    maps = SymbolMaps(found)
    let reader = SymbolFileReader(temporaryFolder: temporaryFolder)
    do throws(StoreError) {
      for file in found {
        let first = reports.count
        try reader.read(file) { (finding) throws(StoreError) in try take(finding) }
        reports[first...].forEach(report)
      }
      let first = reports.count
      reports += possibleCompanions.map { companionReport($0.path, $0.object) }
      possibleCompanions = []
      reports[first...].forEach(report)
    } catch {
      // What was taken before the store failed belongs to its build all the same.
      try? saveManifest()
      throw error
    }
    try saveManifest()
  }

  private mutating func take(_ finding: Finding) throws(StoreError) {
    switch finding {
    case .other: otherFiles += 1
    case .refused(let report): reports.append(report)
    case .file(let path, let copy, let bytes):
      let slices: [Container.Slice]
      do throws(ObjectFileError) {
        slices = try Container(bytes).slices
      } catch {
        slices = []
        reports.append(report(error, path, byteCount: bytes.count))
      }
      for slice in slices { try take(slice, of: path, copiedTo: copy) }
    }
  }

  private mutating func take(
    _ slice: Container.Slice, of path: String, copiedTo copy: String
  ) throws(StoreError) {
    switch slice {
    case .failure(let error): reports.append(report(error, path, byteCount: nil))
    case .success(let object) where object.isCompanion: possibleCompanions.append((path, object))
    case .success(let object): reports.append(try take(object, path, copy))
    }
  }

  /// The verdict on a part of some file's debug information, once all files were taken.
  private func companionReport(_ path: String, _ object: ObjectFile) -> SliceReport {
    let digest = ContentDigest(of: object.bytes)
    var report = SliceReport(
      path: path, architecture: object.architecture.name, debugID: object.debugID, digest: digest,
      byteCount: object.bytes.count, verdict: .companion)
    if let id = companions[digest] {
      report.reasons = ["it holds a part of the debug information of \(id)"]
    } else {
      report.verdict = object.debugID == nil ? .noDebugID : .noSymbols
      report.reasons = [
        "it holds a part of another file's debug information: give it together with the file that refers to it"
      ]
    }
    return report
  }

  /// `byteCount` is that of a whole file; an empty file is a broken one, not one of another kind.
  private func report(_ error: ObjectFileError, _ path: String, byteCount: Int?) -> SliceReport {
    let verdict: Verdict =
      switch error.code {
      case .notObjectFile, .unsupported: byteCount == 0 ? .malformed : .unsupported
      case .truncated: .incomplete
      case .malformed: .malformed
      }
    return SliceReport(path: path, byteCount: byteCount ?? 0, verdict: verdict, reasons: [error.description])
  }

  private mutating func take(
    _ object: ObjectFile, _ path: String, _ copy: String
  ) throws(StoreError) -> SliceReport {
    var report = SliceReport(
      path: path, architecture: object.architecture.name, debugID: object.debugID,
      digest: ContentDigest(of: object.bytes), byteCount: object.bytes.count, verdict: .stored)
    if let part = object.missingPart {
      report.verdict = .incomplete
      report.reasons = ["\(part) ends past the end of the file: it is cut off, or still being written"]
      return report
    }
    guard let id = object.debugID, let digest = report.digest else {
      report.verdict = .noDebugID
      report.reasons = ["it has no \(object.format == .machO ? "LC_UUID" : "build-id"), so no frame can refer to it"]
      return report
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let source = ImageRecord.Source(object, digest, name: name)
    let known = try store?.record(of: id)
    // A map may come before, with or after the symbols that need it.
    let map = maps.map(of: id)
    let mapDigest = map.map { ContentDigest(of: $0.bytes) } ?? known?.symbolMap
    let parts = try CompanionIntake(of: object, at: path, copiedTo: copy, finder, temporaryFolder: temporaryFolder)
    if let known, let mine = known.sources.first(where: { $0.digest == digest }), known.symbolMap == mapDigest,
      parts.areAll(in: known), let index = try goodIndex(of: id, retaining: [digest] + parts.digests)
    {
      // A conflict stays one, however often it comes; a debug file may have come along with its binary just now.
      report.verdict = mine.isConflicting ? .conflict : companions[digest] == id ? .addedVariant : .alreadyPresent
      report.summary = try? index.summary()
      if let summary = report.summary, mine.isConflicting { report.reasons = reasons(report, summary, object) }
    } else {
      let own = IndexSource(object: object, digest: digest, path: copy)
      try add(own, id, source, parts, to: known, map, &report)
    }
    if report.verdict.isRetained { for digest in parts.digests { companions[digest] = id } }
    if report.verdict.isRetained, report.verdict != .conflict, var manifest {
      let image = BuildManifest.Image(debugID: id, architecture: object.architecture.name, name: name)
      if manifest.add(image) { manifestChanged = true }
      self.manifest = manifest
    }
    return report
  }

  /// The index of an image if nothing is to be mended: it is there and current, and the files that came again are
  /// retained and good.
  ///
  /// Throws when a later program wrote it: it is not written over.
  private func goodIndex(of id: DebugID, retaining digests: [ContentDigest]) throws(StoreError) -> SymbolIndex? {
    guard let store else { return nil }
    var isDamaged = !digests.allSatisfy(store.isRetained)
    do throws(StoreError) {
      let index = try store.index(of: id) { _ in isDamaged = true }
      return isDamaged || index.map { $0.builderRevision < SymbolIndex.currentRevision } ?? true ? nil : index
    } catch {
      if error.code == .newer { throw error }
      return nil
    }
  }

  private mutating func saveManifest() throws(StoreError) {
    guard let store, let manifest, manifestChanged, !manifest.images.isEmpty else { return }
    try store.publish(to: store.manifestName(manifest.build), manifest.json)
    manifestChanged = false
  }
}
