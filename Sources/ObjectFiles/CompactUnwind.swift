internal import Bytes

extension ObjectFile {
  /// Addresses at which functions begin, from everything that records them, ascending: the linker's list and the unwind
  /// table. A symbol without a size does not reach over them.
  public func functionBounds() -> [UInt64] {
    let starts = Set(functionStarts()).union(unwindStarts())
    return starts.sorted()
  }

  /// The first addresses of the entries of `__unwind_info`; empty without it.
  ///
  /// Linkers join neighbours that unwind alike, so this is a part of all functions. Source: `<mach-o/compact_unwind_encoding.h>`.
  func unwindStarts() -> [UInt64] {
    guard format == .machO, let section = sections.first(where: { $0.name == "__unwind_info" })?.data,
      section.load(at: 0, as: UInt32.self, order: byteOrder) == 1,
      let index: UInt32 = section.load(at: 20, order: byteOrder),
      let count: UInt32 = section.load(at: 24, order: byteOrder)
    else { return [] }
    var starts: [UInt64] = []
    for number in 0..<min(Int(count), section.count / 12) {
      let at = Int(index) + number * 12
      guard let first: UInt32 = section.load(at: at, order: byteOrder),
        let page: UInt32 = section.load(at: at + 4, order: byteOrder), page != 0
      else { continue }
      // The pages of one table do not overlap: their entries cannot be more than its bytes.
      guard starts.count <= section.count / 4 else { break }
      appendStarts(ofPage: Int(page), firstFunction: first, in: section, to: &starts)
    }
    return starts.filter { codeRange(containing: $0) != nil }
  }

  private func appendStarts(
    ofPage page: Int, firstFunction: UInt32, in section: ByteView, to starts: inout [UInt64]
  ) {
    guard let kind: UInt32 = section.load(at: page, order: byteOrder), kind == 2 || kind == 3,
      let entries: UInt16 = section.load(at: page + 4, order: byteOrder),
      let count: UInt16 = section.load(at: page + 6, order: byteOrder)
    else { return }
    // A regular entry has 8 bytes and the whole offset; a compressed one the offset from the page's first function.
    let size = kind == 2 ? 8 : 4
    for number in 0..<Int(count) {
      guard let entry: UInt32 = section.load(at: page + Int(entries) + number * size, order: byteOrder) else { return }
      let offset = kind == 2 ? entry : firstFunction &+ (entry & 0x00ff_ffff)
      let start = imageBase &+ UInt64(offset)
      starts.append(architecture.usesThumbBit ? start & ~1 : start)
    }
  }
}
