internal import Bytes
internal import Compression
public import DebugInfo
internal import Identity
public import ObjectFiles

/// The files that hold more of an object's debug information, as far as they were found.
public struct FoundCompanions: Sendable, Hashable {
  /// One of them.
  public struct File: Sendable, Hashable {
    /// What it holds.
    public var role: CompanionFile.Role
    /// Where it is.
    public var path: String
    /// Of a `.dwo` file, the identifier of its unit.
    public var unit: UInt64?

    /// A file with these parts.
    public init(role: CompanionFile.Role, path: String, unit: UInt64? = nil) {
      self.role = role
      self.path = path
      self.unit = unit
    }
  }

  /// The files, each once.
  public var files: [File] = []
  /// What was named and not found, or found and not fitting.
  public var problems: [String] = []

  /// Nothing found.
  public init() {}
}

/// Something that finds the companions of an object: here, or in a process of its own.
public protocol CompanionFinding: Sendable {
  /// The companions of `object`, which lies in the file at `path`, or in a copy of it at `copy`.
  func companions(of object: ObjectFile, at path: String, copiedTo copy: String?) -> FoundCompanions
}

/// Finds the companions of an ELF file: the file that `.gnu_debuglink` names, the one under its build-id, the common
/// file of dwz, and the files of split units.
///
/// Every file is held against what names it (CRC, build-id, unit identifier): a file of the right name is not enough.
/// Only regular files are opened.
public struct CompanionFinder: CompanionFinding {
  /// Folders with trees of separate debug files: `.build-id/ab/cdef….debug` below them, or the object's own path.
  public var debugRoots: [String]

  /// A finder that also looks below `debugRoots`, by default where distributions put debug files.
  public init(debugRoots: [String] = ["/usr/lib/debug"]) { self.debugRoots = debugRoots }

  /// The companions of `object`, which was read from the file at `path`.
  ///
  /// Cost: a few opened files, one CRC. Debug information is read where there is some: from outside it must not be
  /// trusted to this process.
  public func companions(of object: ObjectFile, at path: String, copiedTo copy: String? = nil) -> FoundCompanions {
    guard object.format == .elf else { return FoundCompanions() }
    var found = FoundCompanions()
    let folder = Folder(of: path)
    if !object.hasDWARF, let debugFile = separateDebugFile(of: object, in: folder, path, &found) {
      found.files.append(.init(role: .debugFile, path: debugFile.path))
      findParts(of: debugFile.object, in: [Folder(of: debugFile.path), folder], path, &found)
    } else {
      findParts(of: object, in: [folder], path, &found)
    }
    return found
  }

  /// The file with the debug information that was split off `object`.
  private func separateDebugFile(
    of object: ObjectFile, in folder: Folder, _ path: String, _ found: inout FoundCompanions
  ) -> OpenedFile? {
    if let hex = object.debugID?.hex, hex.count > 2 {
      let name = ".build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
      for root in [folder.path] + debugRoots {
        if let file = OpenedFile("\(root)/\(name)"), file.object.debugID == object.debugID { return file }
      }
    }
    guard let link = object.debugLink else { return nil }
    let name = link.name.split(separator: "/").last.map(String.init) ?? link.name
    for candidate in [folder.file(name), folder.file(".debug/\(name)")]
      + debugRoots.map({ "\($0)/\(folder.path)/\(name)" })
    {
      guard let file = OpenedFile(candidate), candidate != path else { continue }
      if file.bytes.crc32 == link.crc { return file }
      found.problems.append("\(candidate): not the file that .gnu_debuglink means (its CRC differs)")
    }
    if found.problems.isEmpty { found.problems.append("debug file \(name) was not found") }
    return nil
  }

  /// What the debug information of `object` itself refers to.
  private func findParts(of object: ObjectFile, in folders: [Folder], _ path: String, _ found: inout FoundCompanions) {
    guard object.hasDWARF else { return }
    if let link = object.alternateLink {
      if let file = alternate(link, in: folders) {
        found.files.append(.init(role: .common, path: file.path))
      } else {
        found.problems.append("common debug file \(link.name) (build-id \(link.id.hex)) was not found")
      }
    }
    guard let sections = try? DebugSections(object), let reader = try? DebugInfoReader(sections) else { return }
    let references = reader.splitUnits
    guard !references.isEmpty else { return }
    // A package lies beside the binary and takes its name.
    let packages = ([path] + folders.map { $0.file(Folder.baseName(of: path)) }).map { $0 + ".dwp" }
    if let package = packages.lazy.compactMap({ OpenedFile($0) }).first {
      found.files.append(.init(role: .package, path: package.path))
    }
    for reference in references {
      let candidates = folders.flatMap { folder in
        [folder.file(reference.name), folder.file(Folder.baseName(of: reference.name))]
      }
      let built = reference.name.hasPrefix("/") ? reference.name : reference.folder.map { "\($0)/\(reference.name)" }
      if let file = (candidates + [built].compactMap { $0 }).lazy.compactMap({ OpenedFile($0) }).first {
        found.files.append(.init(role: .split, path: file.path, unit: reference.id))
      }
    }
  }

  private func alternate(_ link: (name: String, id: DebugID), in folders: [Folder]) -> OpenedFile? {
    var candidates = folders.flatMap { [$0.file(link.name), $0.file(Folder.baseName(of: link.name))] }
    let hex = link.id.hex
    for root in folders.map(\.path) + debugRoots {
      candidates.append("\(root)/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug")
    }
    return candidates.lazy.compactMap { OpenedFile($0) }.first {
      $0.object.debugID == link.id || $0.object.supplementaryID == link.id
    }
  }
}

/// A file that was opened and read as one object.
private struct OpenedFile {
  let path: String
  let bytes: ByteView
  let object: ObjectFile

  init?(_ path: String) {
    guard let bytes = try? ByteView.mapping(path: path), let object = try? Container(bytes).objects.first else {
      return nil
    }
    self.path = path
    self.bytes = bytes
    self.object = object
  }
}

/// The folder that a file lies in.
private struct Folder {
  let path: String

  init(of file: String) {
    let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
    path = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
  }

  /// A path seen from the folder; an absolute one stays.
  func file(_ name: String) -> String { name.hasPrefix("/") ? name : "\(path)/\(name)" }

  static func baseName(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
