public import Identity

/// What happened to the app.
public enum DiagnosticKind: String, Sendable, Hashable, CaseIterable {
  /// The process ended: exception, signal or kill by a watchdog.
  case crash
  /// The main thread did not answer.
  case hang
  /// Too much CPU time.
  case cpuException = "cpu_exception"
  /// Too many bytes written.
  case diskWriteException = "disk_write_exception"
  /// A slow launch.
  case appLaunch = "app_launch"
  /// Too much memory (iOS 27).
  case memoryException = "memory_exception"
  /// A call stack tree that came without anything that says what happened.
  case unknown
}

/// One event as a device reported it: kind, metadata, call stack tree.
public struct Diagnostic: Sendable, Hashable {
  /// What happened.
  public var kind: DiagnosticKind
  /// Position within its payload, from 0, in document order of the kinds' arrays.
  public var ordinal: Int
  /// What the device said about itself and the event.
  public var metadata: DiagnosticMetadata
  /// The images that the frames name, each once, in order of first appearance.
  public var images: [ImageReference]
  /// The names that the report itself gives to frames, each once, in order of first appearance. MetricKit gives none.
  public var symbols: [ReportedSymbol] = []
  /// The call stacks: one for each thread, or one for all.
  public var stacks: [CallStack]
  /// What the app was doing, as a v2 report says.
  public var context = DiagnosticContext()
  /// Whether each stack is a thread (`callStackPerThread`); `nil` when the document did not say.
  public var isPerThread: Bool?
  /// What the reader had to repair, guess or leave out, in document order; bounded.
  public var notes: [DiagnosticNote]

  /// A diagnostic with the given parts.
  public init(
    kind: DiagnosticKind, ordinal: Int = 0, metadata: DiagnosticMetadata = DiagnosticMetadata(),
    images: [ImageReference] = [], stacks: [CallStack] = [], isPerThread: Bool? = nil, notes: [DiagnosticNote] = []
  ) {
    self.kind = kind
    self.ordinal = ordinal
    self.metadata = metadata
    self.images = images
    self.stacks = stacks
    self.isPerThread = isPerThread
    self.notes = notes
  }
}

/// One image as a diagnostic names it.
public struct ImageReference: Sendable, Hashable {
  /// `binaryUUID`; `nil` when missing or no identifier.
  public var debugID: DebugID?
  /// `binaryName`; MetricKit often leaves it out for the app's own code.
  public var name: String?
  /// Whether the document says that the code is the app's own, so that no name can make it the system's: an app may be
  /// called `libxml2`. Only our own stacks say so, of frames without an image.
  public var isOwn: Bool

  /// An image with this identifier and name.
  public init(debugID: DebugID?, name: String?, isOwn: Bool = false) {
    self.debugID = debugID
    self.name = name
    self.isOwn = isOwn
  }
}

/// What a report itself calls a frame: it was symbolicated before it came, or never had addresses.
public struct ReportedSymbol: Sendable, Hashable {
  /// The function, mangled or not.
  public var function: String
  /// The source file, when the report gives one.
  public var file: String?
  /// The line, from 1, when the report gives one.
  public var line: UInt32?

  /// A symbol with these parts.
  public init(function: String, file: String? = nil, line: UInt32? = nil) {
    self.function = function
    self.file = file
    self.line = line
  }
}

/// Which end of a call stack is the innermost call.
public enum FrameOrder: String, Sendable, Hashable, CaseIterable {
  /// The root is where execution was; each level below is one caller further out. MetricKit's crashes.
  case innermostFirst = "innermost_first"
  /// The root is the thread's start; the leaves are where execution was. MetricKit's sampled trees.
  case outermostFirst = "outermost_first"
}

/// How the order of a call stack was decided.
public enum FrameOrderBasis: String, Sendable, Hashable, CaseIterable {
  /// By the kind of the diagnostic alone.
  case kind
  /// The data agrees with the kind: a thread-start image at the end where it belongs.
  case confirmed
  /// The data contradicts the kind and was followed.
  case data
  /// The kind is unknown and the data does not tell.
  case assumed
}

/// One call stack as a flat tree: parents stand before their children, so no walk needs recursion.
public struct CallStack: Sendable, Hashable {
  /// The name of the thread or of its queue, when the report gives one.
  public var name: String?
  /// `threadAttributed`; `nil` when the document did not say.
  public var isAttributed: Bool?
  /// The frames in document order; `parent` points backwards.
  public var frames: [RawFrame]
  /// Which end is innermost.
  public var order: FrameOrder
  /// How that was decided.
  public var orderBasis: FrameOrderBasis

  /// A call stack with the given parts.
  public init(
    isAttributed: Bool? = nil, frames: [RawFrame] = [], order: FrameOrder = .innermostFirst,
    orderBasis: FrameOrderBasis = .assumed
  ) {
    self.isAttributed = isAttributed
    self.frames = frames
    self.order = order
    self.orderBasis = orderBasis
  }

  /// Whether no frame has more than one child and there is at most one root.
  public var isLinear: Bool {
    for (index, frame) in frames.enumerated() where Int(frame.parent) != index - 1 { return false }
    return true
  }
}

/// How the image offset of a frame was found.
public enum OffsetBasis: UInt8, Sendable, Hashable {
  /// There is none.
  case missing
  /// The field held the offset, as documented.
  case offset
  /// The field held the load address (crashes of iOS 14, 15 and macOS 12); offset = address - field.
  case loadAddress
  /// The field was missing; the load address of another frame of the same image in this diagnostic was used.
  case sibling
  /// The field was taken as an offset although address - offset is not page-aligned, or there is no address to check.
  case unverified
}

extension OffsetBasis {
  /// The basis as JSON spells it.
  public var word: String {
    switch self {
    case .missing: "missing"
    case .offset: "offset"
    case .loadAddress: "load_address"
    case .sibling: "sibling"
    case .unverified: "unverified"
    }
  }
}

/// One frame as the device recorded it: an address in an image, not yet a name.
public struct RawFrame: Sendable, Hashable {
  /// Index of the parent frame in the same call stack, -1 for a root.
  public var parent: Int32
  /// Index into the diagnostic's images, -1 when the frame names none.
  public var image: Int32
  /// The absolute address at run time.
  public var address: UInt64?
  /// Address minus the image's load address: the only address that survives ASLR.
  public var offset: UInt64?
  /// How `offset` was found.
  public var offsetBasis: OffsetBasis
  /// `sampleCount`: how many samples passed through this frame.
  public var sampleCount: UInt64?
  /// Index into the diagnostic's symbols, -1 when the report gives the frame no name.
  public var symbol: Int32 = -1

  /// A frame with the given parts.
  public init(
    parent: Int32, image: Int32 = -1, address: UInt64? = nil, offset: UInt64? = nil,
    offsetBasis: OffsetBasis = .missing, sampleCount: UInt64? = nil
  ) {
    self.parent = parent
    self.image = image
    self.address = address
    self.offset = offset
    self.offsetBasis = offsetBasis
    self.sampleCount = sampleCount
  }
}

extension RawFrame {
  /// Whether both frames have the same address in the same image.
  public func isSamePlace(as other: RawFrame) -> Bool {
    image == other.image && address == other.address && offset == other.offset && (address != nil || offset != nil)
  }
}

/// Something the reader repaired, guessed or left out, and where in the document.
public struct DiagnosticNote: Sendable, Hashable {
  /// A word from a fixed list, for counting, for example `offset_unusable`.
  public var code: String
  /// Where: a JSON pointer-like path or a byte offset.
  public var place: String

  /// A note `code` at `place`.
  public init(code: String, place: String) {
    self.code = code
    self.place = place
  }
}
