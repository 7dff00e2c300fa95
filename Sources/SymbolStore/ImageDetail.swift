internal import Bytes
public import Files
internal import Glibc
public import Identity
public import SymbolIndex

/// All that is known of one retained image.
public struct ImageDetail: Sendable {
  /// What is retained.
  public var record: ImageRecord
  /// What its index holds; `nil` when it cannot be read.
  public var summary: IndexSummary?
  /// Whether any place of it is in an inlined call.
  public var hasInlinedCalls = false
  /// Why the index cannot be read.
  public var problem: String?
  /// The manifests that name it.
  public var builds: [BuildManifest]
  /// Whether it is pinned, by itself or with a build.
  public var isPinned: Bool
  /// When its oldest file was retained, in seconds since 1970; `nil` when none can be looked at.
  public var added: Int64?
  /// Bytes on disk: files and index.
  public var storedBytes: Int

  /// What its symbols can tell, in the words of `upload-symbols`.
  public var features: [String] {
    guard let summary else { return [] }
    var features: [String] = []
    if summary.debugInfoBytes > 0 { features.append("dwarf") }
    if summary.lineBytes > 0 { features.append("lines") }
    if hasInlinedCalls { features.append("inlines") }
    if summary.symbolBytes > 0 { features.append("symtab") }
    if summary.startCount > 0 { features.append("starts") }
    if summary.hiddenNames > 0 { features.append("hidden") }
    if record.symbolMap != nil { features.append("symbol_map") }
    return features
  }
}

extension SymbolStore {
  /// All that is known of the image `id`; `nil` when nothing of it is retained. Cost: opening its index and all manifests.
  public func detail(of id: DebugID) throws(StoreError) -> ImageDetail? {
    guard let record = try anyRecord(of: id) else { return nil }
    let pins = try pins()
    let builds = try manifests().filter { $0.images.contains { $0.debugID == id } }
    var detail = ImageDetail(
      record: record, builds: builds,
      isPinned: pins.images.contains(id) || builds.contains { pins.builds.contains($0.build) }, storedBytes: 0)
    let indexFile = record.borrowedFrom == nil ? indexName(id) : borrowedIndexName(id)
    do throws(StoreError) {
      let index = try index(of: id) { detail.problem = "\($0)" }
      detail.hasInlinedCalls = index?.hasInlinedCalls ?? false
      detail.summary = try index.map { index throws(StoreError) in
        do throws(IndexError) {
          return try index.summary()
        } catch {
          throw StoreError(.damaged, directory.path(indexFile), error.description)
        }
      }
    } catch {
      detail.problem = "\(error)"
    }
    for name in fileNames(of: record) + [indexFile] {
      guard let file = fileStatus(name) else { continue }
      detail.storedBytes += file.bytes
      if name != indexFile || record.borrowedFrom != nil {
        detail.added = min(detail.added ?? file.modified, file.modified)
      }
    }
    return detail
  }

  /// The retained files of an image.
  func fileNames(of record: ImageRecord) -> [String] {
    record.borrowedFrom == nil ? digests(of: record).map(sourceName) : []
  }

  func digests(of record: ImageRecord) -> [ContentDigest] {
    record.sources.map(\.digest) + record.companions.map(\.digest) + [record.symbolMap].compactMap(\.self)
  }

  /// Size and time of a file of the store; `nil` when it is not there.
  func fileStatus(_ name: String) -> (bytes: Int, modified: Int64)? {
    guard let status = PathName.status(directory.path(name)) else { return nil }
    return (Int(clamping: status.st_size), Int64(status.st_mtim.tv_sec))
  }
}
