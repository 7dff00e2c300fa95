/// One field of a protobuf message.
struct ProtobufField {
  /// What stands in a field; which of them it means, only a schema tells.
  enum Value {
    /// A varint, or a number of 4 or 8 bytes.
    case number(UInt64)
    /// A text, bytes, numbers one after another, or a message.
    case bytes(UnsafeRawBufferPointer)
  }

  /// The number of the field in its schema.
  var tag: UInt64
  var value: Value

  /// The number; `nil` for bytes.
  var number: UInt64? {
    if case .number(let number) = value { number } else { nil }
  }

  /// The number as a truth; `nil` for bytes.
  var bool: Bool? { number.map { $0 != 0 } }

  /// The bytes; `nil` for a number.
  var bytes: UnsafeRawBufferPointer? {
    if case .bytes(let bytes) = value { bytes } else { nil }
  }

  /// The bytes as text, when there are any; invalid UTF-8 becomes replacement characters.
  var text: String? { bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) } }

  /// The number, or the first one of a list that is packed into bytes.
  var firstNumber: UInt64? {
    guard let bytes else { return number }
    var list = ProtobufReader(bytes)
    return try? list.varint()
  }
}

/// Why bytes are no protobuf message, and where.
struct ProtobufError: Error, Hashable, CustomStringConvertible {
  /// What was wrong.
  enum Code: String {
    /// A field passes the end.
    case truncated
    /// A varint of more than ten bytes.
    case numberTooLarge = "number too large"
    /// Field 0, a group, or a type that does not exist.
    case badField = "not a field"
  }

  let code: Code
  /// The place, in bytes from the start of the message.
  let offset: Int

  var description: String { "\(code.rawValue) at byte \(offset)" }
}

/// Reads the fields of one protobuf message in their order, known and unknown ones alike.
///
/// Documented by "Encoding" in the guides at protobuf.dev. A message inside is a field of bytes, for which the caller makes
/// another reader: the depth of the input is never followed, only that of the schema. Groups, which ended with proto2, are
/// no fields here. Cost: one pass, no allocation.
struct ProtobufReader {
  // Safety: whoever makes a reader keeps these bytes valid; each access is checked against their count first.
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next field; `nil` at the end. After an error there is none.
  mutating func next() throws(ProtobufError) -> ProtobufField? {
    guard offset < bytes.count else { return nil }
    let start = offset
    let key = try varint()
    guard key >> 3 > 0 else { throw ProtobufError(code: .badField, offset: start) }
    let value: ProtobufField.Value =
      switch key & 7 {
      case 0: .number(try varint())
      case 1: .number(try fixed(8))
      case 2: .bytes(try part(try varint()))
      case 5: .number(try fixed(4))
      default: throw ProtobufError(code: .badField, offset: start)
      }
    return ProtobufField(tag: key >> 3, value: value)
  }

  /// The next number: seven bits a byte, the lowest first; of the tenth byte only one bit fits.
  mutating func varint() throws(ProtobufError) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard offset + index < bytes.count else { throw ProtobufError(code: .truncated, offset: bytes.count) }
      let byte = bytes[offset + index]
      value |= UInt64(byte & 0x7f) << UInt64(7 * index)
      guard byte & 0x80 != 0 else {
        offset += index + 1
        return value
      }
    }
    throw ProtobufError(code: .numberTooLarge, offset: offset)
  }

  private mutating func fixed(_ count: UInt64) throws(ProtobufError) -> UInt64 {
    try part(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func part(_ count: UInt64) throws(ProtobufError) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - offset) else { throw ProtobufError(code: .truncated, offset: bytes.count) }
    let start = offset
    offset += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }
}
