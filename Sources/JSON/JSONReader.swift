/// One step through a JSON document.
public enum JSONToken: UInt8, Sendable, Hashable {
  /// `{`
  case beginObject
  /// `}`
  case endObject
  /// `[`
  case beginArray
  /// `]`
  case endArray
  /// The name of a member; its value follows.
  case key
  /// A string.
  case string
  /// A number.
  case number
  /// `true`
  case `true`
  /// `false`
  case `false`
  /// `null`
  case null
  /// The document is complete and nothing but white space follows.
  case end
}

/// Reads a JSON document step by step, on a small stack, at any depth up to a limit.
///
/// Strict RFC 8259: every byte is validated, also those that the caller passes over. What it allows:
/// - one UTF-8 byte order mark at the start (RFC 8259, 8.1, lets a reader ignore it);
/// - any value at the top, not only objects and arrays;
/// - an escaped surrogate without its partner, which the grammar allows: its text is U+FFFD;
/// - a name that occurs twice in one object: each one is reported, and users of this reader let the **last** one win;
/// - a number of any length and exponent: the grammar is checked here, the range where a value is asked for.
///
/// Cost: one pass, no allocation but one word for each 64 levels; text is decoded only when asked for.
public struct JSONReader {
  /// The largest depth that `init` uses unless told otherwise.
  public static let defaultDepthLimit = 16_384

  /// What may come next.
  enum State: UInt8 {
    case value
    case firstElement
    case firstKey
    case afterValue
    case done
  }

  // Safety: the initialisers ask the caller to keep these bytes valid; each access is checked against `count` first.
  @usableFromInline let bytes: UnsafeRawBufferPointer
  let depthLimit: Int
  @usableFromInline var position: Int
  var state: State = .value
  /// How many containers are open.
  public internal(set) var depth = 0
  // One bit for each open container, the innermost lowest: 1 for an object. Whole words move to `outerContainers`.
  var containers: UInt64 = 0
  var outerContainers: [UInt64] = []

  /// Where the last token starts, in bytes; for keys and strings the byte after the opening quote.
  @usableFromInline var tokenStart: Int
  @usableFromInline var tokenEnd: Int
  @usableFromInline var tokenHasEscapes = false

  /// A reader at the start of `bytes`, which must stay valid and unchanged as long as it is used.
  public init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int = JSONReader.defaultDepthLimit) {
    self.bytes = bytes
    self.depthLimit = depthLimit
    let hasMark = bytes.count >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
    position = hasMark ? 3 : 0
    tokenStart = position
    tokenEnd = position
  }

  /// Calls `body` with a reader over `bytes`.
  public static func read<R, E: Error>(
    _ bytes: [UInt8], depthLimit: Int = JSONReader.defaultDepthLimit, _ body: (inout JSONReader) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withUnsafeBufferPointer { (buffer) throws(E) in
      var reader = JSONReader(UnsafeRawBufferPointer(buffer), depthLimit: depthLimit)
      return try body(&reader)
    }
  }

  /// The byte after what has been read.
  @inlinable
  public var offset: Int { position }

  /// The first byte of the last token (for keys and strings: of their text).
  @inlinable
  public var tokenOffset: Int { tokenStart }

  /// The next token.
  ///
  /// After `.end` it stays at `.end`. After an error it must not be called again: it may report anything.
  public mutating func next() throws(JSONError) -> JSONToken {
    switch state {
    case .value:
      skipWhiteSpace()
      return try readValue()
    case .firstElement:
      skipWhiteSpace()
      if position < count, bytes[position] == 0x5d { return close(.endArray) }
      return try readValue()
    case .firstKey:
      skipWhiteSpace()
      if position < count, bytes[position] == 0x7d { return close(.endObject) }
      return try readKey()
    case .afterValue:
      skipWhiteSpace()
      guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
      let byte = bytes[position]
      if byte == 0x2c {
        position &+= 1
        skipWhiteSpace()
        if isInObject { return try readKey() }
        return try readValue()
      }
      if isInObject {
        if byte == 0x7d { return close(.endObject) }
      } else if byte == 0x5d {
        return close(.endArray)
      }
      throw JSONError(.unexpectedCharacter, at: position)
    case .done:
      skipWhiteSpace()
      guard position == count else { throw JSONError(.trailingContent, at: position) }
      tokenStart = position
      tokenEnd = position
      return .end
    }
  }

  /// Passes over the next value, with everything in it, and validates it. Called at the end of a container it
  /// leaves that container.
  public mutating func skipValue() throws(JSONError) {
    let outer = depth
    var token = try next()
    if token == .key { token = try next() }
    while depth > outer { _ = try next() }
  }

  /// Passes over the rest of the innermost open container, its end included.
  public mutating func leaveContainer() throws(JSONError) {
    let outer = depth - 1
    while depth > outer, depth > 0 { _ = try next() }
  }

  /// The next name in the innermost object; `false` at the object's end, which is consumed.
  public mutating func nextKey() throws(JSONError) -> Bool {
    // The usual case, without the detour.
    if state == .afterValue, isInObject {
      skipWhiteSpace()
      if position < count, bytes[position] == 0x2c {
        position &+= 1
        skipWhiteSpace()
        _ = try readKey()
        return true
      }
    }
    let token = try next()
    if token == .key { return true }
    if token == .endObject { return false }
    throw JSONError(.wrongType, at: tokenStart)
  }

  /// Lets `body` read the next value itself. It gets the document, the value's first byte and how many levels of
  /// containers may still be opened, and gives the byte after the value, or `nil` when it will not read it: then
  /// `false` comes back and the reader stands where it stood.
  ///
  /// The value must be complete and valid; no one checks that again.
  public mutating func nextValue(readBy body: (UnsafeRawBufferPointer, _ start: Int, _ depth: Int) -> Int?) -> Bool {
    guard state == .value else { return false }
    skipWhiteSpace()
    guard let end = body(bytes, position, depthLimit - depth), end > position, end <= count else { return false }
    tokenStart = position
    tokenEnd = end
    position = end
    valueEnded()
    return true
  }

  // MARK: Structure

  var count: Int { bytes.count }

  var isInObject: Bool { containers & 1 == 1 }

  private mutating func open(object: Bool) throws(JSONError) {
    guard depth < depthLimit else { throw JSONError(.tooDeep, at: position) }
    if depth & 63 == 0, depth > 0 { outerContainers.append(containers) }
    containers = containers << 1
    if object { containers |= 1 }
    depth &+= 1
    tokenStart = position
    position &+= 1
    tokenEnd = position
    if object { state = .firstKey } else { state = .firstElement }
  }

  private mutating func close(_ token: JSONToken) -> JSONToken {
    tokenStart = position
    position &+= 1
    tokenEnd = position
    depth &-= 1
    if depth & 63 == 0, depth > 0, let outer = outerContainers.popLast() {
      containers = outer
    } else {
      containers >>= 1
    }
    valueEnded()
    return token
  }

  @inline(__always)
  mutating func valueEnded() {
    if depth == 0 { state = .done } else { state = .afterValue }
  }

  @inline(__always)
  private mutating func readKey() throws(JSONError) -> JSONToken {
    guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
    guard bytes[position] == 0x22 else { throw JSONError(.unexpectedCharacter, at: position) }
    try scanString()
    if position < count, bytes[position] != 0x3a { skipWhiteSpace() }
    guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
    guard bytes[position] == 0x3a else { throw JSONError(.unexpectedCharacter, at: position) }
    position &+= 1
    state = .value
    return .key
  }

  @inline(__always)
  private mutating func readValue() throws(JSONError) -> JSONToken {
    guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
    let byte = bytes[position]
    switch byte {
    case 0x22:
      try scanString()
      valueEnded()
      return .string
    case 0x7b:
      try open(object: true)
      return .beginObject
    case 0x5b:
      try open(object: false)
      return .beginArray
    case 0x2d, 0x30...0x39:
      try scanNumber()
      valueEnded()
      return .number
    case 0x74:
      try scanLiteral("true")
      return .true
    case 0x66:
      try scanLiteral("false")
      return .false
    case 0x6e:
      try scanLiteral("null")
      return .null
    default:
      throw JSONError(looksLikeOtherEncoding ? .otherEncoding : .unexpectedCharacter, at: position)
    }
  }

  // UTF-16 and UTF-32 either start with their mark or have a zero among their first two bytes (RFC 4627, 3).
  private var looksLikeOtherEncoding: Bool {
    guard position < 2, count >= 2 else { return false }
    let first = (bytes[0], bytes[1])
    if first == (0xfe, 0xff) || first == (0xff, 0xfe) { return true }
    return first.0 == 0 || first.1 == 0
  }
}
