public import SymbolIndex

/// What became of one raw frame.
public enum FrameStatus: String, Sendable, Hashable, CaseIterable {
  /// At least one frame was found.
  case resolved
  /// The image's symbols are here and cover no function at this offset.
  case noSymbol = "no_symbol"
  /// No retained symbols name it, but the report itself did.
  case reported
  /// No symbols of this image are retained.
  case missingImage = "missing_image"
  /// The offset lies beyond the image's code.
  case outsideImage = "outside_image"
  /// The image's index is damaged at this place.
  case indexCorrupt = "index_corrupt"
  /// The raw frame has no debug identifier or no offset.
  case unknownImage = "unknown_image"
}

/// The answer for one raw frame: a status and, when resolved, the frames, innermost (most inlined) first.
public struct Resolution: Sendable, Hashable {
  /// What became of it.
  public var status: FrameStatus
  /// The frames, innermost first; empty unless resolved or reported.
  public var frames: [Frame]

  /// A resolution with this status and these frames.
  public init(status: FrameStatus, frames: [Frame] = []) {
    self.status = status
    self.frames = frames
  }
}
