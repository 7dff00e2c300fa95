import Bytes
import DebugInfo
import ObjectFiles
import TestSupport
import Testing

/// Split units made byte by byte. Source: DWARF 5, 7.5.1.2 (headers), 7.28 (range lists).
@Suite struct SplitUnits {
  private static let id: UInt64 = 0x1122_3344_5566_7788

  private func unit(type: UInt8, _ entries: [UInt8]) -> [UInt8] {
    var body = ByteWriter()
    body.append(UInt16(5))
    body.append([type, 8])
    body.append(UInt32(0))
    body.append(Self.id)
    body.append(entries)
    var unit = ByteWriter()
    unit.append(UInt32(body.count))
    return unit.bytes + body.bytes
  }

  /// A main file whose only unit is a skeleton that names `name`.
  private func skeleton(_ name: String) throws -> ObjectFile {
    var entry = ByteWriter()
    entry.append([1])
    entry.cString(name)
    entry.append(UInt64(0x1000))
    var file = DebugFileBuilder()
    file.sections = [
      ("debug_info", unit(type: 4, entry.bytes)), ("debug_abbrev", [1, 0x4a, 0, 0x76, 0x08, 0x11, 0x01, 0, 0, 0]),
    ]
    return try object(file.build())
  }

  /// A `.dwo` file of functions that share one list: `bases` entries that select a base, then one range.
  private func split(functions: Int, bases: Int) throws -> ObjectFile {
    var lists = ByteWriter()
    lists.append(UInt16(5))
    lists.append([8, 0])
    lists.append(UInt32(1))
    lists.append(UInt32(4))
    for _ in 0..<bases {
      lists.append([0x05])
      lists.append(UInt64(0x1000))
    }
    lists.append([0x04, 0, 0x10, 0])
    var section = ByteWriter()
    section.append(UInt32(lists.count))
    section.append(lists.bytes)
    var file = DebugFileBuilder()
    let entries = [1] + [[UInt8]](repeating: [2, 0], count: functions).joined() + [0]
    file.sections = [
      ("debug_info.dwo", unit(type: 5, entries)),
      ("debug_abbrev.dwo", [1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0x55, 0x23, 0, 0, 0]), ("debug_rnglists.dwo", section.bytes),
    ]
    return try object(file.build())
  }

  private func read(functions: Int, bases: Int, _ limits: DebugInfoLimits = DebugInfoLimits()) throws -> DebugUnit {
    let main = try skeleton("a.dwo")
    var companions = DebugCompanions()
    let reference = try #require(try DebugInfoReader(DebugSections(main)).splitUnits.first)
    companions.splitFiles[reference.id] = try split(functions: functions, bases: bases)
    return try DebugInfoReader(DebugSections(main, companions: companions, limits: limits)).readUnit(0)
  }

  @Test func `the ranges of a split unit are read`() throws {
    let unit = try read(functions: 2, bases: 3)
    #expect(unit.damage == nil)
    #expect(unit.ranges == [AddressRange(start: 0x1000, end: 0x1010), AddressRange(start: 0x1000, end: 0x1010)])
  }

  @Test func `entries that only select a base are work`() throws {
    var limits = DebugInfoLimits()
    (limits.fixedSteps, limits.stepsPerByte) = (50_000, 0)
    #expect(try read(functions: 2, bases: 10_000, limits).ranges.count == 2)
    #expect(throws: DebugInfoError.workLimitReached) { try read(functions: 20, bases: 10_000, limits) }
  }

  @Test(arguments: [2, 5]) func `the index of a package is held against its size before its numbers are multiplied`(
    version: UInt32
  ) throws {
    let main = try skeleton("a.dwo")
    for (columns, units, slots): (UInt32, UInt32, UInt32) in [
      (.max, .max, .max), (.max, .max, 0), (8, .max, .max), (9, 0, 0), (1 << 31, 1 << 31, 0), (8, 1, 0),
    ] {
      var index = ByteWriter()
      for word in [version, columns, units, slots] { index.append(word) }
      var package = DebugFileBuilder()
      package.sections = [("debug_info.dwo", [0]), ("debug_cu_index", index.bytes)]
      var companions = DebugCompanions()
      companions.packages = [try object(package.build())]
      let sections = try DebugSections(main, companions: companions)
      #expect(sections.problems.contains { $0.contains(".debug_cu_index: its tables do not fit") })
      #expect(try DebugInfoReader(sections).readUnit(0).damage == "split unit a.dwo was not found")
    }
  }

  @Test func `the size of a split file is work for each skeleton that names it`() throws {
    var limits = DebugInfoLimits()
    (limits.fixedSteps, limits.stepsPerByte) = (10_000, 0)
    #expect(try read(functions: 2, bases: 10, limits).ranges.count == 2)
    let main = try skeleton("a.dwo")
    var companions = DebugCompanions()
    let reference = try #require(try DebugInfoReader(DebugSections(main)).splitUnits.first)
    var file = DebugFileBuilder()
    file.sections = [
      ("debug_info.dwo", unit(type: 5, [1, 0])), ("debug_abbrev.dwo", [1, 0x11, 1, 0, 0, 0]),
      ("debug_str.dwo", [UInt8](repeating: 0, count: 200_000)),
    ]
    companions.splitFiles[reference.id] = try object(file.build())
    let sections = try DebugSections(main, companions: companions, limits: limits)
    #expect(throws: DebugInfoError.workLimitReached) { try DebugInfoReader(sections).readUnit(0) }
  }

  @Test func `a message holds the beginning of a long name`() throws {
    let unit = try DebugInfoReader(DebugSections(skeleton(String(repeating: "n", count: 3_000)))).readUnit(0)
    let damage = try #require(unit.damage)
    #expect(damage.contains("was not found"))
    #expect(damage.utf8.count < 300)
  }
}
