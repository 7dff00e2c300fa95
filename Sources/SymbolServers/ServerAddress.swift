/// The address of a server, as a person wrote it.
public struct ServerAddress: Sendable, Hashable {
  /// What it begins with, with user and password if any and without the last slash.
  let base: String
  /// The same without user and password: fit to be shown and kept.
  public let name: String

  /// The address that `text` says; `nil` unless it is one of HTTP or HTTPS with a host.
  public init?(_ text: String) {
    guard let origin = Origin(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
    let base = text.last == "/" ? String(text.dropLast()) : text
    self.base = base
    let path = base.dropFirst(origin.prefixLength)
    // A query may hold a key.
    name = "\(origin.scheme)://\(origin.authority)\(path.prefix { $0 != "?" && $0 != "#" })"
  }

  /// The addresses in the value of `DEBUGINFOD_URLS`: words between spaces. Throws the first word that is none.
  ///
  /// Words such as `ima:enforcing`, which newer versions of that variable have, mean nothing here.
  public static func list(_ text: String) throws(BadServerAddress) -> [ServerAddress] {
    var addresses: [ServerAddress] = []
    for word in text.split(whereSeparator: \.isWhitespace) where !word.hasPrefix("ima:") {
      guard let address = ServerAddress(String(word)) else { throw BadServerAddress(text: String(word)) }
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }
}

/// A word that is no address of an HTTP server.
public struct BadServerAddress: Error, Sendable, Hashable {
  /// The word.
  public var text: String
}

/// Scheme, host and port: what two addresses must share to be of one server.
struct Origin: Hashable {
  var scheme: String
  var authority: String
  /// The characters up to the path, user and password included.
  var prefixLength: Int

  init?(_ url: String) {
    guard let colon = url.firstRange(of: "://") else { return nil }
    scheme = url[..<colon.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let whole = url[colon.upperBound...].prefix { !"/?#\\".contains($0) }
    let host = whole.lastIndex(of: "@").map { whole[whole.index(after: $0)...] } ?? whole
    guard let first = host.first, first != ":" else { return nil }
    authority = host.lowercased()
    prefixLength = url.distance(from: url.startIndex, to: whole.endIndex)
  }

  static func == (a: Origin, b: Origin) -> Bool { a.scheme == b.scheme && a.authority == b.authority }

  func hash(into hasher: inout Hasher) {
    hasher.combine(scheme)
    hasher.combine(authority)
  }
}
