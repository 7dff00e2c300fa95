public import Bytes
internal import CArchive
internal import Glibc

/// What may still be unpacked of a file and of all that is packed inside it.
public struct ArchiveBudget: Sendable, Hashable {
  /// Bytes of files.
  public private(set) var bytes: Int
  /// Entries, files or not.
  public private(set) var entries: Int
  let limits: ArchiveLimits

  /// All that `limits` allow.
  public init(_ limits: ArchiveLimits) {
    (bytes, entries) = (limits.totalBytes, limits.entries)
    self.limits = limits
  }

  mutating func spendEntry() throws(ArchiveError) {
    entries -= 1
    if entries < 0 { throw ArchiveError(.tooLarge, "it holds more than \(limits.entries) entries") }
  }

  mutating func spend(_ count: Int) throws(ArchiveError) {
    // A size from the archive may be any number.
    guard count <= bytes else {
      bytes = 0
      throw ArchiveError(.tooLarge, "all files of the archive together unpack to more than \(limits.totalBytes) bytes")
    }
    bytes -= max(0, count)
  }
}

/// Unpacks a tar or zip archive, a gzip or Zstandard file, or a compressed tar, one file at a time, to disk.
///
/// Where a file is written is up to the caller; its path in the archive is a label. Folders, pipes and devices are passed
/// over, and so are links that stay in the archive: what they mean is an entry of its own.
public struct ArchiveUnpacker: ~Copyable {
  /// What comes next.
  public enum Step: Sendable {
    /// A file with this path in the archive was written. Its path is empty when the archive is a compressed file alone.
    case file(path: String)
    /// Something that is not wanted.
    case passedOver
    /// An entry that cannot be had; the ones behind it can.
    case refused(path: String, ArchiveError)
    /// Nothing behind here can be read.
    case failed(ArchiveError)
    /// All was read.
    case end
  }

  /// How many bytes of a file `isWanted` sees, if there are as many.
  public static let beginningSize = 512

  private let archive: OpaquePointer
  private let view: ByteView
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)

  /// An unpacker of `view`, for which `matches` holds; `nil` when there is no memory.
  public init?(_ view: ByteView) {
    guard let archive = archive_read_new() else { return nil }
    self.archive = archive
    self.view = view
    archive_read_support_format_tar(archive)
    archive_read_support_format_zip(archive)
    archive_read_support_format_raw(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_zstd(archive)
    // Safety: libarchive reads the bytes until it is freed; the view keeps them. What fails to open fails again, with its
    // reason, when the first entry is asked for.
    _ = view.withBytes { archive_read_open_memory(archive, $0.baseAddress, $0.count) }
  }

  deinit { archive_read_free(archive) }

  /// Whether `view`, or the first 512 bytes of it, begins like what is unpacked.
  public static func matches(_ view: ByteView) -> Bool {
    guard let magic: UInt32 = view.load(at: 0, order: .little) else { return false }
    // RFC 1952 2.3.1 with the one method there is; RFC 8878 3.1.1.
    return Archive.matches(view) || magic & 0xff_ffff == 0x08_8b1f || magic == 0xfd2f_b528
  }

  /// Writes the next file to `target`, where none may be yet, if `isWanted` by its path and beginning.
  ///
  /// Throws when `target` cannot be written. Cost: what is unpacked; memory for one chunk and libarchive's windows.
  public mutating func next(
    to target: String, within budget: inout ArchiveBudget, isWanted: (String, ByteView) -> Bool
  ) throws(FileError) -> Step {
    let names = UnicodeNames()
    defer { withExtendedLifetime(names) {} }
    var found: OpaquePointer?
    let status = archive_read_next_header(archive, &found)
    if status == ARCHIVE_EOF { return .end }
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = found else { return .failed(failure) }
    // The library takes off any number of compressions by itself; the last stands for the bytes as they are.
    guard archive_filter_count(archive) <= 2 else {
      return .failed(ArchiveError(.unsupported, "it is compressed more than once"))
    }
    let isRaw = archive_format(archive) == ARCHIVE_FORMAT_RAW
    let path = isRaw ? "" : text(archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)) ?? ""
    do throws(ArchiveError) {
      try budget.spendEntry()
    } catch {
      return .failed(error)
    }
    if let problem = danger(of: entry, path) { return .refused(path: path, problem) }
    guard isRaw || archive_entry_filetype(entry) & S_IFMT == S_IFREG && archive_entry_hardlink(entry) == nil else {
      return .passedOver
    }
    var beginning: [UInt8] = []
    while beginning.count < Self.beginningSize {
      let count = archive_read_data(archive, &chunk, Self.beginningSize - beginning.count)
      if count < 0 { return .refused(path: path, failure) }
      if count == 0 { break }
      beginning += chunk[..<count]
    }
    guard isWanted(path, ByteView(beginning)) else {
      do throws(ArchiveError) {
        // To pass over packed bytes is work as well.
        try budget.spend(Int(clamping: archive_entry_size(entry)))
      } catch {
        return .failed(error)
      }
      return .passedOver
    }
    do throws(UnpackingError) {
      try write(beginning, to: target, &budget)
    } catch {
      PathName.unlink(target)
      switch error {
      case .system(let error): throw error
      case .archive(let error): return .refused(path: path, error)
      }
    }
    return .file(path: path)
  }

  private func write(
    _ beginning: [UInt8], to target: String, _ budget: inout ArchiveBudget
  ) throws(UnpackingError) {
    let descriptor = PathName.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(FileError(path: target, step: "create")) }
    defer { close(descriptor) }
    let (scaled, overflow) = view.count.multipliedReportingOverflow(by: budget.limits.ratio)
    let largest = min(budget.limits.fileBytes, overflow ? .max : max(scaled, 16 << 20))
    var block = beginning
    var total = 0
    while !block.isEmpty {
      total += block.count
      guard total <= largest else {
        throw .archive(ArchiveError(.tooLarge, "it unpacks to more than \(largest) bytes"))
      }
      do throws(ArchiveError) { try budget.spend(block.count) } catch { throw .archive(error) }
      try write(block, descriptor, target)
      block = [UInt8](repeating: 0, count: 1 << 18)
      let count = archive_read_data(archive, &block, block.count)
      if count < 0 { throw .archive(failure) }
      block.removeLast(block.count - count)
    }
  }

  private func write(_ block: [UInt8], _ descriptor: Int32, _ target: String) throws(UnpackingError) {
    var done = 0
    while done < block.count {
      let written = block.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, block.count - done)
      }
      if written < 0, errno != EINTR { throw .system(FileError(path: target, step: "write")) }
      done += max(0, written)
    }
  }

  /// Why the path or the link of an entry is refused.
  private func danger(of entry: OpaquePointer, _ path: String) -> ArchiveError? {
    if Self.leadsOut(path, from: []) { return ArchiveError(.unsafe, "its path leads out of the archive") }
    if let target = text(archive_entry_hardlink_utf8(entry) ?? archive_entry_hardlink(entry)) {
      return Self.leadsOut(target, from: []) ? ArchiveError(.unsafe, "a link out of the archive, to \(target)") : nil
    }
    guard archive_entry_filetype(entry) & S_IFMT == S_IFLNK,
      let target = text(archive_entry_symlink_utf8(entry) ?? archive_entry_symlink(entry))
    else { return nil }
    let folder = path.split(separator: "/").dropLast()
    return Self.leadsOut(target, from: Array(folder))
      ? ArchiveError(.unsafe, "a link out of the archive, to \(target)") : nil
  }

  /// Whether a path, seen from a folder of the archive, is absolute (also as Windows writes it) or climbs above the top.
  private static func leadsOut(_ path: String, from folder: [Substring]) -> Bool {
    let bytes = Array(path.utf8.prefix(3))
    if let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") { return true }
    if bytes.count > 1, bytes[1] == UInt8(ascii: ":") { return true }
    var depth = folder.count { $0 != "." }
    for part in path.utf8.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
      if part.elementsEqual("..".utf8) { depth -= 1 } else if !part.elementsEqual(".".utf8) { depth += 1 }
      if depth < 0 { return true }
    }
    return false
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

  private var failure: ArchiveError {
    let isLocked = archive_read_has_encrypted_entries(archive) > 0
    let message = text(archive_error_string(archive)) ?? "it cannot be read"
    return ArchiveError(isLocked ? .unsupported : .damaged, message)
  }
}

/// Why a file was not unpacked.
private enum UnpackingError: Error {
  case archive(ArchiveError)
  case system(FileError)
}
