extension JSONWriter {
  /// A member with a string, or `null`: what is unknown is said, not left out.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  /// A member with an integer, or `null`.
  public mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  /// A member with a double, or `null`.
  public mutating func member(_ name: String, _ value: Double?) {
    key(name)
    if let value { double(value) } else { null() }
  }

  /// A member with a truth, or `null`.
  public mutating func member(_ name: String, _ value: Bool?) {
    key(name)
    if let value { bool(value) } else { null() }
  }
}
