internal import Bytes
internal import Compression
public import Files
public import Identity
internal import JSON
internal import ObjectFiles
public import SymbolIndex

/// Retained symbols: every slice as it came, and one index for each image.
///
///     symbols/sources/ab/<sha256>.zst   a slice, byte-exact, compressed
///     symbols/images/ab/<id>.json       which slices belong to an image
///     symbols/index/ab/<id>.scx         what its offsets are called; can be rebuilt from the slices
///     symbols/builds/<digest>.json      which images belong to a build
///     symbols/borrowed/ab/<id>.scx      the same of an image whose files are not retained; see `SymbolBorrower`
///
/// Reading needs no lock: files are replaced whole. Changing needs `StoreLock`.
public struct SymbolStore: Sendable {
  /// The folder of the store.
  public let directory: StoreDirectory
  /// How indexes are built.
  public let builder: any IndexBuilding

  /// Whether this process holds the store's lock.
  private let isLocked: Bool

  /// The symbols in the store at `directory`; `isLocked` when this process holds its lock.
  public init(_ directory: StoreDirectory, builder: any IndexBuilding = IndexBuilder(), isLocked: Bool = false) {
    self.directory = directory
    self.builder = builder
    self.isLocked = isLocked
  }

  /// What is retained of an image; `nil` when nothing is.
  public func record(of id: DebugID) throws(StoreError) -> ImageRecord? {
    try document(recordName(id)).map { value throws(StoreError) in
      guard let record = ImageRecord(value), record.debugID == id else {
        throw StoreError(.damaged, directory.path(recordName(id)), "this is no record of image \(id)")
      }
      return record
    }
  }

  /// What tells one state of an image's symbols from another: it changes whenever a slice, a companion or a map joins its index.
  ///
  /// `nil` when nothing is retained, or the record is damaged: what it names keeps the names it has. Cost: reading one
  /// small file.
  public func revision(of id: DebugID) -> ContentDigest? {
    guard let record = (try? anyRecord(of: id)) ?? nil else { return nil }
    let used = record.sources.filter { !$0.isConflicting }.map(\.digest).sorted()
    let parts = record.companions.map(\.digest).sorted() + [record.symbolMap].compactMap(\.self)
    // A program that names things otherwise is a change, too: what was derived before is derived anew.
    let builder = (0..<4).map { UInt8(truncatingIfNeeded: SymbolIndex.currentRevision >> ($0 * 8)) }
    return ContentDigest(of: builder + (used + parts).flatMap(\.bytes))
  }

  /// How many images are retained under each name. Records that are damaged are passed over.
  ///
  /// Cost: reading one small file for each image.
  public func imageNames() throws(StoreError) -> [String: Int] {
    var names: [String: Int] = [:]
    let root = "symbols/images"
    for folder in try directory.list(root) {
      for name in try directory.list("\(root)/\(folder)") {
        guard let id = DebugID(name.prefix { $0 != "." }), let record = try? record(of: id) else { continue }
        names[record.name, default: 0] += 1
      }
    }
    return names
  }

  /// The manifest of a build; `nil` when none was uploaded.
  public func manifest(of build: BuildName) throws(StoreError) -> BuildManifest? {
    try document(manifestName(build)).map { value throws(StoreError) in
      guard let manifest = BuildManifest(value), manifest.build == build else {
        throw StoreError(.damaged, directory.path(manifestName(build)), "this is no manifest of the build")
      }
      return manifest
    }
  }

  /// The index of an image; `nil` when nothing of it is retained or borrowed.
  ///
  /// A damaged or missing index is rebuilt from the retained slices, in memory; `onDamage` hears of it. Throws when
  /// that fails as well. One that is built on demand, or that an older program built, is put in its place if that is possible.
  public func index(of id: DebugID, onDamage: (StoreError) -> Void = { _ in }) throws(StoreError) -> SymbolIndex? {
    let damage: StoreError
    switch openIndex(of: id) {
    case .success(let index?) where index.builderRevision >= SymbolIndex.currentRevision: return index
    case .success(let stale?):
      // What an older program built is better than nothing.
      guard let record = try? record(of: id), let bytes = try? build(record) else { return stale }
      return put(bytes, asIndexOf: record) ?? stale
    case .success(nil):
      guard let record = try record(of: id) else { return try borrowedIndex(of: id) }
      damage = StoreError(.damaged, directory.path(indexName(id)), "the index of \(id) is missing")
      if record.isIndexedOnDemand { return put(try build(record, after: damage), asIndexOf: record) }
    case .failure(let error): damage = error
    }
    guard damage.code == .damaged, let record = try record(of: id) else { throw damage }
    let bytes = try build(record, after: damage)
    onDamage(damage)
    return try? SymbolIndex(ByteView(bytes))
  }

  /// The index file of an image as it is; `nil` when there is none.
  func openIndex(of id: DebugID) -> Result<SymbolIndex?, StoreError> { openIndex(of: id, in: indexName(id)) }

  /// The index of an image in the file `name`, as it is; `nil` when there is none.
  func openIndex(of id: DebugID, in name: String) -> Result<SymbolIndex?, StoreError> {
    let path = directory.path(name)
    do throws(StoreError) {
      guard let bytes = try directory.read(name) else { return .success(nil) }
      do throws(IndexError) {
        let index = try SymbolIndex(bytes)
        if index.debugID == id { return .success(index) }
        return .failure(StoreError(.damaged, path, "this is the index of another image"))
      } catch {
        return .failure(StoreError(error.code == .newer ? .newer : .damaged, path, error.description))
      }
    } catch {
      return .failure(error)
    }
  }

  /// Whether the index of an image is there, whatever is in it, or is borrowed and cannot be built here. Cost: one look.
  public func isIndexed(_ record: ImageRecord) -> Bool {
    record.borrowedFrom != nil || directory.contains(indexName(record.debugID))
  }

  /// Builds the index of an image and puts it in its place, waiting for whoever changes the store; what it holds, or `nil` when
  /// the image is gone.
  public func buildIndex(of id: DebugID) throws(StoreError) -> IndexSummary? {
    while let record = try record(of: id) {
      let bytes = try build(record)
      let lock = try StoreLock(directory)
      let isCurrent = try self.record(of: id) == record
      if isCurrent { try directory.publish(bytes, to: indexName(id)) }
      _ = consume lock
      if isCurrent { return try? SymbolIndex(ByteView(bytes)).summary() }
    }
    return nil
  }

  /// The bytes of an index, built from the retained slices.
  private func build(_ record: ImageRecord, after damage: StoreError? = nil) throws(StoreError) -> [UInt8] {
    let sources = try sources(of: record)
    func unusable(_ reason: String) -> StoreError {
      let before = damage.map { "\($0.detail); and it cannot be rebuilt: " } ?? "it cannot be built: "
      return StoreError(.damaged, directory.path(indexName(record.debugID)), before + reason)
    }
    let product: IndexBuilder.Product
    do throws(IndexError) { product = try builder.build(sources) } catch { throw unusable("\(error)") }
    // What an upload refuses is no index later either: names from the symbol table would hide that the lines are lost.
    if product.summary.debugInfoFailure != nil || product.summary.functionCount == 0 {
      throw unusable(product.summary.problems.first ?? "nothing names its code")
    }
    return product.bytes
  }

  /// The index with these bytes, which is written in its place, too, unless that cannot be done just now: somebody changes the
  /// store, or it may not be written. Then it is built again the next time.
  private func put(_ bytes: [UInt8], asIndexOf record: ImageRecord) -> SymbolIndex? {
    // Under the lock nobody adds a file to the image, of which this index would know nothing.
    func publish() {
      guard (try? self.record(of: record.debugID)) == record else { return }
      try? directory.publish(bytes, to: indexName(record.debugID))
    }
    if isLocked {
      publish()
    } else if let lock = try? StoreLock(directory, seconds: 0) {
      publish()
      _ = consume lock
    }
    return try? SymbolIndex(ByteView(bytes))
  }

  func recordName(_ id: DebugID) -> String { "symbols/images/\(id.hex.prefix(2))/\(id.hex).json" }
  func indexName(_ id: DebugID) -> String { "symbols/index/\(id.hex.prefix(2))/\(id.hex).scx" }
  func sourceName(_ digest: ContentDigest) -> String { "symbols/sources/\(digest.hex.prefix(2))/\(digest.hex).zst" }
  func manifestName(_ build: BuildName) -> String { "symbols/builds/\(build.key).json" }

  /// A small JSON file of the store; `nil` when there is none.
  func document(_ name: String) throws(StoreError) -> JSONValue? {
    guard let bytes = try directory.read(name) else { return nil }
    do throws(JSONError) {
      return try bytes.withBytes { raw throws(JSONError) in try JSONValue.parse(raw) }
    } catch {
      throw StoreError(.damaged, directory.path(name), "\(error)")
    }
  }
}
