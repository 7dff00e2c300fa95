import Bytes

/// Where the parts of an object file begin and end.
///
/// Read from the headers without the readers of the product, which this is meant to try; what does not fit is passed
/// over. Sources: `<mach-o/loader.h>`, `<mach-o/fat.h>`, the gABI.
struct FileLayout {
  /// What a part is for.
  enum Kind: Hashable, CaseIterable {
    /// Headers, load commands, tables of segments and sections.
    case headers
    /// Debug information, and what else names code.
    case debug
    /// Any other part.
    case other
  }

  /// The parts that lie in the file, by kind.
  private(set) var parts: [Kind: [Range<Int>]] = [:]
  /// Where the debug identifiers stand.
  private(set) var identifiers: [Range<Int>] = []
  private var borders: Set<Int> = []
  private let file: ByteView

  init(_ bytes: [UInt8]) {
    file = ByteView(bytes)
    readSlice(at: 0, size: bytes.count, mayBeFat: true)
    // Where headers cannot be read any place is as good as another.
    borders.formUnion((0..<62).map { 1 << $0 }.filter { $0 < bytes.count })
  }

  /// The lengths to cut the file off at: at each border, a byte before and a byte behind.
  var cuts: [Int] {
    Set(borders.flatMap { [$0 - 1, $0, $0 + 1] }).filter { $0 >= 0 && $0 < file.count }.sorted()
  }

  /// Remembers `count` bytes at `offset`; a part that reaches out of the file has only the border that lies in it.
  private mutating func add(_ kind: Kind, _ offset: UInt64, _ count: UInt64, slice: Int) {
    let start = UInt64(slice).addingReportingOverflow(offset)
    guard !start.overflow, start.partialValue <= UInt64(file.count), count > 0 else { return }
    borders.insert(Int(start.partialValue))
    guard count <= UInt64(file.count) - start.partialValue else { return }
    borders.insert(Int(start.partialValue + count))
    parts[kind, default: []].append(Int(start.partialValue)..<Int(start.partialValue + count))
  }

  private func half(_ at: Int, _ order: ByteOrder) -> UInt64 {
    file.load(at: at, as: UInt16.self, order: order).map(UInt64.init) ?? 0
  }

  private func word(_ at: Int, _ order: ByteOrder) -> UInt64 {
    file.load(at: at, as: UInt32.self, order: order).map(UInt64.init) ?? 0
  }

  private func long(_ at: Int, _ order: ByteOrder, is64Bit: Bool) -> UInt64 {
    is64Bit ? file.load(at: at, as: UInt64.self, order: order) ?? 0 : word(at, order)
  }

  private mutating func readSlice(at start: Int, size: Int, mayBeFat: Bool) {
    switch word(start, .big) {
    case 0xcafe_babe where mayBeFat: readFat(is64Bit: false)
    case 0xcafe_babf where mayBeFat: readFat(is64Bit: true)
    case 0xfeed_face: readMachO(start, .big, is64Bit: false)
    case 0xfeed_facf: readMachO(start, .big, is64Bit: true)
    case 0xcefa_edfe: readMachO(start, .little, is64Bit: false)
    case 0xcffa_edfe: readMachO(start, .little, is64Bit: true)
    case 0x7f45_4c46: readELF(start, word(start + 4, .big))
    default: break
    }
  }

  private mutating func readFat(is64Bit: Bool) {
    let entry = is64Bit ? 32 : 20
    let count = min(Int(word(4, .big)), 64)
    add(.headers, 0, UInt64(8 + count * entry), slice: 0)
    for number in 0..<count {
      let at = 8 + number * entry
      let offset = long(at + 8, .big, is64Bit: is64Bit)
      let size = long(at + (is64Bit ? 16 : 12), .big, is64Bit: is64Bit)
      borders.insert(at)
      add(.other, offset, size, slice: 0)
      if offset < UInt64(file.count) { readSlice(at: Int(offset), size: Int(clamping: size), mayBeFat: false) }
    }
  }
}

extension FileLayout {
  private mutating func readMachO(_ start: Int, _ order: ByteOrder, is64Bit: Bool) {
    let headerSize = is64Bit ? 32 : 28
    add(.headers, 0, UInt64(headerSize), slice: start)
    add(.headers, UInt64(headerSize), word(start + 20, order), slice: start)
    var at = start + headerSize
    for _ in 0..<min(word(start + 16, order), 10_000) {
      let size = Int(word(at + 4, order))
      guard size >= 8, at + size <= file.count else { return }
      add(.headers, UInt64(at - start), UInt64(size), slice: start)
      readCommand(at, slice: start, order, is64Bit: is64Bit)
      at += size
    }
  }

  private mutating func readCommand(_ at: Int, slice: Int, _ order: ByteOrder, is64Bit: Bool) {
    /// Adds the part whose offset and count stand at `place` of the command.
    func part(_ kind: Kind, _ place: Int, unit: UInt64 = 1) -> (Kind, UInt64, UInt64) {
      (kind, word(at + place, order), word(at + place + 4, order) * unit)
    }
    var found: [(kind: Kind, offset: UInt64, size: UInt64)] = []
    switch word(at, order) {
    case 0x1, 0x19: readSegment(at, slice: slice, order, is64Bit: word(at, order) == 0x19)
    case 0x2: found = [part(.debug, 8, unit: is64Bit ? 16 : 12), part(.debug, 16)]
    case 0xb:
      found = [part(.debug, 56, unit: 4), part(.other, 32, unit: 8), part(.other, 40, unit: 56)]
      found += [part(.other, 48, unit: 4), part(.other, 64, unit: 8), part(.other, 72, unit: 8)]
    case 0x1b: identifiers.append(at + 8..<min(at + 24, file.count))
    case 0x22, 0x8000_0022: found = [8, 16, 24, 32].map { part(.other, $0) } + [part(.debug, 40)]
    case 0x26, 0x8000_0033: found = [part(.debug, 8)]
    case 0x1d, 0x1e, 0x29, 0x2b, 0x2e, 0x8000_0034, 0x21, 0x2c: found = [part(.other, 8)]
    case 0x31: found = [(.other, long(at + 24, order, is64Bit: true), long(at + 32, order, is64Bit: true))]
    default: break
    }
    for part in found { add(part.kind, part.offset, part.size, slice: slice) }
  }

  private mutating func readSegment(_ at: Int, slice: Int, _ order: ByteOrder, is64Bit: Bool) {
    let width = is64Bit ? 8 : 4
    let offset = long(at + 24 + 2 * width, order, is64Bit: is64Bit)
    add(.other, offset, long(at + 24 + 3 * width, order, is64Bit: is64Bit), slice: slice)
    let first = at + 32 + 4 * width + 8
    let size = 32 + 2 * width + (is64Bit ? 32 : 28)
    for number in 0..<min(word(first - 8, order), 10_000) {
      let section = first + Int(number) * size
      guard section + size <= file.count else { return }
      borders.insert(section)
      let isDebug = file.slice(at: UInt64(section + 16), count: 7)?.text == "__DWARF"
      let names = file.slice(at: UInt64(section), count: 16)?.text ?? ""
      let place = section + 32 + 2 * width
      let hasBytes = ![1, 0xc, 0x12].contains(word(place + 16, order) & 0xff)
      if hasBytes {
        let kind: Kind = isDebug || names.contains("unwind") || names.contains("debug") ? .debug : .other
        add(kind, word(place, order), long(section + 32 + width, order, is64Bit: is64Bit), slice: slice)
      }
      add(.other, word(place + 8, order), word(place + 12, order) * 8, slice: slice)
    }
  }

  private mutating func readELF(_ start: Int, _ identification: UInt64) {
    let is64Bit = identification >> 24 == 2
    let order: ByteOrder = identification >> 16 & 0xff == 2 ? .big : .little
    let width = is64Bit ? 8 : 4
    let sizes = start + 24 + 3 * width + 6
    add(.headers, 0, UInt64(is64Bit ? 64 : 52), slice: start)
    let segments = long(start + 24 + width, order, is64Bit: is64Bit)
    for number in 0..<half(sizes + 2, order) where segments > 0 {
      let size = half(sizes, order)
      let at = segments &+ number * size
      guard at < UInt64(file.count), size >= (is64Bit ? 56 : 32) else { break }
      add(.headers, at, size, slice: start)
      let place = start + Int(at)
      add(
        .other, long(place + width, order, is64Bit: is64Bit),
        long(place + (is64Bit ? 32 : 16), order, is64Bit: is64Bit), slice: start)
    }
    let sections = long(start + 24 + 2 * width, order, is64Bit: is64Bit)
    for number in 0..<half(sizes + 6, order) where sections > 0 {
      let size = half(sizes + 4, order)
      let at = sections &+ number * size
      guard at < UInt64(file.count), size >= (is64Bit ? 64 : 40) else { break }
      add(.headers, at, size, slice: start)
      readELFSection(start + Int(at), slice: start, order, is64Bit: is64Bit)
    }
  }

  private mutating func readELFSection(_ at: Int, slice: Int, _ order: ByteOrder, is64Bit: Bool) {
    let width = is64Bit ? 8 : 4
    let type = word(at + 4, order)
    let flags = long(at + 8, order, is64Bit: is64Bit)
    let offset = long(at + 8 + 2 * width, order, is64Bit: is64Bit)
    let size = long(at + 8 + 3 * width, order, is64Bit: is64Bit)
    guard type != 0, type != 8 else { return }
    // What is not loaded is debug information, symbols, texts and relocations.
    add(flags & 2 == 0 || type == 7 || type == 11 ? .debug : .other, offset, size, slice: slice)
    if type == 7, let note = file.slice(at: UInt64(slice) &+ offset, count: min(size, 64)),
      note.load(at: 8, as: UInt32.self, order: order) == 3
    {
      let start = slice + Int(offset) + 16
      let length = Int(note.load(at: 4, as: UInt32.self, order: order) ?? 0)
      if length >= 8, length <= 64, start + length <= file.count { identifiers.append(start..<start + length) }
    }
  }
}
