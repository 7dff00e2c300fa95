import Bytes
import Diagnostics
import TestSupport
import Testing

/// What holds for every diagnostic that a reader gives, whatever it was given.
func expectSound(_ payload: Payload, limits: ReadingLimits = ReadingLimits()) {
  for diagnostic in payload.diagnostics {
    #expect(diagnostic.notes.count <= limits.notes + 1)
    #expect(diagnostic.stacks.count <= limits.stacks)
    #expect(diagnostic.stacks.map(\.frames.count).reduce(0, +) <= limits.frames)
    for stack in diagnostic.stacks {
      for (index, frame) in stack.frames.enumerated() {
        #expect(frame.parent >= -1 && Int(frame.parent) < index)
        #expect(frame.image >= -1 && Int(frame.image) < diagnostic.images.count)
        #expect(frame.symbol >= -1 && Int(frame.symbol) < diagnostic.symbols.count)
      }
    }
    #expect(diagnostic.symbols.allSatisfy { $0.function.utf8.count <= limits.textBytes })
    #expect(diagnostic.images.allSatisfy { ($0.name ?? "").utf8.count <= limits.textBytes })
  }
}

/// Reads every `step`th truncation of `document` and some hundred documents with random damage: each is read or refused.
func survivesDamage(_ document: String, step: Int = 1, changes: Int = 600) throws {
  try survivesDamage(Array(document.utf8), step: step, changes: changes)
}

/// The same of bytes.
func survivesDamage(_ bytes: [UInt8], step: Int = 1, changes: Int = 600) throws {
  for length in stride(from: 0, to: bytes.count, by: step) {
    if let payload = try? PayloadReader().read(ByteView(Array(bytes[..<length]))) { expectSound(payload) }
  }
  var random = SeededGenerator(seed: 7)
  let pieces = [
    "-", "9", "99999999999999999999", "\"", "{", "}", "[", "]", "null", "\u{0}", " ", "0x", "1e400", "\n", "*",
  ]
  for _ in 0..<changes {
    var changed = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<changed.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: changed[at] = UInt8.random(in: 0...255, using: &random)
      case 1: changed.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: at)
      default: changed.removeSubrange(at..<min(changed.count, at + Int.random(in: 1...12, using: &random)))
      }
      if changed.isEmpty { break }
    }
    if let payload = try? PayloadReader().read(ByteView(changed)) { expectSound(payload) }
  }
}

/// The frames of a stack as text, in their order: `image!function+offset`.
func lines(_ diagnostic: Diagnostic, stack: Int = 0) -> [String] {
  guard diagnostic.stacks.indices.contains(stack) else { return [] }
  return diagnostic.stacks[stack].frames.map { frame in
    let image = frame.image >= 0 ? diagnostic.images[Int(frame.image)].name ?? "?" : "-"
    let name = frame.symbol >= 0 ? diagnostic.symbols[Int(frame.symbol)].function : ""
    return "\(image)!\(name)" + (frame.offset.map { "+\($0)" } ?? "")
  }
}

/// A file of the corpus as text.
enum ByteViewText {
  static func of(_ name: String) throws -> String {
    try ByteView.mapping(path: Corpus.path(name)).withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
