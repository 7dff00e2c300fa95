internal import Bytes
internal import Files
internal import Identity
internal import ObjectFiles
internal import SymbolIndex

/// Files that are retained already are told by their headers and digests, and are not copied.
extension SymbolIntake {
  /// As much of a slice as its load commands need; those of large apps take some tens of kilobytes.
  private static var headerSize: Int { 1 << 16 }
  /// As much of a file as tells where its slices are: most files are of other kinds.
  private static var beginningSize: Int { 1 << 12 }

  /// The verdicts on the slices of a Mach-O file, each with the base name of the file, if all of them are retained, are good,
  /// and change nothing; `nil` when the file has to be looked at in full.
  ///
  /// ELF files have to: what belongs to them lies in other files. Cost: the headers and, when the store has an image of the
  /// identifier and size, a pass over the file; and one over what is retained, which a second upload is to mend.
  func retainedSlices(of file: FoundFile) throws(StoreError) -> [(report: SliceReport, name: String)]? {
    guard file.failure == nil, let slices = try? retainedSlices(at: file.path) else { return nil }
    var known: [(report: SliceReport, name: String)] = []
    for (report, record) in slices {
      guard let digest = report.digest, let state = try wholeState(of: record, retaining: [digest]) else { return nil }
      known.append((report, file.path.baseName))
      known[known.count - 1].report.summary = state.summary
    }
    return known
  }

  /// The slices of the file, each with the record that names it; `nil` when one is not retained.
  private func retainedSlices(at path: String) throws(FileError) -> [(SliceReport, ImageRecord)]? {
    let original = try OriginalFile(path)
    let beginning = try original.bytes(0..<min(Self.beginningSize, original.byteCount))
    guard let ranges = Container.machOSlices(beginning: beginning, byteCount: original.byteCount) else { return nil }
    var slices: [(SliceReport, ImageRecord)] = []
    // All headers are looked at before a slice is digested.
    for range in ranges {
      let header = try original.bytes(range.prefix(Self.headerSize))
      guard let object = try? Container(header).objects.first, let id = object.debugID,
        let record = (try? store?.record(of: id)).flatMap({ $0 }),
        record.sources.contains(where: { $0.byteCount == range.count && !$0.isConflicting }),
        maps.map(of: id).map({ ContentDigest(of: $0.bytes) == record.symbolMap }) ?? true
      else { return nil }
      let report = SliceReport(
        path: path, architecture: object.architecture.name, debugID: id, byteCount: range.count,
        verdict: .alreadyPresent)
      slices.append((report, record))
    }
    for (slice, range) in ranges.enumerated() {
      let digest = try original.digest(of: range)
      guard slices[slice].1.sources.contains(where: { $0.digest == digest && !$0.isConflicting }) else { return nil }
      slices[slice].0.digest = digest
    }
    let hasChanged = try original.hasChanged()
    return slices.isEmpty || hasChanged ? nil : slices
  }
}
