import Bytes
import DebugInfo
import TestSupport
import Testing

/// What bounds the work and the memory that a file can ask for.
@Suite struct Limits {
  /// `depth` functions' worth of nested blocks, then a function with code.
  private func nested(_ depth: Int, tag: Int = DW.block) -> [UInt8] {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .string("first"))] + unit.code(0x1000, 0x1010))
    for _ in 0..<depth { unit.begin(tag) }
    unit.entry(DW.function, [(DW.name, .string("deep"))] + unit.code(0x1010, 0x1020))
    for _ in 0..<depth { unit.end() }
    unit.entry(DW.function, [(DW.name, .string("last"))] + unit.code(0x1020, 0x1030))
    return DebugFileBuilder(unit).build()
  }

  @Test(arguments: [(8, 7, true), (8, 8, false), (8, 9, false), (1024, 1023, true), (1024, 1024, false)])
  func `entries nest as deep as the limit, and what is deeper does not hide what follows`(
    limit: Int, depth: Int, isFound: Bool
  ) throws {
    var limits = DebugInfoLimits()
    limits.entryDepth = limit
    let found = try unit(nested(depth), limits: limits).functions
    #expect(found.first == "first 1000-1010")
    #expect(found.last == "last 1020-1030")
    #expect(found.contains("deep 1010-1020") == isFound)
  }

  @Test(arguments: [DW.block, DW.namespace, DW.variable]) func `a hundred thousand levels need no stack`(tag: Int)
    throws
  {
    let found = try unit(nested(100_000, tag: tag)).functions
    #expect(found.first == "first 1000-1010")
    #expect(found.last == "last 1020-1030")
  }

  @Test(arguments: [255, 256, 257, 300]) func `inlined calls nest as deep as the limit; the rest is counted`(depth: Int)
    throws
  {
    var unit = builder(hasLines: false)
    unit.entry(DW.function, [(DW.name, .string("leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x2000))
    for _ in 0..<depth { unit.begin(DW.inlined, [(DW.origin, .label("leaf"))] + unit.code(0x1000, 0x2000)) }
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build())
    #expect(read.unit.inlines.count == min(depth, 256))
    #expect(read.unit.inlines.last?.depth == Int32(min(depth, 256)))
    #expect(read.unit.cutInlines == (depth > 256 ? 1 : 0))
  }

  @Test func `a file that costs more steps than its size allows is refused by name`() throws {
    var unit = builder(hasLines: false)
    for number in 0..<100 { unit.entry(DW.function, unit.code(0x1000, 0x1001 + UInt64(number))) }
    let file = DebugFileBuilder(unit).build()
    var limits = DebugInfoLimits()
    (limits.fixedSteps, limits.stepsPerByte) = (150, 0)
    #expect(try refusal(file, limits: limits)?.code == nil)
    limits.fixedSteps = 50
    #expect(try refusal(file, limits: limits)?.code == .workLimit)
    (limits.fixedSteps, limits.stepsPerByte) = (0, 50)
    #expect(try refusal(file, limits: limits) == nil)
  }

  @Test func `one giant list of ranges that every function refers to is work, not an answer`() throws {
    // DWARF 4 range list: 2,000 pairs, used by 2,000 functions.
    var ranges = ByteWriter()
    for number: UInt64 in 0..<2_000 {
      ranges.append(0x1000 + number)
      ranges.append(0x1001 + number)
    }
    ranges.append(UInt64(0))
    ranges.append(UInt64(0))
    var unit = builder(version: 4, hasLines: false)
    for _ in 0..<2_000 { unit.entry(DW.function, [(DW.ranges, .sectionOffset(0))]) }
    var file = DebugFileBuilder(unit)
    file.sections.append(("debug_ranges", ranges.bytes))
    var limits = DebugInfoLimits()
    limits.fixedSteps = 10_000
    #expect(try refusal(file.build(), limits: limits)?.code == .workLimit)
  }

  @Test(arguments: [0, 1, 20]) func `a sibling that points at itself or backwards ends`(distance: Int) throws {
    var unit = builder(hasLines: false)
    let target = UInt32(unit.position - distance)
    unit.begin(DW.variable, [(DW.sibling, .reference(target))])
    unit.end()
    unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(0x1000, 0x1010))
    var limits = DebugInfoLimits()
    limits.fixedSteps = 1_000
    let read = try DebugInfoTests.unit(DebugFileBuilder(unit).build(), limits: limits)
    #expect(read.unit.damage != nil)
  }

  @Test func `damage in one unit leaves the others`() throws {
    var place = 0
    func small(_ start: UInt64) -> DWARFUnitBuilder {
      var unit = builder(hasLines: false)
      place = unit.position
      unit.entry(DW.function, [(DW.name, .string("f"))] + unit.code(start, start + 0x10))
      return unit
    }
    let (first, abbreviations) = small(0x1000).finish()
    var (damaged, _) = small(0x1010).finish()
    damaged[place] = 0x7f
    let (last, _) = small(0x1020).finish()
    var file = DebugFileBuilder()
    file.sections = [("debug_info", first + damaged + last), ("debug_abbrev", abbreviations)]
    let read = try units(file.build())
    #expect(read.count == 3)
    #expect(read[0].functions == ["f 1000-1010"])
    #expect(read[2].functions == ["f 1020-1030"])
    #expect(read[1].unit.damage != nil)
    #expect(read[1].functions.isEmpty)
  }
}

@Suite struct HostileDebugInfo {
  private let info: [UInt8]
  private let abbreviations: [UInt8]
  private let lines = lineTable(files: ["a.swift"], steps: [.row(0x1000, line: 5), .end(0x1010)])

  init() {
    var unit = builder()
    unit.entry(DW.function, [(DW.name, .string("leaf")), (DW.linkageName, .string("_leaf"))], label: "leaf")
    unit.begin(DW.function, [(DW.name, .string("outer"))] + unit.code(0x1000, 0x1040))
    unit.entry(DW.inlined, [(DW.origin, .label("leaf")), (DW.callLine, .data1(7))] + unit.code(0x1010, 0x1020))
    unit.end()
    (info, abbreviations) = unit.finish()
  }

  private func read(_ info: [UInt8], _ abbreviations: [UInt8]) throws -> [ReadUnit] {
    var file = DebugFileBuilder()
    file.sections = [("debug_info", info), ("debug_abbrev", abbreviations), ("debug_line", lines)]
    do {
      return try units(file.build())
    } catch is DebugInfoError { return [] }
  }

  /// Whatever the bytes say, an answer points only at what is there.
  private func check(_ units: [ReadUnit]) {
    for read in units {
      for function in read.unit.functions {
        #expect(read.identities.indices.contains(Int(function.identity)))
        #expect(function.ranges.allSatisfy { read.unit.ranges.indices.contains(Int($0)) })
        for call in function.inlines {
          let parent = read.unit.inlines[Int(call)].parent
          #expect(parent < call && (parent < 0 || function.inlines.contains(parent)))
        }
      }
    }
  }

  @Test func `every byte of the entries turned over, and the entries cut off at each`() throws {
    for index in info.indices {
      for mask: UInt8 in [0x01, 0x40, 0x80, 0xff] {
        var damaged = info
        damaged[index] ^= mask
        check(try read(damaged, abbreviations))
      }
      check(try read(Array(info[..<index]), abbreviations))
    }
    #expect(try read(info, abbreviations)[0].functions == ["outer 1000-1040"])
  }

  @Test func `every byte of the abbreviations turned over, and the table cut off at each`() throws {
    for index in abbreviations.indices {
      for mask: UInt8 in [0x01, 0x40, 0x80, 0xff] {
        var damaged = abbreviations
        damaged[index] ^= mask
        check(try read(info, damaged))
      }
      check(try read(info, Array(abbreviations[..<index])))
    }
  }

  @Test(arguments: [9, 10, 11, 1_000_000]) func `a number of endless continuation bytes is an error`(count: Int) throws
  {
    let endless = [UInt8](repeating: 0x80, count: count)
    check(try read(Array(info[..<12]) + endless, abbreviations))
    check(try read(info, endless + [0]))
  }
}
