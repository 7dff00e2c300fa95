internal import Glibc

/// Bytes that grow at the end and become a `ByteView` without a copy.
///
/// Memory follows what is written: the block doubles when it is full, and pages that were not written cost none.
/// Unlike an array it reports, rather than traps, when the system has no more memory.
public struct ByteBuilder: ~Copyable {
  // Safety: `base` is null or a malloc'ed block of `capacity` bytes, of which the first `count` are written. It is
  // reachable only from here until `finish()` hands it over.
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// The number of bytes written so far.
  public private(set) var count = 0

  /// No bytes yet.
  public init() {}

  deinit { free(base) }

  /// Makes room for at least one more byte, with the whole block at most `limit` bytes.
  ///
  /// Gives `false`, and changes nothing, when `limit` bytes are written or the system has no memory.
  public mutating func makeRoom(limit: Int) -> Bool {
    if count < capacity { return true }
    let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
    let wanted = min(overflow ? limit : max(doubled, 1 << 16), limit)
    return wanted > count && resize(to: wanted)
  }

  /// Makes room for `size` bytes in all; `false` when the system has no memory for them.
  public mutating func reserve(_ size: Int) -> Bool { size <= capacity || resize(to: size) }

  /// Lets `fill` write into the room that is left; it gives back the number of bytes it wrote.
  public mutating func append<E: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    guard let base else { return }
    let room = capacity - count
    let written = try fill(UnsafeMutableRawBufferPointer(start: base + count, count: room))
    count += max(0, min(written, room))
  }

  /// The bytes written, in a block cut to their size.
  public consuming func finish() -> ByteView {
    guard count > 0 else { return .empty }
    _ = resize(to: count)
    guard let block = base else { return .empty }
    base = nil
    return ByteView(owner: MallocBlock(base: block), base: UnsafeRawPointer(block), count: count)
  }

  private mutating func resize(to size: Int) -> Bool {
    guard let moved = realloc(base, size) else { return false }
    base = moved
    capacity = size
    return true
  }
}

/// A malloc'ed block that frees itself.
private final class MallocBlock {
  let base: UnsafeMutableRawPointer

  init(base: UnsafeMutableRawPointer) { self.base = base }

  deinit { free(base) }
}
