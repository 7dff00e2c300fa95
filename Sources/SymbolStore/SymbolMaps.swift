internal import Bytes
internal import Files
internal import Identity
internal import ObjectFiles

/// The BCSymbolMaps among the files that were given, and which image each is for.
///
/// A map is named by the identifier of the image as the developer built it. The dSYM of the image that Apple made of it
/// has another one, and a property list beside it (`<identifier>.plist`, key `DBGOriginalUUID`) leads back.
struct SymbolMaps {
  private var pathOfImage: [DebugID: String] = [:]
  private var originalOfImage: [DebugID: DebugID] = [:]

  private static let propertyListLimit = 1 << 20
  private static let mapLimit = 1 << 30

  /// Adds `file` if it is a map, or leads to one. Cost: a small property list is read, a map is not.
  mutating func add(_ file: FoundFile) {
    guard file.failure == nil, let (id, suffix) = Self.parts(of: file.path) else { return }
    if suffix == Self.propertyList {
      originalOfImage[id] = Self.original(inPropertyList: file.path)
    } else {
      pathOfImage[id] = file.path
    }
  }

  /// Whether a file of this path is a map or leads to one, by its name.
  static func matches(_ path: String) -> Bool { parts(of: path) != nil }

  private static let propertyList: Substring = ".plist"

  private static func parts(of path: String) -> (image: DebugID, suffix: Substring)? {
    // Most files are neither; a name is taken apart only when it ends like one.
    guard path.utf8.last == UInt8(ascii: "p") || path.utf8.last == UInt8(ascii: "t") else { return nil }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), [".bcsymbolmap", propertyList].contains(name[dot...]),
      let id = DebugID(name[..<dot])
    else { return nil }
    return (id, name[dot...])
  }

  /// The map of an image; `nil` when there is none or it cannot be read.
  func map(of id: DebugID) -> BCSymbolMap? {
    guard let path = pathOfImage[originalOfImage[id] ?? id] else { return nil }
    return (try? ByteView.reading(path: path, limit: Self.mapLimit)).flatMap { BCSymbolMap($0) }
  }

  /// The value of `DBGOriginalUUID` in an XML property list of UUID maps.
  private static func original(inPropertyList path: String) -> DebugID? {
    guard let bytes = try? ByteView.reading(path: path, limit: propertyListLimit) else { return nil }
    let text = bytes.text
    guard let key = text.firstRange(of: "<key>DBGOriginalUUID</key>"),
      let open = text[key.upperBound...].firstRange(of: "<string>"),
      let close = text[open.upperBound...].firstRange(of: "</string>")
    else { return nil }
    return DebugID(text[open.upperBound..<close.lowerBound])
  }
}
