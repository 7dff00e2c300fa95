import Bytes
import DebugInfo
import ObjectFiles
import TestSupport
import Testing

/// Debug information that compilers wrote.
@Suite struct RealDebugInfo {
  /// What llvm-dwarfdump prints of entries with code: tag, then the first address.
  private func peerEntries(_ path: String, tag: String) throws -> [UInt64] {
    let tool = try #require(Tool.llvm("llvm-dwarfdump"))
    var entries: [UInt64] = []
    var isInside = false
    var wantsRange = false
    for line in Tool.run(tool, ["--debug-info", path]).lines {
      if line.contains("DW_TAG_") || line.hasSuffix("NULL") {
        isInside = line.hasSuffix("DW_TAG_\(tag)")
        wantsRange = false
      }
      guard isInside else { continue }
      let words = line.split { " \t()[],".contains($0) }
      if words.first == "DW_AT_low_pc", let address = words.last.flatMap(hex) { entries.append(address) }
      if words.first == "DW_AT_ranges" {
        wantsRange = true
      } else if wantsRange, let address = words.first.flatMap(hex) {
        entries.append(address)
        wantsRange = false
      }
    }
    return entries.sorted()
  }

  private func hex(_ word: Substring) -> UInt64? {
    word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : nil
  }

  @Test(.enabled(if: Tool.llvm("llvm-dwarfdump") != nil, "\(Tool.llvmAbsence)"), arguments: SampleSymbols.all)
  func `functions and inlined calls are those of llvm-dwarfdump`(file: SampleSymbols.File) throws {
    let read = try units(Container(ByteView.mapping(path: file.path)).objects[0])
    func starts(_ ranges: [Range<Int32>], _ unit: ReadUnit) -> [UInt64] {
      ranges.compactMap { $0.first.map { unit.unit.ranges[Int($0)].start } }
    }
    let functions = read.flatMap { unit in starts(unit.unit.functions.map(\.ranges), unit) }.sorted()
    let inlines = read.flatMap { unit in starts(unit.unit.inlines.map(\.ranges), unit) }.sorted()
    #expect(functions.count > 10)
    #expect(try functions == peerEntries(file.path, tag: "subprogram"))
    #expect(try inlines == peerEntries(file.path, tag: "inlined_subroutine"))
  }

  @Test(arguments: SampleSymbols.all) func `rows are sorted, and every function has some`(file: SampleSymbols.File)
    throws
  {
    for unit in try units(Container(ByteView.mapping(path: file.path)).objects[0]) {
      #expect(unit.unit.damage == nil)
      for (first, second) in zip(unit.unit.rows, unit.unit.rows.dropFirst()) { #expect(first.address < second.address) }
      for function in unit.unit.functions {
        let range = unit.unit.ranges[Int(function.ranges.lowerBound)]
        #expect(unit.unit.rows.contains { range.start <= $0.address && $0.address < range.end })
      }
    }
  }

  @Test(arguments: SampleSymbols.all) func `every inlined call lies inside its parent`(file: SampleSymbols.File) throws
  {
    for unit in try units(Container(ByteView.mapping(path: file.path)).objects[0]) {
      for function in unit.unit.functions {
        for number in function.inlines {
          let call = unit.unit.inlines[Int(number)]
          let parent = call.parent < 0 ? function.ranges : unit.unit.inlines[Int(call.parent)].ranges
          for range in call.ranges.map({ unit.unit.ranges[Int($0)] }) {
            #expect(
              parent.map { unit.unit.ranges[Int($0)] }.contains { $0.start <= range.start && range.end <= $0.end },
              "\(unit.name(call.identity))")
          }
        }
      }
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `nested functions keep their own calls`() throws {
    let path = Corpus.path("symbols/elf/elfutils/testfile_nested_funcs")
    let read = try units(Container(ByteView.mapping(path: path)).objects[0])
    let names = read.flatMap { unit in unit.unit.functions.map { unit.name($0.identity) } }
    #expect(names.contains("main"))
    #expect(Set(names).count == names.count)
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    arguments: [
      ("gcc-O2-dw2", 2), ("gcc-O2-dw3", 3), ("gcc-O2-dw4", 4), ("gcc-O2-dw5", 5), ("x86_64-O2-dw64", 5),
      ("s390x-O2-dw4", 4), ("ppc64be-O2-dw4", 4), ("i386-O2-dw4", 4), ("armv7-O2-dw4", 4), ("riscv64-O2-dw5", 5),
    ] as [(String, UInt16)])
  func `compilers' units of every version and processor have functions, calls and lines`(
    folder: String, version: UInt16
  ) throws {
    let path = Corpus.path("symbols/generated/elf/\(folder)/libcorpus.so")
    let read = try units(Container(ByteView.mapping(path: path)).objects[0])
    #expect(read.allSatisfy { $0.unit.damage == nil })
    #expect(read.contains { $0.unit.version == version })
    #expect(read.reduce(0) { $0 + $1.unit.functions.count } > 20)
    #expect(read.reduce(0) { $0 + $1.unit.rows.count } > 100)
    #expect(read.flatMap(\.files).contains { $0.hasSuffix(".c") || $0.hasSuffix(".cpp") })
  }
}
