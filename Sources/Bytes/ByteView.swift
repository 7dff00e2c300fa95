/// The order of the bytes of one multi-byte number in a file.
public enum ByteOrder: Sendable, Hashable {
  case little
  case big
}

/// A read-only run of bytes that keeps its owner alive: a mapped file, a part of one, or bytes in memory.
///
/// Slicing copies nothing. Every read is checked against the bounds; a read outside them gives `nil`
/// (random access) or an error (`ByteCursor`), never a trap and never a made-up zero.
public struct ByteView: @unchecked Sendable {
  // Safety: `base` points at `count` bytes that `owner` keeps valid and that nobody changes while it lives:
  // a private read-only mapping or a heap block that is only reachable from here. Hence sharing is safe.
  private let owner: AnyObject?
  @usableFromInline let base: UnsafeRawPointer
  /// The number of bytes.
  public let count: Int

  /// A view of memory that `owner` keeps valid and unchanged.
  init(owner: AnyObject?, base: UnsafeRawPointer, count: Int) {
    self.owner = owner
    self.base = base
    self.count = count
  }

  /// A view that owns a copy of `bytes`. Cost: one copy.
  public init(_ bytes: some Collection<UInt8>) {
    let block = HeapBlock(count: bytes.count)
    UnsafeMutableRawBufferPointer(start: block.base, count: block.count).copyBytes(from: bytes)
    self.init(owner: block, base: UnsafeRawPointer(block.base), count: block.count)
  }

  /// A view of `count` bytes that `fill` writes once and reports the number of bytes it wrote.
  ///
  /// The view covers what was written. Bytes that `fill` did not write are not visible.
  public init<E: Error>(
    capacity: Int, fillingWith fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    let block = HeapBlock(count: capacity)
    let written = try fill(UnsafeMutableRawBufferPointer(start: block.base, count: capacity))
    self.init(owner: block, base: UnsafeRawPointer(block.base), count: max(0, min(written, capacity)))
  }

  /// No bytes.
  public static let empty = ByteView([])

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// The part `[offset, offset + count)`, or `nil` when that is not wholly inside.
  public func slice(at offset: UInt64, count size: UInt64) -> ByteView? {
    guard size <= UInt64(count), offset <= UInt64(count) - size else { return nil }
    return ByteView(owner: owner, base: base + Int(offset), count: Int(size))
  }

  /// The part from `offset` to the end, or `nil` when `offset` is past the end.
  public func suffix(from offset: UInt64) -> ByteView? {
    guard offset <= UInt64(count) else { return nil }
    return ByteView(owner: owner, base: base + Int(offset), count: count - Int(offset))
  }

  /// The number of type `T` at `offset`, or `nil` when it is not wholly inside. Needs no alignment.
  @inlinable @inline(__always)
  public func load<T: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: T.Type = T.self, order: ByteOrder = .little
  ) -> T? {
    guard offset >= 0, offset <= count &- MemoryLayout<T>.size else { return nil }
    // Safety: the guard above proves that the bytes are inside.
    let raw = base.loadUnaligned(fromByteOffset: offset, as: T.self)
    return order == .little ? T(littleEndian: raw) : T(bigEndian: raw)
  }

  /// The bytes from `offset` up to the next zero byte, without it; `nil` when there is none before the end or
  /// the text is longer than `limit`.
  public func cString(at offset: Int, limit: Int = 1 << 20) -> ByteView? {
    guard offset >= 0, offset < count, limit >= 0 else { return nil }
    let rest = count - offset
    // The zero may stand right behind a text of `limit` bytes.
    let window = UnsafeRawBufferPointer(start: base + offset, count: limit < rest ? limit + 1 : rest)
    guard let length = window.firstIndex(of: 0) else { return nil }
    return ByteView(owner: owner, base: base + offset, count: length)
  }

  /// The bytes as text; invalid UTF-8 becomes replacement characters.
  public var text: String { String(decoding: unsafeBytes, as: UTF8.self) }

  /// Calls `body` with the raw bytes, which stay valid for the call.
  @inlinable
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Calls `body` with the bytes as a bounds-checked span.
  @inlinable
  public func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    let bytes = UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
    return try body(bytes.span)
  }

  private var unsafeBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
}

extension ByteView: Equatable {
  /// Whether both hold the same bytes.
  public static func == (a: ByteView, b: ByteView) -> Bool {
    a.count == b.count && a.unsafeBytes.elementsEqual(b.unsafeBytes)
  }
}

/// A block of memory that frees itself.
private final class HeapBlock {
  let base: UnsafeMutableRawPointer
  let count: Int

  init(count: Int) {
    self.count = count
    self.base = .allocate(byteCount: max(count, 1), alignment: 16)
  }

  deinit { base.deallocate() }
}
