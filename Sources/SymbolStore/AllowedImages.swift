internal import Files
public import Identity

/// Images that people know to be without symbols, such as a vendor's: they are told, and nothing fails for them.
public struct AllowedImages: Sendable, Hashable {
  /// Identifiers in any spelling, names, and patterns such as `libswift*`.
  public var words: [String]

  /// The images that `words` name.
  public init(_ words: [String] = []) { self.words = words }

  /// Whether the image is one of them.
  public func contains(_ id: DebugID?, name: String?) -> Bool {
    words.contains { word in
      if let id, DebugID(word) == id { return true }
      return name.map { PathPattern.matches(word, $0) } ?? false
    }
  }
}
