internal import Archives
internal import Bytes
internal import Files
internal import ObjectFiles

/// What was found in a file: itself, or one file of those that are packed in it.
enum Finding {
  /// A file that may hold symbols, in a copy that nobody else changes, for as long as the finding is looked at.
  case file(path: String, copy: String, bytes: ByteView)
  /// One that cannot be had, and why.
  case refused(SliceReport)
  /// One that holds no symbols, such as an icon.
  case other
}

/// Copies the files that may hold symbols, out of archives and compressed files as well, each for as long as it is looked at.
///
/// What a file is, its first bytes tell. One file at a time is unpacked, into the folder for temporary files; its path
/// reads `archive.zip/App.dSYM/…`.
struct SymbolFileReader {
  /// Where files are copied and unpacked.
  var temporaryFolder: String

  /// How deep archives and compressed files may lie inside each other. A `.zip` in a `.tar.gz` in a `.zip` is three.
  static let nestingLimit = 3

  /// Of all that is packed in one file (operations.md 5.4).
  private static var limits: ArchiveLimits {
    var limits = ArchiveLimits()
    (limits.totalBytes, limits.entries, limits.fileBytes) = (32 << 30, 100_000, SymbolStore.maximumSliceSize)
    return limits
  }

  /// Gives what is found in `file` to `visit`. Throws what `visit` throws, and when a copy cannot be written.
  func read(_ file: FoundFile, _ visit: (Finding) throws(StoreError) -> Void) throws(StoreError) {
    let copy: FileCopy?
    do throws(FileError) {
      copy = try self.copy(of: file)
    } catch {
      guard error.path == file.path else { throw StoreError(error) }
      return try visit(.refused(SliceReport(unreadable: file.path, error)))
    }
    guard let copy else { return try visit(.other) }
    guard !copy.hasChanged else {
      return try visit(
        .refused(
          SliceReport(
            path: file.path, byteCount: copy.bytes.count, verdict: .incomplete,
            reasons: ["it changed while it was read: somebody is still writing it"])))
    }
    var budget = ArchiveBudget(Self.limits)
    try read(copy, file.path, nesting: 0, &budget, visit)
  }

  /// A copy of the file; `nil` when it is not looked at.
  private func copy(of file: FoundFile) throws(FileError) -> FileCopy? {
    if let failure = file.failure { throw failure }
    let beginning = try ByteView.beginning(of: file.path, count: ArchiveUnpacker.beginningSize)
    guard file.isNamed || Self.isWanted(file.path, beginning) else { return nil }
    return try FileCopy(of: file.path, in: temporaryFolder)
  }

  /// Whether a file that nobody named is looked at.
  ///
  /// Inside a bundle most files are no symbols. One where only symbols belong is never passed over in silence; nor is
  /// what should be a bundle and is a file (symbolication.md B.57).
  private static func isWanted(_ path: String, _ beginning: ByteView) -> Bool {
    path.contains(".dSYM/Contents/Resources/DWARF/") || path.hasSuffix(".dSYM")
      || Container.looksLikeObjectFile(beginning) || ArchiveUnpacker.matches(beginning)
  }

  /// Archivers and Finder leave copies of metadata beside the files.
  private static func isGhost(_ path: String) -> Bool {
    path.split(separator: "/").contains { $0 == "__MACOSX" || $0.hasPrefix("._") }
  }

  /// The file in `copy`, or what is packed in it. The nesting bounds the recursion.
  private func read(
    _ copy: borrowing FileCopy, _ path: String, nesting: Int, _ budget: inout ArchiveBudget,
    _ visit: (Finding) throws(StoreError) -> Void
  ) throws(StoreError) {
    let bytes = copy.bytes
    func refuse(_ path: String, _ verdict: Verdict, _ reason: String) throws(StoreError) {
      try visit(.refused(SliceReport(path: path, verdict: verdict, reasons: [reason])))
    }
    guard ArchiveUnpacker.matches(bytes) else {
      return try visit(.file(path: path, copy: copy.path, bytes: bytes))
    }
    guard nesting < Self.nestingLimit else {
      return try refuse(
        path, .unsupported, "archives and compressed files inside each other more than \(Self.nestingLimit) deep")
    }
    guard var unpacker = ArchiveUnpacker(bytes) else { return try refuse(path, .tooLarge, "no memory to read it") }
    while true {
      let target = FileCopy.newPath(in: temporaryFolder)
      let step = try storing { () throws(FileError) in
        try unpacker.next(to: target, within: &budget) { member, beginning in
          !Self.isGhost(member) && Self.isWanted(Self.inside(path, member), beginning)
        }
      }
      switch step {
      case .end: return
      case .passedOver: try visit(.other)
      case .file(let member):
        let inner = try storing { () throws(FileError) in try FileCopy(taking: target) }
        try read(inner, Self.inside(path, member), nesting: nesting + 1, &budget, visit)
      case .refused(let member, let error):
        if Self.isGhost(member) {
          try visit(.other)
        } else {
          try refuse(Self.inside(path, member), error.verdict, "\(error)")
        }
      case .failed(let error): return try refuse(path, error.verdict, "cannot be unpacked further: \(error)")
      }
    }
  }

  /// A compressed file has the name of what is in it.
  private static func inside(_ path: String, _ member: String) -> String { member.isEmpty ? path : "\(path)/\(member)" }
}

extension ArchiveError {
  fileprivate var verdict: Verdict {
    switch code {
    case .damaged: .malformed
    case .tooLarge: .tooLarge
    case .unsupported: .unsupported
    case .unsafe: .unsafe
    }
  }
}

extension SliceReport {
  /// The verdict on a file that the system does not let be read.
  init(unreadable path: String, _ error: FileError) {
    self.init(path: path, verdict: .unreadable, reasons: ["cannot \(error.step): \(error.reason)"])
  }
}

/// Runs `body`, turning a failed system call into an error of the store.
func storing<R: ~Copyable>(_ body: () throws(FileError) -> R) throws(StoreError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}
