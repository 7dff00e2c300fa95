public import Bytes
internal import Glibc

/// The folder of a store: immutable files under names that are digests or hex identifiers.
///
/// A file is written to `tmp/`, flushed, renamed into place, and its folder flushed: a reader sees all of it or none
/// of it, whatever dies when. Files and folders are readable by their owner only.
public struct StoreDirectory: Sendable, Hashable {
  /// The path of the store.
  public let root: String
  /// The store whose files show through where this one has none; nothing is written there.
  private let base: String?

  private static let formatFile = "format"
  private static let formatName = "symclust-store"
  /// How the names of all temporary files begin, so that only ours are ever swept away.
  public static let temporaryPrefix = "symclust-"
  /// The same of the file by which a store begins, before it has its name.
  static let firstStepPrefix = "." + formatFile + "-"
  /// The format of the layout on disk; a newer one is refused.
  public static let formatVersion = 1

  /// Opens the store at `root`, or makes a new one there when `creating`.
  ///
  /// Throws `absent` when there is none, `newer` when a later program made it, `damaged` when something else is there.
  public init(root: String, creating: Bool) throws(StoreError) {
    self.init(root: root, base: nil)
    try open(creating: creating)
  }

  /// A new store at `root` that shows the files of `base` and keeps every change to itself: what a change would do to
  /// `base` can be seen, and nothing of it happens.
  public init(root: String, over base: StoreDirectory) throws(StoreError) {
    self.init(root: root, base: base.root)
    try open(creating: true)
  }

  /// Whether there is a store at `root`, of whatever version. Cost: one look, where there is none.
  public static func isStore(_ root: String) -> Bool {
    let path = "\(root)/\(formatFile)"
    guard PathName.exists(path), let bytes = try? ByteView.beginning(of: path, count: formatName.utf8.count) else {
      return false
    }
    return bytes.text == formatName
  }

  private init(root: String, base: String?) {
    self.root = root
    self.base = base
  }

  private func open(creating: Bool) throws(StoreError) {
    let path = "\(root)/\(Self.formatFile)"
    if !PathName.exists(path) {
      guard errno == ENOENT || errno == ENOTDIR else { throw StoreError(FileError(path: path, step: "open")) }
      guard creating else { throw StoreError(.absent, root, "there is no store here") }
      let stray = Self.firstEntry(in: root)
      // Another process may have made the store just now.
      if !PathName.exists(path) {
        if let stray {
          throw StoreError(.damaged, root, "the folder is not a store and not empty (it holds \(stray))")
        }
        try makeFolder("tmp")
        try publish(Array("\(Self.formatName) \(Self.formatVersion)\n".utf8), to: Self.formatFile)
        return
      }
    }
    let text = try storing { () throws(FileError) in try ByteView.mapping(path: path) }.text
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == Self.formatName, let version = Int(words[1]) else {
      throw StoreError(.damaged, path, "this does not say what kind of store it is")
    }
    guard version <= Self.formatVersion else {
      throw StoreError(.newer, root, "store format \(version); this program reads up to \(Self.formatVersion)")
    }
  }

  /// The absolute or given path of a file of the store: where it is, or would be.
  public func path(_ name: String) -> String {
    guard let base, !PathName.exists(own(name)), PathName.exists("\(base)/\(name)") else { return own(name) }
    return "\(base)/\(name)"
  }

  /// Where a file is written.
  private func own(_ name: String) -> String { "\(root)/\(name)" }

  /// Whether the file is there.
  public func contains(_ name: String) -> Bool { PathName.exists(path(name)) }

  /// The bytes of the file, mapped; `nil` when there is none.
  public func read(_ name: String) throws(StoreError) -> ByteView? {
    do throws(FileError) {
      return try ByteView.mapping(path: path(name))
    } catch {
      if error.errno == ENOENT { return nil }
      throw StoreError(error)
    }
  }

  /// Writes a whole file, durably and at once; an older one of the name is replaced.
  public func publish(_ bytes: [UInt8], to name: String) throws(StoreError) {
    try publish(ByteView(bytes), to: name)
  }

  /// Writes a whole file, durably and at once; an older one of the name is replaced.
  public func publish(_ bytes: ByteView, to name: String) throws(StoreError) {
    try publish(to: name) { (file) throws(StoreError) in
      try bytes.withBytes { (bytes) throws(StoreError) in try file.write(bytes) }
    }
  }

  /// The same of what `body` writes, which need not be in memory at once.
  public func publish(
    to name: String, _ body: (borrowing NewFile) throws(StoreError) -> Void
  ) throws(StoreError) {
    let folder = name.split(separator: "/").dropLast().joined(separator: "/")
    if !folder.isEmpty { try makeFolder(folder) }
    // Whoever takes the lock sweeps `tmp/`; the file that makes the store is written before there is a lock.
    let place = name == Self.formatFile ? Self.firstStepPrefix : "tmp/" + Self.temporaryPrefix
    let temporary = own("\(place)\(getpid())-\(UInt64.random(in: 0 ... .max).hex)")
    do throws(StoreError) {
      let file = try NewFile(temporary)
      try body(file)
      try file.flush()
      try storing { () throws(FileError) in
        guard PathName.rename(temporary, own(name)) == 0 else { throw FileError(path: own(name), step: "rename") }
        try flushFolder(folder.isEmpty ? root : own(folder))
      }
    } catch {
      PathName.unlink(temporary)
      throw error
    }
  }

  /// The names in a folder of the store, sorted; empty when there is no such folder.
  public func list(_ folder: String) throws(StoreError) -> [String] {
    var names: Set<String> = []
    for place in [base, root].compactMap(\.self) {
      do throws(FileError) {
        names.formUnion(try Folder.names(in: "\(place)/\(folder)"))
      } catch {
        if error.errno != ENOENT { throw StoreError(error) }
      }
    }
    return names.sorted()
  }

  /// Makes a folder of the store and those above it.
  public func makeFolder(_ name: String) throws(StoreError) {
    var current = ""
    for part in own(name).split(separator: "/", omittingEmptySubsequences: false) {
      current += current.isEmpty && part.isEmpty ? "/" : current.isEmpty || current == "/" ? part : "/\(part)"
      if current == "/" || current == "." || current == ".." { continue }
      if PathName.makeFolder(current) == 0 {
        let parent = current.lastIndex(of: "/").map { $0 == current.startIndex ? "/" : String(current[..<$0]) } ?? "."
        try storing { () throws(FileError) in try flushFolder(parent) }
      } else if errno != EEXIST {
        throw StoreError(FileError(path: current, step: "make folder"))
      }
    }
  }

  /// Waits until what was added to and removed from a folder of the store is so on the disk.
  public func flush(folder: String) throws(StoreError) {
    try storing { () throws(FileError) in try flushFolder(own(folder)) }
  }

  private func flushFolder(_ path: String) throws(FileError) {
    let descriptor = PathName.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, step: "open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(path: path, step: "flush") }
  }

  /// The first entry that an interrupted first run did not leave behind.
  private static func firstEntry(in root: String) -> String? {
    for name in (try? Folder.names(in: root)) ?? [] where name != "lock" && !name.hasPrefix(firstStepPrefix) {
      guard name == "tmp" else { return name }
      let inside = (try? Folder.names(in: "\(root)/tmp")) ?? []
      if let stray = inside.first(where: { !$0.hasPrefix(temporaryPrefix) }) { return "tmp/\(stray)" }
    }
    return nil
  }
}
