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
  /// When the index of an image is built.
  public enum Indexing: String, Sendable, Hashable, CaseIterable {
    /// As the image is retained, so that a file which cannot be used is refused.
    case now
    /// When its names are first needed. What is wrong with the file shows then.
    case onDemand = "on_demand"
  }

  let store: SymbolStore?
  let indexing: Indexing
  let builder: any IndexBuilding
  private let finder: (any CompanionFinding)?
  /// Where files are copied before they are looked at.
  private let temporaryFolder: String
  /// The build's images and where they came from, as they are kept when all is taken; `nil` when no build was named.
  public private(set) var manifest: BuildManifest?
  private var manifestChanged = false
  var maps = SymbolMaps()
  /// Files that may turn out to be parts of other files' debug information.
  private var possibleCompanions: [SliceReport] = []
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
    finder: (any CompanionFinding)? = nil, indexing: Indexing = .now
  ) throws(StoreError) {
    self.store = store
    self.indexing = indexing
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
    indexing = .now
    self.builder = builder
    self.finder = finder
    self.temporaryFolder = temporaryFolder
  }

  /// Takes all files below `paths`; `report` hears of each verdict as it is given.
  ///
  /// One bad file never fails another. Throws only when the store itself fails. Cost: folders are walked twice, for a map may
  /// lie behind the file that needs it; nothing is kept of a file but its reports.
  public mutating func take(_ paths: [String], report: (SliceReport) -> Void = { _ in }) throws(StoreError) {
    maps = SymbolMaps()
    FileWalk.files(below: paths) { maps.add($0) }
    let reader = SymbolFileReader(temporaryFolder: temporaryFolder)
    do throws(StoreError) {
      try FileWalk.files(below: paths) { (file) throws(StoreError) in
        let first = reports.count
        if let known = try retainedSlices(of: file) {
          for (report, name) in known { took(report, name) }
        } else {
          try reader.read(file) { (finding) throws(StoreError) in try take(finding) }
        }
        reports[first...].forEach(report)
      }
      let first = reports.count
      reports += possibleCompanions.map(companionReport)
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
    case .besides(let folder): FileWalk.files(below: [folder]) { maps.add($0) }
    case .file(let file):
      let slices: [Container.Slice]
      do throws(ObjectFileError) {
        slices = try Container(file.bytes).slices
      } catch {
        slices = []
        reports.append(report(error, file.path, byteCount: file.bytes.count))
      }
      for slice in slices { try take(slice, of: file) }
    }
  }

  private mutating func take(_ slice: Container.Slice, of file: Finding.File) throws(StoreError) {
    switch slice {
    case .failure(let error): reports.append(report(error, file.path, byteCount: nil))
    case .success(let object):
      let report = SliceReport(
        path: file.path, architecture: object.architecture.name, debugID: object.debugID,
        digest: file.digest(of: object), byteCount: object.bytes.count, verdict: .stored)
      if object.isCompanion {
        possibleCompanions.append(report)
      } else {
        try take(object, of: file, report)
      }
    }
  }

  /// The verdict on a part of some file's debug information, once all files were taken.
  private func companionReport(_ report: SliceReport) -> SliceReport {
    var report = report
    report.verdict = .companion
    if let id = report.digest.flatMap({ companions[$0] }) {
      report.reasons = ["it holds a part of the debug information of \(id)"]
    } else {
      report.verdict = report.debugID == nil ? .noDebugID : .noSymbols
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
    _ object: ObjectFile, of file: Finding.File, _ report: SliceReport
  ) throws(StoreError) {
    var report = report
    let name = file.path.baseName
    defer { took(report, name) }
    if let part = object.missingPart {
      report.verdict = .incomplete
      report.reasons = ["\(part) ends past the end of the file: it is cut off, or still being written"]
      return
    }
    guard let id = object.debugID, let digest = report.digest else {
      report.verdict = .noDebugID
      report.reasons = ["it has no \(object.format == .machO ? "LC_UUID" : "build-id"), so no frame can refer to it"]
      return
    }
    let source = ImageRecord.Source(object, digest, name: name)
    let known = try store?.record(of: id)
    // A map may come before, with or after the symbols that need it.
    let map = maps.map(of: id)
    let mapDigest = map.map { ContentDigest(of: $0.bytes) } ?? known?.symbolMap
    let parts = try CompanionIntake(
      of: object, at: file.place, copiedTo: file.copy, finder, temporaryFolder: temporaryFolder)
    if let known, let mine = known.sources.first(where: { $0.digest == digest }), known.symbolMap == mapDigest,
      parts.areAll(in: known), let state = try wholeState(of: known, retaining: [digest] + parts.digests)
    {
      // A conflict stays one, however often it comes; a debug file may have come along with its binary just now.
      report.verdict = mine.isConflicting ? .conflict : companions[digest] == id ? .addedVariant : .alreadyPresent
      report.summary = state.summary
      if mine.isConflicting { report.reasons = reasons(report, state.summary, object) }
    } else {
      let own = IndexSource(object: object, digest: digest, path: file.copy)
      try add(own, id, source, parts, to: known, map, &report)
    }
    if report.verdict.isRetained { for digest in parts.digests { companions[digest] = id } }
  }

  /// Keeps a verdict, and the image with the build if it is retained. `name` is the base name of its file.
  private mutating func took(_ report: SliceReport, _ name: String) {
    reports.append(report)
    guard report.verdict.isRetained, report.verdict != .conflict, var manifest, let id = report.debugID,
      let architecture = report.architecture
    else { return }
    if manifest.add(BuildManifest.Image(debugID: id, architecture: architecture, name: name)) { manifestChanged = true }
    self.manifest = manifest
  }

  /// What an image is whose files came again, and of which nothing is to be mended.
  struct WholeState {
    /// What its index holds; `nil` when it is built on demand, and was not yet.
    var summary: IndexSummary?
  }

  /// The state of an image if its index is there and current, and the files that came again are retained and good.
  ///
  /// Throws when a later program wrote it: it is not written over.
  func wholeState(
    of record: ImageRecord, retaining digests: [ContentDigest]
  ) throws(StoreError) -> WholeState? {
    guard let store, digests.allSatisfy(store.isRetained) else { return nil }
    switch store.openIndex(of: record.debugID) {
    case .success(let index?):
      return index.builderRevision < SymbolIndex.currentRevision ? nil : WholeState(summary: try? index.summary())
    case .success(nil): return record.isIndexedOnDemand && indexing == .onDemand ? WholeState(summary: nil) : nil
    case .failure(let error):
      if error.code == .newer { throw error }
      return nil
    }
  }

  private mutating func saveManifest() throws(StoreError) {
    guard let store, let manifest, manifestChanged, !manifest.images.isEmpty else { return }
    // Whoever uploads a build says that it exists.
    if try store.declaration(of: manifest.build) == nil { try store.declare(BuildDeclaration(manifest.build)) }
    try store.publish(to: store.manifestName(manifest.build), manifest.json)
    manifestChanged = false
  }
}

extension String {
  /// The last part of a path.
  var baseName: String { split(separator: "/").last.map(String.init) ?? self }
}
