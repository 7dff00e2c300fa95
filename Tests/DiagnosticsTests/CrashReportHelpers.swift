import Bytes
import Diagnostics
import Identity
import TestSupport
import Testing

/// One expected frame.
struct ExpectedFrame: Sendable, Hashable, CustomStringConvertible {
  var image: String?
  var offset: UInt64?
  var function: String?
  var description: String { "\(image ?? "-") + \(offset.map { String($0) } ?? "-") \(function ?? "-")" }

  init(_ image: String?, _ offset: UInt64?, _ function: String? = nil) {
    self.image = image
    self.offset = offset
    self.function = function
  }
}

extension Diagnostic {
  /// The frames of a stack, as far as expectations go.
  func shown(_ stack: Int) -> [ExpectedFrame] {
    guard stacks.indices.contains(stack) else { return [] }
    return stacks[stack].frames.map { frame in
      ExpectedFrame(image(of: frame)?.name, frame.offset, symbol(of: frame)?.function)
    }
  }

  func image(of frame: RawFrame) -> ImageReference? { frame.image < 0 ? nil : images[Int(frame.image)] }

  func symbol(of frame: RawFrame) -> ReportedSymbol? { frame.symbol < 0 ? nil : symbols[Int(frame.symbol)] }

  /// Which stacks are marked as the event.
  var attributed: [Int] { stacks.indices.filter { stacks[$0].isAttributed == true } }

  /// What every reader must keep, whatever it was given.
  func checkConsistency() {
    for stack in stacks {
      for (index, frame) in stack.frames.enumerated() {
        #expect(Int(frame.parent) < index && frame.parent >= -1)
        #expect(frame.image >= -1 && Int(frame.image) < images.count)
        #expect(frame.symbol >= -1 && Int(frame.symbol) < symbols.count)
        #expect((frame.offset == nil) == (frame.offsetBasis == .missing))
      }
    }
  }
}

/// Reads `bytes`, which may be anything, and checks that what comes of it holds together.
func readHostile(_ bytes: [UInt8]) {
  guard let payload = try? PayloadReader().read(ByteView(bytes)) else { return }
  for diagnostic in payload.diagnostics { diagnostic.checkConsistency() }
}

/// Reads each of `count` damaged copies of `bytes`: some bytes replaced, removed or doubled.
func readDamaged(_ bytes: [UInt8], count: Int, seed: UInt64) {
  var generator = SeededGenerator(seed: seed)
  for _ in 0..<count {
    var copy = bytes
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      guard !copy.isEmpty else { break }
      let at = Int.random(in: 0..<copy.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: copy[at] = UInt8.random(in: 0...255, using: &generator)
      case 1: copy.removeSubrange(at..<min(copy.count, at + Int.random(in: 1...40, using: &generator)))
      case 2: copy.insert(contentsOf: copy[at..<min(copy.count, at + 30)], at: at)
      default: copy[at] = Array("0x9f{}[]()<>\":,\n \t-+".utf8).randomElement(using: &generator) ?? 0
      }
    }
    readHostile(copy)
  }
}
