import Bytes
import Diagnostics
import Identity
import JSON

/// How fast documents are read, on one thread.
struct ReadingBenchmark {
  var paths: [String]

  func run() throws {
    var documents: [ByteView] = []
    for path in paths {
      let bytes = try ByteView.reading(path: path, limit: .max)
      for document in DocumentStream(bytes) { documents.append(document.bytes) }
    }
    let total = documents.reduce(0) { $0 + $1.count }
    try measure("split", items: documents.count, bytes: total) {
      var count = 0
      for path in paths {
        for document in DocumentStream(try ByteView.reading(path: path, limit: .max)) { count += document.bytes.count }
      }
      return count
    }
    try measure("json", items: documents.count, bytes: total) {
      var tokens = 0
      for document in documents { tokens += try document.withBytes(countTokens) }
      return tokens
    }
    let reader = PayloadReader()
    try measure("diagnostics", items: documents.count, bytes: total) {
      var frames = 0
      for document in documents {
        for diagnostic in try reader.read(document).diagnostics {
          for stack in diagnostic.stacks { frames += stack.frames.count }
        }
      }
      return frames
    }
    measure("digest", items: documents.count, bytes: total) {
      documents.reduce(0) { $0 &+ Int(ContentDigest(of: $1).bytes[0]) }
    }
  }

  private func countTokens(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> Int {
    var reader = JSONReader(bytes)
    var tokens = 0
    while try reader.next() != .end { tokens += 1 }
    return tokens
  }
}
