internal import Archives
public import Bytes
internal import Compression
public import Diagnostics
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
  /// What the headers said, when it came in an envelope.
  var envelope: ReportEnvelope?
  /// Why its envelope cannot be opened.
  var refusal: PayloadRefusal?

  /// A document as it lay in its input.
  init(bytes: ByteView, path: String, line: Int?) {
    self.bytes = bytes
    self.path = path
    self.line = line
  }
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

/// How far the reading of files has come.
public struct ReadingPosition: Sendable, Hashable {
  /// Bytes of files, as they lie on disk, that have been read.
  public var bytes: Int
  /// Bytes of all files; 0 when nothing is known of them.
  public var totalBytes: Int
}

/// Standard input as a source of documents.
public enum StandardInput {
  /// Everything on standard input, or why it cannot be read: `EFBIG` beyond the limit. Waits for whoever writes it.
  public static func read(limits: ReadingLimits = ReadingLimits()) -> Result<ByteView, FileError> {
    Result { () throws(FileError) in
      try ByteView.reading(descriptor: STDIN_FILENO, name: "-", limit: limits.inputBytes)
    }
  }
}

/// Finds and opens what a user gave to read: files, folders, standard input; plain, compressed (gzip, Zstandard) or packed
/// (tar, zip), also one inside the other.
struct InputSource {
  /// The largest file that is read into memory, in bytes; larger ones are copied and mapped.
  private static let memoryLimit = 64 << 20

  private static let extensions = [
    ".json", ".jsonl", ".ndjson", ".ips", ".crash", ".plcrash", ".spin", ".gz", ".zst", ".tar", ".tgz", ".zip",
  ]

  /// Whether a file is read that the user did not name: by its own name, which must not be one of Finder's copies.
  private static func isDiagnostic(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return extensions.contains(where: path.hasSuffix) && !parts.contains("__MACOSX")
      && parts.last?.hasPrefix("._") == false
  }

  let limits: ReadingLimits
  /// What standard input held, when it was read before.
  var standardInput: Result<ByteView, FileError>?
  /// Where large files are copied while they are read.
  var temporaryFolder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

  /// Calls `visit` for each document, and `reject` for what cannot be opened.
  ///
  /// Inside folders and archives only names that diagnostics have are read; `other` counts the rest. A file that the user
  /// named is read whatever its name. `position` hears how far it has come whenever a document begins.
  func documents<E: Error>(
    _ paths: [String], other: inout Int, position: (ReadingPosition) -> Void = { _ in },
    reject: (RejectedItem) -> Void, visit: (SourceDocument) throws(E) -> Void
  ) throws(E) {
    var files: [FoundFile] = []
    for path in paths.flatMap({ $0 == "-" ? [$0] : PathPattern.expanded($0) }) {
      if path == "-" {
        files.append(FoundFile(path: path, isNamed: true, failure: nil))
      } else {
        FileWalk.files(below: [path]) { files.append($0) }
      }
    }
    let beside = Self.besideReports(among: files)
    let sizes = files.map(size)
    var place = ReadingPosition(bytes: 0, totalBytes: sizes.reduce(0, +))
    for (file, size) in zip(files, sizes) {
      let start = place.bytes
      defer {
        place.bytes = start + size
        position(place)
      }
      guard file.isNamed || file.failure != nil || (Self.isDiagnostic(file.path) && !beside.contains(file.path)) else {
        other += 1
        continue
      }
      let isLines = try readLines(file, reject: reject) { (document, offset) throws(E) in
        place.bytes = start + offset
        position(place)
        try visit(document)
      }
      if isLines { continue }
      switch open(file) {
      case .failure(let rejected): reject(rejected.item)
      case .success(let bytes):
        try unpack(bytes, file.path, nesting: 0, other: &other, reject: reject) { (document, share) throws(E) in
          place.bytes = start + Int(share * Double(size))
          position(place)
          try visit(document)
        }
      }
    }
  }

  private func size(of file: FoundFile) -> Int {
    if file.path == "-" { return (try? standardInput?.get())?.count ?? 0 }
    guard let status = PathName.status(file.path), status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(clamping: status.st_size)
  }

  /// What Xcode's organizer keeps in a `.xccrashpoint` beside the reports that it was sent, which lie in `…/Logs`: what it
  /// knows of them, as JSON, and copies that it has symbolicated, in `…/Logs/LocallySymbolicated`. A copy is the same
  /// report, and each report counts once: the one that was sent, since the other changes with the symbols on somebody's
  /// machine. Where only the copy is left, it is read.
  ///
  /// The manifest of an exported bundle is no report either.
  private static func besideReports(among files: [FoundFile]) -> Set<String> {
    let manifest = "/manifest.json"
    let lines = Set(files.lazy.map(\.path).filter { $0.hasSuffix("/diagnostics.jsonl") })
    let manifests = files.map(\.path).filter {
      $0.hasSuffix(manifest) && lines.contains($0.dropLast(manifest.count) + "/diagnostics.jsonl")
    }
    return besideReports(inCrashPoints: files).union(manifests)
  }

  private static func besideReports(inCrashPoints files: [FoundFile]) -> Set<String> {
    let paths = files.map(\.path).filter { $0.contains(".xccrashpoint/") }
    if paths.isEmpty { return [] }
    let all = Set(paths)
    let folder = "/Logs/LocallySymbolicated/"
    return Set(
      paths.filter { path in
        if let place = path.ranges(of: folder).last {
          return all.contains(path[..<place.lowerBound] + "/Logs/" + path[place.upperBound...])
        }
        return !isReport(path)
      })
  }

  /// Whether the file lies where reports lie, if it is one of the organizer's.
  private static func isReport(_ path: String) -> Bool { !path.contains(".xccrashpoint/") || path.contains("/Logs/") }

  private static func isCopy(_ path: String) -> Bool {
    path.contains(".xccrashpoint/") && path.contains("/Logs/LocallySymbolicated/")
  }

  /// Takes off compressions and archives, and visits the documents inside, each with how much of the file lies before it.
  private func unpack<E: Error>(
    _ bytes: ByteView, _ path: String, nesting: Int, other: inout Int, reject: (RejectedItem) -> Void,
    visit: (SourceDocument, _ share: Double) throws(E) -> Void
  ) throws(E) {
    func rejected(_ reason: String, _ message: String) {
      reject(RejectedItem(path: path, line: nil, reason: reason, message: message))
    }
    let isArchive = Archive.matches(bytes)
    guard isArchive || Gzip.matches(bytes) || Zstd.matches(bytes) else {
      let stream = DocumentStream(bytes, limits: limits)
      let isWhole = stream.form == .whole
      for document in stream {
        let share = Double(document.offset) / Double(max(bytes.count, 1))
        try visit(SourceDocument(bytes: document.bytes, path: path, line: isWhole ? nil : document.line), share)
      }
      return
    }
    // A `.tar.gz` in a `.zip` is three.
    guard nesting < limits.nesting else {
      return rejected(
        "nested_too_deep", "archives and compressions inside each other more than \(limits.nesting) deep")
    }
    guard isArchive else {
      switch decompressed(bytes) {
      case .failure(let error): rejected("damaged_compression", "cannot be decompressed: \(error)")
      case .success(let inner):
        try unpack(inner, path, nesting: nesting + 1, other: &other, reject: reject, visit: visit)
      }
      return
    }
    var passed = 0
    var bounds = ArchiveLimits()
    (bounds.totalBytes, bounds.entries) = (limits.inputBytes, limits.archiveEntries)
    let failure = try Archive.files(in: bytes, limits: bounds) { name in
      // What follows in an archive is not known yet, so there a copy is passed over for its folder alone.
      let isWanted = Self.isDiagnostic(name) && Self.isReport(name) && !Self.isCopy(name)
      if !isWanted { passed += 1 }
      return isWanted
    } visit: { (file) throws(E) in
      let inside = "\(path)/\(file.path)"
      switch file.content {
      case .failure(let error):
        reject(
          RejectedItem(path: inside, line: nil, reason: "damaged_archive", message: "cannot be unpacked: \(error)"))
      case .success(let content):
        // An archive does not say how much of it is unpacked.
        try unpack(content, inside, nesting: nesting + 1, other: &other, reject: reject) { (document, _) throws(E) in
          try visit(document, 0)
        }
      }
    }
    other += passed
    if let failure { rejected("damaged_archive", "cannot be unpacked further: \(failure)") }
  }

  /// Visits the documents of a large file of JSON Lines, part by part; `false` when it is none.
  private func readLines<E: Error>(
    _ file: FoundFile, reject: (RejectedItem) -> Void, visit: (SourceDocument, _ offset: Int) throws(E) -> Void
  ) throws(E) -> Bool {
    guard file.failure == nil, file.path != "-", size(of: file) > LineFile.partBytes,
      var lines = try? LineFile(path: file.path, limits: limits)
    else { return false }
    while true {
      let part: LineFile.Part?
      do throws(FileError) {
        part = try lines.next()
      } catch {
        reject(unreadable(file, error))
        return true
      }
      guard let part else { return true }
      for document in DocumentStream(lines: part.bytes, startingAt: part.line, limits: limits) {
        let found = SourceDocument(bytes: document.bytes, path: file.path, line: document.line)
        try visit(found, part.offset + document.offset)
      }
    }
  }

  private func decompressed(_ bytes: ByteView) -> Result<ByteView, CompressionError> {
    let limit = OutputLimit(bytes: limits.inputBytes)
    return Result { () throws(CompressionError) in
      Gzip.matches(bytes) ? try Gzip.decompress(bytes, limit: limit) : try Zstd.decompress(bytes, limit: limit)
    }
  }

  private struct Rejection: Error {
    var item: RejectedItem
  }

  private func open(_ file: FoundFile) -> Result<ByteView, Rejection> {
    do throws(FileError) {
      if let failure = file.failure { throw failure }
      return .success(try read(file.path))
    } catch {
      return .failure(Rejection(item: unreadable(file, error)))
    }
  }

  private func unreadable(_ file: FoundFile, _ error: FileError) -> RejectedItem {
    RejectedItem(
      path: file.path, line: nil, reason: "unreadable", message: "cannot \(error.step): \(error.reason)")
  }

  private func read(_ path: String) throws(FileError) -> ByteView {
    if path == "-" { return try (standardInput ?? StandardInput.read(limits: limits)).get() }
    // Large files do not fill memory; a pipe, as a shell's `<(…)` gives, has no size.
    if let status = PathName.status(path), status.st_mode & S_IFMT == S_IFREG, status.st_size > Self.memoryLimit {
      return try FileCopy(of: path, in: temporaryFolder).bytes
    }
    return try ByteView.reading(path: path, limit: limits.inputBytes)
  }
}
