import Bytes
import Compression
import TestSupport

/// One good file that damaged copies are made of.
struct Seed: CustomTestName {
  /// How the program comes to read the damaged copy.
  enum Role {
    /// It is given.
    case object
    /// It lies beside a good file that is given, under this name.
    case companion(of: [UInt8], name: String)
    /// It has the names behind the placeholders of a good file that is given.
    case symbolMap(of: [UInt8])
  }

  var name: String
  var bytes: [UInt8]
  var role: Role
  var layout: FileLayout

  init(_ name: String, _ bytes: [UInt8], _ role: Role = .object) {
    (self.name, self.bytes, self.role) = (name, bytes, role)
    layout = FileLayout(bytes)
  }
}

extension Seed {
  /// Files that every checkout has or makes.
  static let own: [Seed] = [
    Seed("dSYM of the sample framework", contents(of: SampleSymbols.small.path) ?? []),
    Seed("Mach-O arm64", machO()),
    Seed("Mach-O armv7", machO(cpu: (12, 9), is64Bit: false)),
    Seed("Mach-O ppc, big-endian", machO(cpu: (18, 0), is64Bit: false, order: .big)),
    Seed("fat", fatFile([machO(), machO(cpu: (12, 9), is64Bit: false)])),
    Seed(
      "fat with 64-bit header", fatFile([machO(cpu: (0x0100_000c, 2)), machO(cpu: (0x0100_0007, 3))], is64Bit: true)),
    Seed("Mach-O with nothing but an export trie", exportTrieOnly()),
    Seed("ELF x86-64, DWARF 5", elf(version: 5, is64Bit: true, order: .little)),
    Seed("ELF ppc, big-endian, DWARF 4", elf(version: 4, is64Bit: false, order: .big)),
    Seed("ELF ppc64, big-endian, function descriptors", descriptors()),
    Seed("ELF x86-64, zstd sections", compressed()),
    Seed("BCSymbolMap", symbolMap, .symbolMap(of: machO(hidden: true))),
  ]

  /// Files of the corpus; empty without it.
  static let ofCorpus: [Seed] = Corpus.isPresent ? readCorpus() : []

  /// All of them.
  static let all = own + ofCorpus

  private static func readCorpus() -> [Seed] {
    func file(_ name: String) -> [UInt8] { contents(of: Corpus.path("symbols/" + name)) ?? [] }
    let split = file("generated/elf/split-dw5/libcorpus.so")
    let old = file("generated/elf/split-dw4/libcorpus.so")
    let objects = [
      ("relocatable, zstd", "elf/object-testfiles/base-debug-zstd.o"),
      ("relocatable, zlib", "elf/object-testfiles/base-debug-zlib.o"),
      ("relocatable, .zdebug", "elf/go/zdebug-test-gcc484-x86-64.obj"),
      ("relocatable ppc64", "elf/elfutils/testfile-debug-rel-ppc64.o"),
      ("ppc64, .zdebug, big-endian", "elf/elfutils/testfile-zgnu64be"),
      ("ELF i386", "elf/pyelftools/exe_simple32.elf"), ("MiniDebugInfo", "generated/elf/minidebug/libcorpus.so"),
      ("Mach-O armv7m", "macho/dsymutil-inputs/thumb.armv7m"),
      ("Mach-O arm64e", "macho/object-testfiles/fixup-chains-arm64e.dylib"),
      ("Mach-O object", "macho/object-testfiles/base-aarch64-debug.o"),
      ("Mach-O fat", "macho/llvm-object/macho-universal.x86_64.i386"),
      ("dSYM", "macho/abstract-linkage-names/main.dSYM/Contents/Resources/DWARF/main"),
      ("skeletons", "elf/go/split.elf"),
    ]
    return objects.map { Seed($0.0, file($0.1)) } + [
      Seed("split unit", file("generated/elf/split-dw5/plain.dwo"), .companion(of: split, name: "plain.dwo")),
      Seed(
        "package of split units", file("generated/elf/split-dw5/libcorpus.so.dwp"),
        .companion(of: split, name: "main.dwp")),
      Seed(
        "older package of split units", file("generated/elf/split-dw4/libcorpus.so.dwp"),
        .companion(of: old, name: "main.dwp")),
      Seed(
        "common file of dwz", file("generated/elf/dwz-multi/common.debug"),
        .companion(of: file("generated/elf/dwz-multi/one.so"), name: "common.debug")),
    ]
  }
}

extension Seed {
  /// The sections of a unit with a function, a call inside it, two ranges and lines, at `code`.
  private static func debugSections(
    version: UInt16, at code: UInt64, is64Bit: Bool, order: ByteOrder
  ) -> [(name: String, data: [UInt8])] {
    let addressSize = is64Bit ? 8 : 4
    var unit = DWARFUnitBuilder(version: version, addressSize: addressSize, order: order)
    unit.begin(
      DW.unit,
      [
        (DW.name, .strp(0)), (DW.compDir, .string("/src")), (DW.language, .data2(0x1e)),
        (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0)),
      ])
    func range(_ start: UInt64, _ end: UInt64) -> [(Int, DWARFValue)] {
      [(DW.lowPC, .address(start)), (DW.highPC, version >= 4 ? .data4(UInt32(end - start)) : .address(end))]
    }
    unit.entry(DW.function, [(DW.name, .string("leaf")), (DW.linkageName, .string("_Z4leafv"))], label: "leaf")
    unit.begin(DW.namespace, [(DW.name, .string("space"))])
    unit.begin(DW.function, [(DW.name, .strp(4))] + range(code, code + 0x40))
    unit.begin(DW.block)
    unit.begin(
      DW.inlined,
      [(DW.origin, .label("leaf")), (DW.callFile, .data1(1)), (DW.callLine, .udata(7))] + range(code + 8, code + 24))
    unit.entry(
      DW.inlined,
      [(DW.origin, .label("leaf")), (DW.callLine, .data1(9)), (DW.sibling, .reference(40))]
        + range(code + 12, code + 16))
    for _ in 0..<4 { unit.end() }
    unit.entry(DW.function, [(DW.specification, .label("leaf")), (DW.ranges, .sectionOffset(version >= 5 ? 12 : 0))])
    let (info, abbreviations) = unit.finish()
    let lines = lineTable(
      version: version, addressSize: addressSize, order: order, files: ["a.swift", "/b.c"],
      steps: [
        .row(code, line: 5, column: 3), .row(code + 8, file: 2, line: 0), .row(code + 16, line: 9), .end(code + 0x80),
      ])
    var ranges = ByteWriter(order: order)
    if version >= 5 {
      // DWARF 5, 7.28: the header, then pairs of start and length (7), then the end (0).
      ranges.append(UInt32(8 + 2 * (addressSize + 2) + 1))
      ranges.append(UInt16(5))
      ranges.append([UInt8(addressSize), 0, 0, 0, 0, 0])
    }
    for start in [code + 0x50, code + 0x60] {
      if version >= 5 { ranges.append([UInt8(7)]) }
      ranges.word(start, is64Bit: is64Bit)
      if version >= 5 { ranges.uleb(8) } else { ranges.word(start + 8, is64Bit: is64Bit) }
    }
    if version >= 5 { ranges.append([UInt8(0)]) } else { ranges.append([UInt8](repeating: 0, count: 2 * addressSize)) }
    return [
      ("debug_info", info), ("debug_abbrev", abbreviations), ("debug_line", lines),
      ("debug_str", Array("a.c\0outer\0".utf8)), (version >= 5 ? "debug_rnglists" : "debug_ranges", ranges.bytes),
    ]
  }

  /// An image with symbols, stubs, function starts, an export trie, unwind entries and debug information.
  private static func machO(
    cpu: (type: UInt32, subtype: UInt32) = (0x0100_000c, 0), is64Bit: Bool = true, order: ByteOrder = .little,
    hidden: Bool = false
  ) -> [UInt8] {
    var builder = MachOBuilder()
    (builder.cpu, builder.is64Bit, builder.order, builder.fileType) = (cpu, is64Bit, order, 6)
    builder.text = (0x4000, 0x4000)
    builder.sections = [
      .code(at: 0x5000, size: 0x100),
      .init("__TEXT", "__stubs", at: 0x5100, size: 24, flags: 0x8000_0408, reserved: (0, 12)),
      .init("__TEXT", "__unwind_info", at: 0x5200, data: unwindInfo(order)),
      .init("__DATA", "__data", at: 0x6000, data: [1, 2, 3, 4]),
    ]
    for (name, data) in debugSections(version: 4, at: 0x5000, is64Bit: is64Bit, order: order) where !hidden {
      builder.sections.append(.init("__DWARF", "__" + name, at: 0x8000, data: data))
    }
    builder.symbols = [
      .init(hidden ? "__hidden#0_" : "_main", 0x5000), .init(hidden ? "__hidden#2_" : "_$s3kit4workyyF", 0x5040),
      .init("_helper", 0x5080, type: 0x0e, description: 8), .init("_puts", 0, type: 1, section: 0),
      .init("_exit", 0, type: 1, section: 0),
    ]
    builder.indirectSymbols = [3, 4]
    var starts = ByteWriter()
    for delta: UInt64 in [0x1000, 0x40, 0x40, 0] { starts.uleb(delta) }
    builder.functionStarts = starts.bytes
    builder.exportTrie = trie
    return builder.build()
  }

  private static func exportTrieOnly() -> [UInt8] {
    var builder = MachOBuilder()
    builder.fileType = 6
    builder.text = (0, 0x4000)
    builder.sections = [.code(at: 0x1000, size: 0x100)]
    builder.exportTrie = trie
    return builder.build()
  }

  /// `_main`, `_mainline` and a re-export: edges `_ma`, `in`, `line`, `x`. Source: `<mach-o/loader.h>`.
  private static let trie: [UInt8] =
    [0, 1] + Array("_ma\0".utf8) + [7] + [0, 2] + Array("in\0".utf8) + [16] + Array("x\0".utf8) + [32]
    + [3, 0, 0x80, 0x20, 1] + Array("line\0".utf8) + [27] + [3, 0, 0xc0, 0x20, 0] + [3, 8, 1, 0, 0]

  /// One regular and one compressed page. Source: `<mach-o/compact_unwind_encoding.h>`.
  private static func unwindInfo(_ order: ByteOrder) -> [UInt8] {
    var info = ByteWriter(order: order)
    for word: UInt32 in [1, 28, 0, 28, 0, 28, 3] { info.append(word) }
    for word: UInt32 in [0x1000, 64, 0, 0x1040, 80, 0, 0x1100, 0, 0] { info.append(word) }
    info.append(UInt32(2))
    for half: UInt16 in [8, 1] { info.append(half) }
    for word: UInt32 in [0x1000, 0] { info.append(word) }
    info.append(UInt32(3))
    for half: UInt16 in [12, 1, 16, 0] { info.append(half) }
    info.append(UInt32(0x40))
    return info.bytes
  }

  private static func elf(version: UInt16, is64Bit: Bool, order: ByteOrder) -> [UInt8] {
    var builder = ELFBuilder()
    (builder.is64Bit, builder.order, builder.machine) = (is64Bit, order, is64Bit ? 62 : 20)
    builder.segments = [.init(at: 0, size: 0x3000), .init(type: 4, flags: 4, at: 0, size: 0x20)]
    builder.sections = [
      .init(".text", flags: 6, at: 0x1000, data: [UInt8](repeating: 0xc3, count: 0x100)),
      .init(".gnu_debuglink", data: Array("main.debug\0\0".utf8) + [1, 2, 3, 4]),
      .init(".gnu_debugaltlink", data: Array("common\0".utf8) + (1...20).map { UInt8($0) }),
      .init(
        ".note.go", type: 7, flags: 2, data: ELFBuilder.note(owner: "Go", type: 4, Array("go/id".utf8), order: order)),
    ]
    for (name, data) in debugSections(version: version, at: 0x1000, is64Bit: is64Bit, order: order) {
      builder.sections.append(.init("." + name, data: data))
    }
    builder.symbols = [
      .init("main", 0x1000, size: 0x40), .init("_RNvC1a1b", 0x1040, info: 0x02), .init("late", 0x1080, info: 0x10),
    ]
    return builder.build()
  }

  private static func descriptors() -> [UInt8] {
    var builder = ELFBuilder()
    (builder.order, builder.machine) = (.big, 21)
    var table = ByteWriter(order: .big)
    for address: UInt64 in [0x1000, 0, 0, 0x1040, 0, 0] { table.append(address) }
    builder.segments = [.init(at: 0, size: 0x3000)]
    builder.sections = [
      .init(".text", flags: 6, at: 0x1000, data: [UInt8](repeating: 0, count: 0x100)),
      .init(".opd", flags: 3, at: 0x2000, data: table.bytes),
    ]
    builder.symbols = [.init("main", 0x2000, size: 0x40), .init("helper", 0x2018, size: 0x40)]
    return builder.build()
  }

  private static func compressed() -> [UInt8] {
    var builder = ELFBuilder()
    builder.segments = [.init(at: 0, size: 0x3000)]
    builder.sections = [.code(at: 0x1000, size: 0x100)]
    for (name, data) in debugSections(version: 5, at: 0x1000, is64Bit: true, order: .little) {
      var section = ByteWriter()
      // The compression header of the gABI: type 2, reserved, size, alignment.
      for word: UInt32 in [2, 0] { section.append(word) }
      for long: UInt64 in [UInt64(data.count), 1] { section.append(long) }
      let packed = (try? Zstd.compress(ByteView(data))) ?? .empty
      section.append(packed.withBytes { Array($0) })
      builder.sections.append(.init("." + name, flags: 0x800, data: section.bytes))
    }
    return builder.build()
  }

  private static let symbolMap = Array(
    "BCSymbolMap Version: 2.0\n_main\n/src/a.swift\n_$s3kit4workyyF\n__hidden#1_\n-[Kit work]\n".utf8)
}
