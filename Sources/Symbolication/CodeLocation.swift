public import Identity

/// One place in one image that is to be named.
public struct CodeLocation: Hashable, Sendable {
  /// The image; `nil` when the raw frame names none.
  public var image: DebugID?
  /// The offset from the image base; `nil` when the raw frame has none.
  public var offset: UInt64?
  /// Whether the offset is that of the instruction after a call, as it is for every frame but the innermost.
  public var isReturnAddress: Bool

  /// A place in an image.
  public init(image: DebugID?, offset: UInt64?, isReturnAddress: Bool) {
    self.image = image
    self.offset = offset
    self.isReturnAddress = isReturnAddress
  }
}
