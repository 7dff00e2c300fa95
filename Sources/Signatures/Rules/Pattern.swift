/// What is wrong with a pattern, and where.
struct PatternError: Error, Hashable {
  /// The byte of the pattern.
  var offset: Int
  /// What is wrong, as a clause.
  var reason: String

  init(_ offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// A pattern of a rule: a glob, which covers the whole name, or behind `re:` a regular expression, which is found in it.
///
/// Both take time linear in the name, whatever the pattern.
public struct Pattern: Hashable, Sendable, CustomStringConvertible {
  private enum Form: Hashable, Sendable {
    case glob(Glob)
    case expression(RegularExpression)
  }

  private let form: Form
  /// The pattern as written.
  public let description: String

  /// How a regular expression is told from a glob.
  private static let mark = "re:"

  /// The pattern `text`.
  init(parsing text: String) throws(PatternError) {
    description = text
    if text.hasPrefix(Pattern.mark) {
      do throws(PatternError) {
        form = .expression(try RegularExpression(String(text.dropFirst(Pattern.mark.count))))
      } catch {
        throw PatternError(error.offset + Pattern.mark.utf8.count, error.reason)
      }
    } else if let glob = Glob(text) {
      form = .glob(glob)
    } else {
      throw PatternError(0, Glob.problem(with: text))
    }
  }

  /// Whether it matches `name`.
  func matches(_ name: Span<UInt8>) -> Bool {
    switch form {
    case .glob(let glob): glob.matches(name)
    case .expression(let expression): expression.matches(name)
    }
  }

  /// Whether it matches `name`.
  public func matches(_ name: String) -> Bool { matches(name.utf8Span.span) }

  /// The pattern when it is a glob.
  var glob: Glob? { if case .glob(let glob) = form { glob } else { nil } }

  /// The text when the pattern is a glob without stars.
  var literal: String? { if case .glob(let glob) = form { glob.literal } else { nil } }

  /// The byte that every match begins with, when there is one.
  var firstByte: UInt8? {
    guard case .glob(let glob) = form, let first = glob.pattern.utf8.first, first != UInt8(ascii: "*") else {
      return nil
    }
    return first
  }

  /// Whether every name that `other` matches is provably matched by this one, too.
  ///
  /// A glob that matches the text of another covers it: a star in that text can only be taken by one of its own stars.
  func covers(_ other: Pattern) -> Bool {
    if self == other { return true }
    switch (form, other.form) {
    case (.glob(let glob), .glob(let inner)): return glob.matches(inner.pattern)
    case (.glob(let glob), .expression): return glob.pattern == "*"
    case (.expression(let expression), .glob(let inner)):
      return inner.literal.map { expression.matches($0.utf8Span.span) } ?? false
    case (.expression, .expression): return false
    }
  }

  /// The pattern as a regular expression with groups, for replacing: the stars of a glob are its groups.
  func expression() throws(PatternError) -> RegularExpression {
    switch form {
    case .expression(let expression): return expression
    case .glob(let glob):
      var text = "^"
      for character in glob.pattern.unicodeScalars {
        let isPlain = character.properties.isAlphabetic || !character.isASCII || ("0"..."9").contains(character)
        text +=
          character == "*"
          ? "(.*)" : isPlain || character == "_" || character == " " ? "\(character)" : "\\\(character)"
      }
      return try RegularExpression(text + "$")
    }
  }
}
