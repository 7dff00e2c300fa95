import Bytes
import Glibc
import TestSupport
import Testing

/// Damaged files through the whole program, each in a process of its own with 4 GB of address space: an error or an
/// answer, never a crash, never a hang, never more memory than a few times the file.
@Suite(.enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
struct MalformedFiles {
  private let program: String

  init() throws { program = try #require(Tool.symclust) }

  /// What one process may have resident before it has read anything, and beside the file: libraries, threads' stacks.
  private static let fixedMemory = 64 << 20
  /// How many times the size of the file may be resident besides.
  private static let memoryPerByte = 60

  private func check(_ path: String) {
    // The worker that reads the debug information counts as well.
    let outcome = Tool.run(program, ["check", path], seconds: 60, memory: 4_000_000)
    #expect(!outcome.timedOut, "\(path)")
    #expect(outcome.signal == 0, "\(path): signal \(outcome.signal): \(outcome.errorText.prefix(300))")
    #expect([0, 1, 3].contains(outcome.code), "\(path): code \(outcome.code): \(outcome.errorText.prefix(300))")
    #expect(!outcome.output.isEmpty, "\(path)")
    // Debug information is read in a process of its own: that one must not have died either.
    #expect(!outcome.text.contains("the process that read it failed"), "\(path): \(outcome.text)")
    let size = contents(of: path)?.count ?? 0
    #expect(outcome.peakMemory < Self.fixedMemory + Self.memoryPerByte * size, "\(path): \(size) bytes")
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"), arguments: ["macho", "elf"])
  func `the damaged files of the readers' test suites`(kind: String) {
    let root = Corpus.path("symbols/malformed/" + kind)
    let names = files(below: root)
    #expect(names.count > 20)
    for name in names { check(root + "/" + name) }
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "python3 is absent"),
    arguments: [
      "macho/sentry-release/2FF9CF4D-6117-36C5-AFD0-18D600A49351.dSYM/Contents/Resources/DWARF/CrashProbeiOS",
      "generated/macho/arm64-O2-dw5/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib",
      "generated/macho/fat/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib",
      "generated/elf/x86_64-O2-dw5/libcorpus.so", "generated/elf/gcc-O2-dw4/libcorpus.so",
    ])
  func `copies of good files damaged in headers and in every debug section`(name: String) throws {
    let folder = try #require(TemporaryFolder("malformed"))
    let made = Tool.run(
      "/usr/bin/python3", [Corpus.path("make-malformed.py"), Corpus.path("symbols/" + name), folder.entry("out")])
    #expect(made.code == 0)
    let names = files(below: folder.entry("out"))
    #expect(names.count > 10)
    for name in names { check(folder.entry("out/" + name)) }
  }
}

/// Small files made so that a careless reader multiplies them.
@Suite(.enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
struct Amplifiers {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("amplifier")) }

  func check(_ file: [UInt8]) throws -> Tool.Outcome {
    let path = folder.write(file, to: "file")
    let outcome = Tool.run(try #require(Tool.symclust), ["check", path], seconds: 60, memory: 4_000_000)
    #expect(!outcome.timedOut)
    #expect(outcome.signal == 0)
    #expect([0, 1, 3].contains(outcome.code), "code \(outcome.code): \(outcome.errorText.prefix(300))")
    return outcome
  }

  private func unit() -> DWARFUnitBuilder {
    var unit = DWARFUnitBuilder(version: 4)
    unit.begin(DW.unit, [(DW.lowPC, .address(0))])
    return unit
  }

  @Test func `names that overlap in one long text`() throws {
    var unit = unit()
    for number: UInt64 in 0..<1_000 {
      unit.entry(DW.function, [(DW.name, .strp(number))] + unit.code(0x1000 + number, 0x1001 + number))
    }
    var file = DebugFileBuilder(unit, code: 0x1000..<0x1_0000)
    file.sections.append(("debug_str", [UInt8](repeating: 0x61, count: 100_000) + [0]))
    let bytes = file.build()
    let outcome = try check(bytes)
    #expect(outcome.peakMemory < 64 << 20 + 300 * bytes.count, "\(outcome.peakMemory)")
  }

  @Test func `many ranges of a function, many calls inside it`() throws {
    var ranges = ByteWriter()
    for number: UInt64 in 0..<1_500 {
      ranges.append(0x1000 + 2 * number)
      ranges.append(0x1001 + 2 * number)
    }
    ranges.append(UInt64(0))
    ranges.append(UInt64(0))
    var unit = unit()
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer")), (DW.ranges, .sectionOffset(0))])
    for number: UInt64 in 0..<1_500 {
      unit.entry(DW.inlined, [(DW.origin, .label("leaf"))] + unit.code(0x1000 + 2 * number, 0x1001 + 2 * number))
    }
    var file = DebugFileBuilder(unit, code: 0x1000..<0x10_0000)
    file.sections.append(("debug_ranges", ranges.bytes))
    _ = try check(file.build())
  }

  @Test func `one giant list of ranges for every call`() throws {
    var ranges = ByteWriter()
    for number: UInt64 in 0..<1_500 {
      ranges.append(0x1000 + 2 * number)
      ranges.append(0x1001 + 2 * number)
    }
    ranges.append(UInt64(0))
    ranges.append(UInt64(0))
    var unit = unit()
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x10_0000))
    for _ in 0..<1_500 { unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.ranges, .sectionOffset(0))]) }
    var file = DebugFileBuilder(unit, code: 0x1000..<0x10_0000)
    file.sections.append(("debug_ranges", ranges.bytes))
    _ = try check(file.build())
  }

  @Test func `a function cut into pieces by thousands inside it, with a line for each`() throws {
    var unit = DWARFUnitBuilder(version: 4)
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x10_0000))
    var steps: [LineStep] = []
    for number: UInt64 in 0..<5_000 {
      let start = 0x1000 + 4 * number
      unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(start, start + 1))
      steps.append(.row(start, line: Int64(number % 3 + 1)))
    }
    steps.append(.end(0x10_0000))
    let lines = lineTable(version: 4, files: ["a.c"], steps: steps)
    _ = try check(DebugFileBuilder(unit, lines: lines, code: 0x1000..<0x10_0000).build())
  }

  @Test func `calls that all overlap`() throws {
    var unit = unit()
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x10_0000))
    for number: UInt64 in 0..<2_500 {
      unit.entry(DW.inlined, [(DW.origin, .label("leaf"))] + unit.code(0x1000 + number, 0x10_0000 - number))
    }
    _ = try check(DebugFileBuilder(unit, code: 0x1000..<0x10_0000).build())
  }

  @Test func `section names that overlap in one long text`() throws {
    var elf = ELFBuilder()
    elf.sections = (0..<2_000).map { _ in .init("", type: 8) }
    elf.sections.insert(.init(String(repeating: "n", count: 4_000)), at: 0)
    let bytes = elf.build()
    let outcome = try check(bytes)
    #expect(outcome.peakMemory < 64 << 20 + 100 * bytes.count)
  }
}

extension Amplifiers {
  @Test func `section headers that share one long name`() throws {
    var elf = ELFBuilder()
    elf.sections = (0..<60_000).map { _ in .init("", type: 8) }
    elf.sections[0].name = String(repeating: "n", count: 4_000)
    var writer = ByteWriter()
    writer.bytes = elf.build()
    let places = elf.fields.filter { $0.name.hasSuffix("sh_name") }.map(\.offset)
    let shared: UInt32 = ByteView(writer.bytes).load(at: places[1]) ?? 0
    for place in places { writer.patch(shared, at: place) }
    let outcome = try check(writer.bytes)
    #expect(outcome.peakMemory < 64 << 20 + 20 * writer.count, "\(outcome.peakMemory)")
  }

  @Test func `a line table that cannot be read is told`() throws {
    var unit = DWARFUnitBuilder()
    unit.begin(DW.unit, [(DW.compDir, .string("/src")), (DW.stmtList, .sectionOffset(0)), (DW.lowPC, .address(0))])
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1010))
    var lines = lineTable(files: ["a.c"], steps: [.row(0x1000, line: 1), .end(0x1010)])
    lines[4] = 9
    let outcome = try check(DebugFileBuilder(unit, lines: lines).build())
    #expect(outcome.text.contains("line table cannot be read"), "\(outcome.text)")
  }

  @Test func `symbols that use up the room for names are told`() throws {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x1000, size: 0x1000)]
    elf.segments = [.init(at: 0, size: 0x2000)]
    elf.symbols = [.init(String(repeating: "a", count: 50_000), 0x1000)]
    elf.symbols += (0..<100).map { .init("", 0x1001 + $0) }
    var writer = ByteWriter()
    writer.bytes = elf.build()
    let place = try #require(elf.fields.first { $0.name == "3 sh_offset" }).offset
    let table: UInt64 = try #require(ByteView(writer.bytes).load(at: place))
    for number in 0..<100 { writer.patch(UInt32(number + 2), at: Int(table) + 24 * (number + 2)) }
    let outcome = try check(writer.bytes)
    #expect(outcome.text.contains("names overlap"), "\(outcome.text)")
  }
}
