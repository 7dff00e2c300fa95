public import Diagnostics
public import Identity
internal import Signatures

/// An image without symbols, and what waits for it.
public struct WaitingImage: Sendable, Hashable {
  /// The image.
  public var debugID: DebugID
  /// Its name, when any diagnostic gave one.
  public var name: String?
  /// Frames of all diagnostics that wait.
  public var frames = 0
  /// Diagnostics with such a frame.
  public var diagnostics = 0
  /// The builds whose diagnostics wait, sorted.
  public var builds: [BuildOfRecord] = []
  /// The systems that they ran on, sorted.
  public var systems: [OperatingSystem] = []
  /// When their payloads ended, first and last; `nil` when no time could be read.
  public var firstSeen: PointInTime?
  /// See `firstSeen`.
  public var lastSeen: PointInTime?

  init(_ debugID: DebugID, name: String?) {
    self.debugID = debugID
    self.name = name
  }
}

extension SignatureStore {
  /// Calls `body` with the selected raw stacks, some thousand at a time, so that memory does not follow their number.
  public func pages(
    of selection: StackSelection, _ body: ([StoredRawStack]) throws(SignatureStoreError) -> Void
  ) throws(SignatureStoreError) {
    var last: ContentDigest?
    while true {
      let page = try rawStacks(selection, after: last, limit: 4096)
      guard let end = page.last?.key else { return }
      last = end
      try body(page)
    }
  }

  /// The images that raw stacks name of which a diagnostic was seen at `seconds` since 1970 or later, or at a time that is
  /// not known. Cost: reading all raw stacks, a page at a time.
  public func images(seenSince seconds: Int64) throws(SignatureStoreError) -> Set<DebugID> {
    var images: Set<DebugID> = []
    try pages(of: .all) { page throws(SignatureStoreError) in
      let times = try lastSeen(page.map(\.key))
      for stored in page where (times[stored.key]?.seconds ?? .max) >= seconds {
        images.formUnion(stored.stack.images.compactMap(\.debugID))
      }
    }
    return images
  }
}
