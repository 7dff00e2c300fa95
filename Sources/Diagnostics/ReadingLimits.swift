/// How much of one document is read. What a limit cuts is noted in the diagnostic or the payload, never silently lost.
public struct ReadingLimits: Sendable, Hashable {
  /// Containers inside each other; a frame takes two, so 32,000 frames deep. A deeper document is refused.
  public var depth = 65_536
  /// Envelopes inside each other around the payloads, each an object with an array in it; what lies deeper is
  /// passed over with a note.
  public var envelopeDepth = 8
  /// Diagnostics in one document; the rest is counted, with a note in the payload.
  public var diagnostics = 100_000
  /// Call stacks in one diagnostic; the rest is counted, with a note.
  public var stacks = 4_096
  /// Frames in one diagnostic; the rest, with everything below them, is counted, with a note.
  public var frames = 200_000
  /// Frames in all diagnostics of one document together; handled like `frames`.
  public var framesInDocument = 4_000_000
  /// Bytes of one text; longer ones are cut at a character, with a note.
  public var textBytes = 65_536
  /// Notes in one diagnostic, and in the payload; one last note says how many more there were.
  public var notes = 64

  /// The default limits.
  public init() {}
}
