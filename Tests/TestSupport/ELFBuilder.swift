public import Bytes

/// Makes small ELF files byte by byte.
public struct ELFBuilder: Sendable {
  /// One section; number 0 and the table of names are added by `build()`.
  public struct Section: Sendable {
    /// Its name.
    public var name: String
    /// `sh_type`: 1 bytes, 2 symbols, 3 texts, 7 note, 8 no bytes in the file.
    public var type: UInt32
    /// `sh_flags`: 2 loaded, 4 instructions, 0x800 compressed.
    public var flags: UInt64
    /// `sh_addr`.
    public var address: UInt64
    /// Its bytes.
    public var data: [UInt8]
    /// Its size, when that is not the number of bytes.
    public var size: UInt64?
    /// `sh_link`, `sh_entsize`.
    public var link: UInt32, entrySize: UInt64

    /// A section.
    public init(
      _ name: String, type: UInt32 = 1, flags: UInt64 = 0, at address: UInt64 = 0, data: [UInt8] = [],
      size: UInt64? = nil, link: UInt32 = 0, entrySize: UInt64 = 0
    ) {
      (self.name, self.type, self.flags, self.address, self.data) = (name, type, flags, address, data)
      (self.size, self.link, self.entrySize) = (size, link, entrySize)
    }

    /// Instructions without bytes in the file, as in a debug companion.
    public static func code(at address: UInt64, size: UInt64, name: String = ".text") -> Section {
      Section(name, type: 8, flags: 6, at: address, size: size)
    }
  }

  /// One symbol.
  public struct Symbol: Sendable {
    /// Its name.
    public var name: String
    /// `st_value`, `st_size`.
    public var value: UInt64, size: UInt64
    /// `st_info`: by default a global function.
    public var info: UInt8
    /// `st_shndx`.
    public var section: UInt16

    /// A symbol.
    public init(_ name: String, _ value: UInt64, size: UInt64 = 0, info: UInt8 = 0x12, section: UInt16 = 1) {
      (self.name, self.value, self.size, self.info, self.section) = (name, value, size, info, section)
    }
  }

  /// One program header.
  public struct Segment: Sendable {
    /// `p_type`, `p_flags`.
    public var type: UInt32, flags: UInt32
    /// `p_vaddr`, `p_memsz`, `p_align`.
    public var address: UInt64, size: UInt64, alignment: UInt64

    /// A loaded segment, executable by default.
    public init(type: UInt32 = 1, flags: UInt32 = 5, at address: UInt64, size: UInt64, alignment: UInt64 = 0x1000) {
      (self.type, self.flags, self.address, self.size, self.alignment) = (type, flags, address, size, alignment)
    }
  }

  /// Byte order.
  public var order = ByteOrder.little
  /// Whether it is a 64-bit file.
  public var is64Bit = true
  /// `e_type`: 3 is a shared object.
  public var type: UInt16 = 3
  /// `e_machine`: 62 is x86-64.
  public var machine: UInt16 = 62
  /// The build-id's bytes; no note when nil.
  public var buildID: [UInt8]? = (1...20).map { $0 }
  /// The sections.
  public var sections: [Section] = []
  /// The symbol table.
  public var symbols: [Symbol] = []
  /// The program headers.
  public var segments: [Segment] = []
  /// The number fields of the last `build()`'s headers.
  public private(set) var fields: [HeaderField] = []

  /// An empty little-endian x86-64 shared object.
  public init() {}

  /// A note section's bytes.
  public static func note(owner: String, type: UInt32, _ description: [UInt8], order: ByteOrder = .little) -> [UInt8] {
    var note = ByteWriter(order: order)
    note.append(UInt32(owner.utf8.count + 1))
    note.append(UInt32(description.count))
    note.append(type)
    note.cString(owner)
    note.align(4)
    note.append(description)
    note.align(4)
    return note.bytes
  }

  /// The file.
  public mutating func build() -> [UInt8] {
    fields = []
    var all = [Section("", type: 0)] + sections
    if let buildID {
      let note = Self.note(owner: "GNU", type: 3, buildID, order: order)
      all.append(Section(".note.gnu.build-id", type: 7, flags: 2, data: note))
    }
    if !symbols.isEmpty {
      let (table, strings) = symbolTable()
      all.append(
        Section(".symtab", type: 2, data: table, link: UInt32(all.count + 1), entrySize: is64Bit ? 24 : 16))
      all.append(Section(".strtab", type: 3, data: strings))
    }
    let names = all.map(\.name) + [".shstrtab"]
    var nameTable: [UInt8] = []
    let nameOffsets = names.map { name in
      defer { nameTable += Array(name.utf8) + [0] }
      return UInt32(nameTable.count)
    }
    all.append(Section(".shstrtab", type: 3, data: nameTable))

    let headerSize = is64Bit ? 64 : 52
    let segmentSize = is64Bit ? 56 : 32
    var file = ByteWriter(order: order)
    file.append([UInt8](repeating: 0, count: headerSize + segments.count * segmentSize))
    let offsets = all.map { section in
      file.align(8)
      defer { file.append(section.data) }
      return UInt64(file.count)
    }
    file.align(8)
    let sectionOffset = file.count
    for (index, section) in all.enumerated() {
      let at = file.count
      file.append(nameOffsets[index])
      file.append(section.type)
      file.word(section.flags, is64Bit: is64Bit)
      file.word(section.address, is64Bit: is64Bit)
      let offsetAt = file.count
      file.word(offsets[index], is64Bit: is64Bit)
      let sizeAt = file.count
      file.word(section.size ?? UInt64(section.data.count), is64Bit: is64Bit)
      let linkAt = file.count
      file.append(section.link)
      file.append(UInt32(0))
      file.word(1, is64Bit: is64Bit)
      file.word(section.entrySize, is64Bit: is64Bit)
      fields += [
        HeaderField("\(index) sh_name", at, 4), HeaderField("\(index) sh_offset", offsetAt, is64Bit ? 8 : 4),
        HeaderField("\(index) sh_size", sizeAt, is64Bit ? 8 : 4), HeaderField("\(index) sh_link", linkAt, 4),
      ]
    }
    writeHeader(into: &file, sectionOffset: sectionOffset, sectionCount: all.count)
    return file.bytes
  }

  private mutating func writeHeader(into file: inout ByteWriter, sectionOffset: Int, sectionCount: Int) {
    var header = ByteWriter(order: order)
    header.append([0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, order == .big ? 2 : 1, 1])
    header.append([UInt8](repeating: 0, count: 9))
    func field(_ name: String, _ size: Int) { fields.append(HeaderField(name, header.count, size)) }
    header.append(type)
    header.append(machine)
    header.append(UInt32(1))
    header.word(0, is64Bit: is64Bit)
    field("e_phoff", is64Bit ? 8 : 4)
    header.word(segments.isEmpty ? 0 : UInt64(is64Bit ? 64 : 52), is64Bit: is64Bit)
    field("e_shoff", is64Bit ? 8 : 4)
    header.word(UInt64(sectionOffset), is64Bit: is64Bit)
    header.append(UInt32(0))
    header.append(UInt16(is64Bit ? 64 : 52))
    for (name, value) in [
      ("e_phentsize", is64Bit ? 56 : 32), ("e_phnum", segments.count), ("e_shentsize", is64Bit ? 64 : 40),
      ("e_shnum", sectionCount), ("e_shstrndx", sectionCount - 1),
    ] {
      field(name, 2)
      header.append(UInt16(value))
    }
    for segment in segments {
      header.append(segment.type)
      if is64Bit { header.append(segment.flags) }
      for value in [0, segment.address, segment.address, 0, segment.size] {
        field("segment number", is64Bit ? 8 : 4)
        header.word(value, is64Bit: is64Bit)
      }
      if !is64Bit { header.append(segment.flags) }
      header.word(segment.alignment, is64Bit: is64Bit)
    }
    file.bytes.replaceSubrange(0..<header.count, with: header.bytes)
  }

  private func symbolTable() -> (entries: [UInt8], strings: [UInt8]) {
    var entries = ByteWriter(order: order)
    entries.append([UInt8](repeating: 0, count: is64Bit ? 24 : 16))
    var strings: [UInt8] = [0]
    for symbol in symbols {
      entries.append(UInt32(strings.count))
      strings += Array(symbol.name.utf8) + [0]
      if !is64Bit {
        entries.append(UInt32(truncatingIfNeeded: symbol.value))
        entries.append(UInt32(truncatingIfNeeded: symbol.size))
      }
      entries.append([symbol.info, 0])
      entries.append(symbol.section)
      if is64Bit {
        entries.append(symbol.value)
        entries.append(symbol.size)
      }
    }
    return (entries.bytes, strings)
  }
}
