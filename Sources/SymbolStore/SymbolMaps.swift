internal import Bytes
internal import Files
internal import Identity
internal import ObjectFiles

/// The BCSymbolMaps among some files, and which image each is for.
///
/// A map is named by the identifier of the image as the developer built it. The dSYM of the image that Apple made of it
/// has another one, and a property list beside it (`<identifier>.plist`, key `DBGOriginalUUID`) leads back.
struct SymbolMaps {
  private var pathOfImage: [DebugID: String] = [:]
  private var originalOfImage: [DebugID: DebugID] = [:]

  private static let propertyListLimit = 1 << 20
  private static let mapLimit = 1 << 30

  /// The maps among `files`. Cost: small property lists are read, maps are not.
  init(_ files: [FoundFile]) {
    for file in files where file.failure == nil {
      let name = file.path.split(separator: "/").last ?? ""
      guard let dot = name.lastIndex(of: "."), let id = DebugID(name[..<dot]) else { continue }
      switch name[dot...] {
      case ".bcsymbolmap": pathOfImage[id] = file.path
      case ".plist": originalOfImage[id] = Self.original(inPropertyList: file.path)
      default: break
      }
    }
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
