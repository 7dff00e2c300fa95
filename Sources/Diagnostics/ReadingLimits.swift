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
  /// Bytes of one input, after decompression; a larger one is refused.
  public var inputBytes = 4 << 30
  /// Compressions and archives inside each other; what lies deeper is refused.
  public var nesting = 4
  /// Entries of one archive; the rest is refused.
  public var archiveEntries = 1_000_000
  /// States of one diagnostic, and signposts; the rest is counted.
  public var states = 16
  /// Bytes of the domain or label of a state; a longer one is dropped and counted.
  public var stateBytes = 64
  /// Notes in one diagnostic, and in the payload; one last note says how many more there were.
  public var notes = 64

  /// The default limits.
  public init() {}
}

extension ReadingLimits {
  /// One limit by its name, so that it can be shown and set.
  public struct Named: Sendable {
    /// The name.
    public let name: String
    /// What it bounds, as a clause without a full stop.
    public let help: String
    /// Where it stands.
    public let place: any WritableKeyPath<ReadingLimits, Int> & Sendable
    /// The values that make sense.
    public let range: ClosedRange<Int>

    init(
      _ name: String, _ place: any WritableKeyPath<ReadingLimits, Int> & Sendable, _ range: ClosedRange<Int>,
      _ help: String
    ) {
      (self.name, self.place, self.range, self.help) = (name, place, range, help)
    }
  }

  /// Every limit, in the order they are shown.
  public static let all: [Named] = [
    Named("input-bytes", \.inputBytes, 1...1 << 40, "bytes of one input after decompression"),
    Named("nesting", \.nesting, 0...16, "compressions and archives inside each other"),
    Named("archive-entries", \.archiveEntries, 1...100_000_000, "entries of one archive"),
    Named("depth", \.depth, 64...1 << 24, "JSON containers inside each other; a frame takes two"),
    Named("envelope-depth", \.envelopeDepth, 1...64, "envelopes around the payloads"),
    Named("diagnostics", \.diagnostics, 1...100_000_000, "diagnostics in one document"),
    Named("stacks", \.stacks, 1...10_000_000, "call stacks in one diagnostic"),
    Named("frames", \.frames, 1...100_000_000, "frames in one diagnostic"),
    Named("document-frames", \.framesInDocument, 1...1_000_000_000, "frames in all diagnostics of one document"),
    Named("text-bytes", \.textBytes, 64...1 << 30, "bytes of one text"),
    Named("states", \.states, 0...1_000, "states of one diagnostic, and signposts"),
    Named("state-bytes", \.stateBytes, 1...4_096, "bytes of a state's domain or label"),
    Named("notes", \.notes, 1...100_000, "notes in one diagnostic"),
  ]
}
