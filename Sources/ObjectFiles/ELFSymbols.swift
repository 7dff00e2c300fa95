internal import Bytes

extension ObjectFile {
  /// Functions of `.symtab` and `.dynsym`; `isCut` is set when some were left out because tables or names overlap.
  func elfSymbols(_ tables: ELFTables, _ isCut: inout Bool) -> [CodeSymbol] {
    var symbols: [CodeSymbol] = []
    // Looked for once: sections and symbols may both be many.
    let descriptors = architecture.cpuType == 21 ? sections.first { $0.name == ".opd" && $0.data != nil } : nil
    // Tables that are larger together than the file overlap: a section header of 64 bytes would repeat all symbols.
    var unread = bytes.count
    var nameBudget = CodeSymbol.nameBudget(bytes)
    for (header, contents) in zip(tables.headers, tables.contents) {
      guard header.type == 2 || header.type == 11, let contents, Int(header.link) < tables.contents.count,
        let strings = tables.contents[Int(header.link)]
      else { continue }
      unread -= contents.count
      if unread < 0 {
        isCut = true
        break
      }
      let entrySize = pointerSize == 8 ? 24 : 16
      var names = SymbolNames(strings, within: nameBudget)
      defer { nameBudget -= names.spent }
      for index in 0..<(contents.count / entrySize) {
        if let symbol = elfSymbol(contents, at: index * entrySize, &names, descriptors) { symbols.append(symbol) }
      }
      isCut = isCut || names.isUsedUp
    }
    return symbols
  }

  private func elfSymbol(
    _ table: ByteView, at offset: Int, _ names: inout SymbolNames, _ descriptors: Section?
  ) -> CodeSymbol? {
    let is64Bit = pointerSize == 8
    guard let nameOffset: UInt32 = table.load(at: offset, order: byteOrder),
      let info: UInt8 = table.load(at: offset + (is64Bit ? 4 : 12)),
      let section: UInt16 = table.load(at: offset + (is64Bit ? 6 : 14), order: byteOrder)
    else { return nil }
    let value: UInt64? =
      is64Bit
      ? table.load(at: offset + 8, as: UInt64.self, order: byteOrder)
      : table.load(at: offset + 4, as: UInt32.self, order: byteOrder).map(UInt64.init)
    let size: UInt64? =
      is64Bit
      ? table.load(at: offset + 16, as: UInt64.self, order: byteOrder)
      : table.load(at: offset + 8, as: UInt32.self, order: byteOrder).map(UInt64.init)
    guard var address = value, let size else { return nil }
    let type = info & 0xf
    let binding = info >> 4
    // Functions and indirect functions by type; a global symbol without a type is an assembler function.
    let isFunction = type == 2 || type == 10
    guard isFunction || (type == 0 && binding != 0), section != 0, section < 0xff00 || section == 0xffff else {
      return nil
    }
    if kind == .object {
      guard sections.indices.contains(Int(section)) else { return nil }
      address = address.addingSaturating(sections[Int(section)].address)
    }
    if architecture.usesThumbBit, isFunction { address &= ~1 }
    if let entry = functionDescriptorEntry(at: address, in: descriptors) { address = entry }
    guard isCode(address..<address.addingSaturating(1)), let name = names.name(at: nameOffset), !name.isEmpty
    else { return nil }
    if !isFunction, size == 0, Self.isBoundary(name) { return nil }
    let rank: CodeSymbol.Rank = binding == 0 ? .local : binding == 2 ? .weak : .global
    return CodeSymbol(address: address, size: size, name: name, rank: rank, source: .symbolTable)
  }

  /// Whether a linker made the symbol to mark where a section begins or ends: it names no function there
  /// (symbolication.md B.10).
  ///
  /// Source: the default scripts of GNU ld (`ld --verbose`); "Region-related symbols" of Arm's linker.
  private static func isBoundary(_ name: ByteView) -> Bool {
    name.withBytes { bytes in
      boundaries.contains { bytes.elementsEqual($0.utf8) }
        || ["$$Base", "$$Limit", "$$Length"].contains { ending in
          bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        }
    }
  }

  private static let boundaries = [
    "_ftext", "_etext", "etext", "__etext", "_text", "__executable_start", "_fdata", "_edata", "edata", "__bss_start",
    "_end", "end", "_fbss", "_gp",
  ]

  /// The code that a function descriptor points at: in 64-bit PowerPC's first ABI symbols name descriptors in `.opd`.
  private func functionDescriptorEntry(at address: UInt64, in descriptors: Section?) -> UInt64? {
    guard let descriptors, descriptors.addressRange?.contains(address) == true else { return nil }
    return descriptors.data?.load(at: Int(clamping: address - descriptors.address), order: byteOrder)
  }
}
