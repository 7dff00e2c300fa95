public import Bytes

/// What a file holds: one slice, or the slices of a fat Mach-O file, each good or bad on its own.
public struct Container: Sendable {
  /// One slice or the reason why it cannot be read.
  public typealias Slice = Result<ObjectFile, ObjectFileError>

  /// Whether the file is a fat Mach-O file.
  public let isFat: Bool
  /// The slices in file order.
  public let slices: [Slice]

  /// The slices that could be read.
  public var objects: [ObjectFile] { slices.compactMap { try? $0.get() } }

  /// Reads the headers of `file`. Cost: linear in the header tables; no other bytes are touched.
  ///
  /// Throws when the file as a whole is not an object file; a bad slice of a fat file is reported in its place.
  public init(_ file: ByteView) throws(ObjectFileError) {
    guard let magic: UInt32 = file.load(at: 0, order: .big) else {
      throw ObjectFileError(.notObjectFile, file.isEmpty ? "empty file" : "too short to be an object file")
    }
    switch magic {
    case 0xcafe_babe, 0xcafe_babf:
      isFat = true
      slices = try Container.fatSlices(file, is64Bit: magic == 0xcafe_babf)
    default:
      isFat = false
      slices = [.success(try Container.thin(file))]
    }
  }

  /// Whether the bytes start like a file that `init` would try to read.
  public static func looksLikeObjectFile(_ file: ByteView) -> Bool {
    guard let magic: UInt32 = file.load(at: 0, order: .big) else { return false }
    switch magic {
    case 0x7f45_4c46, 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe, 0xcafe_babf: return true
    case 0xcafe_babe:
      // A Java class has its version in the place of the slice count: 45 or more.
      return file.load(at: 4, as: UInt32.self, order: .big).map { $0 <= maximumSliceCount } ?? false
    default: return false
    }
  }

  private static let maximumSliceCount: UInt32 = 40

  private static func thin(_ slice: ByteView) throws(ObjectFileError) -> ObjectFile {
    switch slice.load(at: 0, as: UInt32.self, order: .big) {
    case 0x7f45_4c46: try ObjectFile(elf: slice)
    case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe: try ObjectFile(machO: slice)
    case 0xcafe_babe, 0xcafe_babf:
      throw ObjectFileError(.malformed, "fat header: a slice is a fat file itself")
    default: throw ObjectFileError(.notObjectFile, "neither Mach-O nor ELF")
    }
  }

  /// Where the slices of a Mach-O file of `byteCount` bytes lie, by the `beginning` of it; `nil` when that does not tell, or the
  /// file is none. Cost: reading the fat header, if there is one.
  public static func machOSlices(beginning: ByteView, byteCount: Int) -> [Range<Int>]? {
    switch beginning.load(at: 0, as: UInt32.self, order: .big) {
    case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe: return [0..<byteCount]
    case 0xcafe_babe, 0xcafe_babf:
      guard let ranges = try? fatRanges(beginning, is64Bit: beginning.load(at: 3, as: UInt8.self, order: .big) == 0xbf)
      else { return nil }
      let slices = ranges.filter { $0.offset.addingSaturating($0.size) <= UInt64(byteCount) }
      return slices.count == ranges.count ? slices.map { Int($0.offset)..<Int($0.offset + $0.size) } : nil
    default: return nil
    }
  }

  /// Source: `<mach-o/fat.h>`; all fields are big-endian.
  private static func fatRanges(
    _ file: ByteView, is64Bit: Bool
  ) throws(ObjectFileError) -> [(offset: UInt64, size: UInt64)] {
    var cursor = ByteCursor(file, order: .big, at: 4)
    let count: UInt32 = try reading("fat header") { () throws(ByteError) in try cursor.read() }
    guard count <= maximumSliceCount else {
      throw ObjectFileError(.notObjectFile, "\(count) slices: a Java class, not a fat Mach-O file")
    }
    guard count > 0 else { throw ObjectFileError(.malformed, "fat header: no slices", at: 4) }
    var ranges: [(offset: UInt64, size: UInt64)] = []
    for _ in 0..<count {
      ranges.append(
        try reading("fat header") { () throws(ByteError) in
          try cursor.skip(8)
          let offset = is64Bit ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
          let size = is64Bit ? try cursor.read(UInt64.self) : UInt64(try cursor.read(UInt32.self))
          try cursor.skip(is64Bit ? 8 : 4)
          return (offset, size)
        })
    }
    return ranges
  }

  private static func fatSlices(_ file: ByteView, is64Bit: Bool) throws(ObjectFileError) -> [Slice] {
    let ranges = try fatRanges(file, is64Bit: is64Bit)
    return ranges.enumerated().map { index, range in
      guard let slice = file.slice(at: range.offset, count: range.size) else {
        return .failure(ObjectFileError(.truncated, "slice \(index) ends past the end of the file", at: range.offset))
      }
      let overlaps = ranges[..<index].contains { other in
        range.offset < other.offset.addingSaturating(other.size)
          && other.offset < range.offset.addingSaturating(range.size)
      }
      if overlaps {
        return .failure(ObjectFileError(.malformed, "slice \(index) overlaps another slice", at: range.offset))
      }
      return Slice { () throws(ObjectFileError) in
        var object = try thin(slice)
        object.offsetInFile = range.offset
        return object
      }
    }
  }
}

extension FixedWidthInteger {
  /// The sum, or the largest number when it does not fit.
  func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
