internal import Bytes
internal import Compression
public import ObjectFiles

/// One DWARF section under its ELF name, inflated.
struct DWARFSection: Sendable {
  var name: String
  var bytes: ByteView
}

/// The DWARF sections of one slice and its companions, ready to be read by any number of readers.
public struct DebugSections: Sendable {
  let sections: [DWARFSection]
  /// What dwz moved out of `sections`.
  let alternate: [DWARFSection]
  let companions: DebugCompanions
  /// The packages among `companions`, opened once: their sections may have to be inflated.
  let packages: [DWARFPackage]
  let object: ObjectFile
  let limits: DebugInfoLimits
  /// Sections that should be there and could not be used, with the reason.
  public let problems: [String]
  /// The total size after inflation, in bytes.
  public let byteCount: Int

  /// How many steps all units together may take. A reader stops when its own units take more; who shares the units
  /// among several readers adds their steps up, so that the limit bites alike for any number of readers.
  public var stepLimit: Int {
    let (scaled, overflow) = limits.stepsPerByte.multipliedReportingOverflow(by: byteCount)
    return overflow ? .max : max(scaled, scaled &+ limits.fixedSteps)
  }

  /// How many pieces (ranges of functions, stretches of one line and chain of calls) all units together may give.
  ///
  /// They are kept until the index is put together. Each of an honest file takes bytes of its own; those of a damaged
  /// one may share a line table or a list of ranges among any number of units.
  public var pieceLimit: Int {
    let (scaled, overflow) = byteCount.multipliedReportingOverflow(by: 4)
    return overflow ? .max : max(scaled, scaled &+ 1_000_000)
  }

  /// How many bytes of names one reader may spell out. Texts of a damaged file may overlap, so that a few bytes of it
  /// hold thousands of names.
  var nameByteLimit: Int { byteCount.addingReportingOverflow(1 << 20).overflow ? .max : byteCount &* 16 &+ 1 << 20 }

  /// How many bytes of paths one reader may spell out: each file has the path of its folder in front.
  var pathByteLimit: Int { nameByteLimit.addingReportingOverflow(nameByteLimit).overflow ? .max : 2 * nameByteLimit }

  /// How many ranges one unit may have. A range list takes bytes of its own, unless many entries share one.
  var rangeLimit: Int { byteCount &+ 1_000_000 }

  /// The sections that functions, lines and names need; the rest is never touched.
  private static let needed = [
    ".debug_info", ".debug_types", ".debug_abbrev", ".debug_line", ".debug_line_str", ".debug_str",
    ".debug_str_offsets", ".debug_ranges", ".debug_rnglists", ".debug_addr",
  ]

  /// Finds the sections of `object` and inflates those that are compressed, each within `limits`.
  ///
  /// Throws `absent` when there is no `.debug_info`. Cost: nothing for plain sections, one inflation for others.
  public init(
    _ object: ObjectFile, companions: DebugCompanions = DebugCompanions(), limits: DebugInfoLimits = DebugInfoLimits()
  ) throws(DebugInfoError) {
    let main = try Self.load(Self.needed, from: object, limits)
    guard main.sections.contains(where: { $0.name == ".debug_info" }) else {
      if main.problems.isEmpty { throw DebugInfoError(.absent, "no debug information") }
      throw DebugInfoError(.malformed, main.problems.joined(separator: "; "))
    }
    let other = try companions.alternate.map { file throws(DebugInfoError) in
      try Self.load(Self.needed, from: file, limits)
    }
    sections = main.sections
    var alternate = other?.sections ?? []
    // dwz may move nothing but texts, and libdw opens no file without one of the sections that can stand alone.
    if !alternate.isEmpty, !alternate.contains(where: { [".debug_info", ".debug_line"].contains($0.name) }) {
      alternate.append(DWARFSection(name: ".debug_line", bytes: ByteView([0])))
    }
    self.alternate = alternate
    self.companions = companions
    self.object = object
    self.limits = limits
    var problems = main.problems + (other?.problems ?? [])
    if companions.alternate == nil, let link = object.alternateLink {
      problems.append("names are in the common debug file \(link.name) (build-id \(link.id)), which was not given")
    }
    var packages: [DWARFPackage] = []
    for file in companions.packages {
      do throws(DebugInfoError) {
        if let package = try DWARFPackage(file, limits) { packages.append(package) }
      } catch {
        problems.append("package of split units: \(error)")
      }
    }
    self.packages = packages
    self.problems = problems
    byteCount = (sections + alternate).reduce(0) { $0 + $1.bytes.count }
  }

  /// The sections of `object` with these names, inflated, and what is wrong with those left out.
  static func load(
    _ names: [String], from object: ObjectFile, _ limits: DebugInfoLimits
  ) throws(DebugInfoError) -> (sections: [DWARFSection], problems: [String]) {
    var found: [DWARFSection] = []
    var problems: [String] = []
    // A name counts once, even in vain: a thousand sections of one name would each be inflated.
    var met: Set<String> = []
    for section in object.sections {
      guard let name = section.dwarfName, names.contains(name), !met.contains(name) else { continue }
      guard let data = section.data else {
        if section.isTruncated, problems.count < 20 {
          problems.append("\(section.name): its bytes lie past the end of the file")
        }
        continue
      }
      if !data.isEmpty { met.insert(name) }
      do throws(DebugInfoError) {
        let inflated = try Self.inflated(data, section.encoding, object, limits)
        let (relocated, unknown, isCut) = object.relocated(inflated, ofSection: section.name)
        if isCut { problems.append("\(section.name): its relocations overlap; not all are applied") }
        if unknown > 0 { problems.append("\(section.name): \(unknown) relocations of a kind that is not read") }
        let bytes = Self.terminated(relocated, name)
        if !bytes.isEmpty { found.append(DWARFSection(name: name, bytes: bytes)) }
      } catch {
        problems.append("\(section.name): \(error)")
      }
    }
    return (found, problems)
  }

  /// The bytes of a section of texts up to its last zero: libdw reads on from an offset to the next zero, wherever that
  /// is, even behind the section.
  private static func terminated(_ bytes: ByteView, _ name: String) -> ByteView {
    guard [".debug_str", ".debug_line_str", ".debug_str.dwo"].contains(name) else { return bytes }
    let end = bytes.withBytes { $0.lastIndex(of: 0).map { $0 + 1 } ?? 0 }
    return bytes.slice(at: 0, count: UInt64(end)) ?? .empty
  }

  /// Source of the compression header: gABI, "Section compression".
  private static func inflated(
    _ data: ByteView, _ encoding: Section.Encoding, _ object: ObjectFile, _ limits: DebugInfoLimits
  ) throws(DebugInfoError) -> ByteView {
    let method: UInt32
    let size: UInt64
    let headerSize: UInt64
    switch encoding {
    case .plain: return data
    case .gnuZlib:
      guard data.withBytes({ $0.starts(with: "ZLIB".utf8) }), let declared: UInt64 = data.load(at: 4, order: .big)
      else {
        return data
      }
      (method, size, headerSize) = (1, declared, 12)
    case .compressed:
      let is64Bit = object.pointerSize == 8
      let order = object.byteOrder
      let declared =
        is64Bit
        ? data.load(at: 8, as: UInt64.self, order: order)
        : data.load(at: 4, as: UInt32.self, order: order).map(UInt64.init)
      guard let type: UInt32 = data.load(at: 0, order: order), let declared else {
        throw DebugInfoError(.malformed, "its compression header is cut off")
      }
      (method, size, headerSize) = (type, declared, is64Bit ? 24 : 12)
    }
    guard size <= UInt64(limits.sectionBytes) else {
      throw DebugInfoError(.tooLarge, "declares \(size) bytes, more than the limit of \(limits.sectionBytes)")
    }
    guard let stream = data.suffix(from: headerSize) else {
      throw DebugInfoError(.malformed, "its compression header is cut off")
    }
    let limit = OutputLimit(bytes: limits.sectionBytes)
    do throws(CompressionError) {
      switch method {
      case 1: return try Zlib.decompress(stream, size: size, limit: limit)
      case 2: return try Zstd.decompress(stream, size: size, limit: limit)
      default: break
      }
    } catch {
      throw DebugInfoError(.malformed, "cannot be inflated: \(error)")
    }
    throw DebugInfoError(.unsupported, "compression type \(method)")
  }
}
