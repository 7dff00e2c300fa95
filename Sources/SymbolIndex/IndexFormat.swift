/// The `.scx` file, format 1: what an image offset is called.
///
/// One immutable file for one image, little-endian, every section 64-byte aligned. It answers a look-up with one
/// binary search and one walk along parent links; nothing is decoded or allocated on the way.
///
/// **Header, 128 bytes**
///
///     0   8  magic 89 53 43 58 0D 0A 1A 0A: shows damage by text-mode copying
///     8   2  format major: a reader refuses another
///     10  2  format minor: a reader ignores sections it does not know
///     12  4  CRC-32C of header (this field zero) and directory
///     16  8  size of the file: shows truncation
///     24  4  flags: bit 0 some code lies beyond 4 GiB and is left out; bit 1 no debug information
///     28  4  builder revision: rises when the same input gives other content; older files stay readable
///     32  1  length of the debug identifier
///     33  1  size of a pointer
///     34  2  zero
///     36  4  CPU type (Mach-O) or machine (ELF)
///     40  4  CPU sub-type without capability bits
///     44  4  platform (Mach-O) or OS ABI (ELF)
///     48 64  debug identifier, padded with zeros
///     112 8  image base in the file's own addresses
///     120 8  image size from the base: an offset at or beyond it is not in the image
///
/// **Directory**, at 128: a count (4 bytes), 4 zero bytes, then for each section kind (4), element size (4),
/// offset (8), length in bytes (8), CRC-32C (4), zero (4).
///
/// **Sections**
///
///     1  STARTS   u32       ascending offsets from the image base; entry i covers up to entry i + 1, and the last
///                           one only ends the run before it
///     2  RUNS     u32       beside STARTS: 0 for a hole, else an index into LOC
///     3  LOC      16 bytes  file, line, function, parent, each u32. Entry 0 is unused. A parent is always smaller
///                           than its own index, so chains end by construction; parent 0 is the physical function.
///                           Line 0 is no line
///     4  COLUMNS  u16       beside LOC: 0 unknown, saturating
///     5  MARKS    u8        beside LOC: bit 0 the line is approximate
///     6  FUNC     20 bytes  name, display, token, alias run, each u32; language u8, source u8, traits u16.
///                           Display 0 is the name, token 0 the display. Entry 0 is unused
///     7  ALIAS    u32       runs of a count and that many names
///     8  FILE     8 bytes   folder (with its slash) and base name, each u32. Entry 0 is unused
///     9  STR      bytes     each string as ULEB128 length and UTF-8; position 0 is the empty string
///     10 META     JSON      the summary, with the digests of the sources
///
/// It differs from the layout first proposed (symbolication.md C.4) where a smaller file or a simpler reader cost
/// nothing: functions are stored by name alone, without entry and size, so that inlined and physical ones share a
/// row; the token stands beside the display name; the identifier may have 64 bytes; there are no helper levels over
/// STARTS, since addresses of one batch come sorted and are merged.
enum IndexFormat {
  static let magic: [UInt8] = [0x89, 0x53, 0x43, 0x58, 0x0d, 0x0a, 0x1a, 0x0a]
  static let major: UInt16 = 1
  static let minor: UInt16 = 0
  /// Rises with every change of what the builder writes for the same input, tokens of names included.
  static let builderRevision: UInt32 = 4
  static let headerSize = 128
  static let directoryEntrySize = 32
  static let alignment = 64
  static let flagBeyond4GiB: UInt32 = 1
  static let flagNoDebugInfo: UInt32 = 2
  static let markApproximate: UInt8 = 1
  static let locationSize = 16
  static let functionSize = 20
  static let fileSize = 8
  /// The longest inline chain that is shown.
  static let maximumDepth = 257

  enum SectionKind: UInt32, CaseIterable {
    case starts = 1
    case runs, locations, columns, marks, functions, aliases, files, strings, meta

    var elementSize: Int {
      switch self {
      case .starts, .runs, .aliases: 4
      case .locations: IndexFormat.locationSize
      case .columns: 2
      case .marks, .strings, .meta: 1
      case .functions: IndexFormat.functionSize
      case .files: IndexFormat.fileSize
      }
    }
  }
}

extension FrameSource {
  /// The number in the file.
  var code: UInt8 {
    switch self {
    case .dwarf: 0
    case .symbolTable: 1
    case .exportTrie: 2
    case .stub: 3
    case .report: 4
    }
  }

  init?(code: UInt8) {
    guard let source = FrameSource.allCases.first(where: { $0.code == code }), source != .report else { return nil }
    self = source
  }
}
