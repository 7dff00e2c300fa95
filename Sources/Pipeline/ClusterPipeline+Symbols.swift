internal import Diagnostics
internal import Identity
public import SignatureStore
internal import Signatures

extension ClusterPipeline {
  /// How many raw stacks are looked through at once.
  static var pageSize: Int { 4096 }

  /// Derives stacks anew whose symbols came, or became better, since they were recorded.
  ///
  /// So signatures are a function of what is known, and not of the order in which it arrived. Cost: one query for each
  /// missing image that came; where symbols of a known image changed, one pass over the raw stacks.
  public mutating func applyLateSymbols() throws(SignatureStoreError) {
    for image in try store.report().missingImages where symbolRevision(image.debugID) != nil {
      try derive(try store.rawStacks(waitingFor: image.debugID))
    }
    let changed = Set(
      try store.symbolRevisions().filter { id, used in symbolRevision(id).map { $0 != used } ?? false }.keys)
    if changed.isEmpty { return }
    var last: ContentDigest?
    while true {
      let page = try store.rawStacks(after: last, limit: Self.pageSize)
      guard let end = page.last else { break }
      last = end.key
      try derive(page.filter { $0.stack.images.contains { $0.debugID.map(changed.contains) ?? false } })
    }
    // Noted only now: a run that is interrupted before begins again.
    try store.note(symbolRevisions: revisions(of: changed))
  }

  private mutating func derive(_ stacks: [StoredRawStack]) throws(SignatureStoreError) {
    let derived = deriver.derive(stacks.map(\.stack))
    let outcome = try store.remap(
      Dictionary(zip(stacks.map(\.key), derived), uniquingKeysWith: { first, _ in first }))
    summary.movedStacks += outcome.moved
    let noted = try store.symbolRevisions()
    try store.note(symbolRevisions: revisions(of: stacks.map(\.stack)).filter { noted[$0.key] == nil })
  }

  /// The present revision of the symbols of each image that `stacks` lie in.
  func revisions(of stacks: [RawStack]) -> [DebugID: ContentDigest] {
    revisions(of: Set(stacks.lazy.flatMap(\.images).compactMap(\.debugID)))
  }

  private func revisions(of images: Set<DebugID>) -> [DebugID: ContentDigest] {
    images.reduce(into: [:]) { $0[$1] = symbolRevision($1) }
  }
}
