internal import Bytes
internal import Identity

/// What only an ELF file has. Source: the System V gABI, chapters 4 and 5.
struct ELFTables: Sendable {
  /// For each section, in order: its header's type, link and info.
  var headers: [(type: UInt32, link: UInt32, info: UInt32)] = []
  /// For each section its bytes, whatever it holds.
  var contents: [ByteView?] = []
}

/// One program header.
private struct ProgramHeader {
  var type: UInt32
  var flags: UInt32
  var fileOffset: UInt64
  var address: UInt64
  var fileSize: UInt64
  var memorySize: UInt64
  var alignment: UInt64
}

/// One section header.
private struct SectionHeader {
  var name: UInt32
  var type: UInt32
  var flags: UInt64
  var address: UInt64
  var offset: UInt64
  var size: UInt64
  var link: UInt32
  var info: UInt32
  var alignment: UInt64
}

extension SectionHeader {
  /// Gives the section the first free address behind `end` that its alignment allows.
  mutating func place(after end: inout UInt64) {
    let unit = alignment.nonzeroBitCount == 1 ? alignment : 1
    address = end.addingSaturating(unit - 1) & ~(unit - 1)
    end = address.addingSaturating(size)
  }
}

private let noBits: UInt32 = 8
private let noteType: UInt32 = 7

extension ObjectFile {
  /// Reads the headers of an ELF file.
  init(elf slice: ByteView) throws(ObjectFileError) {
    guard let fileClass: UInt8 = slice.load(at: 4), let data: UInt8 = slice.load(at: 5),
      fileClass == 1 || fileClass == 2,
      data == 1 || data == 2
    else { throw ObjectFileError(.malformed, "ELF header: class or byte order is not known", at: 4) }
    let reader = ELFReader(slice: slice, order: data == 2 ? .big : .little, is64Bit: fileClass == 2)
    let header = try reader.header()
    let programHeaders = try reader.programHeaders(header)
    let sectionHeaders = try reader.sectionHeaders(header)
    var names = reader.sectionNames(header, sectionHeaders)

    var tables = ELFTables()
    var sections: [Section] = []
    var end: UInt64 = 0
    for sectionHeader in sectionHeaders {
      var sectionHeader = sectionHeader
      let isCode = sectionHeader.flags & 0x6 == 0x6 && sectionHeader.type != noteType
      // Nothing has an address yet in a relocatable file: its code is laid out in the order it stands.
      if header.type == 1, isCode { sectionHeader.place(after: &end) }
      let contents =
        sectionHeader.type == noBits || sectionHeader.type == 0
        ? nil : slice.slice(at: sectionHeader.offset, count: sectionHeader.size)
      let name = names.name(at: sectionHeader.name)
      tables.headers.append((sectionHeader.type, sectionHeader.link, sectionHeader.info))
      tables.contents.append(contents)
      sections.append(
        Section(
          name: name.text, segment: "", dwarfName: name.dwarf, address: sectionHeader.address,
          size: sectionHeader.size, isCode: isCode, data: contents,
          encoding: sectionHeader.flags & 0x800 != 0 ? .compressed : name.isGnuZlib ? .gnuZlib : .plain,
          isTruncated: contents == nil && sectionHeader.type != noBits && sectionHeader.type != 0
            && sectionHeader.size > 0))
    }
    let loads = programHeaders.filter { $0.type == 1 }
    // The first loaded segment in file order, as symbolicators and the dynamic loader count.
    let base = loads.first.map { $0.alignment > 1 ? $0.address & ~($0.alignment - 1) : $0.address } ?? 0
    var codeRanges = sections.filter(\.isCode).compactMap(\.addressRange).merged()
    if codeRanges.isEmpty {
      codeRanges = loads.filter { $0.flags & 1 != 0 }
        .map { $0.address..<max($0.address, $0.address.addingSaturating($0.memorySize)) }.merged()
    }
    end = max(
      loads.map { $0.address.addingSaturating($0.memorySize) }.max() ?? 0, codeRanges.last?.upperBound ?? 0)
    // Debug-only files keep the section headers of the code and drop its bytes.
    let holdsCode = sections.isEmpty || sections.contains { $0.isCode && $0.data != nil }
    let kind: Kind =
      switch header.type {
      case 1: .object
      case 2: holdsCode ? .executable : .debugCompanion
      case 3: !holdsCode ? .debugCompanion : programHeaders.contains { $0.type == 3 } ? .executable : .dylib
      case 4: .core
      default: .other
      }
    self.init(
      format: .elf, kind: kind, bytes: slice, byteOrder: reader.order, pointerSize: reader.is64Bit ? 8 : 4,
      architecture: Architecture(elf: header.machine, is64Bit: reader.is64Bit, order: reader.order == .big),
      debugID: reader.buildID(tables, programHeaders), imageBase: base,
      imageSize: end >= base ? end - base : 0, platform: UInt32(slice.load(at: 7, as: UInt8.self) ?? 0),
      installName: nil, sections: sections, machO: nil, elf: tables, codeRanges: codeRanges)
  }
}

/// Reads ELF tables of one class and byte order.
private struct ELFReader {
  struct Header {
    var type: UInt16
    var machine: UInt16
    var programOffset: UInt64
    var programSize: UInt64
    var programCount: UInt64
    var sectionOffset: UInt64
    var sectionSize: UInt64
    var sectionCount: UInt64
    var namesIndex: UInt64
  }

  let slice: ByteView
  let order: ByteOrder
  let is64Bit: Bool

  func header() throws(ObjectFileError) -> Header {
    var cursor = ByteCursor(slice, order: order, at: 16)
    var header = try reading("ELF header") { () throws(ByteError) in
      let type: UInt16 = try cursor.read()
      let machine: UInt16 = try cursor.read()
      try cursor.skip(4)
      _ = try word(&cursor)
      let programOffset = try word(&cursor)
      let sectionOffset = try word(&cursor)
      try cursor.skip(6)
      let sizes: [UInt16] = [
        try cursor.read(), try cursor.read(), try cursor.read(), try cursor.read(), try cursor.read(),
      ]
      return Header(
        type: type, machine: machine, programOffset: programOffset, programSize: UInt64(sizes[0]),
        programCount: UInt64(sizes[1]), sectionOffset: sectionOffset, sectionSize: UInt64(sizes[2]),
        sectionCount: UInt64(sizes[3]), namesIndex: UInt64(sizes[4]))
    }
    // Files with 65,280 sections or more keep the real numbers in section 0 (gABI, "Special sections").
    if header.sectionOffset != 0, header.sectionCount == 0 || header.namesIndex == 0xffff {
      let first = try sectionHeader(at: header.sectionOffset)
      if header.sectionCount == 0 { header.sectionCount = first.size }
      if header.namesIndex == 0xffff { header.namesIndex = UInt64(first.link) }
    }
    return header
  }

  func programHeaders(_ header: Header) throws(ObjectFileError) -> [ProgramHeader] {
    guard header.programOffset != 0 else { return [] }
    // Headers closer together than they are long would claim the same bytes over and over.
    guard header.programCount == 0 || header.programSize >= (is64Bit ? 56 : 32) else {
      throw ObjectFileError(.malformed, "program headers of \(header.programSize) bytes", at: header.programOffset)
    }
    var result: [ProgramHeader] = []
    for index in 0..<header.programCount {
      let at = header.programOffset.addingSaturating(index * header.programSize)
      guard at < UInt64(slice.count) else {
        throw ObjectFileError(.truncated, "program header \(index) lies past the end of the file", at: at)
      }
      var cursor = ByteCursor(slice, order: order, at: Int(at))
      result.append(
        try reading("program header \(index)") { () throws(ByteError) in
          let type: UInt32 = try cursor.read()
          let flagsFirst: UInt32 = is64Bit ? try cursor.read() : 0
          let fileOffset = try word(&cursor)
          let address = try word(&cursor)
          _ = try word(&cursor)
          let fileSize = try word(&cursor)
          let memorySize = try word(&cursor)
          let flags: UInt32 = is64Bit ? flagsFirst : try cursor.read()
          let alignment = try word(&cursor)
          let isPowerOfTwo = alignment & (alignment &- 1) == 0
          return ProgramHeader(
            type: type, flags: flags, fileOffset: fileOffset, address: address, fileSize: fileSize,
            memorySize: memorySize, alignment: isPowerOfTwo ? alignment : 1)
        })
    }
    return result
  }

  func sectionHeaders(_ header: Header) throws(ObjectFileError) -> [SectionHeader] {
    guard header.sectionOffset != 0 else { return [] }
    let minimum: UInt64 = is64Bit ? 64 : 40
    guard header.sectionCount == 0 || header.sectionSize >= minimum else {
      throw ObjectFileError(.malformed, "section headers of \(header.sectionSize) bytes", at: header.sectionOffset)
    }
    let (size, overflow) = header.sectionCount.multipliedReportingOverflow(by: header.sectionSize)
    guard !overflow, slice.slice(at: header.sectionOffset, count: size) != nil else {
      throw ObjectFileError(.truncated, "section headers end past the end of the file", at: header.sectionOffset)
    }
    var result: [SectionHeader] = []
    for index in 0..<header.sectionCount {
      result.append(try sectionHeader(at: header.sectionOffset + index * header.sectionSize))
    }
    return result
  }

  private func sectionHeader(at offset: UInt64) throws(ObjectFileError) -> SectionHeader {
    guard offset < UInt64(slice.count) else {
      throw ObjectFileError(.truncated, "section headers lie past the end of the file", at: offset)
    }
    var cursor = ByteCursor(slice, order: order, at: Int(offset))
    return try reading("section header") { () throws(ByteError) in
      let name: UInt32 = try cursor.read()
      let type: UInt32 = try cursor.read()
      let flags = try word(&cursor)
      let address = try word(&cursor)
      let fileOffset = try word(&cursor)
      let size = try word(&cursor)
      let link: UInt32 = try cursor.read()
      let info: UInt32 = try cursor.read()
      let alignment = try word(&cursor)
      return SectionHeader(
        name: name, type: type, flags: flags, address: address, offset: fileOffset, size: size, link: link, info: info,
        alignment: alignment)
    }
  }

  /// The names of the sections; empty where the table of names does not hold them.
  func sectionNames(_ header: Header, _ sections: [SectionHeader]) -> ELFSectionNames {
    guard header.namesIndex < UInt64(sections.count) else { return ELFSectionNames(.empty) }
    let table = sections[Int(header.namesIndex)]
    return ELFSectionNames(slice.slice(at: table.offset, count: table.size) ?? .empty)
  }

  /// The build-id in the sections and segments of notes.
  func buildID(_ tables: ELFTables, _ programHeaders: [ProgramHeader]) -> DebugID? {
    let sections = zip(tables.headers, tables.contents).lazy.filter { $0.0.type == noteType }.compactMap { $0.1 }
    let segments = programHeaders.lazy.filter { $0.type == 4 }
      .compactMap { slice.slice(at: $0.fileOffset, count: $0.fileSize) }
    return ELFNotes.buildID(in: Array(sections) + Array(segments), order: order, fileSize: slice.count)
  }

  private func word(_ cursor: inout ByteCursor) throws(ByteError) -> UInt64 {
    is64Bit ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
  }
}
