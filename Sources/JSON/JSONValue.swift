/// A small JSON document as a tree, for manifests, metadata and tests. Not for call stack trees.
///
/// Releasing a nested Swift value uses the stack, so `parse` refuses more than 64 levels; build none deeper by hand.
/// Members keep the order of the document. A name that occurs twice: the last one wins on look-up.
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object([JSONMember])

  /// How many levels `parse` accepts.
  public static let depthLimit = 64

  /// The document in `bytes`.
  ///
  /// Throws for invalid JSON, for more than `depthLimit` levels, more than `maximumValues` values and for a number
  /// larger than any double.
  public static func parse(_ bytes: UnsafeRawBufferPointer, maximumValues: Int = 1_000_000) throws(JSONError)
    -> JSONValue
  {
    var reader = JSONReader(bytes, depthLimit: depthLimit)
    let value = try read(&reader, maximumValues: maximumValues)
    _ = try reader.next()
    return value
  }

  /// The document in `bytes`.
  public static func parse(_ bytes: [UInt8], maximumValues: Int = 1_000_000) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      try parse(UnsafeRawBufferPointer(buffer), maximumValues: maximumValues)
    }
  }

  /// The next value of `reader`, wherever that stands.
  public static func read(_ reader: inout JSONReader, maximumValues: Int = 1_000_000) throws(JSONError) -> JSONValue {
    var open: [Container] = []
    var values = 0
    while true {
      let token = try reader.next()
      var value: JSONValue
      switch token {
      case .beginObject, .beginArray:
        guard open.count < depthLimit else { throw JSONError(.tooDeep, at: reader.tokenOffset) }
        open.append(Container(isObject: token == .beginObject))
        continue
      case .key:
        guard !open.isEmpty else { throw JSONError(.wrongType, at: reader.tokenOffset) }
        open[open.count - 1].name = reader.text
        continue
      case .endObject, .endArray:
        guard let closed = open.popLast() else { throw JSONError(.wrongType, at: reader.tokenOffset) }
        value = closed.isObject ? .object(closed.members) : .array(closed.elements)
      case .string: value = .string(reader.text)
      case .number:
        guard let number = reader.number else { throw JSONError(.numberOutOfRange, at: reader.tokenOffset) }
        value = .number(number)
      case .true: value = .bool(true)
      case .false: value = .bool(false)
      case .null: value = .null
      case .end: throw JSONError(.unexpectedEnd, at: reader.tokenOffset)
      }
      values += 1
      guard values <= maximumValues else { throw JSONError(.tooManyValues, at: reader.tokenOffset) }
      guard !open.isEmpty else { return value }
      open[open.count - 1].take(value)
    }
  }

  private struct Container {
    let isObject: Bool
    var name = ""
    var members: [JSONMember] = []
    var elements: [JSONValue] = []

    mutating func take(_ value: JSONValue) {
      if isObject { members.append(JSONMember(name, value)) } else { elements.append(value) }
    }
  }
}

/// One member of a JSON object.
public struct JSONMember: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// Its value.
  public var value: JSONValue

  /// A member.
  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue {
  /// The member `name` of an object; `nil` when this is no object or has none.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The element at `index` of an array; `nil` when this is no array or has none.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text of a string.
  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The value of `true` and `false`.
  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// A number that is an integer from 0 to 2^64 - 1.
  public var uint: UInt64? {
    guard case .number(let number) = self else { return nil }
    return number.uint64
  }

  /// A number that is an integer from -2^63 to 2^63 - 1.
  public var int: Int64? {
    guard case .number(let number) = self else { return nil }
    return number.int64
  }

  /// Any number, rounded to a double.
  public var double: Double? {
    guard case .number(let number) = self else { return nil }
    return number.double
  }

  /// The elements of an array.
  public var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The members of an object, in the order of the document.
  public var members: [JSONMember]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }
}

extension JSONWriter {
  /// A whole tree.
  public mutating func value(_ root: JSONValue) {
    // What is still to be written, the next on top.
    enum Step {
      case value(JSONValue)
      case member(JSONMember)
      case endObject
      case endArray
    }
    var steps: [Step] = [.value(root)]
    while let step = steps.popLast() {
      let value: JSONValue
      switch step {
      case .endObject:
        endObject()
        continue
      case .endArray:
        endArray()
        continue
      case .member(let member):
        key(member.name)
        value = member.value
      case .value(let next): value = next
      }
      switch value {
      case .null: null()
      case .bool(let flag): bool(flag)
      case .string(let text): string(text)
      case .number(.unsigned(let number)): integer(number)
      case .number(.negative(let number)): integer(number)
      case .number(.real(let number)): double(number)
      case .array(let elements):
        beginArray()
        steps.append(.endArray)
        for element in elements.reversed() { steps.append(.value(element)) }
      case .object(let members):
        beginObject()
        steps.append(.endObject)
        for member in members.reversed() { steps.append(.member(member)) }
      }
    }
  }
}
