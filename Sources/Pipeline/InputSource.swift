public import Bytes
internal import Compression
internal import Diagnostics
internal import Files
internal import Glibc

/// One document on its way in: its bytes and where they came from.
public struct SourceDocument: Sendable {
  /// The bytes that the document's digest is made of.
  public var bytes: ByteView
  /// The path as the user named it; `-` for standard input.
  public var path: String
  /// The line it starts on, when the input holds several documents.
  public var line: Int?
}

/// Something that was given and not accepted, with the reason.
public struct RejectedItem: Sendable, Hashable {
  /// The path as the user named it.
  public var path: String
  /// The line it starts on, when the input holds several documents.
  public var line: Int?
  /// A word from a fixed list, for counting.
  public var reason: String
  /// The whole reason, with the place.
  public var message: String

  /// The path and line, as editors read them.
  public var place: String { line.map { "\(path):\($0)" } ?? path }
}

/// Standard input as a source of documents.
public enum StandardInput {
  /// Everything on standard input, or why it cannot be read: `EFBIG` beyond 4 GiB. Waits for whoever writes it.
  public static func read() -> Result<ByteView, FileError> {
    Result { () throws(FileError) in
      try ByteView.reading(descriptor: STDIN_FILENO, name: "-", limit: InputSource.sizeLimit)
    }
  }
}

/// Finds and opens what a user gave to read: files, folders, standard input; plain or compressed.
struct InputSource {
  /// The largest input after decompression, in bytes.
  static let sizeLimit = 4 << 30

  /// The largest file that is read into memory, in bytes; larger ones are copied and mapped.
  private static let memoryLimit = 64 << 20

  private static let extensions = [".json", ".jsonl", ".ndjson", ".ips", ".crash", ".gz"]

  let limits: ReadingLimits
  /// What standard input held, when it was read before.
  var standardInput: Result<ByteView, FileError>?
  /// Where large files are copied while they are read.
  var temporaryFolder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

  /// Calls `visit` for each document, and `reject` for what cannot be opened.
  ///
  /// Inside folders only names that diagnostics have are read (`.json`, `.jsonl`, `.ndjson`, `.ips`, `.crash`, each also
  /// with `.gz`); `other` counts the rest. A file that the user named is read whatever its name.
  func documents<E: Error>(
    _ paths: [String], other: inout Int, reject: (RejectedItem) -> Void, visit: (SourceDocument) throws(E) -> Void
  ) throws(E) {
    var files: [FoundFile] = []
    for path in paths {
      if path == "-" {
        files.append(FoundFile(path: path, isNamed: true, failure: nil))
      } else {
        FileWalk.files(below: [path]) { files.append($0) }
      }
    }
    let beside = Self.besideReports(among: files)
    for file in files {
      let isRead = Self.extensions.contains(where: file.path.hasSuffix) && !beside.contains(file.path)
      guard file.isNamed || file.failure != nil || isRead else {
        other += 1
        continue
      }
      switch open(file) {
      case .failure(let rejected): reject(rejected.item)
      case .success(let bytes):
        let stream = DocumentStream(bytes, limits: limits)
        let isWhole = stream.form == .whole
        for document in stream {
          try visit(SourceDocument(bytes: document.bytes, path: file.path, line: isWhole ? nil : document.line))
        }
      }
    }
  }

  /// What Xcode's organizer keeps in a `.xccrashpoint` beside the reports that it was sent, which lie in `…/Logs`: what it
  /// knows of them, as JSON, and copies that it has symbolicated, in `…/Logs/LocallySymbolicated`. A copy is the same
  /// report, and each report counts once: the one that was sent, since the other changes with the symbols on somebody's
  /// machine. Where only the copy is left, it is read.
  private static func besideReports(among files: [FoundFile]) -> Set<String> {
    let paths = files.map(\.path).filter { $0.contains(".xccrashpoint/") }
    if paths.isEmpty { return [] }
    let all = Set(paths)
    let folder = "/Logs/LocallySymbolicated/"
    return Set(
      paths.filter { path in
        if let place = path.ranges(of: folder).last {
          return all.contains(path[..<place.lowerBound] + "/Logs/" + path[place.upperBound...])
        }
        return !path.contains("/Logs/")
      })
  }

  private struct Rejection: Error {
    var item: RejectedItem
  }

  private func open(_ file: FoundFile) -> Result<ByteView, Rejection> {
    func rejected(_ reason: String, _ message: String) -> Result<ByteView, Rejection> {
      .failure(Rejection(item: RejectedItem(path: file.path, line: nil, reason: reason, message: message)))
    }
    do throws(FileError) {
      if let failure = file.failure { throw failure }
      let bytes = try read(file.path)
      guard Gzip.matches(bytes) else { return .success(bytes) }
      do throws(CompressionError) {
        return .success(try Gzip.decompress(bytes, limit: OutputLimit(bytes: Self.sizeLimit)))
      } catch {
        return rejected("damaged_compression", "cannot be decompressed: \(error)")
      }
    } catch {
      return rejected("unreadable", "cannot \(error.step): \(error.reason)")
    }
  }

  private func read(_ path: String) throws(FileError) -> ByteView {
    if path == "-" { return try (standardInput ?? StandardInput.read()).get() }
    var status = stat()
    // Large files do not fill memory; a pipe, as a shell's `<(…)` gives, has no size.
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > Self.memoryLimit {
      return try FileCopy(of: path, in: temporaryFolder).bytes
    }
    return try ByteView.reading(path: path, limit: Self.sizeLimit)
  }
}
