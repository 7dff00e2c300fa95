public import Bytes
internal import Compression
public import Diagnostics
public import Files
public import Identity
public import SignatureStore
internal import Signatures
public import Workers

/// From documents to counts: reads diagnostics, names and groups their stacks, and records them.
///
/// The command line and the service both go this way. Work is done in batches of bounded size, so memory does not
/// grow with the day; nothing of the result depends on where batches begin.
public struct ClusterPipeline<Store: SignatureStore> {
  let store: Store
  let deriver: StackDeriver
  private let workers: Workers
  private let rawTier: StoreDirectory?
  private let reader: DocumentReader
  private let limits: ReadingLimits
  let symbolRevision: (DebugID) -> ContentDigest?
  /// What happened so far.
  public internal(set) var summary = RunSummary()
  private var seen: Set<ContentDigest> = []

  /// A pipeline into `store`. With `rawTier` the accepted payloads are copied there, byte-exact.
  ///
  /// `symbolRevision` tells one state of an image's symbols from another; `nil` when there are none.
  public init(
    store: Store, deriver: StackDeriver, limits: ReadingLimits = ReadingLimits(),
    rawTier: StoreDirectory? = nil, workers: Workers = Workers(),
    symbolRevision: @escaping (DebugID) -> ContentDigest? = { _ in nil }
  ) {
    self.symbolRevision = symbolRevision
    self.store = store
    self.deriver = deriver
    self.rawTier = rawTier
    self.workers = workers
    self.limits = limits
    reader = DocumentReader(limits: limits, rules: deriver.rules)
  }

  /// The most bytes and documents that are held at once.
  private static var batchBytes: Int { 64 << 20 }
  private static var batchDocuments: Int { 4096 }

  /// Reads everything below `paths`; `-` is standard input, or what `standardInput` says was there.
  /// `progress` hears how far it has come, after each batch.
  public mutating func read(
    _ paths: [String], standardInput: Result<ByteView, FileError>? = nil,
    progress: (ReadingPosition) -> Void = { _ in }
  ) throws(PipelineError) {
    var batch: [SourceDocument] = []
    var bytes = 0
    var position = ReadingPosition(bytes: 0, totalBytes: 0)
    /// What could not be opened, and how many documents of the batch came before it.
    var unreadable: [(before: Int, item: RejectedItem)] = []
    var other = 0
    let source = InputSource(limits: limits, standardInput: standardInput)
    try source.documents(
      paths, other: &other, position: { position = $0 }, reject: { unreadable.append((batch.count, $0)) }
    ) { document throws(PipelineError) in
      batch.append(document)
      bytes += document.bytes.count
      if bytes >= Self.batchBytes || batch.count >= Self.batchDocuments {
        try record(batch, unreadable)
        progress(position)
        batch = []
        unreadable = []
        bytes = 0
      }
    }
    try record(batch, unreadable)
    progress(position)
    summary.otherFiles += other
  }

  private mutating func record(
    _ documents: [SourceDocument], _ unreadable: [(before: Int, item: RejectedItem)]
  ) throws(PipelineError) {
    guard !documents.isEmpty else {
      summary.rejected += unreadable.map(\.item)
      return
    }
    let documents = documents.opened(limits: limits, workers)
    let digests = documents.digests(workers)
    // A payload that is known by its digest is not even parsed.
    let known = try storing { () throws(SignatureStoreError) in try store.known(payloads: digests) }
    var fresh: [Int] = []
    for (number, digest) in digests.enumerated() {
      let isFirst = seen.insert(digest).inserted
      if known.contains(digest) || !isFirst { summary.duplicatePayloads += 1 } else { fresh.append(number) }
      if known.contains(digest) && isFirst { summary.payloads.append(digest) }
    }
    let read = reader.read(fresh.map { documents[$0] }, workers)
    var batch = Batch()
    var stacks: [(key: ContentDigest, stack: RawStack)] = []
    var stackSeen: Set<ContentDigest> = []
    var refused: [ContentDigest: PayloadRefusal] = [:]
    for (number, result) in zip(fresh, read) {
      let document = documents[number]
      if let refusal = result.refusal {
        // Read again by the next run: a refused document leaves no trace.
        seen.remove(digests[number])
        refused[digests[number]] = refusal
        continue
      }
      batch.payloads.append(
        RecordedPayload(
          digest: digests[number], generation: result.generation, diagnostics: result.diagnostics,
          reportDays: result.reportDays))
      for diagnostic in result.diagnostics where stackSeen.insert(diagnostic.rawStackKey).inserted {
        stacks.append((diagnostic.rawStackKey, diagnostic.rawStack))
      }
      try keepRaw(document, digests[number])
      account(result, digests[number])
    }
    reject(documents, digests, refused, unreadable)
    try storing { () throws(SignatureStoreError) in
      let derived = try store.known(rawStacks: stacks.map(\.key))
      let new = stacks.filter { !derived.contains($0.key) }
      for (stack, derivation) in zip(new, deriver.derive(new.map(\.stack))) {
        batch.derivations[stack.key] = derivation
      }
      // Noted first: a run that is interrupted in between leaves no stack whose symbols nobody watches.
      try store.note(symbolRevisions: revisions(of: new.map(\.stack)))
      let outcome = try store.record(batch)
      summary.acceptedPayloads += outcome.acceptedPayloads
      summary.reportDays += outcome.reportDays
      summary.acceptedDiagnostics += outcome.diagnostics
      summary.newSignatures = (summary.newSignatures + outcome.newSignatures).sorted()
    }
  }

  /// Tells each refused document, and what could not be opened, in the order they came. A copy of a refused document
  /// is refused as well, and no duplicate of anything accepted.
  private mutating func reject(
    _ documents: [SourceDocument], _ digests: [ContentDigest], _ refused: [ContentDigest: PayloadRefusal],
    _ unreadable: [(before: Int, item: RejectedItem)]
  ) {
    var unreadable = unreadable[...]
    var copies = -refused.count
    for (number, (document, digest)) in zip(documents, digests).enumerated() {
      while let first = unreadable.first, first.before <= number {
        summary.rejected.append(unreadable.removeFirst().item)
      }
      guard let refusal = refused[digest] else { continue }
      copies += 1
      summary.rejected.append(
        RejectedItem(
          path: document.path, line: document.line, reason: refusal.reason.rawValue, message: refusal.description))
    }
    summary.rejected += unreadable.map(\.item)
    summary.duplicatePayloads -= copies
  }

  private mutating func account(_ result: DocumentReader.Result, _ digest: ContentDigest) {
    summary.payloads.append(digest)
    summary.formats[result.format.rawValue, default: 0] += 1
    if result.format == .metricPayload { summary.metricPayloads += 1 }
    summary.simulatedDiagnostics += result.simulated
    summary.diagnosticsWithoutStack += result.diagnostics.count { $0.rawStack.frames.isEmpty }
    summary.notes.merge(result.notes, uniquingKeysWith: +)
    summary.unknownKeys += result.unknownKeys
    RunSummary.add(result.unknownResults, to: &summary.unknownResults)
    RunSummary.add(result.droppedStates, to: &summary.droppedStates)
  }

  /// Copies an accepted payload to the raw tier before anything derived from it is recorded.
  private func keepRaw(_ document: SourceDocument, _ digest: ContentDigest) throws(PipelineError) {
    guard let rawTier else { return }
    let name = RawTier.name(digest)
    if rawTier.contains(name) { return }
    let compressed: ByteView
    do throws(CompressionError) {
      compressed = try Zstd.compress(document.bytes)
    } catch {
      throw .files(StoreError(.inputOutput, rawTier.path(name), "cannot compress: \(error)"))
    }
    do throws(StoreError) {
      try rawTier.publish(compressed, to: name)
    } catch {
      throw .files(error)
    }
  }
}

/// Why a run could not go on: the store failed. Bad input never ends a run.
public enum PipelineError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The files of the store.
  case files(StoreError)
  /// Its counts.
  case counts(SignatureStoreError)

  /// The reason.
  public var description: String {
    switch self {
    case .files(let error): error.description
    case .counts(let error): error.description
    }
  }
}

/// Runs `body`, turning an error of the counts into one of the run.
private func storing<R>(_ body: () throws(SignatureStoreError) -> R) throws(PipelineError) -> R {
  do throws(SignatureStoreError) {
    return try body()
  } catch {
    throw .counts(error)
  }
}
