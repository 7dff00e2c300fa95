internal import Bytes
internal import DebugInfo
internal import Files
internal import Identity
internal import ObjectFiles
internal import SymbolIndex

/// One slice joins what is known of its image.
extension SymbolIntake {
  /// Retains a slice and its companions beside what is known of its image, and indexes the image anew.
  func add(
    _ own: IndexSource, _ id: DebugID, _ source: ImageRecord.Source, _ parts: CompanionIntake,
    to known: ImageRecord?, _ newMap: BCSymbolMap?, _ report: inout SliceReport
  ) throws(StoreError) {
    var source = source
    var record =
      known
      ?? ImageRecord(
        debugID: id, architecture: own.object.architecture.name, codeShape: own.object.codeShape, sources: [])
    let others = record.sources.filter { $0.digest != source.digest && !$0.isConflicting }
    source.isConflicting = !others.isEmpty && record.conflicts(with: own.object)
    record.add(source)
    // Conflicting code is kept to be looked at; the image's index stays that of the others.
    let newParts = source.isConflicting ? [] : parts.parts
    let debugFiles = source.isConflicting ? [] : parts.debugFiles.filter { !record.conflicts(with: $0.source.object) }
    for file in debugFiles { record.add(ImageRecord.Source(file.source.object, file.source.digest, name: file.name)) }
    for part in newParts where !record.companions.contains(part.companion) { record.companions.append(part.companion) }

    var mine = own
    mine.companions = newParts.map(\.file)
    mine.problems = parts.problems
    if let newMap {
      mine.symbolMap = newMap
      record.symbolMap = ContentDigest(of: newMap.bytes)
    } else {
      mine.symbolMap = try record.symbolMap.flatMap { digest throws(StoreError) in try store?.symbolMap(digest) }
    }
    var damage: [String] = []
    let taken = Set([source.digest] + parts.digests)
    let retained = try retained(others, known?.companions ?? [], except: taken, &damage)
    mine.companions += retained.companions
    let ownFiles = [mine] + debugFiles.map(\.source)
    let sources = source.isConflicting ? retained.sources : ownFiles + retained.sources
    var index: [UInt8]?
    if indexing == .now {
      guard let product = try build(sources, ownFiles, isAlone: others.isEmpty, &report) else { return }
      index = product.bytes
      report.summary = product.summary
    } else if !ownFiles.contains(where: { $0.object.hasDWARF || !$0.object.codeSymbols().isEmpty }) {
      report.verdict = .noSymbols
      report.reasons = [Self.namesNothing]
      return
    }
    report.verdict = verdict(on: source, beside: others)
    report.reasons = reasons(report, report.summary, own.object) + damage
    guard let store else { return }
    for file in ownFiles { try store.retain(file.object.bytes, file.digest) }
    for part in newParts { try store.retain(part.file.bytes, part.companion.digest) }
    if let newMap, let digest = record.symbolMap { try store.retain(newMap.bytes, digest) }
    record.isIndexedOnDemand = index == nil
    if let index {
      try store.directory.publish(index, to: store.indexName(id))
    } else {
      // One that knows nothing of this file must not answer any more.
      try store.perform(.remove(store.indexName(id)))
    }
    try store.publish(to: store.recordName(id), record.json)
  }

  /// What is retained of the image already, except the files that come anew.
  ///
  /// One damaged file must not keep good ones out; it can be mended by uploading it again, and is told in `damage`.
  private func retained(
    _ sources: [ImageRecord.Source], _ companions: [ImageRecord.Companion], except taken: Set<ContentDigest>,
    _ damage: inout [String]
  ) throws(StoreError) -> (sources: [IndexSource], companions: [CompanionFile]) {
    guard let store else { return ([], []) }
    func whole<Part>(_ name: String, _ read: () throws(StoreError) -> Part) throws(StoreError) -> Part? {
      do throws(StoreError) {
        return try read()
      } catch {
        guard error.code == .damaged else { throw error }
        damage.append("\(name) of the same image was left out, upload it again: \(error)")
        return nil
      }
    }
    var files: ([IndexSource], [CompanionFile]) = ([], [])
    for source in sources where !taken.contains(source.digest) {
      let file = try whole(source.name) { () throws(StoreError) in
        IndexSource(object: try store.object(source.digest), digest: source.digest)
      }
      if let file { files.0.append(file) }
    }
    for companion in companions where !taken.contains(companion.digest) {
      let file = try whole(companion.name) { () throws(StoreError) in try store.file(companion) }
      if let file { files.1.append(file) }
    }
    return files
  }

  /// The index of all sources; `nil` when the slice cannot be used, and the report says why.
  private func build(
    _ sources: [IndexSource], _ own: [IndexSource], isAlone: Bool, _ report: inout SliceReport
  ) throws(StoreError) -> IndexBuilder.Product? {
    var product: IndexBuilder.Product
    do throws(IndexError) {
      // A file that names nothing is not kept beside others either: what is kept must not depend on the order.
      let isPoor = !isAlone && own.allSatisfy { $0.object.codeSymbols().isEmpty }
      product = try builder.build(isPoor ? own : sources)
      if isPoor, product.summary.functionCount > 0 { product = try builder.build(sources) }
    } catch {
      if error.code == .system { throw StoreError(.inputOutput, report.path, error.description) }
      report.verdict = Verdict(rawValue: error.code.rawValue) ?? .malformed
      report.reasons = [error.description]
      return nil
    }
    if let failure = product.summary.debugInfoFailure {
      // Names from the symbol table would hide that the lines are lost.
      report.verdict = Verdict(rawValue: failure.rawValue) ?? .malformed
      report.reasons = product.summary.problems
      return nil
    }
    guard product.summary.functionCount > 0 else {
      report.verdict = .noSymbols
      report.reasons = [Self.namesNothing] + product.summary.problems
      return nil
    }
    return product
  }

  private func verdict(on source: ImageRecord.Source, beside others: [ImageRecord.Source]) -> Verdict {
    if source.isConflicting { return .conflict }
    guard let best = others.map(\.debugInfoBytes).max() else { return .stored }
    return source.debugInfoBytes < best ? .poorerVariant : .addedVariant
  }

  /// Below this share of code with debug information something is wrong with nearly every dSYM: Xcode's debug builds
  /// leave a stub, dsymutil leaves out what it cannot open (symbolication.md B.13, B.54).
  private static var suspiciousCoverage: Double { 0.02 }

  private static var namesNothing: String { "it has no debug information and no symbols: nothing names its code" }

  func reasons(_ report: SliceReport, _ summary: IndexSummary?, _ object: ObjectFile) -> [String] {
    var reasons: [String] = []
    switch report.verdict {
    case .conflict: reasons.append("other code under an identifier that is taken; the first stays in use")
    case .poorerVariant: reasons.append("another file of this image has more debug information and stays in use")
    default: break
    }
    guard let summary else {
      return reasons + ["not indexed yet: whether it can be used shows when its names are first needed"]
    }
    if summary.lineBytes == 0 {
      let objects = object.debugMapObjectCount
      reasons.append(
        objects == 0
          ? "no debug information: names only, no files or lines"
          : "its debug information is still in \(objects) object files (debug map): names only; upload its dSYM")
    }
    if summary.lineBytes > 0, let coverage = summary.coverage, coverage < Self.suspiciousCoverage {
      reasons.append(
        "its debug information covers only \(summary.debugInfoBytes) of \(summary.codeBytes) bytes of code: a stub, or "
          + "objects that dsymutil lost")
    }
    if summary.hiddenNames > 0 {
      reasons.append(
        "\(summary.hiddenNames) names are placeholders that bitcode left (__hidden#); the BCSymbolMap has them")
    }
    return reasons + summary.problems
  }
}
