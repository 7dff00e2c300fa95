internal import Bytes

/// The file and folder names of one line table, and where its program stands.
///
/// Read without libdw, which hands out the rows of all sequences sorted together: whose row is whose can then not be
/// told, and a dropped function's rows cover live code. Source: DWARF 2 to 5, 6.2.4.
struct LineTable {
  /// The sections that a line table refers to.
  struct Sections: Sendable {
    var lines: ByteView
    /// `.debug_line_str`.
    var lineStrings: ByteView
    /// `.debug_str`.
    var strings: ByteView
    var order: ByteOrder

    /// The sections among `sections`; those of a `.dwo` file end in `.dwo`.
    init(_ sections: [DWARFSection], order: ByteOrder) {
      func bytes(_ name: String) -> ByteView {
        sections.first { $0.name == name || $0.name == name + ".dwo" }?.bytes ?? .empty
      }
      lines = bytes(".debug_line")
      lineStrings = bytes(".debug_line_str")
      strings = bytes(".debug_str")
      self.order = order
    }
  }

  /// A text of the table, whose end is looked for when it is needed: many may be one, and most are never asked for.
  struct Name {
    /// The text, with what stands behind it when `isOpen`.
    var bytes: ByteView
    /// Whether the text ends at the first zero in `bytes`.
    var isOpen = false

    /// The text; empty when it is longer than any path. What was read of it is added to `cost`.
    func text(_ cost: inout Int) -> String {
      let limit = 1 << 16
      let found = isOpen ? bytes.cString(at: 0, limit: limit) : bytes.count <= limit ? bytes : nil
      cost += found?.count ?? min(limit, bytes.count)
      return found?.text ?? ""
    }
  }

  /// One file as the table names it.
  struct File {
    var name: Name
    var folder: UInt64
  }

  /// The bytes of one table, its version known.
  struct Source {
    fileprivate let unit: ByteCursor
    fileprivate let offsetSize: UInt64
    fileprivate let version: UInt16
    /// The size of the table.
    var byteCount: Int { unit.view.count }

    /// The table at `offset` of `.debug_line`.
    init(_ sections: Sections, at offset: UInt64) throws(DebugInfoError) {
      do throws(ByteError) {
        var cursor = ByteCursor(sections.lines, order: sections.order)
        try cursor.seek(to: offset)
        var length = UInt64(try cursor.read(UInt32.self))
        let is64Bit = length == 0xffff_ffff
        if is64Bit { length = try cursor.read(UInt64.self) }
        offsetSize = is64Bit ? 8 : 4
        var unit = ByteCursor(try cursor.read(count: length), order: sections.order)
        version = try unit.read()
        self.unit = unit
      } catch {
        throw DebugInfoError(.malformed, error.description)
      }
      guard (2...5).contains(version) else { throw DebugInfoError(.unsupported, "version \(version)") }
    }
  }

  let version: UInt16
  /// The folders after the compilation's own (before version 5), or all of them (from version 5 on).
  private(set) var folders: [Name] = []
  private(set) var files: [File] = []
  let minimumInstructionLength: UInt64
  let operationsPerInstruction: UInt64
  let lineBase: Int64
  let lineRange: UInt8
  let opcodeBase: UInt8
  let operandCounts: [UInt8]
  /// The line number program.
  let program: ByteView
  private let offsetSize: UInt64

  /// The table that `source` holds. Cost: linear in its bytes.
  init(_ source: Source, _ sections: Sections) throws(DebugInfoError) {
    do throws(ByteError) {
      try self.init(reading: source, sections)
    } catch {
      throw DebugInfoError(.malformed, error.description)
    }
  }

  private init(reading source: Source, _ sections: Sections) throws(ByteError) {
    var unit = source.unit
    offsetSize = source.offsetSize
    version = source.version
    let is64Bit = offsetSize == 8
    if version >= 5 { try unit.skip(2) }
    let headerLength = is64Bit ? try unit.read(UInt64.self) : UInt64(try unit.read(UInt32.self))
    let programStart = UInt64(unit.offset).addingReportingOverflow(headerLength)
    guard !programStart.overflow, let program = unit.view.suffix(from: programStart.partialValue) else {
      throw ByteError(.truncated, at: unit.offset)
    }
    self.program = program
    minimumInstructionLength = UInt64(try unit.read(UInt8.self))
    operationsPerInstruction = version >= 4 ? max(1, UInt64(try unit.read(UInt8.self))) : 1
    try unit.skip(1)
    lineBase = Int64(try unit.read(Int8.self))
    lineRange = try unit.read()
    opcodeBase = try unit.read()
    operandCounts = try unit.read(count: UInt64(max(1, opcodeBase) - 1)).withBytes { Array($0) }
    if version >= 5 {
      folders = try Self.entries(&unit, sections, offsetSize).map(\.name)
      files = try Self.entries(&unit, sections, offsetSize)
    } else {
      try readOldNames(&unit)
    }
  }

  /// Two lists of texts, each ended by an empty one.
  private mutating func readOldNames(_ cursor: inout ByteCursor) throws(ByteError) {
    while true {
      let folder = try cursor.readCString()
      if folder.isEmpty { break }
      folders.append(Name(bytes: folder))
    }
    // Numbers begin with 1.
    files.append(File(name: Name(bytes: .empty), folder: 0))
    while true {
      let name = try cursor.readCString()
      if name.isEmpty { break }
      files.append(try Self.oldFile(named: name, &cursor))
    }
  }

  private static func oldFile(named name: ByteView, _ cursor: inout ByteCursor) throws(ByteError) -> File {
    let folder = try cursor.readULEB128()
    _ = try cursor.readULEB128()
    _ = try cursor.readULEB128()
    return File(name: Name(bytes: name), folder: folder)
  }

  /// A list that first says which fields its entries have.
  private static func entries(
    _ cursor: inout ByteCursor, _ sections: Sections, _ offsetSize: UInt64
  ) throws(ByteError) -> [File] {
    var formats: [(content: UInt64, form: UInt64)] = []
    for _ in 0..<(try cursor.read(UInt8.self)) {
      formats.append((try cursor.readULEB128(), try cursor.readULEB128()))
    }
    let count = try cursor.readULEB128()
    var files: [File] = []
    // Entries without any field would cost nothing to claim.
    guard !formats.isEmpty, count <= UInt64(cursor.remaining) else {
      if count == 0 { return [] }
      throw ByteError(.truncated, at: cursor.offset)
    }
    for _ in 0..<count {
      var file = File(name: Name(bytes: .empty), folder: 0)
      for (content, form) in formats {
        switch content {
        case 1: file.name = try text(&cursor, form, sections, offsetSize)
        case 2: file.folder = try number(&cursor, form, offsetSize)
        default: _ = try number(&cursor, form, offsetSize)
        }
      }
      files.append(file)
    }
    return files
  }

  private static func text(
    _ cursor: inout ByteCursor, _ form: UInt64, _ sections: Sections, _ offsetSize: UInt64
  ) throws(ByteError) -> Name {
    switch form {
    case 0x08: return Name(bytes: try cursor.readCString())
    case 0x0e, 0x1f:
      let offset = try number(&cursor, form, offsetSize)
      let table = form == 0x1f ? sections.lineStrings : sections.strings
      return Name(bytes: table.suffix(from: offset) ?? .empty, isOpen: true)
    default:
      _ = try number(&cursor, form, offsetSize)
      return Name(bytes: .empty)
    }
  }

  /// A field's number; 0 for a form that holds none, whose bytes are passed over.
  private static func number(
    _ cursor: inout ByteCursor, _ form: UInt64, _ offsetSize: UInt64
  ) throws(ByteError) -> UInt64 {
    switch form {
    case 0x0b, 0x25: return UInt64(try cursor.read(UInt8.self))
    case 0x05, 0x26: return UInt64(try cursor.read(UInt16.self))
    case 0x06, 0x28: return UInt64(try cursor.read(UInt32.self))
    case 0x07: return try cursor.read(UInt64.self)
    case 0x0f, 0x1a: return try cursor.readULEB128()
    case 0x0e, 0x1f, 0x17:
      return offsetSize == 8 ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
    case 0x1e: try cursor.skip(16)
    case 0x27: try cursor.skip(3)
    case 0x09: try cursor.skip(try cursor.readULEB128())
    case 0x08: _ = try cursor.readCString()
    default: throw ByteError(.truncated, at: cursor.offset)
    }
    return 0
  }

  /// Adds a file that the program itself names (`DW_LNE_define_file`).
  mutating func define(_ operand: ByteView, order: ByteOrder) throws(ByteError) {
    var cursor = ByteCursor(operand, order: order)
    let name = try cursor.readCString()
    files.append(try Self.oldFile(named: name, &cursor))
  }

  /// The path of file `number`, joined with its folder and, where that is relative, with the compilation's; `nil` when
  /// there is no such file.
  ///
  /// Before version 5 numbers begin with 1 and folder 0 is the compilation's; from then on both begin with 0, and
  /// folder 0 is listed (symbolication.md B.28, B.29). The bytes of text that were read are added to `cost`.
  func path(of number: UInt64, compilationFolder: String, cost: inout Int) -> String? {
    guard number < UInt64(files.count), version >= 5 || number > 0 else { return nil }
    let file = files[Int(number)]
    let name = file.name.text(&cost)
    if name.isEmpty { return nil }
    if LineTable.isAbsolute(name) || SourceName.isPseudo(name) { return name }
    let index = version >= 5 ? file.folder : file.folder &- 1
    let folder = index < UInt64(folders.count) ? folders[Int(index)].text(&cost) : ""
    cost += compilationFolder.utf8.count
    if folder.isEmpty { return LineTable.join(compilationFolder, name) }
    return LineTable.join(LineTable.isAbsolute(folder) ? folder : LineTable.join(compilationFolder, folder), name)
  }

  private static func isAbsolute(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/") || path.utf8.first == UInt8(ascii: "\\")
      || path.utf8.dropFirst().first == UInt8(ascii: ":")
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}

/// Names that stand where a source file's should.
enum SourceName {
  /// Whether this is no file but a mark of synthetic code, for example `<compiler-generated>`.
  static func isPseudo(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "<") }
}
