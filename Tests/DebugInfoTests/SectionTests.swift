import Bytes
import Compression
import DebugInfo
import ObjectFiles
import TestSupport
import Testing

/// How sections come out of a file: plain, compressed, absent, cut off.
@Suite struct DebugSectionTests {
  private func plain() -> DebugFileBuilder {
    var unit = builder()
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1010))
    return DebugFileBuilder(
      unit, lines: lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 5), .end(0x1010)]))
  }

  /// The file with every section behind an ELF compression header.
  private func compressed(
    type: UInt32, is64Bit: Bool = true, declared: UInt64? = nil, _ compress: ([UInt8]) throws -> [UInt8]
  ) throws -> [UInt8] {
    var file = plain()
    file.is64Bit = is64Bit
    file.flags = 0x800
    file.sections = try file.sections.map { section in
      var header = ByteWriter()
      header.append(type)
      if is64Bit { header.append(UInt32(0)) }
      header.word(declared ?? UInt64(section.data.count), is64Bit: is64Bit)
      header.word(1, is64Bit: is64Bit)
      return (section.name, header.bytes + (try compress(section.data)))
    }
    return file.build()
  }

  private func zstd(_ bytes: [UInt8]) throws -> [UInt8] {
    try Zstd.compress(ByteView(bytes)).withBytes { Array($0) }
  }

  @Test func `zstd sections are inflated`() throws {
    #expect(try unit(compressed(type: 2, zstd)).functions == ["f 1000-1010"])
  }

  @Test(arguments: [9, 11]) func `a declared size that is not the real one is refused`(difference: Int) throws {
    let file = try compressed(type: 2, declared: UInt64(plain().sections[0].data.count + difference - 10), zstd)
    let error = try #require(try refusal(file))
    #expect(error.code == .malformed)
    #expect(error.description.contains(".debug_info"))
  }

  @Test func `a section that declares more than the limit is refused before memory is taken`() throws {
    for size: UInt64 in [1 << 33, 1 << 62, .max] {
      let error = try #require(try refusal(compressed(type: 2, declared: size, zstd)))
      #expect(error.description.contains("limit"), "\(size)")
    }
  }

  @Test(arguments: [0, 3, 99] as [UInt32]) func `an unknown method is told by its number`(type: UInt32) throws {
    let error = try #require(try refusal(compressed(type: type) { $0 }))
    #expect(error.description.contains("compression type \(type)"))
  }

  @Test(arguments: [0, 4, 11, 23]) func `a compression header that is cut off is an error`(length: Int) throws {
    var file = plain()
    file.flags = 0x800
    file.sections[0].data = [UInt8](repeating: 1, count: max(1, length))
    #expect(try refusal(file.build())?.code == .malformed)
  }

  @Test func `a file without debug information says that there is none`() throws {
    var file = plain()
    file.sections = []
    #expect(try refusal(file.build())?.code == .absent)
  }

  @Test func `a file whose debug information lies past its end says so`() throws {
    var builder = MachOBuilder()
    builder.sections = [
      .code(at: 0x1_0000_1000, size: 16), .init("__DWARF", "__debug_info", at: 0, data: [1], size: 1 << 30),
    ]
    let error = try #require(try refusal(builder.build()))
    #expect(error.code == .malformed)
    #expect(error.description.contains("__debug_info"))
    #expect(error.description.contains("past the end"))
  }

  @Test func `one damaged section is a problem told, and the others still count`() throws {
    var file = plain()
    file.flags = 0x800
    file.sections = try file.sections.map { section in
      var header = ByteWriter()
      header.append(UInt32(2))
      header.append(UInt32(0))
      header.append(UInt64(section.data.count))
      header.append(UInt64(1))
      return (section.name, header.bytes + (section.name == "debug_line" ? [1, 2, 3] : try zstd(section.data)))
    }
    let object = try object(file.build())
    let sections = try DebugSections(object)
    #expect(sections.problems.count == 1)
    #expect(sections.problems[0].contains(".debug_line"))
    #expect(try units(object)[0].functions == ["f 1000-1010"])
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    arguments: ["zlib", "zstd", "zlib-gnu"])
  func `a compressed file has the functions of the plain one`(method: String) throws {
    func read(_ path: String) throws -> [ReadUnit] {
      try units(Container(ByteView.mapping(path: Corpus.path("symbols/generated/elf/" + path))).objects[0])
    }
    let plain = try read("x86_64-O2-dw5/libcorpus.so")
    let packed = try read("compressed/libcorpus-\(method).so")
    #expect(plain.count > 2)
    #expect(packed.map(\.functions) == plain.map(\.functions))
    #expect(packed.map(\.rows) == plain.map(\.rows))
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `a section that claims to be huge is told, not inflated`() throws {
    let path = Corpus.path("symbols/elf/ebpf-profiler/inline-big-fake-compressed-dwarf")
    let object = try Container(ByteView.mapping(path: path)).objects[0]
    do throws(DebugInfoError) {
      #expect(try !DebugSections(object).problems.isEmpty)
    } catch {
      #expect(error.code != .absent)
    }
  }
}
