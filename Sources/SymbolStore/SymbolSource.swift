internal import Bytes
internal import Files
internal import Glibc
public import Identity

/// Somewhere beyond the store that may have the symbols of an image: a folder, a server. It is read and never changed.
public protocol SymbolSource: Sendable {
  /// How people know it: the path, or the address without what is secret in it.
  var name: String { get }
  /// What it is.
  var kind: SymbolSourceKind { get }
  /// Whether it makes sense to ask it for image `id` now.
  func isAsked(for id: DebugID) -> Bool
  /// The files that should be of image `id`, richest first. What they are is not known yet; whoever asks looks inside.
  ///
  /// Threads may ask at once. Cost: looking at a few names, or a download.
  func files(for id: DebugID) -> [SourceFile]
  /// Hears what became of a file that it gave: whether it was of the image that was asked for.
  func judged(isGood: Bool)
  /// Why it is not asked any more in this run; `nil` while it is.
  var leftAlone: String? { get }
  /// What its failures so far were, in words, also those that did not end it.
  var troubles: [String] { get }
  /// Ends the run: what is worth remembering is kept.
  func finish()
}

extension SymbolSource {
  /// A folder has any image.
  public func isAsked(for id: DebugID) -> Bool { true }

  /// A folder never tires of being asked.
  public var leftAlone: String? { nil }

  /// What a folder does not have, it does not have.
  public var troubles: [String] { [] }

  /// A folder is not worth remembering.
  public func finish() {}

  /// What is on a disk does not get better by being judged.
  public func judged(isGood: Bool) {}
}

/// What a source of symbols is.
public enum SymbolSourceKind: String, Sendable, Hashable, CaseIterable {
  /// A folder in one of the layouts that other tools keep.
  case folder
  /// A server of ELF files by build-id.
  case debuginfod
}

/// One file that a source gave.
public struct SourceFile: Sendable {
  /// How people know it: its path, or the address that it came from.
  public var place: String
  /// Where it lies.
  public var path: String
  /// The name that people know the binary by, where the source says it.
  public var name: String?
  /// The file, when it was downloaded and goes away with this value.
  public var download: DownloadedFile?

  /// The file at `path`, which people know as `place`.
  public init(_ path: String, knownAs place: String? = nil) {
    self.place = place ?? path
    self.path = path
  }

  /// The base name of what was found; that of a link's target, since links are named after identifiers.
  var baseName: String {
    name ?? (download == nil ? path : place).baseName
  }

  /// A file that was downloaded from `place`, where it is called `name`.
  public init(_ download: DownloadedFile, from place: String, name: String? = nil) {
    self.place = place
    self.name = name
    path = download.path
    self.download = download
  }
}

/// A file of our own that is removed when its last user is gone.
public final class DownloadedFile: Sendable {
  /// Where it lies.
  public let path: String

  /// A path in `folder` that nobody uses.
  public static func newPath(in folder: String) -> String { FileCopy.newPath(in: folder) }

  /// Takes over the file at `path`, which only this program knows.
  public init(taking path: String) { self.path = path }

  deinit { PathName.unlink(path) }
}

/// What one source did in a run.
public struct SourceReport: Sendable, Hashable {
  /// A file that was not what it should be.
  public struct Refusal: Sendable, Hashable {
    /// The file.
    public var place: String
    /// Why it was not used.
    public var reason: String
  }

  /// How people know the source.
  public var name: String
  /// What it is.
  public var kind: SymbolSourceKind
  /// How often it was asked for an image.
  public var asked = 0
  /// The images whose symbols it gave, sorted.
  public var found: [DebugID] = []
  /// The files that were not used, by place.
  public var refused: [Refusal] = []
  /// Why it was not asked any more, if so.
  public var leftAlone: String?
  /// What failed, in words, as often as it did.
  public var troubles: [String] = []
}
