internal import Bytes
public import Files
internal import Glibc
public import Identity
internal import JSON
internal import SymbolIndex

/// Indexes of images whose files are not retained, since a source beyond the store has them.
///
///     symbols/borrowed/ab/<id>.scx    the index
///     symbols/borrowed/ab/<id>.json   the files that it was built from, and where they were
///
/// It is built once and used by every command from then on, until the symbols are uploaded or 'symbols gc' removes it.
extension SymbolStore {
  /// The record of a borrowed index; `nil` when there is none.
  public func borrowedRecord(of id: DebugID) throws(StoreError) -> ImageRecord? {
    let name = borrowedRecordName(id)
    return try document(name).map { value throws(StoreError) in
      guard let record = ImageRecord(value), record.debugID == id, record.borrowedFrom != nil else {
        throw StoreError(.damaged, directory.path(name), "this is no record of a borrowed image \(id)")
      }
      return record
    }
  }

  /// What is known of an image, whether its files are retained or not.
  public func anyRecord(of id: DebugID) throws(StoreError) -> ImageRecord? {
    if let record = try record(of: id) { return record }
    return try borrowedRecord(of: id)
  }

  /// Every borrowed image, by identifier; a damaged record goes to `onDamage`, and is left out.
  public func borrowedRecords(onDamage: (StoreError) -> Void = { _ in }) throws(StoreError) -> [ImageRecord] {
    var records: [ImageRecord] = []
    for name in try files(in: Self.borrowedFolder) where name.hasSuffix(".json") {
      guard let id = DebugID(stem(name)) else {
        onDamage(StoreError(.damaged, directory.path(name), "its name is no debug identifier"))
        continue
      }
      do throws(StoreError) {
        if let record = try borrowedRecord(of: id) { records.append(record) }
      } catch {
        onDamage(error)
      }
    }
    return records.sorted { $0.debugID < $1.debugID }
  }

  /// The borrowed index of an image; `nil` when there is none.
  func borrowedIndex(of id: DebugID) throws(StoreError) -> SymbolIndex? {
    guard let record = try borrowedRecord(of: id) else { return nil }
    do throws(StoreError) {
      if let index = try openIndex(of: id, in: borrowedIndexName(id)).get() { return index }
      throw StoreError(.damaged, directory.path(borrowedIndexName(id)), "the borrowed index of \(id) is missing")
    } catch {
      guard error.code == .damaged else { throw error }
      let place = record.borrowedFrom ?? ""
      throw StoreError(.damaged, error.path, "\(error.detail); name its source again (\(place)) to have it built anew")
    }
  }

  /// Keeps a borrowed index. Without the store's lock: equal files give equal bytes, so whoever is first is right.
  func keepBorrowed(_ product: IndexBuilder.Product, _ record: ImageRecord) throws(StoreError) {
    try directory.publish(product.bytes, to: borrowedIndexName(record.debugID))
    try publish(to: borrowedRecordName(record.debugID), record.json)
  }

  /// Forgets what was borrowed of images whose symbols are retained now, and which images servers did not have. To be
  /// called with the store's lock.
  public func forgetBorrowed(of ids: Set<DebugID>) throws(StoreError) {
    for id in ids { try removeBorrowed(id) }
    try remove(AbsentImages.file)
  }

  /// Removes what was borrowed of an image.
  func removeBorrowed(_ id: DebugID) throws(StoreError) {
    for name in [borrowedRecordName(id), borrowedIndexName(id)] { try remove(name) }
  }

  private func remove(_ name: String) throws(StoreError) {
    guard PathName.unlink(directory.path(name)) == 0 || errno == ENOENT else {
      throw StoreError(FileError(path: directory.path(name), step: "remove"))
    }
  }

  /// Files in the folder of borrowed indexes that nothing needs: without a record, or of an image that is retained.
  func borrowedOrphans(_ retained: Set<DebugID>, _ borrowed: [ImageRecord]) throws(StoreError) -> [String] {
    let needed = Set(borrowed.map(\.debugID)).subtracting(retained)
    let names = Set(needed.flatMap { [borrowedRecordName($0), borrowedIndexName($0)] })
    return try files(in: Self.borrowedFolder).filter { !names.contains($0) }
  }

  static var borrowedFolder: String { "symbols/borrowed" }

  func borrowedRecordName(_ id: DebugID) -> String { "\(Self.borrowedFolder)/\(id.hex.prefix(2))/\(id.hex).json" }
  func borrowedIndexName(_ id: DebugID) -> String { "\(Self.borrowedFolder)/\(id.hex.prefix(2))/\(id.hex).scx" }
}
