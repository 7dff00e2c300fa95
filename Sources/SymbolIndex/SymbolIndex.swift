public import Bytes
public import Identity
internal import JSON

/// An opened symbol index: offset in an image → frames.
///
/// Safe to read when damaged: every number from the file is checked before it is used. A value of any number of
/// threads.
public struct SymbolIndex: Sendable {
  /// The debug identifier of the image; `nil` for one without.
  public let debugID: DebugID?
  /// The address in the file's own terms that offsets count from.
  public let imageBase: UInt64
  /// Offsets at or beyond this are not in the image.
  public let imageSize: UInt64
  /// The revision of the builder that wrote the file.
  public let builderRevision: UInt32
  /// Mach-O CPU type or ELF machine, and sub-type.
  public let cpu: (type: UInt32, subtype: UInt32)
  /// The number of runs of addresses.
  let runCount: Int

  let starts: ByteView
  let runs: ByteView
  let locations: ByteView
  let columns: ByteView
  let marks: ByteView
  let functions: ByteView
  let aliases: ByteView
  let files: ByteView
  let strings: ByteView
  private let meta: ByteView

  /// The revision this program's builder writes: an index with another is stale, though readable.
  public static var currentRevision: UInt32 { IndexFormat.builderRevision }

  /// Opens the index in `file`, checking header, directory, checksums and the sizes of tables that belong together.
  ///
  /// Throws `corrupt` with the place, or `newer`. Cost: one pass over the bytes for the checksums.
  public init(_ file: ByteView) throws(IndexError) {
    guard file.count >= IndexFormat.headerSize + 8, file.withBytes({ $0.starts(with: IndexFormat.magic) }) else {
      throw IndexError(.corrupt, "not a symbol index, or cut off in its header")
    }
    guard let major: UInt16 = file.load(at: 8), major == IndexFormat.major else {
      throw IndexError(
        file.load(at: 8, as: UInt16.self) == 0 ? .corrupt : .newer,
        "index format \(file.load(at: 8, as: UInt16.self) ?? 0); this program reads \(IndexFormat.major)")
    }
    guard let size: UInt64 = file.load(at: 16), size == UInt64(file.count) else {
      throw IndexError(
        .corrupt, "its header says \(file.load(at: 16, as: UInt64.self) ?? 0) bytes, it has \(file.count)")
    }
    let sections = try SymbolIndex.sections(of: file)
    func section(_ kind: IndexFormat.SectionKind) throws(IndexError) -> ByteView {
      guard let bytes = sections[kind] else { throw IndexError(.corrupt, "section \(kind) is missing") }
      return bytes
    }
    starts = try section(.starts)
    runs = try section(.runs)
    locations = try section(.locations)
    columns = try section(.columns)
    marks = try section(.marks)
    functions = try section(.functions)
    aliases = try section(.aliases)
    files = try section(.files)
    strings = try section(.strings)
    meta = try section(.meta)
    runCount = starts.count / 4
    let locationCount = locations.count / IndexFormat.locationSize
    guard runs.count == starts.count, columns.count == locationCount * 2, marks.count == locationCount else {
      throw IndexError(.corrupt, "tables that belong together differ in length")
    }
    let idLength = Int(file.load(at: 32, as: UInt8.self) ?? 0)
    debugID = file.slice(at: 48, count: UInt64(min(idLength, 64)))?.withBytes { DebugID(bytes: $0) }
    builderRevision = file.load(at: 28) ?? 0
    cpu = (file.load(at: 36) ?? 0, file.load(at: 40) ?? 0)
    imageBase = file.load(at: 112) ?? 0
    imageSize = file.load(at: 120) ?? 0
  }

  /// What the index holds, from its META section.
  public func summary() throws(IndexError) -> IndexSummary { IndexSummary(try metaValue()) }

  /// The SHA-256 of each file that the index was built from, from its META section.
  public func sources() throws(IndexError) -> [ContentDigest] {
    var digests: [ContentDigest] = []
    for source in try metaValue()["sources"]?.array ?? [] {
      guard let digest = source.string.flatMap({ ContentDigest(hex: $0) }) else {
        throw IndexError(.corrupt, "section meta: a source is no digest")
      }
      digests.append(digest)
    }
    return digests
  }

  private func metaValue() throws(IndexError) -> JSONValue {
    do throws(JSONError) {
      return try meta.withBytes { bytes throws(JSONError) in try JSONValue.parse(bytes) }
    } catch {
      throw IndexError(.corrupt, "section meta: \(error)")
    }
  }

  /// The sections that the directory lists, each checked against its checksum.
  private static func sections(of file: ByteView) throws(IndexError) -> [IndexFormat.SectionKind: ByteView] {
    let directory = IndexFormat.headerSize + 8
    let count = Int(file.load(at: IndexFormat.headerSize, as: UInt32.self) ?? 0)
    guard count <= 64, file.count >= directory + count * IndexFormat.directoryEntrySize else {
      throw IndexError(.corrupt, "its directory of \(count) sections does not fit")
    }
    var head = file.withBytes { Array($0[..<(directory + count * IndexFormat.directoryEntrySize)]) }
    head.replaceSubrange(12..<16, with: [0, 0, 0, 0])
    guard file.load(at: 12, as: UInt32.self) == head.crc32c else {
      throw IndexError(.corrupt, "the checksum of its header does not fit")
    }
    var sections: [IndexFormat.SectionKind: ByteView] = [:]
    for number in 0..<count {
      let at = directory + number * IndexFormat.directoryEntrySize
      guard let kind = file.load(at: at, as: UInt32.self).flatMap(IndexFormat.SectionKind.init) else { continue }
      guard let offset: UInt64 = file.load(at: at + 8), let length: UInt64 = file.load(at: at + 16),
        let crc: UInt32 = file.load(at: at + 24), let bytes = file.slice(at: offset, count: length),
        length % UInt64(kind.elementSize) == 0
      else { throw IndexError(.corrupt, "section \(kind) does not fit in the file") }
      guard bytes.crc32c == crc else { throw IndexError(.corrupt, "the checksum of section \(kind) does not fit") }
      sections[kind] = bytes
    }
    return sections
  }
}
