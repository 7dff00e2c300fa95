public import Bytes

/// Makes small Mach-O files byte by byte.
public struct MachOBuilder: Sendable {
  /// One section.
  public struct Section: Sendable {
    /// Its segment and name.
    public var segment: String, name: String
    /// Its first address.
    public var address: UInt64
    /// Its bytes; a dSYM's `__TEXT` sections have none.
    public var data: [UInt8]
    /// Its size, when that is not the number of bytes.
    public var size: UInt64?
    /// Type and attributes; instructions by default.
    public var flags: UInt32
    /// First indirect symbol and size of a stub.
    public var reserved: (UInt32, UInt32)

    /// A section.
    public init(
      _ segment: String, _ name: String, at address: UInt64 = 0, data: [UInt8] = [], size: UInt64? = nil,
      flags: UInt32 = 0, reserved: (UInt32, UInt32) = (0, 0)
    ) {
      (self.segment, self.name, self.address, self.data) = (segment, name, address, data)
      (self.size, self.flags, self.reserved) = (size, flags, reserved)
    }

    /// A section of instructions.
    public static func code(
      at address: UInt64, size: UInt64, name: String = "__text", segment: String = "__TEXT"
    ) -> Section {
      Section(segment, name, at: address, size: size, flags: 0x8000_0400)
    }
  }

  /// One `nlist` entry.
  public struct Symbol: Sendable {
    /// As it stands in the string table, with its underscore.
    public var name: String
    /// `n_value`.
    public var value: UInt64
    /// `n_type`: by default defined in a section and external.
    public var type: UInt8
    /// `n_sect`, from 1.
    public var section: UInt8
    /// `n_desc`.
    public var description: UInt16

    /// An entry.
    public init(
      _ name: String, _ value: UInt64, type: UInt8 = 0x0f, section: UInt8 = 1, description: UInt16 = 0
    ) {
      (self.name, self.value, self.type, self.section, self.description) = (name, value, type, section, description)
    }
  }

  /// Byte order, width, processor, file type.
  public var order = ByteOrder.little
  /// Whether it is a 64-bit file.
  public var is64Bit = true
  /// `cputype`, `cpusubtype`; arm64 by default.
  public var cpu: (type: UInt32, subtype: UInt32) = (0x0100_000c, 0)
  /// `filetype`: 10 is a dSYM's, 2 an executable, 6 a dylib.
  public var fileType: UInt32 = 10
  /// `LC_UUID`; none when nil.
  public var uuid: [UInt8]? = (1...16).map { $0 }
  /// `__TEXT`'s address and size.
  public var text: (address: UInt64, size: UInt64) = (0x1_0000_0000, 0x4000)
  /// The sections, those of one segment side by side.
  public var sections: [Section] = []
  /// The symbol table.
  public var symbols: [Symbol] = []
  /// The bytes of `LC_FUNCTION_STARTS`.
  public var functionStarts: [UInt8]?
  /// The bytes of the export trie.
  public var exportTrie: [UInt8]?
  /// The indirect symbol table.
  public var indirectSymbols: [UInt32] = []

  /// The number fields of the last `build()`'s headers.
  public private(set) var fields: [HeaderField] = []

  /// An empty arm64 dSYM file.
  public init() {}

  /// The file.
  public mutating func build() -> [UInt8] {
    fields = []
    var commands = ByteWriter(order: order)
    var commandCount: UInt32 = 0
    let headerSize = is64Bit ? 32 : 28
    let dataStart = headerSize + commandSize
    var data = ByteWriter(order: order)

    func place(_ bytes: [UInt8]) -> UInt32 {
      data.align(8)
      defer { data.append(bytes) }
      return UInt32(dataStart + data.count)
    }
    func field(_ name: String, _ size: Int) {
      fields.append(HeaderField(name, headerSize + commands.count, size))
    }
    if let uuid {
      commandCount += 1
      commands.append(UInt32(0x1b))
      field("LC_UUID cmdsize", 4)
      commands.append(UInt32(24))
      commands.append(uuid)
    }
    for segment in segmentNames {
      commandCount += 1
      let members = sections.filter { $0.segment == segment }
      commands.append(UInt32(is64Bit ? 0x19 : 0x1))
      field("\(segment) cmdsize", 4)
      commands.append(UInt32(segmentSize + members.count * sectionSize))
      commands.fixedText(segment, 16)
      let address = segment == "__TEXT" ? text.address : members.first?.address ?? 0
      for (name, value) in [
        ("vmaddr", address), ("vmsize", segment == "__TEXT" ? text.size : 0x1000), ("fileoff", 0), ("filesize", 0),
      ] {
        field("\(segment) \(name)", is64Bit ? 8 : 4)
        commands.word(value, is64Bit: is64Bit)
      }
      commands.append(UInt64(0))
      field("\(segment) nsects", 4)
      commands.append(UInt32(members.count))
      commands.append(UInt32(0))
      for section in members {
        commands.fixedText(section.name, 16)
        commands.fixedText(segment, 16)
        field("\(section.name) addr", is64Bit ? 8 : 4)
        commands.word(section.address, is64Bit: is64Bit)
        field("\(section.name) size", is64Bit ? 8 : 4)
        commands.word(section.size ?? UInt64(section.data.count), is64Bit: is64Bit)
        field("\(section.name) offset", 4)
        commands.append(section.data.isEmpty ? 0 : place(section.data))
        commands.append([UInt8](repeating: 0, count: 12))
        field("\(section.name) flags", 4)
        commands.append(section.flags)
        field("\(section.name) reserved1", 4)
        commands.append(section.reserved.0)
        field("\(section.name) reserved2", 4)
        commands.append(section.reserved.1)
        if is64Bit { commands.append(UInt32(0)) }
      }
    }
    if !symbols.isEmpty {
      commandCount += 1
      let (table, strings) = symbolTable()
      commands.append(UInt32(0x2))
      commands.append(UInt32(24))
      for (name, value) in [
        ("symoff", place(table)), ("nsyms", UInt32(symbols.count)), ("stroff", place(strings)),
        ("strsize", UInt32(strings.count)),
      ] {
        field(name, 4)
        commands.append(value)
      }
    }
    if !indirectSymbols.isEmpty {
      commandCount += 1
      var table = ByteWriter(order: order)
      for symbol in indirectSymbols { table.append(symbol) }
      commands.append(UInt32(0xb))
      commands.append(UInt32(80))
      commands.append([UInt8](repeating: 0, count: 48))
      field("indirectsymoff", 4)
      commands.append(place(table.bytes))
      field("nindirectsyms", 4)
      commands.append(UInt32(indirectSymbols.count))
      commands.append([UInt8](repeating: 0, count: 16))
    }
    for (command, bytes) in [(UInt32(0x26), functionStarts), (0x8000_0033, exportTrie)] {
      guard let bytes else { continue }
      commandCount += 1
      commands.append(command)
      commands.append(UInt32(16))
      field("\(command == 0x26 ? "function starts" : "export trie") dataoff", 4)
      commands.append(place(bytes))
      field("\(command == 0x26 ? "function starts" : "export trie") datasize", 4)
      commands.append(UInt32(bytes.count))
    }
    return header(commandCount, commands.count) + commands.bytes + data.bytes
  }

  private mutating func header(_ commandCount: UInt32, _ size: Int) -> [UInt8] {
    var header = ByteWriter(order: order)
    header.append(UInt32(is64Bit ? 0xfeed_facf : 0xfeed_face))
    header.append(cpu.type)
    header.append(cpu.subtype)
    header.append(fileType)
    fields.append(HeaderField("ncmds", header.count, 4))
    header.append(commandCount)
    fields.append(HeaderField("sizeofcmds", header.count, 4))
    header.append(UInt32(size))
    header.append(UInt32(0))
    if is64Bit { header.append(UInt32(0)) }
    return header.bytes
  }

  private var segmentNames: [String] {
    var names = ["__TEXT"]
    for section in sections where !names.contains(section.segment) { names.append(section.segment) }
    return names
  }

  private var segmentSize: Int { is64Bit ? 72 : 56 }
  private var sectionSize: Int { is64Bit ? 80 : 68 }

  private var commandSize: Int {
    (uuid == nil ? 0 : 24) + segmentNames.count * segmentSize + sections.count * sectionSize
      + (symbols.isEmpty ? 0 : 24) + (indirectSymbols.isEmpty ? 0 : 80) + (functionStarts == nil ? 0 : 16)
      + (exportTrie == nil ? 0 : 16)
  }

  private func symbolTable() -> (entries: [UInt8], strings: [UInt8]) {
    var entries = ByteWriter(order: order)
    var strings: [UInt8] = [0]
    for symbol in symbols {
      entries.append(UInt32(strings.count))
      strings += Array(symbol.name.utf8) + [0]
      entries.append([symbol.type, symbol.section])
      entries.append(symbol.description)
      entries.word(symbol.value, is64Bit: is64Bit)
    }
    return (entries.bytes, strings)
  }
}

/// A fat file of `slices` with a 32-bit or 64-bit header; slices begin at multiples of `alignment`.
public func fatFile(_ slices: [[UInt8]], is64Bit: Bool = false, alignment: Int = 16) -> [UInt8] {
  var header = ByteWriter(order: .big)
  header.append(UInt32(is64Bit ? 0xcafe_babf : 0xcafe_babe))
  header.append(UInt32(slices.count))
  var offset = 8 + slices.count * (is64Bit ? 32 : 20)
  var body = ByteWriter()
  let start = offset
  for slice in slices {
    offset = (offset + alignment - 1) / alignment * alignment
    header.append(UInt64(0x0100_000c) << 32)
    header.word(UInt64(offset), is64Bit: is64Bit)
    header.word(UInt64(slice.count), is64Bit: is64Bit)
    header.append(UInt32(4))
    if is64Bit { header.append(UInt32(0)) }
    body.append([UInt8](repeating: 0, count: offset - start - body.count))
    body.append(slice)
    offset += slice.count
  }
  return header.bytes + body.bytes
}
