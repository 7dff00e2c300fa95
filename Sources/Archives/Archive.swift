public import Bytes
internal import CArchive
internal import Glibc

/// Why an archive, or one file in it, cannot be read.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Code: String, Sendable, Hashable {
    /// The archive contradicts its format or ends early.
    case damaged
    /// It passes a limit; see the detail.
    case tooLarge = "too_large"
    /// It needs something that is not read, for example a password.
    case unsupported
    /// Its path, or what it links to, leads out of the archive.
    case unsafe
  }

  /// What is wrong.
  public var code: Code
  /// In words, with the numbers.
  public var detail: String

  init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The detail.
  public var description: String { detail }
}

/// How much of an archive is unpacked.
public struct ArchiveLimits: Sendable, Hashable {
  /// The most bytes that all files together may have. Archives exist that are a thousand times smaller than what they
  /// say they hold, and hold themselves again.
  public var totalBytes = 4 << 30
  /// The most bytes that one file may have, where files are unpacked to disk.
  public var fileBytes = 16 << 30
  /// The most entries, files or not.
  public var entries = 1_000_000
  /// The largest file, as a multiple of the archive's size; counts only above 16 MiB.
  public var ratio = 1_000

  /// The default limits.
  public init() {}
}

/// A tar or zip archive that lies in memory, read with libarchive. (`ArchiveUnpacker` is for files that are too large for that.)
///
/// Nothing is ever written to disk here, so that paths that lead elsewhere do no harm. Folders, links and devices are passed
/// over.
public enum Archive {
  /// One file in an archive.
  public struct File: Sendable {
    /// Its path in the archive, as text.
    public var path: String
    /// Its bytes, or why they cannot be had.
    public var content: Result<ByteView, ArchiveError>
  }

  /// Whether `view` begins like a zip archive, or is a tar archive by its first header.
  ///
  /// Sources: APPNOTE 4.3.7 and 4.3.16; POSIX.1-2001, ustar: the magic, or for older ones the checksum of the header.
  public static func matches(_ view: ByteView) -> Bool {
    if let magic: UInt32 = view.load(at: 0, order: .little), magic == 0x0403_4b50 || magic == 0x0605_4b50 {
      return true
    }
    return view.withBytes { isTar($0) }
  }

  private static func isTar(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 512, bytes[0] != 0 else { return false }
    if bytes[257..<262].elementsEqual("ustar".utf8) { return true }
    // The sum of the header's bytes, those of the sum itself taken as blanks; six octal digits.
    var sum = 0
    for index in 0..<512 { sum += (148..<156).contains(index) ? 0x20 : Int(bytes[index]) }
    let digits = bytes[148..<156].drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard digits.count >= 4 else { return false }
    return digits.reduce(0) { $0 * 8 + Int($1 - 0x30) } == sum
  }

  /// Calls `visit` for each file whose path `isWanted`; the others are passed over without unpacking them.
  ///
  /// A file that cannot be read costs itself; the error is thrown when nothing behind it can be read either. Cost: what
  /// is unpacked, one file at a time in memory.
  public static func files<E: Error>(
    in view: ByteView, limits: ArchiveLimits = ArchiveLimits(), isWanted: (String) -> Bool,
    visit: (File) throws(E) -> Void
  ) throws(E) -> ArchiveError? {
    guard let reader = Reader(view, limits) else { return ArchiveError(.tooLarge, "no memory to read the archive") }
    let names = UnicodeNames()
    defer { withExtendedLifetime(names) {} }
    // Safety: libarchive reads the bytes it was given until it is closed, and the view keeps them.
    defer { withExtendedLifetime(view) {} }
    while true {
      switch reader.next(isWanted) {
      case .end: return nil
      case .failed(let error): return error
      case .passedOver: continue
      case .file(let file): try visit(file)
      }
    }
  }
}

/// While it lives, libarchive gives names in UTF-8 on this thread, whatever the user's locale: in the plain one it gives
/// those with other letters as nothing at all.
final class UnicodeNames {
  private let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
  private let earlier: locale_t?

  init() { earlier = locale == nil ? nil : uselocale(locale) }

  deinit {
    if let earlier { uselocale(earlier) }
    if let locale { freelocale(locale) }
  }
}

/// What comes next in an archive.
private enum Step {
  case file(Archive.File)
  case passedOver
  case end
  case failed(ArchiveError)
}

/// A libarchive reader; it owns the library's state.
private final class Reader {
  private let archive: OpaquePointer
  private let limits: ArchiveLimits
  private let largest: Int
  private var entries = 0
  private var total = 0

  init?(_ view: ByteView, _ limits: ArchiveLimits) {
    guard let archive = archive_read_new() else { return nil }
    self.archive = archive
    self.limits = limits
    let (scaled, overflow) = view.count.multipliedReportingOverflow(by: limits.ratio)
    largest = min(limits.totalBytes, overflow ? .max : max(scaled, 16 << 20))
    archive_read_support_format_tar(archive)
    archive_read_support_format_zip(archive)
    archive_read_support_filter_none(archive)
    // What fails to open fails again, with its reason, when the first entry is asked for.
    _ = view.withBytes { archive_read_open_memory(archive, $0.baseAddress, $0.count) }
  }

  deinit { archive_read_free(archive) }

  private var message: String {
    archive_error_string(archive).map { String(cString: $0) } ?? "it cannot be read"
  }

  func next(_ isWanted: (String) -> Bool) -> Step {
    var found: OpaquePointer?
    let status = archive_read_next_header(archive, &found)
    if status == ARCHIVE_EOF { return .end }
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = found else {
      return .failed(ArchiveError(.damaged, message))
    }
    entries += 1
    guard entries <= limits.entries else {
      return .failed(ArchiveError(.tooLarge, "it holds more than \(limits.entries) entries"))
    }
    let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    let path = name.map { String(cString: $0) } ?? ""
    // AE_IFREG; a hard link is a name of another entry.
    guard archive_entry_filetype(entry) & S_IFMT == S_IFREG, archive_entry_hardlink(entry) == nil, isWanted(path) else {
      return .passedOver
    }
    return .file(Archive.File(path: path, content: read()))
  }

  private func read() -> Result<ByteView, ArchiveError> {
    var output = ByteBuilder()
    let room = min(largest, limits.totalBytes - total)
    while true {
      guard output.makeRoom(limit: room + 1) else {
        return .failure(ArchiveError(.tooLarge, "no memory for more than \(output.count) bytes of it"))
      }
      var count = 0
      output.append { room in
        count = archive_read_data(archive, room.baseAddress, min(room.count, 1 << 24))
        return max(0, count)
      }
      if count == 0 { break }
      if count < 0 {
        let isLocked = archive_read_has_encrypted_entries(archive) > 0
        return .failure(ArchiveError(isLocked ? .unsupported : .damaged, message))
      }
      if output.count > room {
        let what = room < largest ? "all files of the archive together" : "it"
        return .failure(
          ArchiveError(.tooLarge, "\(what) unpacks to more than \(room < largest ? limits.totalBytes : largest) bytes"))
      }
    }
    total += output.count
    return .success(output.finish())
  }
}
