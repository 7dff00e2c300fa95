internal import Bytes

/// The export trie of a Mach-O image: exported names as the edges of a prefix tree.
///
/// Source: `<mach-o/loader.h>`, `EXPORT_SYMBOL_FLAGS_*`. Each node is visited at most once and names are bounded, so
/// a cyclic or shared trie costs no more than its bytes.
struct ExportTrie {
  struct Entry {
    var name: [UInt8]
    /// From the image base.
    var offset: UInt64
    var isWeak: Bool
  }

  private static let maximumNameLength = 1 << 16

  private let data: ByteView
  /// How many more bytes of names may be spelled out: a small trie must not unfold into gigabytes.
  private var budget: Int

  init(_ data: ByteView) {
    self.data = data
    budget = data.count.multipliedReportingOverflow(by: 64).partialValue + 1 << 20
  }

  /// The exported addresses in trie order. Re-exports and absolute symbols are left out.
  mutating func entries() -> [Entry] {
    var found: [Entry] = []
    var visited: Set<UInt64> = []
    var pending: [(node: UInt64, name: [UInt8])] = [(0, [])]
    while let (node, name) = pending.popLast() {
      guard visited.insert(node).inserted, node < UInt64(data.count) else { continue }
      guard let children = try? read(node, name, into: &found) else { continue }
      pending += children.reversed()
    }
    return found
  }

  private mutating func read(
    _ node: UInt64, _ name: [UInt8], into found: inout [Entry]
  ) throws(ByteError) -> [(node: UInt64, name: [UInt8])] {
    var cursor = ByteCursor(data, at: Int(node))
    let terminalSize = try cursor.readULEB128()
    var terminal = ByteCursor(try cursor.read(count: terminalSize))
    if terminalSize > 0 {
      let flags = try terminal.readULEB128()
      // Kind regular (0) or thread-local (1, no code); 8 is a re-export; 0x10 has a stub and a resolver.
      if flags & 0x3 == 0, flags & 0x8 == 0 {
        found.append(Entry(name: name, offset: try terminal.readULEB128(), isWeak: flags & 0x4 != 0))
      }
    }
    let count: UInt8 = try cursor.read()
    var children: [(node: UInt64, name: [UInt8])] = []
    for _ in 0..<count {
      // A search in vain for the end of an edge costs as much as one that finds it.
      guard let edge = data.cString(at: cursor.offset, limit: min(Self.maximumNameLength, budget)) else {
        budget -= min(Self.maximumNameLength, budget, cursor.remaining)
        break
      }
      try cursor.skip(UInt64(edge.count) + 1)
      let child = try cursor.readULEB128()
      let length = name.count + edge.count
      guard length <= Self.maximumNameLength, length <= budget else { continue }
      budget -= length
      children.append((child, name + edge.withBytes { Array($0) }))
    }
    return children
  }
}
