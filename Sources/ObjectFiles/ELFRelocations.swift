public import Bytes

extension ObjectFile {
  /// The bytes of a section of a relocatable file with its relocations applied; `bytes` themselves for any other file.
  ///
  /// In a relocatable file the debug information says where code is, where texts begin and which abbreviations are used
  /// through relocations, since nothing has its place yet. Only absolute ones are needed; `unknown` counts those of a
  /// kind that is not read, whose places keep what stands there. Tables that together are larger than the file overlap;
  /// then `isCut` tells that the rest was not applied. Cost: a copy, and one step for each relocation.
  /// Source: the gABI, "Relocation", and the processor supplements.
  public func relocated(
    _ bytes: ByteView, ofSection name: String
  ) -> (bytes: ByteView, unknown: Int, isCut: Bool) {
    guard kind == .object, let elf, let target = sections.firstIndex(where: { $0.name == name }) else {
      return (bytes, 0, false)
    }
    let tables = zip(elf.headers, elf.contents).lazy.filter { header, _ in
      (header.type == 4 || header.type == 9) && Int(header.info) == target
    }
    var copy: [UInt8] = []
    var unknown = 0
    var budget = self.bytes.count
    for (header, contents) in tables {
      guard let contents, Int(header.link) < elf.contents.count, let symbols = elf.contents[Int(header.link)] else {
        continue
      }
      budget -= contents.count
      if budget < 0 { break }
      if copy.isEmpty { copy = bytes.withBytes { Array($0) } }
      unknown += apply(contents, hasAddends: header.type == 4, symbols: symbols, to: &copy)
    }
    return (copy.isEmpty ? bytes : ByteView(copy), unknown, budget < 0)
  }

  private func apply(_ table: ByteView, hasAddends: Bool, symbols: ByteView, to bytes: inout [UInt8]) -> Int {
    let is64Bit = pointerSize == 8
    let entrySize = (is64Bit ? 16 : 8) + (hasAddends ? pointerSize : 0)
    var unknown = 0
    for index in 0..<(table.count / entrySize) {
      let at = index * entrySize
      guard let offset = word(table, at), let info = word(table, at + pointerSize) else { break }
      let symbol = is64Bit ? info >> 32 : info >> 8
      let type = UInt32(truncatingIfNeeded: is64Bit ? info & 0xffff_ffff : info & 0xff)
      guard let width = Self.widthOfAbsolute(type, machine: architecture.cpuType) else {
        unknown += 1
        continue
      }
      guard width > 0, offset <= UInt64(bytes.count), Int(offset) + width <= bytes.count,
        let value = symbolValue(symbol, in: symbols)
      else { continue }
      let addend = hasAddends ? word(table, at + 2 * pointerSize) ?? 0 : number(bytes, Int(offset), width)
      put(value &+ addend, into: &bytes, Int(offset), width)
    }
    return unknown
  }

  /// The value of a symbol: its place in its section, and that of a code section in our layout.
  private func symbolValue(_ number: UInt64, in symbols: ByteView) -> UInt64? {
    let is64Bit = pointerSize == 8
    let entrySize: UInt64 = is64Bit ? 24 : 16
    guard number < UInt64(symbols.count) / entrySize else { return nil }
    let at = Int(number * entrySize)
    guard let section: UInt16 = symbols.load(at: at + (is64Bit ? 6 : 14), order: byteOrder),
      let value = word(symbols, at + (is64Bit ? 8 : 4))
    else { return nil }
    guard sections.indices.contains(Int(section)), sections[Int(section)].isCode else { return value }
    return value &+ sections[Int(section)].address
  }

  /// How many bytes an absolute relocation fills; 0 for one that does nothing, `nil` for any other kind.
  private static func widthOfAbsolute(_ type: UInt32, machine: UInt32) -> Int? {
    if type == 0 { return 0 }
    switch (machine, type) {
    case (3, 1), (40, 2), (20, 1), (8, 2), (62, 10), (62, 11), (183, 258), (21, 1), (22, 4), (243, 1), (258, 1),
      (2, 3), (2, 23), (43, 3), (43, 23):
      return 4
    case (62, 1), (183, 257), (21, 38), (22, 22), (243, 2), (258, 2), (43, 32), (43, 54): return 8
    default: return nil
    }
  }

  private func word(_ view: ByteView, _ offset: Int) -> UInt64? {
    pointerSize == 8
      ? view.load(at: offset, order: byteOrder)
      : view.load(at: offset, as: UInt32.self, order: byteOrder).map(UInt64.init)
  }

  private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
    let part = bytes[offset..<offset + width]
    return (byteOrder == .big ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func put(_ value: UInt64, into bytes: inout [UInt8], _ offset: Int, _ width: Int) {
    for index in 0..<width {
      let shift = UInt64(byteOrder == .big ? width - 1 - index : index) * 8
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }
}
