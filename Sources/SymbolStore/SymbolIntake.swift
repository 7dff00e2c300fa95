internal import Bytes
internal import DebugInfo
public import Files
internal import Identity
internal import ObjectFiles
public import SymbolIndex

/// Takes files of symbols and gives a verdict on each slice in them.
///
/// With a store the slices are retained and indexed at once, so that a bad dSYM fails the release and not the engineer
/// on call; without one the same verdicts are given and nothing is kept (`symclust check`).
public struct SymbolIntake {
  private let store: SymbolStore?
  private let builder: any IndexBuilding
  /// Where files are copied before they are looked at.
  private let temporaryFolder: String
  private var manifest: BuildManifest?
  private var manifestChanged = false
  private var maps = SymbolMaps([])
  /// What was reported so far, in the order of the paths.
  public private(set) var reports: [SliceReport] = []
  /// How many files were looked at that are no symbol files (icons, plists); they get no verdict.
  public private(set) var otherFiles = 0

  /// An intake into `store` for `build`. The caller holds the store's lock.
  public init(into store: SymbolStore, build: BuildName?) throws(StoreError) {
    self.store = store
    builder = store.builder
    temporaryFolder = store.directory.path("tmp")
    if let build { manifest = try store.manifest(of: build) ?? BuildManifest(build: build) }
  }

  /// An intake that only gives verdicts. Each file is copied to `temporaryFolder` while it is looked at.
  public init(checkingWith builder: any IndexBuilding = IndexBuilder(), temporaryFolder: String = "/tmp") {
    store = nil
    self.builder = builder
    self.temporaryFolder = temporaryFolder
  }

  /// Takes all files below `paths`; `report` hears of each verdict as it is given.
  ///
  /// One bad file never fails another. Throws only when the store itself fails.
  public mutating func take(_ paths: [String], report: (SliceReport) -> Void = { _ in }) throws(StoreError) {
    var found: [FoundFile] = []
    FileWalk.files(below: paths) { found.append($0) }
    maps = SymbolMaps(found)
    do throws(StoreError) {
      for file in found {
        let first = reports.count
        try take(file)
        reports[first...].forEach(report)
      }
    } catch {
      // What was taken before the store failed belongs to its build all the same.
      try? saveManifest()
      throw error
    }
    try saveManifest()
  }

  private mutating func take(_ file: FoundFile) throws(StoreError) {
    guard let copy = try copy(of: file) else { return }
    let slices: [Container.Slice]
    do throws(ObjectFileError) {
      slices = try Container(copy.bytes).slices
    } catch {
      slices = []
      reports.append(report(error, file.path, byteCount: copy.bytes.count))
    }
    for slice in slices { try take(slice, of: file.path, copiedTo: copy.path) }
  }

  /// A copy of the file to look at; `nil` when it is no file of symbols, or cannot be read and was reported.
  private mutating func copy(of file: FoundFile) throws(StoreError) -> FileCopy? {
    // Inside a bundle most files are no symbols. A file of the user's own choice, or one where only symbols belong,
    // is never passed over in silence; nor is what should be a bundle and is a file (symbolication.md B.57).
    let isExpected =
      file.isNamed || file.path.contains(".dSYM/Contents/Resources/DWARF/") || file.path.hasSuffix(".dSYM")
    do throws(FileError) {
      if let failure = file.failure { throw failure }
      let beginning = try ByteView.beginning(of: file.path, count: 64)
      if isExpected || Container.looksLikeObjectFile(beginning) {
        return try FileCopy(of: file.path, in: temporaryFolder)
      }
      otherFiles += 1
    } catch {
      guard error.path == file.path else { throw StoreError(error) }
      reports.append(
        SliceReport(path: file.path, verdict: .unreadable, reasons: ["cannot \(error.step): \(error.reason)"]))
    }
    return nil
  }

  private mutating func take(
    _ slice: Container.Slice, of path: String, copiedTo copy: String
  ) throws(StoreError) {
    switch slice {
    case .failure(let error): reports.append(report(error, path, byteCount: nil))
    case .success(let object): reports.append(try take(object, path, copy))
    }
  }

  /// `byteCount` is that of a whole file; an empty file is a broken one, not one of another kind.
  private func report(_ error: ObjectFileError, _ path: String, byteCount: Int?) -> SliceReport {
    let isUnknown = error.code == .notObjectFile || error.code == .unsupported
    return SliceReport(
      path: path, byteCount: byteCount ?? 0, verdict: isUnknown && byteCount != 0 ? .unsupported : .malformed,
      reasons: [error.description])
  }

  private mutating func take(
    _ object: ObjectFile, _ path: String, _ copy: String
  ) throws(StoreError) -> SliceReport {
    var report = SliceReport(
      path: path, architecture: object.architecture.name, debugID: object.debugID,
      digest: ContentDigest(of: object.bytes), byteCount: object.bytes.count, verdict: .stored)
    guard let id = object.debugID, let digest = report.digest else {
      report.verdict = .noDebugID
      report.reasons = ["it has no \(object.format == .machO ? "LC_UUID" : "build-id"), so no frame can refer to it"]
      return report
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let source = ImageRecord.Source(
      digest: digest, name: name, kind: object.kind.rawValue, byteCount: object.bytes.count,
      debugInfoBytes: object.dwarfSection(".debug_info")?.data?.count ?? 0, isConflicting: false)
    let known = try store?.record(of: id)
    // A map may come before, with or after the symbols that need it.
    let map = maps.map(of: id)
    let mapDigest = map.map { ContentDigest(of: $0.bytes) } ?? known?.symbolMap
    if let known, let mine = known.sources.first(where: { $0.digest == digest }), known.symbolMap == mapDigest,
      let index = try goodIndex(of: id, retaining: digest)
    {
      // A conflict stays one, however often it comes.
      report.verdict = mine.isConflicting ? .conflict : .alreadyPresent
      report.summary = try? index.summary()
      if let summary = report.summary, mine.isConflicting { report.reasons = reasons(report, summary, object) }
    } else {
      try add(object, id, source, copy, to: known, map, &report)
    }
    if report.verdict.isRetained, report.verdict != .conflict, var manifest {
      let image = BuildManifest.Image(debugID: id, architecture: object.architecture.name, name: name)
      if manifest.add(image) { manifestChanged = true }
      self.manifest = manifest
    }
    return report
  }

  /// The index of an image if nothing is to be mended: it is there and current, and the slice it was built from is
  /// retained and good.
  ///
  /// Throws when a later program wrote it: it is not written over.
  private func goodIndex(of id: DebugID, retaining digest: ContentDigest) throws(StoreError) -> SymbolIndex? {
    guard let store else { return nil }
    var isDamaged = !store.isRetained(digest)
    do throws(StoreError) {
      let index = try store.index(of: id) { _ in isDamaged = true }
      return isDamaged || index.map { $0.builderRevision < SymbolIndex.currentRevision } ?? true ? nil : index
    } catch {
      if error.code == .newer { throw error }
      return nil
    }
  }

  /// Retains a slice beside what is known of its image, and indexes the image anew.
  private func add(
    _ object: ObjectFile, _ id: DebugID, _ source: ImageRecord.Source, _ copy: String, to known: ImageRecord?,
    _ newMap: BCSymbolMap?, _ report: inout SliceReport
  ) throws(StoreError) {
    var source = source
    var record =
      known
      ?? ImageRecord(
        debugID: id, architecture: object.architecture.name, codeShape: object.codeShape, sources: [])
    let others = record.sources.filter { $0.digest != source.digest && !$0.isConflicting }
    source.isConflicting = !others.isEmpty && record.codeShape != object.codeShape && !object.codeShape.isEmpty
    record.sources.removeAll { $0.digest == source.digest }
    record.sources.append(source)

    let map: BCSymbolMap?
    if let newMap {
      map = newMap
      record.symbolMap = ContentDigest(of: newMap.bytes)
    } else {
      map = try record.symbolMap.flatMap { digest throws(StoreError) in try store?.symbolMap(digest) }
    }
    let own = IndexSource(object: object, digest: source.digest, path: copy, symbolMap: map)
    // Conflicting code is kept to be looked at; the image's index stays that of the others.
    var sources = [own]
    var damage: [String] = []
    if let store {
      if source.isConflicting { sources = [] }
      for other in others {
        do throws(StoreError) {
          sources.append(IndexSource(object: try store.object(other.digest), digest: other.digest))
        } catch {
          // One damaged file must not keep good ones out; it can be mended by uploading it again.
          guard error.code == .damaged else { throw error }
          damage.append("\(other.name) of the same image was left out, upload it again: \(error)")
        }
      }
    }
    var product: IndexBuilder.Product
    do throws(IndexError) {
      // A file that names nothing is not kept beside others either: what is kept must not depend on the order.
      let isPoor = !others.isEmpty && object.codeSymbols().isEmpty
      product = try builder.build(isPoor ? [own] : sources)
      if isPoor, product.summary.functionCount > 0 { product = try builder.build(sources) }
    } catch {
      if error.code == .system { throw StoreError(.inputOutput, report.path, error.description) }
      report.verdict = Verdict(rawValue: error.code.rawValue) ?? .malformed
      report.reasons = [error.description]
      return
    }
    if let failure = product.summary.debugInfoFailure {
      // Names from the symbol table would hide that the lines are lost.
      report.verdict = Verdict(rawValue: failure.rawValue) ?? .malformed
      report.reasons = product.summary.problems
      return
    }
    guard product.summary.functionCount > 0 else {
      report.verdict = .noSymbols
      report.reasons = ["it has no debug information and no symbols: nothing names its code"] + product.summary.problems
      return
    }
    report.summary = product.summary
    report.verdict = verdict(on: source, beside: others)
    report.reasons = reasons(report, product.summary, object) + damage
    guard let store else { return }
    try store.retain(object.bytes, source.digest)
    if let newMap, let digest = record.symbolMap { try store.retain(newMap.bytes, digest) }
    try store.directory.publish(product.bytes, to: store.indexName(id))
    try store.publish(to: store.recordName(id), record.json)
  }

  private func verdict(on source: ImageRecord.Source, beside others: [ImageRecord.Source]) -> Verdict {
    if source.isConflicting { return .conflict }
    guard let best = others.map(\.debugInfoBytes).max() else { return .stored }
    return source.debugInfoBytes < best ? .poorerVariant : .addedVariant
  }

  private func reasons(_ report: SliceReport, _ summary: IndexSummary, _ object: ObjectFile) -> [String] {
    var reasons: [String] = []
    switch report.verdict {
    case .conflict: reasons.append("other code under an identifier that is taken; the first stays in use")
    case .poorerVariant: reasons.append("another file of this image has more debug information and stays in use")
    default: break
    }
    if summary.lineBytes == 0 {
      let objects = object.debugMapObjectCount
      reasons.append(
        objects == 0
          ? "no debug information: names only, no files or lines"
          : "its debug information is still in \(objects) object files (debug map): names only; upload its dSYM")
    }
    if summary.hiddenNames > 0 {
      reasons.append(
        "\(summary.hiddenNames) names are placeholders that bitcode left (__hidden#); the BCSymbolMap has them")
    }
    return reasons + summary.problems
  }

  private mutating func saveManifest() throws(StoreError) {
    guard let store, let manifest, manifestChanged else { return }
    try store.publish(to: store.manifestName(manifest.build), manifest.json)
    manifestChanged = false
  }
}
