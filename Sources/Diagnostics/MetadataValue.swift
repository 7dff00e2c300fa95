internal import JSON

/// Reads single values as leniently as writers vary: numbers as strings, strings as numbers, measurements as objects.
enum MetadataValue {
  /// The next value as an unsigned integer. Exact; hex strings (`0x…`) and decimal strings too.
  @inline(__always)
  static func unsigned(_ reader: inout JSONReader, notes: inout Notebook) throws(JSONError) -> UInt64? {
    let token = try reader.next()
    if token == .number, let value = reader.uint64 { return value }
    guard let number = try number(&reader, token, notes: &notes) else { return nil }
    if let value = number.uint64 { return value }
    notes.add(.badNumber, byte: reader.tokenOffset)
    return nil
  }

  /// The next value as a signed integer.
  static func signed(_ reader: inout JSONReader, notes: inout Notebook) throws(JSONError) -> Int64? {
    let token = try reader.next()
    guard let number = try number(&reader, token, notes: &notes) else { return nil }
    if let value = number.int64 { return value }
    notes.add(.badNumber, byte: reader.tokenOffset)
    return nil
  }

  /// The next value as 64 bits, whether they were written signed or unsigned.
  static func bits(_ reader: inout JSONReader, notes: inout Notebook) throws(JSONError) -> UInt64? {
    let token = try reader.next()
    guard let number = try number(&reader, token, notes: &notes) else { return nil }
    if let value = number.uint64 ?? number.int64.map({ UInt64(bitPattern: $0) }) { return value }
    notes.add(.badNumber, byte: reader.tokenOffset)
    return nil
  }

  /// `token`, which has been read, as a number; containers are passed over. `null` and empty strings are no number
  /// and no fault.
  private static func number(
    _ reader: inout JSONReader, _ token: JSONToken, notes: inout Notebook
  ) throws(JSONError) -> JSONNumber? {
    let place = reader.tokenOffset
    switch token {
    case .number:
      if let number = reader.number { return number }
    case .string:
      if reader.tokenBytes.isEmpty { return nil }
      if reader.tokenBytes.count <= 64, let number = number(from: reader.text) { return number }
    case .null: return nil
    case .beginObject, .beginArray: try reader.leaveContainer()
    default: break
    }
    notes.add(.badNumber, byte: place)
    return nil
  }

  private static func number(from text: String) -> JSONNumber? {
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      return UInt64(text.dropFirst(2), radix: 16).map { .unsigned($0) }
    }
    if text.hasPrefix("+") { return nil }
    if let value = UInt64(text) { return .unsigned(value) }
    return Int64(text).map { .negative($0) }
  }

  /// The next value as a truth: `true`, `false`, 1, 0, or those as strings.
  static func bool(_ reader: inout JSONReader) throws(JSONError) -> Bool? {
    switch try reader.next() {
    case .true: return true
    case .false: return false
    case .number: return reader.uint64.flatMap { $0 > 1 ? nil : $0 == 1 }
    case .string:
      if reader.tokenIs("true") || reader.tokenIs("1") { return true }
      if reader.tokenIs("false") || reader.tokenIs("0") { return false }
      return nil
    case .beginObject, .beginArray:
      try reader.leaveContainer()
      return nil
    default: return nil
    }
  }

  /// The next value as text: a string, the digits of a number, or `value unit` for a measurement object.
  static func text(
    _ reader: inout JSONReader, limit: Int, notes: inout Notebook
  ) throws(JSONError) -> String? {
    let place = reader.offset
    switch try reader.next() {
    case .string, .number: return limited(reader, limit: limit, notes: &notes)
    case .true: return "true"
    case .false: return "false"
    case .beginObject:
      if let text = try measurement(&reader, limit: limit, notes: &notes) { return text }
    case .beginArray: try reader.leaveContainer()
    default: return nil
    }
    notes.add(.metadataUnreadable, byte: place)
    return nil
  }

  /// The last string or number as text of at most `limit` bytes.
  static func limited(_ reader: borrowing JSONReader, limit: Int, notes: inout Notebook) -> String {
    if reader.tokenBytes.count <= limit { return reader.text }
    var decoded: [UInt8] = []
    reader.appendText(to: &decoded)
    if decoded.count > limit { notes.add(.textCut, byte: reader.tokenOffset) }
    return Text.cut(decoded, to: limit)
  }

  /// `{"value": 1500, "unit": "ms"}`, a Swift value of one word `{"rawValue": "watchdog"}`, or with `{"symbol": "ms", …}` as its unit; the `{` has been read.
  private static func measurement(
    _ reader: inout JSONReader, limit: Int, notes: inout Notebook
  ) throws(JSONError) -> String? {
    let outer = reader.depth
    var value: String?
    var unit: String?
    while try reader.nextKey() {
      let isUnit = reader.tokenIs("unit") || reader.tokenIs("symbol")
      guard isUnit || reader.tokenIs("value") || reader.tokenIs("rawValue") else {
        try reader.skipValue()
        continue
      }
      var token = try reader.next()
      if token == .beginObject, isUnit {
        while try reader.nextKey() {
          if reader.tokenIs("symbol") {
            token = try reader.next()
            if token == .string { unit = limited(reader, limit: limit, notes: &notes) }
            if token == .beginObject || token == .beginArray { try reader.leaveContainer() }
          } else {
            try reader.skipValue()
          }
        }
      } else if token == .string || token == .number {
        let text = limited(reader, limit: limit, notes: &notes)
        if isUnit { unit = text } else { value = text }
      } else if token == .beginObject || token == .beginArray {
        try reader.leaveContainer()
      }
    }
    guard reader.depth < outer, let value else { return nil }
    return unit.map { "\(value) \($0)" } ?? value
  }
}
