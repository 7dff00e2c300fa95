public import Bytes
public import Identity

/// One slice: the code of one architecture, thin Mach-O or ELF, with its header tables read and checked.
///
/// Addresses are *virtual addresses* as the file states them; the image offset of an address is the address minus
/// `imageBase`. Symbols are read on demand (`codeSymbols`). Nothing here is copied out of the file but the tables.
public struct ObjectFile: Sendable {
  /// The container format.
  public enum Format: String, Sendable, Hashable {
    /// Mach-O, 32 or 64 bit.
    case machO = "macho"
    /// ELF, 32 or 64 bit.
    case elf
  }

  /// What the file is for.
  public enum Kind: String, Sendable, Hashable {
    case executable, dylib, object, core, other
    /// A dSYM's DWARF file or an ELF file with debug sections only.
    case debugCompanion = "debug_companion"
  }

  /// The container format.
  public let format: Format
  /// What the file is for.
  public let kind: Kind
  /// The bytes of this slice alone.
  public let bytes: ByteView
  /// Where the slice begins in the file it was read from: not 0 only in a fat file.
  public internal(set) var offsetInFile: UInt64 = 0
  /// The byte order of its numbers.
  public let byteOrder: ByteOrder
  /// 4 or 8.
  public let pointerSize: Int
  /// The processor.
  public let architecture: Architecture
  /// The debug identifier; `nil` when the file has none (or an all-zero one).
  public let debugID: DebugID?
  /// The address that image offsets count from: `__TEXT`'s, or that of the first loaded ELF segment.
  public let imageBase: UInt64
  /// How many bytes of address space the image takes from `imageBase`: an offset at or beyond it is not in the image.
  public let imageSize: UInt64
  /// Mach-O platform number (`LC_BUILD_VERSION`) or ELF `EI_OSABI`.
  public let platform: UInt32
  /// The name the image carries inside (`LC_ID_DYLIB`), if any.
  public let installName: String?
  /// The sections in file order.
  public let sections: [Section]
  /// What only a Mach-O file has.
  let machO: MachOTables?
  /// What only an ELF file has.
  let elf: ELFTables?

  /// The ranges of addresses that hold instructions, sorted and merged.
  public let codeRanges: [Range<UInt64>]

  /// Whether `range` lies wholly inside instructions: the one test that tells live code from the addresses linkers
  /// leave for dropped functions (0, 1, -1, -2, with or without an addend).
  public func isCode(_ range: Range<UInt64>) -> Bool {
    guard !range.isEmpty, let index = codeRanges.lastIndex(startingAtOrBefore: range.lowerBound) else { return false }
    return range.upperBound <= codeRanges[index].upperBound
  }

  /// The run of instructions that `address` lies in.
  public func codeRange(containing address: UInt64) -> Range<UInt64>? {
    guard let index = codeRanges.lastIndex(startingAtOrBefore: address) else { return nil }
    return codeRanges[index].contains(address) ? codeRanges[index] : nil
  }

  /// Where the sections of instructions end: a function does not reach into the next one.
  ///
  /// Cost: sorting the sections; each question is a binary search.
  public func codeSectionEnds() -> CodeSectionEnds {
    CodeSectionEnds(sections: sections.filter(\.isCode).compactMap(\.addressRange), codeRanges: codeRanges)
  }

  /// The DWARF section with this ELF name (for example `.debug_info`), as it stands in the file: perhaps compressed.
  public func dwarfSection(_ name: String) -> Section? {
    sections.first { $0.dwarfName == name && $0.data != nil }
  }

  /// Whether there is a `.debug_info` with something in it.
  public var hasDWARF: Bool { (dwarfSection(".debug_info")?.data?.count ?? 0) > 0 }
}

/// One section of an object file.
public struct Section: Sendable {
  /// How the bytes of the section are stored.
  public enum Encoding: Sendable, Hashable {
    /// As they are.
    case plain
    /// An ELF compression header stands in front (`SHF_COMPRESSED`).
    case compressed
    /// The old GNU form: `ZLIB`, the size in 8 big-endian bytes, a zlib stream (`.zdebug_*`).
    case gnuZlib
  }

  /// The name as the file spells it.
  public let name: String
  /// The segment it belongs to (Mach-O), else empty.
  public let segment: String
  /// The ELF spelling of a DWARF section's name, for example `.debug_str_offsets`; `nil` for any other section.
  public let dwarfName: String?
  /// The first address.
  public let address: UInt64
  /// The size in memory.
  public let size: UInt64
  /// Whether it holds instructions.
  public let isCode: Bool
  /// Its bytes in the file; `nil` when it has none or they lie past the end of the file.
  public let data: ByteView?
  /// How the bytes are stored.
  public let encoding: Encoding
  /// Whether its bytes should be in the file and are not.
  public let isTruncated: Bool
}

extension [Range<UInt64>] {
  /// The index of the last range that starts at or before `address`, in ranges sorted by start.
  func lastIndex(startingAtOrBefore address: UInt64) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// The ranges sorted, with those that touch or overlap joined.
  func merged() -> [Range<UInt64>] {
    var result: [Range<UInt64>] = []
    for range in self.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) })
    where !range.isEmpty {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
