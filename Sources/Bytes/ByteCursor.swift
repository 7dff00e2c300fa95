/// Why bytes could not be read as asked, and where.
public struct ByteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: Sendable, Hashable {
    /// The read would have passed the end.
    case truncated
    /// A LEB128 number does not fit in 64 bits or is longer than ten bytes.
    case numberTooLarge
    /// A text has no terminating zero before the end.
    case unterminatedString
  }

  /// What was wrong.
  public let code: Code
  /// The place, in bytes from the start of the view.
  public let offset: Int

  /// An error of kind `code` at `offset`.
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// The error as a clause for a message, for example `truncated at byte 0x40`.
  public var description: String {
    let what =
      switch code {
      case .truncated: "truncated"
      case .numberTooLarge: "number too large"
      case .unterminatedString: "unterminated string"
      }
    return "\(what) at byte 0x\(String(offset, radix: 16))"
  }
}

/// A reading position in a `ByteView`. Each read moves it forward or throws and leaves it where it was.
public struct ByteCursor: Sendable {
  /// The bytes being read.
  public let view: ByteView
  /// The byte order of the numbers read.
  public let order: ByteOrder
  /// The position of the next read, in bytes from the start of the view; never past the end.
  public private(set) var offset: Int

  /// A cursor over `view` that starts at `offset`, clamped to the end.
  public init(_ view: ByteView, order: ByteOrder = .little, at offset: Int = 0) {
    self.view = view
    self.order = order
    self.offset = max(0, min(offset, view.count))
  }

  /// The number of bytes not yet read.
  public var remaining: Int { view.count - offset }

  /// Reads one number.
  @inlinable
  public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(ByteError) -> T {
    guard let value: T = view.load(at: offset, order: order) else { throw ByteError(.truncated, at: offset) }
    advance(MemoryLayout<T>.size)
    return value
  }

  /// Reads `count` bytes as a view.
  public mutating func read(count: UInt64) throws(ByteError) -> ByteView {
    guard let part = view.slice(at: UInt64(offset), count: count) else { throw ByteError(.truncated, at: offset) }
    advance(Int(count))
    return part
  }

  /// Passes over `count` bytes.
  public mutating func skip(_ count: UInt64) throws(ByteError) {
    guard count <= UInt64(remaining) else { throw ByteError(.truncated, at: offset) }
    advance(Int(count))
  }

  /// Moves to `offset`.
  public mutating func seek(to offset: UInt64) throws(ByteError) {
    guard offset <= UInt64(view.count) else { throw ByteError(.truncated, at: self.offset) }
    self.offset = Int(offset)
  }

  /// Reads an unsigned LEB128 number of at most ten bytes.
  public mutating func readULEB128() throws(ByteError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var at = offset
    while true {
      guard let byte: UInt8 = view.load(at: at) else { throw ByteError(.truncated, at: at) }
      let bits = UInt64(byte & 0x7f)
      guard shift < 63 || (shift == 63 && bits <= 1) || (bits == 0 && shift < 70) else {
        throw ByteError(.numberTooLarge, at: offset)
      }
      if shift < 64 { value |= bits << shift }
      at += 1
      if byte & 0x80 == 0 { break }
      shift += 7
    }
    offset = at
    return value
  }

  /// Reads a signed LEB128 number of at most ten bytes; bits beyond the 64th are dropped.
  public mutating func readSLEB128() throws(ByteError) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var at = offset
    while true {
      guard let byte: UInt8 = view.load(at: at) else { throw ByteError(.truncated, at: at) }
      guard shift < 70 else { throw ByteError(.numberTooLarge, at: offset) }
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      at += 1
      shift += 7
      if byte & 0x80 == 0 {
        if byte & 0x40 != 0, shift < 64 { value |= ~0 << shift }
        break
      }
    }
    offset = at
    return Int64(bitPattern: value)
  }

  /// Reads a text up to its terminating zero, which is consumed and left out.
  public mutating func readCString() throws(ByteError) -> ByteView {
    guard let text = view.cString(at: offset, limit: Int.max) else { throw ByteError(.unterminatedString, at: offset) }
    advance(text.count + 1)
    return text
  }

  @usableFromInline mutating func advance(_ count: Int) { offset += count }
}
