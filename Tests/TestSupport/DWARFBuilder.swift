public import Bytes

/// The value of one attribute, with the form it is written in.
public enum DWARFValue: Sendable, Hashable {
  /// `DW_FORM_string`: the text stands in place.
  case string(String)
  /// `DW_FORM_strp`: an offset into `.debug_str`.
  case strp(UInt64)
  /// `DW_FORM_addr`.
  case address(UInt64)
  /// `DW_FORM_data1`, `2`, `4`, `8`.
  case data1(UInt8), data2(UInt16), data4(UInt32), data8(UInt64)
  /// `DW_FORM_udata`.
  case udata(UInt64)
  /// A reference inside the unit to the entry with this label (`DW_FORM_ref4`).
  case label(String)
  /// A reference inside the unit (`DW_FORM_ref4`).
  case reference(UInt32)
  /// An offset into another section: `DW_FORM_sec_offset`, or `data4` before DWARF 4.
  case sectionOffset(UInt64)
}

/// The tags and attributes that tests use. Source: the DWARF 5 standard, section 7.5.
public enum DW {
  /// Tags.
  public static let unit = 0x11, partialUnit = 0x3c, function = 0x2e, inlined = 0x1d, block = 0x0b, namespace = 0x39
  /// More tags.
  public static let structure = 0x13, variable = 0x34, module = 0x1e
  /// Attributes.
  public static let sibling = 0x01, name = 0x03, stmtList = 0x10, lowPC = 0x11, highPC = 0x12, language = 0x13
  /// More attributes.
  public static let compDir = 0x1b, origin = 0x31, declarationFile = 0x3a, declarationLine = 0x3b
  /// More attributes.
  public static let specification = 0x47, ranges = 0x55, callColumn = 0x57, callFile = 0x58, callLine = 0x59
  /// `DW_AT_decl_file`, `DW_AT_decl_line`.
  public static let declFile = 0x3a, declLine = 0x3b
  /// More attributes.
  public static let linkageName = 0x6e
}

/// Makes one DWARF unit, entry by entry; the abbreviations come by themselves.
public struct DWARFUnitBuilder: Sendable {
  private struct Abbreviation: Hashable {
    var tag: Int
    var hasChildren: Bool
    var attributes: [Int]
    var forms: [UInt64]
  }

  /// The DWARF version, 2 to 5.
  public let version: UInt16
  /// Whether the 64-bit format is used.
  public let is64BitFormat: Bool
  /// 4 or 8.
  public let addressSize: Int
  private var info: ByteWriter
  private var abbreviations: [Abbreviation: Int] = [:]
  private var abbreviationBytes = ByteWriter()
  private var labels: [String: Int] = [:]
  private var patches: [(at: Int, label: String)] = []
  private var depth = 0

  /// A unit without entries.
  public init(version: UInt16 = 5, is64BitFormat: Bool = false, addressSize: Int = 8, order: ByteOrder = .little) {
    (self.version, self.is64BitFormat, self.addressSize) = (version, is64BitFormat, addressSize)
    info = ByteWriter(order: order)
    if is64BitFormat { info.append(UInt32(0xffff_ffff)) }
    info.word(0, is64Bit: is64BitFormat)
    info.append(version)
    if version >= 5 {
      info.append([1, UInt8(addressSize)])
      info.word(0, is64Bit: is64BitFormat)
    } else {
      info.word(0, is64Bit: is64BitFormat)
      info.append([UInt8(addressSize)])
    }
  }

  /// The place of the next entry, in bytes from the start of the unit.
  public var position: Int { info.count }

  /// Adds an entry whose children follow up to `end()`.
  public mutating func begin(_ tag: Int, _ attributes: [(Int, DWARFValue)] = [], label: String? = nil) {
    write(tag, attributes, hasChildren: true, label: label)
    depth += 1
  }

  /// Ends the children of the entry that `begin` added last.
  public mutating func end() {
    info.append(UInt8(0))
    depth -= 1
  }

  /// Adds an entry without children.
  public mutating func entry(_ tag: Int, _ attributes: [(Int, DWARFValue)] = [], label: String? = nil) {
    write(tag, attributes, hasChildren: false, label: label)
  }

  /// The attributes of a range `[low, high)` in the form that the version uses.
  public func code(_ low: UInt64, _ high: UInt64) -> [(Int, DWARFValue)] {
    [(DW.lowPC, .address(low)), (DW.highPC, version >= 4 ? .data8(high &- low) : .address(high))]
  }

  private mutating func write(_ tag: Int, _ attributes: [(Int, DWARFValue)], hasChildren: Bool, label: String?) {
    if let label { labels[label] = info.count }
    let key = Abbreviation(
      tag: tag, hasChildren: hasChildren, attributes: attributes.map(\.0), forms: attributes.map { form($0.1) })
    info.uleb(UInt64(code(of: key)))
    for (_, value) in attributes { append(value) }
  }

  private mutating func code(of key: Abbreviation) -> Int {
    if let known = abbreviations[key] { return known }
    let code = abbreviations.count + 1
    abbreviations[key] = code
    abbreviationBytes.uleb(UInt64(code))
    abbreviationBytes.uleb(UInt64(key.tag))
    abbreviationBytes.append(UInt8(key.hasChildren ? 1 : 0))
    for (attribute, form) in zip(key.attributes, key.forms) {
      abbreviationBytes.uleb(UInt64(attribute))
      abbreviationBytes.uleb(form)
    }
    abbreviationBytes.append([0, 0])
    return code
  }

  private func form(_ value: DWARFValue) -> UInt64 {
    switch value {
    case .string: 0x08
    case .strp: 0x0e
    case .address: 0x01
    case .data1: 0x0b
    case .data2: 0x05
    case .data4: 0x06
    case .data8: 0x07
    case .udata: 0x0f
    case .label, .reference: 0x13
    case .sectionOffset: version >= 4 ? 0x17 : is64BitFormat ? 0x07 : 0x06
    }
  }

  private mutating func append(_ value: DWARFValue) {
    switch value {
    case .string(let text): info.cString(text)
    case .strp(let offset), .sectionOffset(let offset): info.word(offset, is64Bit: is64BitFormat)
    case .address(let address): info.word(address, is64Bit: addressSize == 8)
    case .data1(let number): info.append(number)
    case .data2(let number): info.append(number)
    case .data4(let number), .reference(let number): info.append(number)
    case .data8(let number): info.append(number)
    case .udata(let number): info.uleb(number)
    case .label(let label):
      patches.append((info.count, label))
      info.append(UInt32(0))
    }
  }

  /// The bytes of the unit, and its abbreviations; open entries are ended. The unit expects its abbreviations at the
  /// start of `.debug_abbrev`.
  public func finish() -> (info: [UInt8], abbreviations: [UInt8]) {
    var result = info
    for _ in 0..<depth { result.append(UInt8(0)) }
    for (at, label) in patches { result.patch(UInt32(labels[label] ?? 0), at: at) }
    let lengthAt = is64BitFormat ? 4 : 0
    let length = result.count - lengthAt - (is64BitFormat ? 8 : 4)
    if is64BitFormat { result.patch(UInt64(length), at: 4) } else { result.patch(UInt32(length), at: 0) }
    return (result.bytes, abbreviationBytes.bytes + [0])
  }
}

/// One instruction of a made-up line program.
public enum LineStep: Sendable, Hashable {
  /// A row.
  case row(UInt64, file: UInt64 = 1, line: Int64, column: UInt64 = 0)
  /// The end of the sequence, one past its last byte.
  case end(UInt64)
}

/// The bytes of `.debug_line` for one unit: `files` in folder `folder`, then the rows.
///
/// In DWARF 5 the first file is number 0 and again number 1, as compilers write it.
public func lineTable(
  version: UInt16 = 5, is64BitFormat: Bool = false, addressSize: Int = 8, order: ByteOrder = .little,
  folder: String = "/src", files: [String], steps: [LineStep], lineRange: UInt8 = 14, minimumLength: UInt8 = 1,
  opcodeBase: UInt8 = 13
) -> [UInt8] {
  var header = ByteWriter(order: order)
  header.append(minimumLength)
  if version >= 4 { header.append(UInt8(1)) }
  header.append(UInt8(1))
  header.append(UInt8(bitPattern: -5))
  header.append(lineRange)
  header.append(opcodeBase)
  header.append([UInt8]([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]).prefix(max(0, Int(opcodeBase) - 1)))
  if version >= 5 {
    header.append([1, 1, 0x08, 1])
    header.cString(folder)
    header.append([2, 1, 0x08, 2, 0x0b, UInt8(files.count + 1)])
    for file in files.prefix(1) + files {
      header.cString(file)
      header.append(UInt8(0))
    }
  } else {
    header.cString(folder)
    header.append(UInt8(0))
    for file in files {
      header.cString(file)
      header.append([1, 0, 0])
    }
    header.append(UInt8(0))
  }

  var program = ByteWriter(order: order)
  var isOpen = false
  var (address, line): (UInt64, Int64) = (0, 1)
  for step in steps {
    switch step {
    case .row(let at, let file, let newLine, let column):
      if !isOpen || at < address {
        program.append([0, UInt8(addressSize + 1), 2])
        program.word(at, is64Bit: addressSize == 8)
      } else if at > address {
        program.append(UInt8(2))
        program.uleb(at - address)
      }
      if !isOpen { line = 1 }
      isOpen = true
      program.append(UInt8(4))
      program.uleb(file)
      program.append(UInt8(5))
      program.uleb(column)
      program.append(UInt8(3))
      program.sleb(newLine &- line)
      program.append(UInt8(1))
      (address, line) = (at, newLine)
    case .end(let at):
      program.append(UInt8(2))
      program.uleb(at &- address)
      program.append([0, 1, 1])
      isOpen = false
    }
  }

  var rest = ByteWriter(order: order)
  rest.append(version)
  if version >= 5 { rest.append([UInt8(addressSize), 0]) }
  rest.word(UInt64(header.count), is64Bit: is64BitFormat)
  rest.append(header.bytes)
  rest.append(program.bytes)
  var table = ByteWriter(order: order)
  if is64BitFormat { table.append(UInt32(0xffff_ffff)) }
  table.word(UInt64(rest.count), is64Bit: is64BitFormat)
  return table.bytes + rest.bytes
}
