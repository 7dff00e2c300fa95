internal import Diagnostics
internal import Identity
public import SignatureStore
internal import Signatures

extension ClusterPipeline {
  /// Derives stacks anew that other rules made, and those whose symbols came, or became better, since they were recorded.
  ///
  /// So signatures are a function of what is known, and not of the order in which it arrived; and clusters go on under their ids
  /// wherever all that they held goes on together. Cost: that of `Reprocessor`.
  public mutating func applyChanges() throws(SignatureStoreError) {
    summary.movedStacks += try Reprocessor(
      store: store, deriver: deriver, judge: nil, symbolRevision: symbolRevision
    ).deriveDue()
  }

  /// The present revision of the symbols of each image that `stacks` lie in.
  func revisions(of stacks: [RawStack]) -> [DebugID: ContentDigest] {
    Set(stacks.lazy.flatMap(\.images).compactMap(\.debugID)).reduce(into: [:]) { $0[$1] = symbolRevision($1) }
  }
}
