internal import Bytes
internal import Identity

/// The load commands of a Mach-O file that symbols need. Source: `<mach-o/loader.h>`.
struct MachOTables: Sendable {
  /// `LC_SYMTAB`: first symbol, number of symbols, string table.
  var symbolTable: (offset: UInt32, count: UInt32, stringOffset: UInt32, stringSize: UInt32)?
  /// `LC_DYSYMTAB`: the indirect symbol table.
  var indirectSymbols: (offset: UInt32, count: UInt32)?
  /// `LC_FUNCTION_STARTS`.
  var functionStarts: (offset: UInt32, size: UInt32)?
  /// `LC_DYLD_EXPORTS_TRIE` or the export part of `LC_DYLD_INFO`.
  var exportTrie: (offset: UInt32, size: UInt32)?
  /// For each section, in order: flags, reserved1 (first indirect symbol), reserved2 (size of a stub).
  var sectionAttributes: [(flags: UInt32, reserved1: UInt32, reserved2: UInt32)] = []
}

/// One segment while the load commands are read.
private struct Segment {
  var name: String
  var address: UInt64
  var size: UInt64
  var fileOffset: UInt64
  var fileSize: UInt64
}

extension ObjectFile {
  /// Reads the header and load commands of a thin Mach-O file.
  init(machO slice: ByteView) throws(ObjectFileError) {
    let magic: UInt32 = slice.load(at: 0, order: .big) ?? 0
    let order: ByteOrder = magic == 0xfeed_face || magic == 0xfeed_facf ? .big : .little
    let is64Bit = magic == 0xfeed_facf || magic == 0xcffa_edfe
    var cursor = ByteCursor(slice, order: order, at: 4)
    let header = try reading("Mach-O header") { () throws(ByteError) in
      let cpu = (type: try cursor.read(UInt32.self), subtype: try cursor.read(UInt32.self))
      let fileType: UInt32 = try cursor.read()
      let commandCount: UInt32 = try cursor.read()
      let commandSize: UInt32 = try cursor.read()
      try cursor.skip(is64Bit ? 8 : 4)
      return (cpu: cpu, fileType: fileType, commandCount: commandCount, commandSize: commandSize)
    }
    guard let commands = slice.slice(at: UInt64(cursor.offset), count: UInt64(header.commandSize)) else {
      throw ObjectFileError(.truncated, "load commands end past the end of the file", at: UInt64(cursor.offset))
    }
    let kind: Kind =
      switch header.fileType {
      case 1: .object
      case 2: .executable
      case 4: .core
      case 6, 8, 9: .dylib
      case 10: .debugCompanion
      default: .other
      }
    var reader = LoadCommandReader(
      slice: slice, order: order, is64Bit: is64Bit, isDebugCompanion: kind == .debugCompanion,
      commandsOffset: UInt64(cursor.offset))
    try reader.read(commands, count: header.commandCount)

    let text = reader.segments.first { $0.name == "__TEXT" }
    let base = kind == .object ? 0 : text?.address ?? reader.segments.first { $0.name != "__PAGEZERO" }?.address ?? 0
    let codeRanges = reader.sections.filter(\.isCode).compactMap(\.addressRange).merged()
    let codeEnd = codeRanges.last?.upperBound ?? 0
    let textEnd = text.map { $0.address.addingSaturating($0.size) } ?? 0
    self.init(
      format: .machO, kind: kind, bytes: slice, byteOrder: order, pointerSize: is64Bit ? 8 : 4,
      architecture: Architecture(machO: header.cpu.type, subtype: header.cpu.subtype),
      debugID: reader.uuid.flatMap { DebugID(bytes: $0) }, imageBase: base,
      imageSize: max(codeEnd, textEnd) >= base ? max(codeEnd, textEnd) - base : 0, platform: reader.platform,
      installName: reader.installName, sections: reader.sections, machO: reader.tables, elf: nil,
      codeRanges: codeRanges)
  }
}

extension Section {
  /// The addresses it covers; `nil` when they would wrap around.
  var addressRange: Range<UInt64>? {
    let (end, overflow) = address.addingReportingOverflow(size)
    return overflow ? nil : address..<end
  }
}

/// Walks load commands once.
private struct LoadCommandReader {
  let slice: ByteView
  let order: ByteOrder
  let is64Bit: Bool
  let isDebugCompanion: Bool
  let commandsOffset: UInt64
  var segments: [Segment] = []
  var sections: [Section] = []
  var tables = MachOTables()
  var uuid: [UInt8]?
  var platform: UInt32 = 0
  var installName: String?

  mutating func read(_ commands: ByteView, count: UInt32) throws(ObjectFileError) {
    var at: UInt64 = 0
    for index in 0..<count {
      let place = commandsOffset + at
      guard let command: UInt32 = commands.load(at: Int(at), order: order),
        let size: UInt32 = commands.load(at: Int(at) + 4, order: order)
      else { throw ObjectFileError(.truncated, "load command \(index) of \(count) is missing", at: place) }
      guard size >= 8, let body = commands.slice(at: at, count: UInt64(size)) else {
        throw ObjectFileError(.malformed, "load command \(index): size \(size) does not fit", at: place)
      }
      do throws(ByteError) {
        try read(command, body)
      } catch {
        throw ObjectFileError(.malformed, "load command \(index) (type \(command.hex)): \(error)", at: place)
      }
      at += UInt64(size)
    }
  }

  private mutating func read(_ command: UInt32, _ body: ByteView) throws(ByteError) {
    var cursor = ByteCursor(body, order: order, at: 8)
    switch command {
    case 0x1, 0x19: try readSegment(&cursor, is64Bit: command == 0x19)
    case 0x2:
      tables.symbolTable = (try cursor.read(), try cursor.read(), try cursor.read(), try cursor.read())
    case 0xb:
      try cursor.skip(48)
      tables.indirectSymbols = (try cursor.read(), try cursor.read())
    case 0xd: installName = try readText(&cursor, in: body)
    case 0x1b: uuid = try cursor.read(count: 16).withBytes { Array($0) }
    case 0x22, 0x8000_0022:
      try cursor.skip(32)
      let part: (UInt32, UInt32) = (try cursor.read(), try cursor.read())
      if part.1 > 0 { tables.exportTrie = part }
    case 0x24: platform = 1
    case 0x25: platform = 2
    case 0x2f: platform = 3
    case 0x30: platform = 4
    case 0x26: tables.functionStarts = (try cursor.read(), try cursor.read())
    case 0x32: platform = try cursor.read()
    case 0x8000_0033: tables.exportTrie = (try cursor.read(), try cursor.read())
    default: break
    }
  }

  private func readText(_ cursor: inout ByteCursor, in body: ByteView) throws(ByteError) -> String? {
    let offset: UInt32 = try cursor.read()
    return body.suffix(from: UInt64(offset)).map { text in
      text.withBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }

  private mutating func readSegment(_ cursor: inout ByteCursor, is64Bit: Bool) throws(ByteError) {
    func word() throws(ByteError) -> UInt64 {
      is64Bit ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
    }
    let name = fixedName(try cursor.read(count: 16))
    let segment = Segment(
      name: name, address: try word(), size: try word(), fileOffset: try word(), fileSize: try word())
    try cursor.skip(8)
    let count: UInt32 = try cursor.read()
    try cursor.skip(4)
    segments.append(segment)
    var previousEnd = segment.fileOffset
    for _ in 0..<count {
      let sectionName = fixedName(try cursor.read(count: 16))
      let segmentName = fixedName(try cursor.read(count: 16))
      let address = try word()
      let size = try word()
      let offset32: UInt32 = try cursor.read()
      try cursor.skip(12)
      let flags: UInt32 = try cursor.read()
      let reserved: (UInt32, UInt32) = (try cursor.read(), try cursor.read())
      if is64Bit { try cursor.skip(4) }
      let offset = unwrapped(offset32, after: previousEnd, in: segment)
      // A dSYM repeats the headers of the binary's sections; only its __DWARF segment has bytes.
      let hasBytes =
        ![1, 0xc, 0x12].contains(flags & 0xff) && size > 0 && (!isDebugCompanion || segmentName == "__DWARF")
      if hasBytes { previousEnd = offset.addingSaturating(size) }
      let data = hasBytes ? slice.slice(at: offset, count: size) : nil
      let dwarfName = segmentName == "__DWARF" ? Self.dwarfName(sectionName) : nil
      sections.append(
        Section(
          name: sectionName, segment: segmentName, dwarfName: dwarfName, address: address, size: size,
          isCode: flags & 0x8000_0400 != 0, data: data,
          encoding: sectionName.hasPrefix("__zdebug") ? .gnuZlib : .plain, isTruncated: hasBytes && data == nil))
      tables.sectionAttributes.append((flags, reserved.0, reserved.1))
    }
  }

  /// Section offsets have 32 bits even in 64-bit files. Sections of a segment stand in file order, so an offset that
  /// falls before the end of its predecessor has passed 4 GiB (symbolication.md B.12).
  private func unwrapped(_ offset: UInt32, after previous: UInt64, in segment: Segment) -> UInt64 {
    let full = UInt64(offset)
    guard segment.fileSize > 0, segment.fileOffset.addingSaturating(segment.fileSize) > 1 << 32 else { return full }
    var candidate = previous & ~0xffff_ffff | full
    if candidate < previous { candidate = candidate.addingSaturating(1 << 32) }
    return candidate
  }

  private func fixedName(_ bytes: ByteView) -> String {
    bytes.withBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The ELF name of a `__DWARF` section. Names are cut to 16 bytes in Mach-O.
  private static func dwarfName(_ name: String) -> String? {
    guard name.hasPrefix("__debug_") || name.hasPrefix("__zdebug_") else { return nil }
    let stem = name.hasPrefix("__z") ? String(name.dropFirst(3)) : String(name.dropFirst(2))
    return "." + (stem == "debug_str_offs" ? "debug_str_offsets" : stem)
  }
}
