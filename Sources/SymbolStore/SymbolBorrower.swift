internal import Bytes
public import CompanionFiles
internal import DebugInfo
public import Files
public import Identity
internal import ObjectFiles
public import SymbolIndex
internal import Synchronization

/// Builds indexes of images that the store does not retain, from sources beyond it, each once.
///
/// A file is used when it says inside that it is of the image; another is refused, by name, and the next one is looked
/// at. Files are read as those of an upload are: from a copy, in a process of its own, within the same limits. Threads
/// share it.
public final class SymbolBorrower: Sendable {
  private struct State {
    var reports: [SourceReport]
    var problems: Set<String> = []
  }

  private let store: SymbolStore
  private let sources: [any SymbolSource]
  private let finder: (any CompanionFinding)?
  private let temporaryFolder: String
  private let retains: Bool
  private let state: Mutex<State>

  /// A borrower from `sources`, the first first. Indexes are kept in `store`; with `retains` the files as well, and then
  /// the caller holds the store's lock.
  public init(
    _ store: SymbolStore, from sources: [any SymbolSource], finder: (any CompanionFinding)?, temporaryFolder: String,
    retains: Bool = false
  ) {
    self.retains = retains
    self.store = store
    self.sources = sources
    self.finder = finder
    self.temporaryFolder = temporaryFolder
    state = Mutex(State(reports: sources.map { SourceReport(name: $0.name, kind: $0.kind) }))
  }

  /// What each source did so far, in the order they were given. Its parts do not depend on the order of the questions.
  public var reports: [SourceReport] {
    let reports = state.withLock(\.reports)
    return zip(sources, reports).map { source, report in
      var report = report
      report.found.sort()
      report.refused.sort { ($0.place, $0.reason) < ($1.place, $1.reason) }
      report.leftAlone = source.leftAlone
      report.troubles = source.troubles
      return report
    }
  }

  /// Ends the run: each source keeps what is worth remembering.
  public func finish() {
    for source in sources { source.finish() }
  }

  /// What else went wrong, in words, sorted.
  public var problems: [String] { state.withLock { $0.problems.sorted() } }

  /// The index of an image: what the store has, or what a source has; `nil` when nobody has any.
  ///
  /// `onDamage` hears of damage in the store that was worked around. Cost: without an index in the store a question to
  /// each source, and building an index from what the first good one gives.
  public func index(
    of id: DebugID, onDamage: (StoreError) -> Void = { _ in }
  ) throws(StoreError) -> SymbolIndex? {
    let damage: StoreError?
    do throws(StoreError) {
      if let index = try store.index(of: id, onDamage: onDamage), try isEnough(index, id) { return index }
      damage = nil
    } catch {
      // What was borrowed can be borrowed again.
      guard error.code == .damaged, try store.record(of: id) == nil else { throw error }
      damage = error
    }
    if let index = try borrow(id) { return index }
    if let damage { throw damage }
    return try store.index(of: id, onDamage: onDamage)
  }

  /// Whether what the store has need not be had anew: not a borrowed index of an older program, or one to be retained.
  private func isEnough(_ index: SymbolIndex, _ id: DebugID) throws(StoreError) -> Bool {
    if !retains, index.builderRevision >= SymbolIndex.currentRevision { return true }
    return try store.record(of: id) != nil
  }

  /// The first source that has a file of the image; `nil` when none has. Nothing is read of a file but who it is.
  public func whereabouts(of id: DebugID) throws(StoreError) -> String? {
    for (number, source) in sources.enumerated() {
      for file in files(of: id, number, source) {
        var found = false
        try read(file, of: id, number) { _, _ in found = true }
        if found { return file.place }
      }
    }
    return nil
  }

  // MARK: Borrowing

  private func borrow(_ id: DebugID) throws(StoreError) -> SymbolIndex? {
    for (number, source) in sources.enumerated() {
      /// Files without debug information: of use when nothing better comes.
      var poor: [IndexSource] = []
      var first: SourceFile?
      for file in files(of: id, number, source) {
        var index: SymbolIndex?
        try read(file, of: id, number) { (found, path) throws(StoreError) in
          if found.object.hasDWARF {
            index = try self.index(of: id, [found], from: file, path, number)
          } else {
            var found = found
            // The copy goes away, its bytes stay.
            found.path = nil
            poor.append(found)
            first = first ?? file
          }
        }
        if let index { return index }
      }
      if let first, let index = try index(of: id, poor, from: first, first.path, number) { return index }
    }
    return nil
  }

  private func files(of id: DebugID, _ number: Int, _ source: any SymbolSource) -> [SourceFile] {
    guard source.isAsked(for: id) else { return [] }
    state.withLock { $0.reports[number].asked += 1 }
    return source.files(for: id)
  }

  private func refuse(_ file: SourceFile, _ number: Int, _ reason: String) {
    let refusal = SourceReport.Refusal(place: file.place, reason: reason)
    state.withLock { state in
      if !state.reports[number].refused.contains(refusal) { state.reports[number].refused.append(refusal) }
    }
    sources[number].judged(isGood: false)
  }

  /// Gives the slice of `file` that is of image `id`, in a copy that lies at the given path; anything else is refused.
  private func read(
    _ file: SourceFile, of id: DebugID, _ number: Int, _ use: (IndexSource, String) throws(StoreError) -> Void
  ) throws(StoreError) {
    let reader = SymbolFileReader(temporaryFolder: temporaryFolder, looksBeside: false)
    try reader.read(FoundFile(path: file.path, isNamed: true)) { (finding) throws(StoreError) in
      switch finding {
      case .besides: break
      case .other: refuse(file, number, "it holds no symbols")
      case .refused(let report): refuse(file, number, report.reasons.joined(separator: "; "))
      case .file(let found):
        let slices: [Container.Slice]
        do throws(ObjectFileError) { slices = try Container(found.bytes).slices } catch {
          return refuse(file, number, error.description)
        }
        let objects = slices.compactMap { try? $0.get() }
        guard let object = objects.first(where: { $0.debugID == id || $0.supplementaryID == id }) else {
          let others = objects.compactMap(\.debugID).map(\.description).joined(separator: ", ")
          return refuse(
            file, number, others.isEmpty ? "it has no debug identifier" : "it is of image \(others), and not of \(id)")
        }
        if let part = object.missingPart { return refuse(file, number, "\(part) ends past the end of the file") }
        sources[number].judged(isGood: true)
        try use(IndexSource(object: object, digest: found.digest(of: object), path: found.copy), found.path)
      }
    }
  }

  /// The index of `found`, with the companions that lie beside it; `nil` when it names nothing, and that is told.
  private func index(
    of id: DebugID, _ found: [IndexSource], from file: SourceFile, _ path: String, _ number: Int
  ) throws(StoreError) -> SymbolIndex? {
    guard var first = found.first else { return nil }
    // What comes over the network has nothing beside it, and does not say where else to look on this machine.
    let parts = try CompanionIntake(
      of: first.object, at: path, copiedTo: first.path ?? path, file.download == nil ? finder : nil,
      temporaryFolder: temporaryFolder)
    var companions = parts.parts
    first.problems = parts.problems
    if let link = first.object.alternateLink, !companions.contains(where: { $0.file.role == .common }) {
      if let common = try common(link.id, number) {
        companions.append(common)
        first.problems = []
      } else if first.problems.isEmpty {
        first.problems.append("common debug file \(link.name) (build-id \(link.id.hex)) was not found")
      }
    }
    first.companions = companions.map(\.file)
    let files = [first] + found.dropFirst() + parts.debugFiles.map(\.source)
    let product: IndexBuilder.Product
    do throws(IndexError) {
      product = try store.builder.build(files)
    } catch {
      if error.code == .system { throw StoreError(.inputOutput, file.place, error.description) }
      refuse(file, number, error.description)
      return nil
    }
    guard product.summary.debugInfoFailure == nil, product.summary.functionCount > 0 else {
      refuse(file, number, product.summary.problems.first ?? "nothing in it names its code")
      return nil
    }
    return try keep(product, id, files, companions, file, number)
  }

  private typealias Part = (file: CompanionFile, companion: ImageRecord.Companion)

  /// The file that dwz moved shared entries to, from the same source.
  private func common(
    _ id: DebugID, _ number: Int
  ) throws(StoreError) -> Part? {
    for file in sources[number].files(for: id) {
      var part: Part?
      try read(file, of: id, number) { found, _ in
        let name = file.baseName
        part = (
          CompanionFile(role: .common, unit: nil, bytes: found.object.bytes),
          ImageRecord.Companion(role: .common, unit: nil, digest: found.digest, name: name)
        )
      }
      if let part { return part }
    }
    return nil
  }

  private func keep(
    _ product: IndexBuilder.Product, _ id: DebugID, _ files: [IndexSource], _ parts: [Part], _ file: SourceFile,
    _ number: Int
  ) throws(StoreError) -> SymbolIndex {
    let object = files[0].object
    var record = ImageRecord(
      debugID: id, architecture: object.architecture.name, codeShape: object.codeShape, sources: [])
    let name = file.baseName
    for source in files { record.add(ImageRecord.Source(source.object, source.digest, name: name)) }
    record.companions = parts.map(\.companion)
    record.borrowedFrom = sources[number].name
    state.withLock { state in
      if !state.reports[number].found.contains(id) { state.reports[number].found.append(id) }
    }
    // A store that may not be written is read all the same, and the index serves this run.
    do throws(StoreError) {
      if retains {
        record.borrowedFrom = nil
        for source in files { try store.retain(source.object.bytes, source.digest) }
        for (file, companion) in parts { try store.retain(file.bytes, companion.digest) }
        try store.directory.publish(product.bytes, to: store.indexName(id))
        try store.publish(to: store.recordName(id), record.json)
        try store.removeBorrowed(id)
      } else {
        try store.keepBorrowed(product, record)
      }
    } catch {
      let problem = "what was found of \(id) is not kept: \(error)"
      state.withLock { _ = $0.problems.insert(problem) }
    }
    do throws(IndexError) { return try SymbolIndex(ByteView(product.bytes)) } catch {
      throw StoreError(.damaged, file.place, error.description)
    }
  }
}
