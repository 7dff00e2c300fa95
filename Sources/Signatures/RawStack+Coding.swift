public import Bytes
internal import Diagnostics
internal import Identity

/// Why stored bytes are no raw stack.
public enum RawStackError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes were written by another version of the format.
  case unknownVersion(UInt8)
  /// The bytes end early or hold a number that is too large.
  case damaged(ByteError)
  /// A part contradicts the format; its name and the place of the bytes after it.
  case invalid(String, at: Int)

  /// The error as a clause for a message.
  public var description: String {
    switch self {
    case .unknownVersion(let version): "raw stack format \(version) is not known"
    case .damaged(let error): "raw stack damaged: \(error)"
    case .invalid(let part, let offset): "raw stack has an invalid \(part) before byte \(offset)"
    }
  }
}

/// The canonical bytes of a raw stack. Numbers are unsigned LEB128 unless said.
///
///     version    1 byte     1, or 2 when the report named frames, or 3 when it said of an image that it is the app's own
///     kind       1 byte     see `codes`
///     reason     1 byte     bit 0 exception type, 1 signal, 2 termination code, 3 resource, 4 exception name follow;
///                           type and signal as zigzag numbers, resource 1 byte, name as length and UTF-8
///     images     count, then for each: length and bytes of the debug id (0: none), length + 1 and bytes of the name (0: none);
///                (3) 1 byte: 1 for the app's own, or 0
///     symbols    (2, 3) count, then for each: length and bytes of the function, length + 1 and bytes of the file (0: none),
///                line (0: none)
///     frames     count, then for each: index - parent (0: root), image + 1, flags (bit 0: offset follows,
///                bit 1: weight follows, bit 2: symbol follows), offset, weight, symbol
///
/// The form is unique: the digest of the bytes is the raw stack key. It never changes; a change would be version 4.
extension RawStack {
  /// The latest version that `encoded` writes.
  public static let formatVersion: UInt8 = 3

  private static let codes: [DiagnosticKind: UInt8] = [
    .unknown: 0, .crash: 1, .hang: 2, .cpuException: 3, .diskWriteException: 4, .appLaunch: 5, .memoryException: 6,
  ]

  /// The stack as bytes.
  public var encoded: [UInt8] {
    let version: UInt8 = images.contains(where: \.isOwn) ? 3 : symbols.isEmpty ? 1 : 2
    var bytes: [UInt8] = [version, RawStack.codes[kind] ?? 0]
    var flags: UInt8 = 0
    if reason.exceptionType != nil { flags |= 1 }
    if reason.signal != nil { flags |= 2 }
    if reason.terminationCode != nil { flags |= 4 }
    if reason.resource != nil { flags |= 8 }
    if reason.exceptionName != nil { flags |= 16 }
    bytes.append(flags)
    if let type = reason.exceptionType { bytes.appendZigzag(type) }
    if let signal = reason.signal { bytes.appendZigzag(signal) }
    if let code = reason.terminationCode { bytes.appendLEB(code) }
    if let resource = reason.resource { bytes.append(resource) }
    if let name = reason.exceptionName { bytes.appendCounted(Array(name.utf8), plus: 0) }
    bytes.appendLEB(UInt64(images.count))
    for image in images {
      bytes.appendCounted(image.debugID?.bytes ?? [], plus: 0)
      if let name = image.name { bytes.appendCounted(Array(name.utf8), plus: 1) } else { bytes.append(0) }
      if version == 3 { bytes.append(image.isOwn ? 1 : 0) }
    }
    if version > 1 {
      bytes.appendLEB(UInt64(symbols.count))
      for symbol in symbols {
        bytes.appendCounted(Array(symbol.function.utf8), plus: 0)
        if let file = symbol.file { bytes.appendCounted(Array(file.utf8), plus: 1) } else { bytes.append(0) }
        bytes.appendLEB(UInt64(symbol.line ?? 0))
      }
    }
    bytes.appendLEB(UInt64(frames.count))
    for (index, frame) in frames.enumerated() {
      bytes.appendLEB(frame.parent < 0 ? 0 : UInt64(index - Int(frame.parent)))
      bytes.appendLEB(UInt64(frame.image + 1))
      bytes.append((frame.offset != nil ? 1 : 0) | (frame.weight != 0 ? 2 : 0) | (frame.symbol >= 0 ? 4 : 0))
      if let offset = frame.offset { bytes.appendLEB(offset) }
      if frame.weight != 0 { bytes.appendLEB(frame.weight) }
      if frame.symbol >= 0 { bytes.appendLEB(UInt64(frame.symbol)) }
    }
    return bytes
  }

  /// The stack that `bytes` hold, as `init(decoding:)` of a view reads it.
  public init(decoding bytes: [UInt8]) throws(RawStackError) { try self.init(decoding: ByteView(bytes)) }

  /// The stack that `bytes` hold. Every number is checked before use; memory is bounded by the bytes.
  public init(decoding bytes: ByteView) throws(RawStackError) {
    var reader = RawStackReader(cursor: ByteCursor(bytes))
    let version = try reader.byte()
    guard (1...RawStack.formatVersion).contains(version) else { throw .unknownVersion(version) }
    let code = try reader.byte()
    guard let kind = RawStack.codes.first(where: { $0.value == code })?.key else { throw reader.invalid("kind") }
    let flags = try reader.byte()
    guard flags < 32 else { throw reader.invalid("reason") }
    var reason = RawReason()
    if flags & 1 != 0 { reason.exceptionType = try reader.zigzag() }
    if flags & 2 != 0 { reason.signal = try reader.zigzag() }
    if flags & 4 != 0 { reason.terminationCode = try reader.number() }
    if flags & 8 != 0 { reason.resource = try reader.byte() }
    if flags & 16 != 0 { reason.exceptionName = try reader.bytes(try reader.number()).text }
    var images: [ImageReference] = []
    for _ in 0..<(try reader.count(leastSize: 2)) {
      let idLength = try reader.number()
      var id: DebugID?
      if idLength > 0 {
        id = DebugID(bytes: try reader.bytes(idLength).withBytes { Array($0) })
        guard id != nil else { throw reader.invalid("debug identifier") }
      }
      let nameLength = try reader.number()
      let name = nameLength == 0 ? nil : try reader.bytes(nameLength - 1).text
      let own = version == 3 ? try reader.byte() : 0
      guard own < 2 else { throw reader.invalid("image") }
      images.append(ImageReference(debugID: id, name: name, isOwn: own == 1))
    }
    guard version < 3 || images.contains(where: \.isOwn) else { throw reader.invalid("images") }
    var symbols: [ReportedSymbol] = []
    if version > 1 {
      for _ in 0..<(try reader.count(leastSize: 3)) {
        let function = try reader.bytes(try reader.number()).text
        let fileLength = try reader.number()
        let file = fileLength == 0 ? nil : try reader.bytes(fileLength - 1).text
        let line = try reader.number()
        guard line <= UInt64(UInt32.max) else { throw reader.invalid("line") }
        symbols.append(ReportedSymbol(function: function, file: file, line: line == 0 ? nil : UInt32(line)))
      }
      guard version == 3 || !symbols.isEmpty else { throw reader.invalid("symbols") }
    }
    var frames: [Frame] = []
    let count = try reader.count(leastSize: 3)
    frames.reserveCapacity(count)
    for index in 0..<count {
      let distance = try reader.number()
      guard distance <= UInt64(index) else { throw reader.invalid("parent") }
      let image = try reader.number()
      guard image <= UInt64(images.count) else { throw reader.invalid("image") }
      let flags = try reader.byte()
      guard flags < (version > 1 ? 8 : 4) else { throw reader.invalid("frame") }
      let offset = flags & 1 != 0 ? try reader.number() : nil
      let weight = flags & 2 != 0 ? try reader.number() : 0
      let symbol = flags & 4 != 0 ? try reader.number() : nil
      if let symbol, symbol >= UInt64(symbols.count) { throw reader.invalid("symbol") }
      frames.append(
        Frame(
          parent: distance == 0 ? -1 : Int32(index - Int(distance)), image: Int32(image) - 1, offset: offset,
          weight: weight, symbol: symbol.map { Int32($0) } ?? -1))
    }
    guard reader.cursor.remaining == 0 else { throw reader.invalid("end") }
    self.init(kind: kind, reason: reason, images: images, symbols: symbols, frames: frames)
  }
}

/// Reads with errors that name the part.
private struct RawStackReader {
  var cursor: ByteCursor

  mutating func byte() throws(RawStackError) -> UInt8 {
    do { return try cursor.read(UInt8.self) } catch { throw .damaged(error) }
  }

  mutating func number() throws(RawStackError) -> UInt64 {
    do { return try cursor.readULEB128() } catch { throw .damaged(error) }
  }

  mutating func zigzag() throws(RawStackError) -> Int64 {
    let raw = try number()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  mutating func bytes(_ count: UInt64) throws(RawStackError) -> ByteView {
    do { return try cursor.read(count: count) } catch { throw .damaged(error) }
  }

  /// A count of parts of at least `leastSize` bytes each: more than the rest could hold is no count.
  mutating func count(leastSize: Int) throws(RawStackError) -> Int {
    let count = try number()
    guard count <= UInt64(cursor.remaining / leastSize), count < UInt64(Int32.max) else { throw invalid("count") }
    return Int(count)
  }

  func invalid(_ part: String) -> RawStackError { .invalid(part, at: cursor.offset) }
}

extension [UInt8] {
  fileprivate mutating func appendLEB(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    append(UInt8(truncatingIfNeeded: value))
  }

  fileprivate mutating func appendZigzag(_ value: Int64) {
    appendLEB(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  fileprivate mutating func appendCounted(_ bytes: [UInt8], plus: UInt64) {
    appendLEB(UInt64(bytes.count) + plus)
    append(contentsOf: bytes)
  }
}
