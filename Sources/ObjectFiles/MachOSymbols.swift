internal import Bytes

extension ObjectFile {
  /// The first addresses of functions that the linker recorded (`LC_FUNCTION_STARTS`), ascending; empty without it.
  ///
  /// Stripping a symbol table leaves them, so they bound the functions whose names are gone.
  public func functionStarts() -> [UInt64] {
    guard let part = machO?.functionStarts, let data = bytes.slice(at: UInt64(part.offset), count: UInt64(part.size))
    else { return [] }
    var cursor = ByteCursor(data)
    var address = imageBase
    var starts: [UInt64] = []
    while let delta = try? cursor.readULEB128(), delta != 0 || starts.isEmpty {
      if delta == 0 { break }
      let (next, overflow) = address.addingReportingOverflow(delta)
      if overflow { break }
      address = next
      let start = architecture.usesThumbBit ? address & ~1 : address
      if start > starts.last ?? 0 || starts.isEmpty { starts.append(start) }
    }
    return starts
  }

  /// How many object files the debug map names (`N_OSO`): where a linked file's debug information really is until
  /// dsymutil collects it.
  public var debugMapObjectCount: Int {
    guard let table = machO?.symbolTable, let entries = bytes.suffix(from: UInt64(table.offset)) else { return 0 }
    let entrySize = pointerSize == 8 ? 16 : 12
    let count = min(Int(table.count), entries.count / entrySize)
    return (0..<count).count { entries.load(at: $0 * entrySize + 4, as: UInt8.self) == 0x66 }
  }

  /// The symbols of a Mach-O file's symbol table, export trie and stubs.
  ///
  /// `isCut` is set when some were left out because their names overlap.
  func machOSymbols(_ tables: MachOTables, _ isCut: inout Bool) -> [CodeSymbol] {
    var symbols = symbolTable(tables, &isCut)
    symbols += stubs(tables, &isCut)
    symbols += exports(tables)
    return symbols
  }

  /// `nlist` entries that name code: in a section with instructions, no debugger entries, no assembler temporaries.
  private func symbolTable(_ tables: MachOTables, _ isCut: inout Bool) -> [CodeSymbol] {
    guard let table = tables.symbolTable, let strings = strings(table) else { return [] }
    let entrySize = pointerSize == 8 ? 16 : 12
    guard let entries = bytes.suffix(from: UInt64(table.offset)) else { return [] }
    let count = min(Int(table.count), entries.count / entrySize)
    var symbols: [CodeSymbol] = []
    symbols.reserveCapacity(count / 2)
    var names = SymbolNames(strings)
    defer { isCut = isCut || names.isUsedUp }
    for index in 0..<count {
      let at = index * entrySize
      guard let type: UInt8 = entries.load(at: at + 4), type & 0xe0 == 0, type & 0x0e == 0x0e,
        let section: UInt8 = entries.load(at: at + 5), section > 0, Int(section) <= sections.count,
        sections[Int(section) - 1].isCode,
        let nameOffset: UInt32 = entries.load(at: at, order: byteOrder),
        let description: UInt16 = entries.load(at: at + 6, order: byteOrder),
        let name = names.name(at: nameOffset), let shown = Self.codeName(name, isLocal: type & 1 == 0)
      else { continue }
      let value: UInt64? =
        pointerSize == 8
        ? entries.load(at: at + 8, as: UInt64.self, order: byteOrder)
        : entries.load(at: at + 8, as: UInt32.self, order: byteOrder).map(UInt64.init)
      guard var address = value else { continue }
      if description & 0x0008 != 0 && architecture.usesThumbBit { address &= ~1 }
      // N_PEXT symbols were global before linking; N_WEAK_DEF ones may be one of many.
      let rank: CodeSymbol.Rank = type & 1 == 0 ? .local : description & 0x0080 != 0 ? .weak : .global
      symbols.append(CodeSymbol(address: address, size: 0, name: shown, rank: rank, source: .symbolTable))
    }
    return symbols
  }

  private func strings(_ table: (offset: UInt32, count: UInt32, stringOffset: UInt32, stringSize: UInt32)) -> ByteView?
  {
    bytes.slice(at: UInt64(table.stringOffset), count: UInt64(table.stringSize))
      ?? bytes.suffix(from: UInt64(table.stringOffset))
  }

  /// The name without the one underscore that the Mach-O ABI adds; `nil` for assembler temporaries.
  private static func codeName(_ name: ByteView, isLocal: Bool) -> ByteView? {
    guard let first: UInt8 = name.load(at: 0) else { return nil }
    // A placeholder that bitcode left stands for the whole name.
    if first == UInt8(ascii: "_"), !name.withBytes({ $0.starts(with: "__hidden#".utf8) }) {
      return name.suffix(from: 1)
    }
    let isTemporary =
      isLocal && (first == UInt8(ascii: "l") || first == UInt8(ascii: "L"))
      || name.withBytes { $0.starts(with: "GCC_except_table".utf8) }
    return isTemporary ? nil : name
  }

  /// One symbol for each stub, named by the imported function it jumps to: without them a crash in a stub would be
  /// credited to the function before the section (symbolication.md B.41a).
  private func stubs(_ tables: MachOTables, _ isCut: inout Bool) -> [CodeSymbol] {
    guard let indirect = tables.indirectSymbols, let table = tables.symbolTable, let strings = strings(table),
      let indices = bytes.suffix(from: UInt64(indirect.offset)), let entries = bytes.suffix(from: UInt64(table.offset))
    else { return [] }
    let entrySize = pointerSize == 8 ? 16 : 12
    var symbols: [CodeSymbol] = []
    var names = SymbolNames(strings)
    defer { isCut = isCut || names.isUsedUp }
    // Each entry of the indirect table belongs to one stub; sections that share entries are made up.
    var unused = UInt64(indirect.count)
    for (section, attributes) in zip(sections, tables.sectionAttributes)
    where attributes.flags & 0xff == 8 && attributes.reserved2 > 0 {
      let stubSize = UInt64(attributes.reserved2)
      let count = min(section.size / stubSize, unused)
      unused -= count
      for number in 0..<count {
        let position = UInt64(attributes.reserved1) + number
        guard position < UInt64(indirect.count),
          let index: UInt32 = indices.load(at: Int(position) * 4, order: byteOrder), index < table.count,
          let nameOffset: UInt32 = entries.load(at: Int(index) * entrySize, order: byteOrder),
          let name = names.name(at: nameOffset), let shown = Self.codeName(name, isLocal: false)
        else { continue }
        let (address, overflow) = section.address.addingReportingOverflow(number * stubSize)
        guard !overflow else { break }
        symbols.append(CodeSymbol(address: address, size: stubSize, name: shown, rank: .local, source: .stub))
      }
    }
    return symbols
  }

  /// The functions in the export trie: names that survive when the symbol table is stripped.
  private func exports(_ tables: MachOTables) -> [CodeSymbol] {
    guard let part = tables.exportTrie, let data = bytes.slice(at: UInt64(part.offset), count: UInt64(part.size))
    else { return [] }
    var trie = ExportTrie(data)
    return trie.entries().compactMap { entry in
      let (address, overflow) = imageBase.addingReportingOverflow(entry.offset)
      guard !overflow, isCode(address..<(address.addingSaturating(1))),
        let name = Self.codeName(ByteView(entry.name), isLocal: false)
      else { return nil }
      return CodeSymbol(
        address: address, size: 0, name: name, rank: entry.isWeak ? .weak : .global, source: .exportTrie)
    }
  }
}
