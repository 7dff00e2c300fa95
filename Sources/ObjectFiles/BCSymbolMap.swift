public import Bytes

/// The names that bitcode compilation hid: `__hidden#N_` stands for line N of the map.
///
/// Apple recompiled apps that came as bitcode (until Xcode 14) and put placeholders in the place of names and paths; the
/// map stayed with the archive. Format: the line `BCSymbolMap Version: n.n`, then one name a line, numbered from 0.
public struct BCSymbolMap: Sendable {
  /// The bytes of the map's file.
  public let bytes: ByteView
  /// Where each line begins and ends.
  private let lines: [Range<Int>]

  /// The most lines that are read.
  private static let maximumLines = 20_000_000

  /// The map in `bytes`; `nil` when they do not begin like one. Cost: one pass.
  public init?(_ bytes: ByteView) {
    var lines: [Range<Int>] = []
    let isMap = bytes.withBytes { raw in
      guard raw.starts(with: "BCSymbolMap Version:".utf8) else { return false }
      var start = 0
      for (index, byte) in raw.enumerated() where byte == UInt8(ascii: "\n") {
        lines.append(start..<index)
        start = index + 1
        if lines.count > Self.maximumLines { break }
      }
      if start < raw.count { lines.append(start..<raw.count) }
      return true
    }
    guard isMap else { return nil }
    self.bytes = bytes
    self.lines = Array(lines.dropFirst())
  }

  /// Whether `text` is a placeholder, also one that was taken for a Mach-O symbol and lost an underscore.
  public static func isPlaceholder(_ text: some StringProtocol) -> Bool { number(text) != nil }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard text.hasSuffix("_"), let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
    guard text[..<mark] == "__hidden" || text[..<mark] == "_hidden" else { return nil }
    return Int(text[text.index(after: mark)...].dropLast())
  }

  /// The line that a placeholder stands for; `nil` when `text` is none or the map is too short.
  private func line(_ text: some StringProtocol) -> String? {
    guard let number = Self.number(text), lines.indices.contains(number) else { return nil }
    let range = lines[number]
    return bytes.slice(at: UInt64(range.lowerBound), count: UInt64(range.count))?.text
  }

  /// The linker's name behind a placeholder, without Mach-O's underscore; any other name as it is.
  public func name(_ text: String) -> String {
    guard let name = line(text) else { return text }
    return name.hasPrefix("_") ? String(name.dropFirst()) : name
  }

  /// The longest path that is put together, in bytes: each of thousands of parts may stand for a line as long as the map.
  private static let maximumPathLength = 1 << 16

  /// A path whose parts may be placeholders; `text` itself when it would be longer than any path. A part that turns out
  /// absolute begins the path anew.
  public func path(_ text: String) -> String {
    guard text.contains("_hidden#") else { return text }
    var path = ""
    for (index, part) in text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
      if let number = Self.number(part), lines.indices.contains(number), lines[number].count > Self.maximumPathLength {
        return text
      }
      let part = line(part) ?? String(part)
      // The empty part before a leading slash is a part: without it the path would be relative.
      path = part.hasPrefix("/") || index == 0 ? part : path.hasSuffix("/") ? path + part : path + "/" + part
      if path.utf8.count > Self.maximumPathLength { return text }
    }
    return path
  }
}
