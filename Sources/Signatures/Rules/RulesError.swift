/// What is wrong with a rules file, and where.
public struct RulesError: Hashable, Sendable, CustomStringConvertible {
  /// The file, as it was named.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The byte of the line, from 1.
  public var column: Int
  /// What is wrong, as a clause.
  public var reason: String

  /// `acme.rules:3:14: unknown key 'nmae'`.
  public var description: String { "\(file):\(line):\(column): \(reason)" }
}

/// Why a rules file was refused: all that is wrong with it, in the order of its lines, within a bound.
public struct RulesRefusal: Error, Hashable, Sendable {
  /// The errors.
  public var errors: [RulesError]
  /// How many more there were.
  public var omitted: Int

  /// At most so many errors are told.
  static let limit = 50

  init(_ errors: [RulesError]) {
    self.errors = Array(errors.prefix(RulesRefusal.limit))
    omitted = max(0, errors.count - RulesRefusal.limit)
  }
}
