import TestSupport

/// Damages files: the same number gives the same damage.
struct Mutator {
  private var random: SeededGenerator
  private var bytes: [UInt8]
  private let layout: FileLayout
  /// Another file, of which parts are put into this one.
  private let other: [UInt8]

  /// The copy number `number` of `file`. Most copies have an identifier of their own, as far as the damage leaves it.
  static func damaged(_ file: [UInt8], _ layout: FileLayout, with other: [UInt8], number: UInt64) -> [UInt8] {
    var mutator = Mutator(
      random: SeededGenerator(seed: number), bytes: file, layout: layout, other: other)
    for place in layout.identifiers {
      for index in 0..<min(8, place.count) {
        mutator.bytes[place.lowerBound + index] = UInt8(truncatingIfNeeded: (number &+ 1) >> (8 * index))
      }
    }
    // Few changes reach far into a file; many at once try what no single one shows.
    let changes = 1 << Int.random(in: 0...3, using: &mutator.random)
    for _ in 0..<changes where !mutator.bytes.isEmpty { mutator.change() }
    return mutator.bytes
  }

  private mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int.random(in: 0..<limit, using: &random) }

  /// A place in the headers, in the debug information, or anywhere.
  private mutating func place() -> Int {
    let kinds: [FileLayout.Kind?] = [.headers, .headers, .headers, .debug, .debug, .debug, .other, nil]
    guard let kind = kinds[below(kinds.count)], let parts = layout.parts[kind] else { return below(bytes.count) }
    let part = parts[below(parts.count)]
    // The beginnings of parts say how the rest is to be read.
    let offset = below(4) == 0 ? below(min(part.count, 16)) : below(part.count)
    return min(part.lowerBound + offset, bytes.count - 1)
  }

  private mutating func change() {
    switch below(16) {
    case 0, 1: bytes[place()] ^= 1 << UInt8(below(8))
    case 2, 3: bytes[place()] = [0, 1, 0x7f, 0x80, 0xfe, 0xff, UInt8(below(256))][below(7)]
    case 4, 5, 6, 7: putNumber(interesting())
    case 8: putNumber(nil)
    case 9: copy(count: [2, 4, 8][below(3)])
    case 10: copy(count: 1 + below(min(256, bytes.count)))
    case 11: swapChunks()
    case 12:
      let start = place()
      let chunk = Array(bytes[start..<min(bytes.count, start + 1 + below(64))])
      bytes.insert(contentsOf: chunk, at: start)
    case 13:
      let start = place()
      bytes.removeSubrange(start..<min(bytes.count, start + 1 + below(64)))
    case 14: if below(2) == 0 { bytes.removeSubrange(place()...) } else { fill() }
    default: splice()
    }
  }

  /// Numbers that break careless readers, among them those that point just inside or outside the file.
  private mutating func interesting() -> UInt64 {
    let edges = [bytes.count - 1, bytes.count, bytes.count + 1, bytes.count / 2, place()].map { UInt64($0) }
    let numbers = extremeNumbers + edges + [2, 16, 0x7f, 0x80, 0xff, 0x100, 0x7fff_ffff, 0x8000, 0x7fff_ffff_ffff_ffff]
    return numbers[below(numbers.count)]
  }

  /// Writes a number at an aligned place, in either byte order; without one what stands there is changed a little.
  private mutating func putNumber(_ value: UInt64?) {
    let width = [2, 4, 4, 8][below(4)]
    let unit = below(4) == 0 ? 1 : width
    let at = place() / unit * unit
    guard at + width <= bytes.count else { return }
    let isBig = below(4) == 0
    let shifts = (0..<width).map { UInt64(8 * (isBig ? width - 1 - $0 : $0)) }
    var number = value ?? zip(shifts, bytes[at...]).reduce(0) { $0 | UInt64($1.1) << $1.0 }
    if value == nil { number = number &+ UInt64(bitPattern: Int64(below(65) - 32)) }
    for (index, shift) in shifts.enumerated() { bytes[at + index] = UInt8(truncatingIfNeeded: number >> shift) }
  }

  /// Puts `count` bytes of one place over another: offsets that point at the same, tables that overlap.
  private mutating func copy(count: Int) {
    let (from, to) = (place(), place())
    let count = min(count, bytes.count - from, bytes.count - to)
    bytes.replaceSubrange(to..<to + count, with: Array(bytes[from..<from + count]))
  }

  private mutating func swapChunks() {
    let (first, second) = (place(), place())
    let count = min(1 + below(128), bytes.count - max(first, second), abs(first - second))
    for index in 0..<count { bytes.swapAt(first + index, second + index) }
  }

  private mutating func fill() {
    let start = place()
    let value: UInt8 = [0, 0xff, 0x80, 0x41][below(4)]
    for index in start..<min(bytes.count, start + 1 + below(64)) { bytes[index] = value }
  }

  /// Goes on with another file, or puts a part of it inside.
  private mutating func splice() {
    guard !other.isEmpty else { return }
    let (start, from) = (place(), below(other.count))
    if below(2) == 0 {
      bytes.replaceSubrange(start..., with: other[from...])
    } else {
      let count = min(1 + below(512), other.count - from, bytes.count - start)
      bytes.replaceSubrange(start..<start + count, with: other[from..<from + count])
    }
  }
}
