public import Bytes

/// Writes made-up files: numbers in a chosen byte order, LEB128, texts, padding, and patches of what stands already.
public struct ByteWriter: Sendable {
  /// What was written.
  public var bytes: [UInt8] = []
  /// The order of multi-byte numbers.
  public let order: ByteOrder

  /// A writer with nothing written.
  public init(order: ByteOrder = .little) { self.order = order }

  /// The number of bytes written.
  public var count: Int { bytes.count }

  /// Appends a number.
  public mutating func append<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: order == .little ? value.littleEndian : value.bigEndian) { bytes += $0 }
  }

  /// Appends a number of 4 or 8 bytes.
  public mutating func word(_ value: UInt64, is64Bit: Bool) {
    if is64Bit { append(value) } else { append(UInt32(truncatingIfNeeded: value)) }
  }

  /// Appends bytes.
  public mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// Appends a text and a zero.
  public mutating func cString(_ text: String) { bytes += Array(text.utf8) + [0] }

  /// Appends a text cut or padded with zeros to `size` bytes.
  public mutating func fixedText(_ text: String, _ size: Int) {
    let cut = Array(text.utf8.prefix(size))
    bytes += cut + [UInt8](repeating: 0, count: size - cut.count)
  }

  /// Appends an unsigned LEB128 number.
  public mutating func uleb(_ value: UInt64) {
    var rest = value
    repeat {
      bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
  }

  /// Appends a signed LEB128 number.
  public mutating func sleb(_ value: Int64) {
    var rest = value
    while true {
      let low = UInt8(truncatingIfNeeded: rest & 0x7f)
      rest >>= 7
      let isLast = (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0)
      bytes.append(low | (isLast ? 0 : 0x80))
      if isLast { return }
    }
  }

  /// Appends zeros up to a multiple of `alignment`.
  public mutating func align(_ alignment: Int) {
    bytes += [UInt8](repeating: 0, count: (alignment - bytes.count % alignment) % alignment)
  }

  /// Replaces the number at `offset`.
  public mutating func patch<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    let raw = withUnsafeBytes(of: order == .little ? value.littleEndian : value.bigEndian) { Array($0) }
    bytes.replaceSubrange(offset..<(offset + raw.count), with: raw)
  }
}

/// One number field of a made-up header, for tests that set each to extremes.
public struct HeaderField: Sendable, CustomTestName {
  /// What the format calls it.
  public var name: String
  /// Its place in the file.
  public var offset: Int
  /// Its size: 1, 2, 4 or 8 bytes.
  public var size: Int

  /// A field.
  public init(_ name: String, _ offset: Int, _ size: Int) {
    (self.name, self.offset, self.size) = (name, offset, size)
  }

  /// The file with this field set to `value`, cut to the field's size.
  public func setting(_ value: UInt64, in file: [UInt8], order: ByteOrder) -> [UInt8] {
    var file = file
    for index in 0..<size {
      let shift = UInt64(8 * (order == .little ? index : size - 1 - index))
      file[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
    return file
  }
}

/// Something whose description names it in a test report.
public protocol CustomTestName: CustomStringConvertible {
  /// The name.
  var name: String { get }
}

extension CustomTestName {
  /// The name.
  public var description: String { name }
}

/// The values that break careless readers of counts, sizes and offsets.
public let extremeNumbers: [UInt64] = [
  0, 1, 7, 8, 0x7fff, 0xffff, 1 << 31, 0xffff_ffff, 1 << 32, 1 << 63, .max - 7, .max,
]
