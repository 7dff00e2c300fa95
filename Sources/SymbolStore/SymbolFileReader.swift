internal import Archives
internal import Bytes
internal import Files
internal import Glibc
internal import Identity
internal import ObjectFiles

/// What was found in a file: itself, or one file of those that are packed in it.
enum Finding {
  /// A file that may hold symbols, for as long as the finding is looked at.
  case file(File)
  /// A folder with what other files of an archive may need, before they come: maps, parts of debug information.
  case besides(String)
  /// One that cannot be had, and why.
  case refused(SliceReport)
  /// One that holds no symbols, such as an icon.
  case other

  /// A file in a copy that nobody else changes.
  struct File {
    /// The path as the user named it, and in the archive.
    var path: String
    /// Where files lie that belong to it: beside this path.
    var place: String
    /// Where the copy is.
    var copy: String
    /// The bytes of the copy.
    var bytes: ByteView
    /// Their digest, if it is known.
    var digest: ContentDigest?

    /// The digest of a slice of the file. Cost: a pass over it, unless it is the whole file and was copied.
    func digest(of slice: ObjectFile) -> ContentDigest {
      if let digest, slice.bytes.count == bytes.count { return digest }
      return ContentDigest(of: slice.bytes)
    }
  }
}

/// Copies the files that may hold symbols, out of archives and compressed files as well, each for as long as it is looked at.
///
/// What a file is, its first bytes tell. One file at a time is unpacked, into the folder for temporary files; its path
/// reads `archive.zip/App.dSYM/…`.
struct SymbolFileReader {
  /// Where files are copied and unpacked.
  var temporaryFolder: String
  /// Whether what other files may need is unpacked before they are. It costs another pass over each archive.
  var looksBeside = true

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
    try read(copy, file.path, at: file.path, nesting: 0, &budget, visit)
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
    _ copy: borrowing FileCopy, _ path: String, at place: String, nesting: Int, _ budget: inout ArchiveBudget,
    _ visit: (Finding) throws(StoreError) -> Void
  ) throws(StoreError) {
    let bytes = copy.bytes
    func refuse(_ path: String, _ verdict: Verdict, _ reason: String) throws(StoreError) {
      try visit(.refused(SliceReport(path: path, verdict: verdict, reasons: [reason])))
    }
    guard ArchiveUnpacker.matches(bytes) else {
      return try visit(
        .file(Finding.File(path: path, place: place, copy: copy.path, bytes: bytes, digest: copy.digest)))
    }
    guard nesting < Self.nestingLimit else {
      return try refuse(
        path, .unsupported, "archives and compressed files inside each other more than \(Self.nestingLimit) deep")
    }
    let scratch = try storing { () throws(FileError) in try ScratchFolder(in: temporaryFolder) }
    let besides = scratch.path
    if looksBeside, try unpackBesides(bytes, into: besides) { try visit(.besides(besides)) }
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
        let inner: FileCopy
        do throws(FileError) {
          inner = try FileCopy(taking: target)
        } catch {
          guard error.errno == ENOMEM else { throw StoreError(error) }
          try refuse(Self.inside(path, member), .tooLarge, "no memory to read it")
          continue
        }
        let place = member.isEmpty ? place : "\(besides)/\(member)"
        try read(inner, Self.inside(path, member), at: place, nesting: nesting + 1, &budget, visit)
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

  /// Unpacks what other files of an archive may need to `folder`, under its names in the archive; tells whether there was
  /// anything. What cannot be had is told when its turn comes.
  private func unpackBesides(_ archive: ByteView, into folder: String) throws(StoreError) -> Bool {
    guard var unpacker = ArchiveUnpacker(archive) else { return false }
    var budget = ArchiveBudget(Self.limits)
    var found = false
    var isSingleFile = false
    let target = folder + "/unpacked"
    while true {
      let step = try storing { () throws(FileError) in
        try unpacker.next(to: target, within: &budget) { member, _ in
          isSingleFile = member.isEmpty
          return !Self.isGhost(member) && Self.isBeside(member)
        }
      }
      // A compressed file is not unpacked for what is not beside it.
      if isSingleFile { return false }
      switch step {
      case .end, .failed: return found
      case .passedOver, .refused: break
      case .file(let member):
        if publish(target, as: member, in: folder) { found = true } else { PathName.unlink(target) }
      }
    }
  }

  /// Whether a file of this path may be needed by others, which refer to it by its name.
  private static func isBeside(_ member: String) -> Bool {
    SymbolMaps.matches(member) || [".dwo", ".dwp", ".debug"].contains(where: member.hasSuffix)
      || member.contains(".dwz/")
  }

  /// Gives an unpacked file its place below `folder`. There are no links in it, so a path without `..` stays inside.
  private func publish(_ file: String, as member: String, in folder: String) -> Bool {
    let parts = member.split(separator: "/").filter { $0 != "." }
    guard let name = parts.last, !parts.contains("..") else { return false }
    var place = folder
    for part in parts.dropLast() {
      place += "/" + part
      if PathName.makeFolder(place) != 0, errno != EEXIST { return false }
    }
    return PathName.rename(file, "\(place)/\(name)") == 0
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
    self.init(
      path: path, verdict: error.errno == ENOMEM ? .tooLarge : .unreadable,
      reasons: ["cannot \(error.step): \(error.reason)"])
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
