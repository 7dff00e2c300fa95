/// Reads a rules file, line by line. Every line with an error is told, within a bound.
struct RulesParser {
  /// The largest file, in bytes.
  static let sizeLimit = 1 << 20
  /// The longest line, in bytes.
  static let lineLimit = 4096
  /// The most rules and tests of a file.
  static let ruleLimit = 4096
  /// The most patterns of a file: rules that are never reached are looked for in pairs.
  static let patternLimit = 8192

  private let file: String
  private let bases: [Rules]
  private var errors: [RulesError] = []
  private var name = ""
  private var version = ""
  private var base: Rules?
  private var hasHeader = false
  private var rules: [Rule] = []
  private var tests: [RuleTest] = []
  private var limits = RuleLimits()
  private var patterns = 0
  /// The lines of the ids.
  private var ids: [String: Int] = [:]

  /// A parser of `file`, which may extend one of `bases`.
  init(file: String, bases: [Rules]) {
    self.file = file
    self.bases = bases
  }

  /// The table in `text`. With `isTrusted`, rules that cannot be reached and tests are not looked for: that is done before
  /// a built-in table is shipped.
  mutating func parse(_ text: [UInt8], isTrusted: Bool = false) throws(RulesRefusal) -> Rules {
    guard text.count <= RulesParser.sizeLimit else {
      throw refusal(1, 0, "the file is larger than \(RulesParser.sizeLimit) bytes")
    }
    guard String(validating: text, as: UTF8.self) != nil else { throw refusal(1, 0, "the file is not UTF-8") }
    for (number, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      do throws(PatternError) {
        try read(line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line), number + 1)
      } catch {
        add(number + 1, error)
        // Without a header every further line would only be a consequence.
        if !hasHeader { break }
      }
    }
    if !hasHeader, errors.isEmpty { add(1, PatternError(0, RulesParser.headerForm)) }
    if limits.suggest > limits.attach { add(1, PatternError(0, "limit suggest is above limit attach")) }
    if !isTrusted { findUnreachable() }
    if base != nil { for index in rules.indices { rules[index].id = name + ":" + rules[index].id } }
    let inherited = base?.rules ?? []
    let table = Rules(version: "\(name)@\(version)", rules: inherited + rules, limits: limits, tests: tests)
    if !isTrusted, errors.isEmpty {
      for test in tests { if let failure = test.failure(under: table) { add(test.line, PatternError(0, failure)) } }
    }
    guard errors.isEmpty else { throw RulesRefusal(errors.sorted { ($0.line, $0.column) < ($1.line, $1.column) }) }
    return table
  }

  private mutating func add(_ line: Int, _ error: PatternError) {
    errors.append(RulesError(file: file, line: line, column: error.offset + 1, reason: error.reason))
  }

  private func refusal(_ line: Int, _ offset: Int, _ reason: String) -> RulesRefusal {
    RulesRefusal([RulesError(file: file, line: line, column: offset + 1, reason: reason)])
  }

  private mutating func findUnreachable() {
    for (index, rule) in rules.enumerated() {
      if let later = rules[(index + 1)...].first(where: { rule.isHidden(by: $0) }) {
        let reason = "rule \(rule.id) is never reached: \(later.id) in line \(later.line) comes later and covers it"
        add(rule.line, PatternError(0, reason))
      }
    }
  }

  private mutating func read(_ line: [UInt8], _ number: Int) throws(PatternError) {
    guard line.count <= RulesParser.lineLimit else {
      throw PatternError(RulesParser.lineLimit, "the line is longer than \(RulesParser.lineLimit) bytes")
    }
    if let place = line.firstIndex(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7f }) {
      throw PatternError(place, "a control character")
    }
    var scanner = RuleScanner(line)
    let words = try scanner.words()
    guard let first = words.first else { return }
    guard hasHeader else { return try readHeader(words) }
    if first.key == nil, first.value == "limit" { return try readLimits(words.dropFirst()) }
    guard first.key == nil, first.value == "test" || RuleStage(rawValue: first.value) != nil else {
      let known = (RuleStage.allCases.map(\.rawValue) + ["limit", "test"]).joined(separator: ", ")
      throw PatternError(first.column, "unknown keyword '\(first.key ?? first.value)'; known are \(known)")
    }
    guard rules.count + tests.count < RulesParser.ruleLimit else {
      throw PatternError(0, "more than \(RulesParser.ruleLimit) rules and tests")
    }
    let id = try readID(words.dropFirst().first, first, number)
    if let stage = RuleStage(rawValue: first.value) {
      var rule = try RuleReader(stage: stage, words: Array(words.dropFirst(2)), start: first.column).rule
      patterns += rule.patterns.count
      guard patterns <= RulesParser.patternLimit else {
        throw PatternError(0, "more than \(RulesParser.patternLimit) patterns")
      }
      rule.id = id
      rule.origin = base.map { ($0.rules.map(\.origin).max() ?? 0) + 1 } ?? 0
      rule.line = number
      rules.append(rule)
    } else {
      tests.append(try RuleTest(id: id, line: number, words: Array(words.dropFirst(2)), start: first.column))
    }
  }

  private mutating func readID(
    _ word: RuleWord?, _ keyword: RuleWord, _ number: Int
  ) throws(PatternError) -> String {
    guard let word, word.key == nil, RulesParser.isName(word.value) else {
      throw PatternError(
        word?.column ?? keyword.column,
        "'\(keyword.value)' needs an id of letters, digits, '.', '-' and '_', at most 32")
    }
    if let line = ids[word.value] { throw PatternError(word.column, "the id \(word.value) is taken in line \(line)") }
    ids[word.value] = number
    return word.value
  }

  private static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || [".", "-", "_"].contains($0))
      }
  }

  // MARK: The header and the numbers

  private static let headerForm =
    "the file must begin with 'symclust-rules 1 name=NAME version=VERSION', and 'extends=NAME@VERSION' if it does"

  private mutating func readHeader(_ words: [RuleWord]) throws(PatternError) {
    guard words[0].key == nil, words[0].value == "symclust-rules", words.count > 1, words[1].key == nil else {
      throw PatternError(words[0].column, RulesParser.headerForm)
    }
    guard words[1].value == "1" else {
      throw PatternError(words[1].column, "this program knows version 1 of the language, not '\(words[1].value)'")
    }
    var seen: Set<String> = []
    for word in words.dropFirst(2) {
      guard let key = word.key, ["name", "version", "extends"].contains(key) else {
        throw PatternError(word.column, "unknown word '\(word.key ?? word.value)'; \(RulesParser.headerForm)")
      }
      guard seen.insert(key).inserted else { throw PatternError(word.column, "'\(key)' is given twice") }
      if key == "extends" {
        base = try extended(word)
        limits = base?.limits ?? limits
      } else {
        guard RulesParser.isName(word.value) else {
          throw PatternError(
            word.valueColumn, "'\(word.value)' is no \(key): letters, digits, '.', '-' and '_', at most 32")
        }
        if key == "name" { name = word.value } else { version = word.value }
      }
    }
    guard !name.isEmpty, !version.isEmpty else { throw PatternError(words[0].column, RulesParser.headerForm) }
    if let base, base.version.hasPrefix(name + "@") {
      throw PatternError(words[0].column, "the file has the name of the one that it extends")
    }
    hasHeader = true
  }

  /// The table that a file extends: by name and version, or by name alone, which takes the version at hand.
  private func extended(_ word: RuleWord) throws(PatternError) -> Rules {
    if let base = bases.first(where: { $0.version == word.value || $0.version.hasPrefix(word.value + "@") }) {
      return base
    }
    let known = bases.map(\.version).joined(separator: ", ")
    throw PatternError(
      word.valueColumn,
      "no rules '\(word.value)' here, but \(known); 'symclust rules diff' shows what a version changes")
  }

  private mutating func readLimits(_ words: ArraySlice<RuleWord>) throws(PatternError) {
    guard !words.isEmpty else { throw PatternError(0, "no limit is given") }
    for word in words {
      func number(_ range: ClosedRange<Double>) throws(PatternError) -> Double {
        guard let number = Double(word.value), range.contains(number) else {
          throw PatternError(word.valueColumn, "not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
      }
      func count() throws(PatternError) -> Int {
        guard let number = Int(word.value), (1...64).contains(number) else {
          throw PatternError(word.valueColumn, "not a whole number from 1 to 64")
        }
        return number
      }
      switch word.key {
      case "tokens": limits.tokens = try count()
      case "spine": limits.spine = try count()
      case "hang.dominating": limits.dominating = try number(0.2...1)
      case "attach": limits.attach = try number(0...1)
      case "suggest": limits.suggest = try number(0...1)
      default:
        throw PatternError(
          word.column,
          "unknown limit '\(word.key ?? word.value)'; known are tokens, spine, hang.dominating, attach, suggest")
      }
    }
  }
}

extension Rules {
  /// The largest rules file, in bytes.
  public static let fileSizeLimit = RulesParser.sizeLimit

  /// The rules in `text`, the contents of `file`, which may extend one of `bases`; its tests are run.
  ///
  /// Throws all that is wrong with it: unknown words, bad patterns, ids used twice, rules that no frame reaches, tests that
  /// fail. Cost: a few microseconds for each rule.
  public init(
    parsing text: [UInt8], file: String, extending bases: [Rules] = [.standard]
  ) throws(RulesRefusal) {
    var parser = RulesParser(file: file, bases: bases)
    self = try parser.parse(text)
  }
}
