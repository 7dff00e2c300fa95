import Bytes
import Files
import Identity
import ObjectFiles
import SymbolIndex
import SymbolStore
import TestSupport

/// Files of one made-up image, from rich to poor.
enum Sample {
  /// The code of the image, at addresses 0x1000 to 0x2000 behind its base.
  private static func binary(_ symbols: [MachOBuilder.Symbol], uuid: UInt8 = 1, codeSize: UInt64 = 0x1000) -> [UInt8] {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.uuid = [UInt8](repeating: uuid, count: 16)
    builder.text = (0x1000, codeSize)
    builder.sections = [.code(at: 0x1000, size: codeSize)]
    builder.symbols = symbols
    return builder.build()
  }

  /// Debug information of `functions` functions.
  static func dsym(functions: Int = 8, uuid: UInt8 = 1, codeSize: UInt64 = 0x1000) -> [UInt8] {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    for number in 0..<functions {
      let start = 0x1000 + UInt64(number) * 0x10
      unit.entry(DW.function, [(DW.name, .string("known\(number)"))] + unit.code(start, start + 0x10))
    }
    let (info, abbreviations) = unit.finish()
    var builder = MachOBuilder()
    builder.uuid = [UInt8](repeating: uuid, count: 16)
    builder.text = (0x1000, codeSize)
    builder.sections = [
      .code(at: 0x1000, size: codeSize), .init("__DWARF", "__debug_info", at: 0x9000, data: info),
      .init("__DWARF", "__debug_abbrev", at: 0x9000, data: abbreviations),
      .init(
        "__DWARF", "__debug_line", at: 0x9000,
        data: lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 5), .end(0x1000 + UInt64(functions) * 0x10)])),
    ]
    return builder.build()
  }

  /// The binary with a symbol table.
  static func symbols(_ names: String..., uuid: UInt8 = 1) -> [UInt8] {
    binary(names.enumerated().map { .init("_" + $0.element, 0x1100 + UInt64($0.offset) * 0x10) }, uuid: uuid)
  }

  /// The binary with nothing that names its code.
  static let stripped = binary([])
  /// Other code under the same identifier.
  static let otherCode = dsym(codeSize: 0x800)
  /// The image.
  static let id: DebugID = {
    guard let id = DebugID(bytes: [UInt8](repeating: 1, count: 16)) else { preconditionFailure("sixteen ones") }
    return id
  }()
}

/// A store in a folder of its own, and files to take from another.
struct TestStore {
  let folder: TemporaryFolder
  let root: String

  init() throws {
    guard let folder = TemporaryFolder("store") else { throw NoFolder() }
    self.folder = folder
    root = folder.entry("store")
    _ = try StoreDirectory(root: root, creating: true)
  }

  struct NoFolder: Error {}

  func store() throws(StoreError) -> SymbolStore { SymbolStore(try StoreDirectory(root: root, creating: false)) }

  /// Uploads one file, as a process of its own would.
  @discardableResult
  func upload(_ bytes: [UInt8], as name: String = "App", build: BuildName? = nil) throws -> [SliceReport] {
    try upload(paths: [folder.write(bytes, to: "in/" + name)], build: build)
  }

  @discardableResult
  func upload(paths: [String], build: BuildName? = nil) throws -> [SliceReport] {
    let directory = try StoreDirectory(root: root, creating: false)
    // Tests of other suites start processes, which for a moment hold our files open as well.
    let lock = try StoreLock(directory, seconds: 5)
    var intake = try SymbolIntake(into: SymbolStore(directory), build: build)
    try intake.take(paths)
    _ = consume lock
    return intake.reports
  }

  /// Everything in the store but the lock.
  var files: [String: [UInt8]] { snapshot(of: root) }

  /// The one file of the store whose name has this ending.
  func path(ending: String) throws -> String {
    guard let name = TestSupport.files(below: root).first(where: { $0.hasSuffix(ending) }) else { throw NoFolder() }
    return root + "/" + name
  }
}
