import Bytes
import ObjectFiles
import TestSupport

/// The smallest files that have everything the reader looks at.
enum Sample {
  /// A dSYM-like Mach-O file: two functions, a stub, function starts, an export trie.
  static func machO(_ change: (inout MachOBuilder) -> Void = { _ in }) -> MachOBuilder {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.sections = [
      .code(at: 0x1_0000_1000, size: 0x100),
      .init("__TEXT", "__stubs", at: 0x1_0000_1100, size: 24, flags: 0x8000_0408, reserved: (0, 12)),
      .init("__DATA", "__data", at: 0x1_0000_4000, data: [1, 2, 3, 4]),
      .init("__DWARF", "__debug_str_offs", at: 0x1_0000_5000, data: [9, 9]),
    ]
    builder.symbols = [
      .init("_main", 0x1_0000_1000), .init("_helper", 0x1_0000_1040, type: 0x0e),
      .init("_puts", 0, type: 0x01, section: 0), .init("_malloc", 0, type: 0x01, section: 0),
    ]
    builder.indirectSymbols = [2, 3]
    var starts = ByteWriter()
    for delta: UInt64 in [0x1000, 0x40, 0x20, 0] { starts.uleb(delta) }
    builder.functionStarts = starts.bytes
    builder.exportTrie = trie([("_main", 0x1000)])
    change(&builder)
    return builder
  }

  /// A shared object: two functions, a build-id, a loaded segment.
  static func elf(_ change: (inout ELFBuilder) -> Void = { _ in }) -> ELFBuilder {
    var builder = ELFBuilder()
    builder.sections = [
      .init(".text", flags: 6, at: 0x1000, data: [UInt8](repeating: 0xc3, count: 0x80)),
      .init(".debug_info", data: [1, 2, 3]),
    ]
    builder.symbols = [.init("main", 0x1000, size: 0x20), .init("helper", 0x1020, size: 0x10, info: 0x02)]
    builder.segments = [.init(at: 0x0, size: 0x2000)]
    change(&builder)
    return builder
  }

  /// An export trie with one edge from the root to each name.
  static func trie(_ exports: [(name: String, offset: UInt64)], flags: UInt64 = 0) -> [UInt8] {
    let leaves = exports.map { export in
      var terminal = ByteWriter()
      terminal.uleb(flags)
      terminal.uleb(export.offset)
      var leaf = ByteWriter()
      leaf.uleb(UInt64(terminal.count))
      leaf.append(terminal.bytes)
      leaf.append(UInt8(0))
      return leaf.bytes
    }
    // Offsets of two bytes each keep the size of the root known beforehand.
    let rootSize = 2 + exports.reduce(0) { $0 + $1.name.utf8.count + 1 + 2 }
    var root = ByteWriter()
    root.append([0, UInt8(exports.count)])
    var offset = rootSize
    for (export, leaf) in zip(exports, leaves) {
      root.cString(export.name)
      root.append([UInt8(offset & 0x7f) | 0x80, UInt8(offset >> 7)])
      offset += leaf.count
    }
    return root.bytes + leaves.flatMap { $0 }
  }
}

/// The one slice of a thin file.
func object(_ bytes: [UInt8]) throws(ObjectFileError) -> ObjectFile {
  let slices = try Container(ByteView(bytes)).slices
  guard let first = slices.first else { throw ObjectFileError(.notObjectFile, "no slice") }
  return try first.get()
}

/// Why the bytes are refused; `nil` when they are not.
func refusal(_ bytes: [UInt8]) -> ObjectFileError? {
  do throws(ObjectFileError) {
    _ = try object(bytes)
    return nil
  } catch { return error }
}

/// Reads everything that can be read of a file and its slices: what a hostile file must survive.
@discardableResult
func readAll(_ bytes: [UInt8]) -> Int {
  guard let container = try? Container(ByteView(bytes)) else { return 0 }
  return container.objects.reduce(0) { sum, object in
    sum + object.codeSymbols().count + object.functionStarts().count + object.sections.count
  }
}
