internal import Bytes
internal import CElfutils
internal import ObjectFiles

/// Reads the units of one slice's DWARF through libdw, one at a time.
///
/// One reader belongs to one thread; several may read the same `DebugSections`. Names and files are interned for the
/// life of the reader: units speak of them by index.
public final class DebugInfoReader {
  /// The functions met so far; `DebugFunction.identity` and `InlinedCall.identity` point here.
  public internal(set) var identities: [FunctionIdentity] = []
  /// The source files met so far, absolute where the debug information makes them so. A pseudo-file such as
  /// `<compiler-generated>` stands alone, without the folder that it is not in.
  public internal(set) var files: [String] = []
  /// The number of units.
  public var unitCount: Int { session.units.count }

  let object: ObjectFile
  let limits: DebugInfoLimits
  private let sections: DebugSections
  private let session: DWARFSession
  let lineSections: LineTable.Sections
  /// How many more steps may be taken: hostile input must not cost more than its size allows.
  private var steps: Int
  var index = InternedIndex()
  /// How many more bytes of names may be spelled out.
  var nameBytes: Int
  /// How many more bytes of paths may be spelled out.
  var pathBytes: Int
  /// The line table that was read last: units that share one stand side by side.
  var lastTable: (offset: UInt64, table: LineTable)?
  /// How many ranges a unit may have.
  let rangeLimit: Int

  /// Opens a libdw session and lists the units. Cost: the unit headers are read.
  public init(_ sections: DebugSections) throws(DebugInfoError) {
    self.sections = sections
    object = sections.object
    limits = sections.limits
    steps = sections.stepLimit
    nameBytes = sections.nameByteLimit
    pathBytes = sections.pathByteLimit
    rangeLimit = sections.rangeLimit
    lineSections = LineTable.Sections(sections.sections, order: object.byteOrder)
    let alternate: DWARFSession? =
      sections.alternate.isEmpty
      ? nil
      : try DWARFSession(
        sections.alternate, byteOrder: sections.object.byteOrder, pointerSize: sections.object.pointerSize,
        stepLimit: steps)
    session = try DWARFSession(
      sections.sections, byteOrder: object.byteOrder, pointerSize: object.pointerSize, stepLimit: steps,
      alternate: alternate)
    // Else it would pass for a file without debug information (requirements.md U-01).
    if session.isUnreadable {
      throw DebugInfoError(.malformed, "not one of its units can be read: their abbreviations are damaged or missing")
    }
  }

  /// The split units that the skeletons refer to, in file order.
  public var splitUnits: [SplitUnitReference] { session.units.compactMap(\.split) }

  /// Reads unit number `index`. Damage inside the unit ends it early and is reported in it; other units go on.
  ///
  /// Throws `workLimit`. Cost: linear in the unit.
  public func readUnit(_ number: Int) throws(DebugInfoError) -> DebugUnit {
    guard session.units.indices.contains(number) else { throw DebugInfoError(.malformed, "there is no unit \(number)") }
    let before = steps
    var result = try read(session.units[number])
    result.steps = before - steps
    if nameBytes < 0 || pathBytes < 0 {
      throw DebugInfoError(.tooLarge, "its names overlap: they unfold to many times its size")
    }
    return result
  }

  private func read(_ unit: DWARFSession.Unit) throws(DebugInfoError) -> DebugUnit {
    if let reference = unit.split { return try readSplitUnit(reference, skeleton: unit) }
    let lines = try lines(of: unit.die, in: lineSections)
    var walk = UnitWalk(reader: self, session: session, unit: unit, files: lines.files)
    try walk.run()
    try readRows(lines, into: &walk.result)
    walk.result.producer = lines.producer
    return walk.result
  }

  /// Reads the entries of a split unit from its own file and its lines from the skeleton.
  private func readSplitUnit(
    _ reference: SplitUnitReference, skeleton: DWARFSession.Unit
  ) throws(DebugInfoError) -> DebugUnit {
    var result = DebugUnit()
    result.version = skeleton.version
    let lines = try lines(of: skeleton.die, in: lineSections)
    // A message holds no more of a name than helps to find it.
    let shown = String(decoding: reference.name.utf8.prefix(256), as: UTF8.self)
    do throws(DebugInfoError) {
      if let found = try SplitSections.sections(of: reference, skeleton: skeleton, main: sections) {
        // Skeletons may all name one file, which is inflated for each of them.
        if sections.companions.splitFiles[reference.id] != nil {
          try spend(found.reduce(0) { $0 + $1.bytes.count } / 16)
        }
        result = try walkSplitUnit(reference, found, skeleton, lines)
      } else {
        result.note("split unit \(shown) was not found")
      }
    } catch  where error.code != .workLimit {
      result.note("split unit \(shown): \(error)")
    }
    try readRows(lines, into: &result)
    result.producer = result.producer ?? lines.producer
    return result
  }

  private func walkSplitUnit(
    _ reference: SplitUnitReference, _ found: [DWARFSection], _ skeleton: DWARFSession.Unit,
    _ skeletonLines: UnitLines
  ) throws(DebugInfoError) -> DebugUnit {
    let split = try DWARFSession(
      found, byteOrder: object.byteOrder, pointerSize: object.pointerSize, stepLimit: sections.stepLimit)
    // What was remembered by address means nothing once this session's memory is given back.
    defer { index.forgetAddresses() }
    let unit = split.units.first { unit in
      var id: UInt64 = 0
      return dwarf_cu_info(unit.die.cu, nil, nil, nil, nil, &id, nil, nil) == 0 && id == reference.id
    }
    guard let unit else { throw DebugInfoError(.malformed, "the file holds another unit") }
    var own = try lines(of: unit.die, in: LineTable.Sections(found, order: object.byteOrder), isSplit: true)
    own.folder = skeletonLines.folder
    var walk = UnitWalk(
      reader: self, session: split, unit: unit, files: own.files ?? skeletonLines.files, skeleton: skeleton)
    walk.result.producer = own.producer
    if let problem = own.problem { walk.result.note(problem) }
    try walk.run()
    return walk.result
  }

  /// Counts `count` steps of work.
  func spend(_ count: Int = 1) throws(DebugInfoError) {
    steps -= count
    if steps < 0 { throw DebugInfoError.workLimitReached }
  }

  /// Counts the work of passing over the attributes of an entry; that it was too much is found with the next step.
  func charge(_ die: inout Dwarf_Die) { steps -= index.attributeCounts.count(of: &die) / 8 }
}
