internal import Bytes
public import Files
internal import Glibc
public import Identity
internal import JSON

/// A folder of symbols as another tool keeps them, found by the identifier of an image.
///
/// Links in it are followed, since two of the layouts are made of links: whoever names the folder vouches for it, and
/// what is found is used only when it says inside that it is of the image.
public struct SymbolFolder: SymbolSource {
  /// How files are named after identifiers.
  public enum Layout: String, Sendable, Hashable, CaseIterable {
    /// `.build-id/ab/cdef….debug` and `.build-id/ab/cdef…`, as distributions and GDB have it.
    case gnu
    /// `ABCD/EF01/2345/6789/ABCD/EF0123456789`, links to files of debug information, as LLDB maps UUIDs to files.
    case lldb
    /// `ab/cdef…/debuginfo` and `executable`, which Sentry calls unified; also compressed.
    case sentry
  }

  /// Its whole path.
  public let name: String
  /// What it is.
  public var kind: SymbolSourceKind { .folder }
  /// The layouts that it has.
  public let layouts: [Layout]
  private let root: String

  /// The folder that `text` names: a path, or a layout and a path as in `gnu:/usr/lib/debug`.
  ///
  /// Throws when there is no such folder, or no layout is recognised and none is said. Cost: one listing, or a few.
  public init(_ text: String) throws(StoreError) {
    let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let said = words.count == 2 ? Layout(rawValue: String(words[0])) : nil
    let path = said == nil ? text : String(words[1])
    let names = try storing { () throws(FileError) in try Folder.names(in: path) }
    // What was borrowed tells for long where it came from, so it must not depend on where the program was started.
    name = PathName.real(path) ?? path
    // The tree itself, or the folder that it stands in.
    let isTree = path.split(separator: "/").last == ".build-id"
    root = isTree && said != .lldb && said != .sentry ? "\(path)/.." : path
    layouts = said.map { [$0] } ?? (isTree ? [.gnu] : Self.layouts(of: path, names))
    guard !layouts.isEmpty else {
      throw StoreError(
        .absent, path,
        "no layout of symbols is recognised here; say which it is, as in gnu:DIR (\(Self.words)), or upload the folder")
    }
  }

  private static var words: String { Layout.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func layouts(of path: String, _ names: [String]) -> [Layout] {
    Layout.allCases.filter { layout in
      switch layout {
      case .gnu: names.contains(".build-id")
      case .lldb:
        names.contains { first in
          isHex(first, 4) && ((try? Folder.names(in: "\(path)/\(first)")) ?? []).contains { isHex($0, 4) }
        }
      case .sentry:
        names.contains { first in
          isHex(first, 2)
            && ((try? Folder.names(in: "\(path)/\(first)")) ?? []).contains { rest in
              isHex(rest, nil) && Self.unifiedNames.contains { PathName.exists("\(path)/\(first)/\(rest)/\($0)") }
            }
        }
      }
    }
  }

  /// What the unified layout calls the files of one image that are of use here, richest first.
  private static let unifiedNames = ["debuginfo", "executable"]

  private static func isHex(_ name: String, _ count: Int?) -> Bool {
    name.utf8.count == count ?? name.utf8.count && !name.isEmpty && name.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// The files there that are named after `id`.
  public func files(for id: DebugID) -> [SourceFile] {
    layouts.flatMap { layout in
      paths(of: id, layout).flatMap(Self.filesAt).map { file in
        var file = file
        if layout == .sentry { file.name = Self.name(beside: file.path) }
        return file
      }
    }
  }

  private func paths(of id: DebugID, _ layout: Layout) -> [String] {
    let hex = id.hex
    switch layout {
    case .gnu:
      let place = "\(root)/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2))"
      return ["\(place).debug", place]
    case .lldb:
      guard hex.count == 32 else { return [] }
      return [hex.uppercased(), hex].map { hex in
        let parts = (0..<5).map { hex.dropFirst($0 * 4).prefix(4) } + [hex.dropFirst(20)]
        return "\(root)/\(parts.joined(separator: "/"))"
      }
    case .sentry:
      return Self.unifiedNames.map { "\(root)/\(hex.prefix(2))/\(hex.dropFirst(2))/\($0)" }
    }
  }

  /// The name that the file `meta` beside a file of the unified layout says; `nil` when there is none.
  private static func name(beside path: String) -> String? {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let bytes = try? ByteView.reading(path: "\(folder)/meta", limit: 1 << 16),
      let value = try? bytes.withBytes({ raw throws(JSONError) in try JSONValue.parse(raw) })
    else { return nil }
    return value["name"]?.string?.baseName
  }

  /// The file at `path`, or the files of debug information in the bundle there.
  private static func filesAt(_ path: String) -> [SourceFile] {
    // What a link leads to has the name that people know, and its companions lie beside it.
    guard let status = PathName.status(path), let real = PathName.real(path) else { return [] }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [SourceFile(real, knownAs: path)] }
    let folder = "Contents/Resources/DWARF"
    return ((try? Folder.names(in: "\(real)/\(folder)")) ?? []).map {
      SourceFile("\(real)/\(folder)/\($0)", knownAs: "\(path)/\(folder)/\($0)")
    }
  }
}
