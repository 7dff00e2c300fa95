/// Why a `JSONWriter` has no document to give: it was called in an order that makes none.
public struct JSONWriterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was called wrongly.
  public enum Code: String, Sendable, Hashable {
    /// A value in an object without a key before it.
    case valueWithoutKey = "value_without_key"
    /// A key outside an object, or two keys in a row.
    case misplacedKey = "misplaced_key"
    /// An end that does not fit what was begun, or that follows a key.
    case misplacedEnd = "misplaced_end"
    /// A second value at the top.
    case secondDocument = "second_document"
    /// Something is still open, or nothing was written.
    case incomplete
  }

  /// What was called wrongly.
  public let code: Code

  /// The error as a clause for a message.
  public var description: String {
    "JSON was written in the wrong order: \(code.rawValue.split(separator: "_").joined(separator: " "))"
  }
}

/// Writes one JSON document, step by step, in the order of the calls; at any depth on a small stack.
///
/// Calls in an impossible order are remembered, not trapped, and `finish` reports the first of them, so that broken
/// JSON never leaves by accident. Every control, line-separator and text-direction character is escaped.
public struct JSONWriter: Sendable {
  /// How the text is laid out.
  public enum Layout: Sendable, Hashable {
    /// No white space at all.
    case compact
    /// One member or element a line, two spaces for each level, a line feed at the end of the document.
    case pretty
  }

  private enum Position: UInt8 {
    case start
    case firstInObject
    case inObject
    case afterKey
    case firstInArray
    case inArray
    case done
  }

  /// What has been written so far and not taken.
  public private(set) var bytes: [UInt8] = []
  /// The first wrong call.
  public private(set) var failure: JSONWriterError?
  private let layout: Layout
  private var position: Position = .start
  private var open: [Bool] = []

  /// A writer of one document.
  public init(_ layout: Layout = .compact, reserving capacity: Int = 0) {
    self.layout = layout
    bytes.reserveCapacity(capacity)
  }

  /// `{`
  public mutating func beginObject() {
    guard beginValue() else { return }
    bytes.append(0x7b)
    open.append(true)
    position = .firstInObject
  }

  /// `}`
  public mutating func endObject() { end(0x7d, isObject: true) }

  /// `[`
  public mutating func beginArray() {
    guard beginValue() else { return }
    bytes.append(0x5b)
    open.append(false)
    position = .firstInArray
  }

  /// `]`
  public mutating func endArray() { end(0x5d, isObject: false) }

  /// The name of the member whose value is written next.
  public mutating func key(_ name: String) {
    guard position == .firstInObject || position == .inObject else { return fail(.misplacedKey) }
    if position == .inObject { bytes.append(0x2c) }
    breakLine()
    JSONWriter.appendQuoted(name, to: &bytes)
    bytes.append(0x3a)
    if layout == .pretty { bytes.append(0x20) }
    position = .afterKey
  }

  /// A string.
  public mutating func string(_ text: String) {
    guard beginValue() else { return }
    JSONWriter.appendQuoted(text, to: &bytes)
    endValue()
  }

  /// An integer of any width, exactly.
  public mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

  /// A double in the shortest form that reads back as the same; `null` for infinities and NaN, which JSON lacks.
  public mutating func double(_ value: Double) { raw(value.isFinite ? value.description : "null") }

  /// `true` or `false`
  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  /// `null`
  public mutating func null() { raw("null") }

  /// The finished document. Afterwards the writer is empty and ready for the next one.
  ///
  /// Throws when the calls did not make one complete document.
  public mutating func finish() throws(JSONWriterError) -> [UInt8] {
    defer { self = JSONWriter(layout) }
    if let failure { throw failure }
    guard position == .done else { throw JSONWriterError(code: .incomplete) }
    return bytes
  }

  /// What has been written so far; the document goes on. For documents that should not be held in memory whole.
  public mutating func takeWritten() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  // MARK: Structure

  private mutating func raw(_ text: String) {
    guard beginValue() else { return }
    bytes.append(contentsOf: text.utf8)
    endValue()
  }

  private mutating func beginValue() -> Bool {
    switch position {
    case .afterKey, .start: return true
    case .firstInArray:
      breakLine()
      return true
    case .inArray:
      bytes.append(0x2c)
      breakLine()
      return true
    case .firstInObject, .inObject:
      fail(.valueWithoutKey)
      return false
    case .done:
      fail(.secondDocument)
      return false
    }
  }

  private mutating func endValue() {
    guard let isObject = open.last else {
      position = .done
      if layout == .pretty { bytes.append(0x0a) }
      return
    }
    position = isObject ? .inObject : .inArray
  }

  private mutating func end(_ byte: UInt8, isObject: Bool) {
    let isEmpty = position == (isObject ? .firstInObject : .firstInArray)
    guard isEmpty || position == (isObject ? .inObject : .inArray) else { return fail(.misplacedEnd) }
    open.removeLast()
    if !isEmpty { breakLine() }
    bytes.append(byte)
    endValue()
  }

  private mutating func breakLine() {
    guard layout == .pretty else { return }
    bytes.append(0x0a)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * open.count))
  }

  private mutating func fail(_ code: JSONWriterError.Code) {
    if failure == nil { failure = JSONWriterError(code: code) }
  }
}
