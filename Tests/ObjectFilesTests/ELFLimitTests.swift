import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

/// ELF tables that claim the same bytes again and again.
@Suite struct ELFLimits {
  /// A file with `count` program headers of type note that all cover the zeros of one section, and that section's place.
  private func notes(_ count: Int, zeros: Int, tail: [UInt8] = []) throws -> [UInt8] {
    var elf = ELFBuilder()
    elf.buildID = nil
    elf.sections = [.init(".zeros", data: [UInt8](repeating: 0, count: zeros) + tail)]
    elf.segments = (0..<count).map { _ in .init(type: 4, at: 0, size: 0) }
    let file = elf.build()
    let place = try #require(elf.fields.first { $0.name == "1 sh_offset" })
    let offset: UInt64 = try #require(ByteView(file).load(at: place.offset))
    var writer = ByteWriter()
    writer.bytes = file
    for number in 0..<count {
      writer.patch(offset, at: 64 + 56 * number + 8)
      writer.patch(UInt64(zeros + tail.count), at: 64 + 56 * number + 32)
    }
    return writer.bytes
  }

  @Test(.timeLimit(.minutes(1))) func `thousands of notes over the same bytes are read within the size of the file`()
    throws
  {
    #expect(try object(notes(20_000, zeros: 1 << 20)).debugID == nil)
  }

  @Test func `a build-id in a segment behind others is found`() throws {
    let id = [UInt8](1...20)
    let file = try notes(3, zeros: 120, tail: ELFBuilder.note(owner: "GNU", type: 3, id))
    #expect(try object(file).debugID == DebugID(bytes: id))
  }

  @Test func `the build-id of a linker comes before that of Go, wherever they stand`() throws {
    var elf = Sample.elf()
    elf.sections.insert(.init(".note.go", type: 7, data: ELFBuilder.note(owner: "Go", type: 4, [1, 2, 3])), at: 0)
    #expect(try object(elf.build()).debugID == DebugID(bytes: [UInt8](1...20)))
  }

  @Test(arguments: [(true, 0), (true, 1), (true, 55), (false, 0), (false, 31)])
  func `program headers smaller than the format's are refused`(is64Bit: Bool, size: UInt64) throws {
    var elf = Sample.elf { $0.is64Bit = is64Bit }
    let file = elf.build()
    let field = try #require(elf.fields.first { $0.name == "e_phentsize" })
    #expect(refusal(field.setting(size, in: file, order: .little))?.code == .malformed)
  }

  @Test func `a section's name ends after 256 bytes`() throws {
    var elf = Sample.elf()
    elf.sections.append(.init(".text." + String(repeating: "n", count: 4_000)))
    let names = try object(elf.build()).sections.map(\.name)
    #expect(names.map(\.utf8.count).max() == 256)
    #expect(names.contains(".text." + String(repeating: "n", count: 250)))
  }

  /// A relocatable file whose `count` tables of relocations, all over the same `entries` entries, have one target.
  private func relocations(_ count: Int, entries: Int) throws -> ObjectFile {
    var table = ByteWriter()
    for _ in 0..<entries {
      table.append(UInt64(8))
      table.append(UInt64(1))
      table.append(UInt64(0x55))
    }
    var elf = ELFBuilder()
    elf.type = 1
    elf.sections = [
      .code(at: 0, size: 16), .init(".debug_info", data: [UInt8](repeating: 0, count: 1 << 20)),
      .init(".symbols", data: [UInt8](repeating: 0, count: 24)),
    ]
    elf.sections += (0..<count).map { .init(".rela", type: 4, data: $0 == 0 ? table.bytes : [], link: 3) }
    let file = elf.build()
    var writer = ByteWriter()
    writer.bytes = file
    let first = try #require(elf.fields.first { $0.name == "4 sh_offset" })
    let offset: UInt64 = try #require(ByteView(file).load(at: first.offset))
    for number in 0..<count {
      let field = try #require(elf.fields.first { $0.name == "\(4 + number) sh_offset" })
      writer.patch(offset, at: field.offset)
      writer.patch(UInt64(table.count), at: field.offset + 8)
      // sh_info stands behind sh_size and sh_link.
      writer.patch(UInt32(2), at: field.offset + 20)
    }
    return try object(writer.bytes)
  }

  /// `count` tables of symbols over the same bytes, with names of `nameLength` bytes in one table of texts.
  private func symbolTables(_ count: Int, symbols: Int, nameLength: Int = 1) throws -> ObjectFile {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x1000, size: 0x10_0000)] + (0..<count).map { _ in .init("", type: 2) }
    elf.symbols = (0..<symbols).map { number in
      .init(number == 0 ? String(repeating: "n", count: nameLength) : "m", 0x1000 + UInt64(number))
    }
    var writer = ByteWriter()
    writer.bytes = elf.build()
    // Null, the code, the tables, the note of the identifier, then the builder's own table and its texts.
    let own = try #require(elf.fields.first { $0.name == "\(count + 3) sh_offset" })
    let offset: UInt64 = try #require(ByteView(writer.bytes).load(at: own.offset))
    for number in 0..<count {
      let field = try #require(elf.fields.first { $0.name == "\(number + 2) sh_offset" })
      writer.patch(offset, at: field.offset)
      writer.patch(UInt64(24 * (symbols + 1)), at: field.offset + 8)
      writer.patch(UInt32(count + 4), at: field.offset + 16)
    }
    return try object(writer.bytes)
  }

  @Test func `symbol tables over the same bytes give no more symbols than the file has room for`() throws {
    let once = try symbolTables(0, symbols: 100).readCodeSymbols()
    #expect(once.symbols.count == 100)
    #expect(once.problems.isEmpty)
    let file = try symbolTables(500, symbols: 4_000)
    let found = file.readCodeSymbols()
    #expect(found.symbols.count <= file.bytes.count / 24)
    #expect(found.symbols.count >= 4_000)
    #expect(found.problems == ["the symbols' tables or names overlap: not all are read"])
  }

  @Test func `a long name that many symbol tables share counts once for each`() throws {
    let file = try symbolTables(3_000, symbols: 1, nameLength: 100_000)
    let found = file.readCodeSymbols()
    #expect(found.symbols.reduce(0) { $0 + $1.name.count } <= 16 * file.bytes.count)
    #expect(!found.problems.isEmpty)
  }

  @Test func `the nearest end of the sections around an address ends a symbol`() throws {
    var elf = ELFBuilder()
    elf.sections = [
      .code(at: 0x1000, size: 0x1000), .code(at: 0x1100, size: 0x100), .code(at: 0x1180, size: 0x200),
      .code(at: 0x1400, size: 0x800), .code(at: 0x1400, size: 0x100), .code(at: 0x3000, size: 0x10),
      .code(at: .max - 0xff, size: 0x100),
    ]
    let file = try object(elf.build())
    let sections = file.sections.filter(\.isCode).compactMap { section -> Range<UInt64>? in
      let end = section.address.addingReportingOverflow(section.size)
      return end.overflow ? nil : section.address..<end.partialValue
    }
    let ends = file.codeSectionEnds()
    for address in (UInt64(0xf00)...0x3020) {
      let expected = sections.filter { $0.contains(address) }.map(\.upperBound).min()
      #expect(ends.end(containing: address) == expected)
    }
    #expect(ends.end(containing: .max) == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `tens of thousands of sections and symbols are no square`() throws {
    var elf = ELFBuilder()
    elf.sections = (0..<40_000).map { .code(at: 0x1000 + $0, size: 0x10_0000, name: "") }
    let ends = try object(elf.build()).codeSectionEnds()
    for address: UInt64 in 0x1000..<0x1000 + 100_000 { #expect(ends.end(containing: address) == 0x10_1000) }
  }

  @Test func `relocations are applied`() throws {
    let file = try relocations(1, entries: 1)
    let info = try #require(file.dwarfSection(".debug_info")?.data)
    #expect(file.relocated(info, ofSection: ".debug_info").bytes.load(at: 8, as: UInt64.self) == 0x55)
  }

  @Test(.timeLimit(.minutes(1))) func `thousands of relocation tables over the same bytes end`() throws {
    let file = try relocations(1_000, entries: 40_000)
    let info = try #require(file.dwarfSection(".debug_info")?.data)
    #expect(file.relocated(info, ofSection: ".debug_info").bytes.load(at: 8, as: UInt64.self) == 0x55)
  }
}
