/// A fixed set of names, found without allocating: what a reader knows of an object.
public struct JSONKeySet<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
  @usableFromInline struct Entry: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let start: Int
    @usableFromInline let count: Int
  }

  // An open-addressed table of indexes into `entries`; -1 is empty. At most a quarter full.
  @usableFromInline let table: [Int16]
  @usableFromInline let mask: Int
  @usableFromInline let entries: [Entry]
  @usableFromInline let names: [UInt8]

  /// The set of all cases of `Key`, each named by its raw value.
  public init(_ type: Key.Type = Key.self) {
    var entries: [Entry] = []
    var names: [UInt8] = []
    for key in Key.allCases {
      entries.append(Entry(key: key, start: names.count, count: key.rawValue.utf8.count))
      names.append(contentsOf: key.rawValue.utf8)
    }
    var size = 16
    while size < entries.count * 4 { size *= 2 }
    var table = [Int16](repeating: -1, count: size)
    for (index, entry) in entries.enumerated() where entry.count > 0 {
      let name = names[entry.start..<(entry.start + entry.count)]
      var slot = JSONKeySet.slot(count: name.count, first: names[entry.start], last: name.last ?? 0) & (size - 1)
      while table[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      table[slot] = Int16(index)
    }
    self.table = table
    self.mask = size - 1
    self.entries = entries
    self.names = names
  }

  @inlinable @inline(__always)
  static func slot(count: Int, first: UInt8, last: UInt8) -> Int {
    count &* 5 &+ Int(first) &* 17 &+ Int(last) &* 3
  }

  /// The key with this name.
  @inlinable
  func key(named text: UnsafeRawBufferPointer) -> Key? {
    guard let first = text.first, let last = text.last else { return nil }
    var slot = JSONKeySet.slot(count: text.count, first: first, last: last) & mask
    while table[slot] >= 0 {
      let entry = entries[Int(table[slot])]
      if entry.count == text.count {
        let same = names.withUnsafeBytes { $0[entry.start..<(entry.start + entry.count)].elementsEqual(text) }
        if same { return entry.key }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }
}

extension JSONReader {
  /// The last key (or string) as a member of `set`; `nil` when it is none. Allocates only for a name with escapes.
  @inlinable
  public func key<Key>(in set: JSONKeySet<Key>) -> Key? {
    guard tokenHasEscapes else { return set.key(named: tokenBytes) }
    var decoded: [UInt8] = []
    JSONReader.decode(tokenBytes, into: &decoded)
    return decoded.withUnsafeBytes { set.key(named: $0) }
  }
}
