import Bytes
import SymbolIndex

/// How fast offsets are looked up in one index, on one thread.
struct LookupBenchmark {
  let index: SymbolIndex
  let offsets: [UInt64]

  init(index path: String, addresses: String) throws {
    index = try SymbolIndex(try ByteView.mapping(path: path))
    offsets = try ByteView.reading(path: addresses, limit: .max).withBytes { bytes in
      bytes.split { $0 == 0x0a }.compactMap { line in
        let text = String(decoding: line, as: UTF8.self)
        return UInt64(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
      }
    }
  }

  func run() {
    measure("lookup", items: offsets.count, bytes: 0) {
      var frames = 0
      for offset in offsets {
        if case .frames(let found) = index.lookup(offset) { frames += found.count }
      }
      return frames
    }
  }
}
