import Bytes
import DebugInfo
import ObjectFiles
import TestSupport

/// A unit with the texts that its numbers stand for.
struct ReadUnit {
  var unit: DebugUnit
  var identities: [FunctionIdentity]
  var files: [String]

  /// The linkage name, else the short name.
  func name(_ identity: Int32) -> String {
    identities[Int(identity)].linkageName ?? identities[Int(identity)].name ?? ""
  }

  func ranges(_ ranges: Range<Int32>) -> [String] {
    ranges.map { unit.ranges[Int($0)] }.map { "\(String($0.start, radix: 16))-\(String($0.end, radix: 16))" }
  }

  /// The functions as `name [start-end]`.
  var functions: [String] {
    unit.functions.map { "\(name($0.identity)) \(ranges($0.ranges).joined(separator: " "))" }
  }

  /// The inlined calls of one function as `depth name [ranges] file:line:column parent`.
  func inlines(of function: Int) -> [String] {
    unit.functions[function].inlines.map { index in
      let call = unit.inlines[Int(index)]
      let file = call.callFile < 0 ? "?" : files[Int(call.callFile)]
      return "\(call.depth) \(name(call.identity)) \(ranges(call.ranges).joined(separator: " ")) "
        + "\(file):\(call.callLine):\(call.callColumn)" + (call.parent < 0 ? "" : " in \(call.parent)")
    }
  }

  /// The rows as `address file:line:column`, or `address end`.
  var rows: [String] {
    unit.rows.map { row in
      let place = row.file < 0 ? "?" : files[Int(row.file)]
      return String(row.address, radix: 16) + (row.endsSequence ? " end" : " \(place):\(row.line):\(row.column)")
    }
  }
}

/// The first slice of a made-up file.
func object(_ bytes: [UInt8]) throws -> ObjectFile {
  guard let object = try Container(ByteView(bytes)).objects.first else { throw NoObject() }
  return object
}

struct NoObject: Error {}

/// The units of a file.
func units(_ bytes: [UInt8], limits: DebugInfoLimits = DebugInfoLimits()) throws -> [ReadUnit] {
  try units(object(bytes), limits: limits)
}

/// The units of a slice.
func units(_ object: ObjectFile, limits: DebugInfoLimits = DebugInfoLimits()) throws -> [ReadUnit] {
  let reader = try DebugInfoReader(DebugSections(object, limits: limits))
  let units = try (0..<reader.unitCount).map { try reader.readUnit($0) }
  return units.map { ReadUnit(unit: $0, identities: reader.identities, files: reader.files) }
}

/// The only unit of a file.
func unit(_ bytes: [UInt8], limits: DebugInfoLimits = DebugInfoLimits()) throws -> ReadUnit {
  guard let first = try units(bytes, limits: limits).first else { throw NoObject() }
  return first
}

/// Why the debug information cannot be read; `nil` when it can.
func refusal(_ bytes: [UInt8], limits: DebugInfoLimits = DebugInfoLimits()) throws -> DebugInfoError? {
  do {
    _ = try units(bytes, limits: limits)
    return nil
  } catch let error as DebugInfoError { return error }
}

/// A unit whose first entry names its line table and folder.
func builder(
  version: UInt16 = 5, is64BitFormat: Bool = false, addressSize: Int = 8, order: ByteOrder = .little,
  hasLines: Bool = true
) -> DWARFUnitBuilder {
  var unit = DWARFUnitBuilder(version: version, is64BitFormat: is64BitFormat, addressSize: addressSize, order: order)
  unit.begin(
    DW.unit,
    [
      (DW.name, .string("a.swift")), (DW.compDir, .string("/src")), (DW.language, .data2(0x1e)),
      (DW.lowPC, .address(0)),
    ] + (hasLines ? [(DW.stmtList, .sectionOffset(0))] : []))
  return unit
}
