/// The parts of `osVersion`, for example `iPhone OS 18.5 (22F76)`.
public struct OSVersion: Sendable, Hashable {
  /// The platform's name as it came, for example `iPhone OS`; `nil` when only a number came.
  public let platform: String?
  /// The version as it came, for example `18.5`.
  public let version: String
  /// The build in parentheses, for example `22F76`.
  public let build: String?

  /// The parts of `text`: `platform version (build)`, where platform and build may be missing; `nil` for anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= 256 else { return nil }
    var rest = text[...]
    var build: String?
    if rest.hasSuffix(")"), let open = rest.lastIndex(of: "(") {
      build = String(rest[rest.index(after: open)...].dropLast())
      rest = rest[..<open]
    }
    let words = rest.split(whereSeparator: \.isWhitespace)
    guard let version = words.last, version.first?.isNumber == true,
      version.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }), build != ""
    else { return nil }
    self.version = String(version)
    self.platform = words.count > 1 ? words.dropLast().joined(separator: " ") : nil
    self.build = build
  }

  /// The first two numbers of the version: `18.5` for `18.5.1`, `18.0` for `18`.
  public var majorMinor: String {
    let parts = version.split(separator: ".")
    return "\(parts.first ?? "0").\(parts.dropFirst().first ?? "0")"
  }
}
