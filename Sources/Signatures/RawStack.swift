public import Diagnostics
public import Identity

/// The chosen call stack of one diagnostic in canonical form, without symbols and without anything about the device.
///
/// It holds all that a signature is derived from, so raw stacks are kept for ever and signatures are derived again
/// whenever symbols arrive late or rules change. Canonical means: two diagnostics whose stacks have the same images,
/// offsets and shares are equal, whatever their load addresses, the order of their samples, threads and keys, and
/// whichever end their format puts first.
///
/// The frames form a forest in preorder. Roots are the outermost calls and each child was called by its parent. Siblings
/// are distinct and sorted.
public struct RawStack: Hashable, Sendable {
  /// One call.
  public struct Frame: Hashable, Sendable {
    /// Index of the caller, -1 for an outermost call; always smaller than the frame's own index.
    public var parent: Int32
    /// Index into `images`, -1 when the frame names none.
    public var image: Int32
    /// Offset from the image's load address; `nil` when unknown.
    public var offset: UInt64?
    /// How many samples ended in this frame, divided by the greatest common divisor of the whole stack.
    public var weight: UInt64
    /// Index into `symbols`, -1 when the report gave the frame no name.
    public var symbol: Int32

    /// A frame with the given parts.
    public init(parent: Int32, image: Int32, offset: UInt64?, weight: UInt64, symbol: Int32 = -1) {
      self.parent = parent
      self.image = image
      self.offset = offset
      self.weight = weight
      self.symbol = symbol
    }
  }

  /// What happened.
  public let kind: DiagnosticKind
  /// What the metadata says about the reason.
  public let reason: RawReason
  /// The images that frames name, sorted, each once.
  public let images: [ImageReference]
  /// The names that the report itself gave to frames, sorted, each once.
  public let symbols: [ReportedSymbol]
  /// The calls, in preorder.
  public let frames: [Frame]

  /// A stack whose parts are known to be canonical.
  init(
    kind: DiagnosticKind, reason: RawReason, images: [ImageReference], symbols: [ReportedSymbol] = [], frames: [Frame]
  ) {
    self.kind = kind
    self.reason = reason
    self.images = images
    self.symbols = symbols
    self.frames = frames
  }

  /// The digest of the stack: kind, reason and frames as (debug id and image name, offset, weight, the report's own name
  /// if it gave one). Needs no symbols.
  public var key: ContentDigest { ContentDigest(of: keyBytes) }

  /// What is hashed for the key: `symclust-raw`, U+001F, and the stack as it is stored.
  public var keyBytes: [UInt8] { Array("symclust-raw\u{1f}".utf8) + encoded }

  /// Whether execution stood in the frame, so that its offset is exact; every other frame's offset is that of the
  /// instruction after a call and is looked up as a caller's.
  public func isInnermost(_ index: Int) -> Bool {
    index + 1 >= frames.count || Int(frames[index + 1].parent) != index
  }

  /// The image of the frame; `nil` when it names none.
  public func image(of index: Int) -> ImageReference? {
    guard frames.indices.contains(index) else { return nil }
    let image = Int(frames[index].image)
    return images.indices.contains(image) ? images[image] : nil
  }

  /// What the report itself called the frame; `nil` when it gave no name.
  public func symbol(of index: Int) -> ReportedSymbol? {
    let symbol = Int(frames[index].symbol)
    return symbols.indices.contains(symbol) ? symbols[symbol] : nil
  }

  /// For each frame the samples that passed through it: its own and those of all it called. Cost: linear.
  public var inclusiveWeights: [UInt64] {
    var sums = frames.map(\.weight)
    for index in sums.indices.reversed() {
      let parent = Int(frames[index].parent)
      if parent >= 0 { sums[parent] = sums[parent].addingSaturating(sums[index]) }
    }
    return sums
  }
}

extension UInt64 {
  /// The sum, or the largest number when it does not fit.
  func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension DiagnosticKind {
  /// Whether stacks of this kind are samples of a tree of calls and not one call chain.
  public var isSampled: Bool {
    switch self {
    case .hang, .cpuException, .diskWriteException, .appLaunch, .memoryException: true
    case .crash, .unknown: false
    }
  }
}
