internal import Diagnostics

/// Reads what stands behind a rule's id.
struct RuleReader {
  private(set) var rule: Rule
  private let start: Int
  private var seen: Set<String> = []

  /// The rule of `stage` that `words` spell; `start` is where its line begins.
  init(stage: RuleStage, words: [RuleWord], start: Int) throws(PatternError) {
    rule = Rule(id: "", stage: stage, patterns: [])
    self.start = start
    var pattern = FramePattern()
    var isEmpty = true
    for word in words {
      if word.key == nil, word.value == "|" {
        if isEmpty { throw PatternError(word.column, "nothing stands before '|'") }
        rule.patterns.append(pattern)
        pattern = FramePattern()
        isEmpty = true
      } else if try RuleReader.read(word, into: &pattern) {
        isEmpty = false
      } else {
        try read(word)
      }
    }
    if isEmpty {
      throw PatternError(start, "the rule matches nothing: give image=, module= or name=, also behind each '|'")
    }
    rule.patterns.append(pattern)
    try check()
  }

  /// The keys of a stage besides the patterns.
  private static func keys(_ stage: RuleStage) -> [String] {
    switch stage {
    case .app: ["class"]
    case .carrier: ["class", "everywhere"]
    case .throwing: ["reason", "everywhere"]
    case .reporter, .base, .transparent, .library: ["everywhere"]
    case .wait: ["expected"]
    case .rename: ["to"]
    case .when: ["callee", "caller", "drop", "keep"]
    case .system, .stop, .prefix, .pin: []
    }
  }

  /// Takes a part of a pattern; `false` when the word is none.
  private static func read(_ word: RuleWord, into pattern: inout FramePattern) throws(PatternError) -> Bool {
    let places: [String: WritableKeyPath<FramePattern, Pattern?>] = [
      "image": \.image, "module": \.module, "name": \.name,
    ]
    guard let key = word.key, let place = places[key] else { return false }
    if pattern[keyPath: place] != nil {
      throw PatternError(word.column, "'\(key)' is given twice; '|' stands between patterns")
    }
    if word.value.hasPrefix("^") {
      throw PatternError(word.valueColumn, "a glob begins with '^': a regular expression stands behind 're:'")
    }
    // A star alone is no condition: it also covers frames without a name.
    if word.value == "*" { return true }
    do throws(PatternError) {
      pattern[keyPath: place] = try Pattern(parsing: word.value)
    } catch {
      throw PatternError(word.valueColumn + error.offset, error.reason)
    }
    return true
  }

  private mutating func read(_ word: RuleWord) throws(PatternError) {
    let key = word.key ?? word.value
    guard RuleReader.keys(rule.stage).contains(key), (word.key == nil) == ["drop", "keep"].contains(key) else {
      if key == "path" { throw PatternError(word.column, "diagnostics hold no paths of images: give image=") }
      let known = ["image", "module", "name"] + RuleReader.keys(rule.stage)
      throw PatternError(
        word.column, "unknown word '\(key)'; '\(rule.stage.rawValue)' takes \(known.joined(separator: ", "))")
    }
    guard seen.insert(key).inserted else { throw PatternError(word.column, "'\(key)' is given twice") }
    switch key {
    case "class": rule.className = try RuleReader.slug(word)
    case "reason": rule.reason = try RuleReader.slug(word)
    case "expected": rule.isExpected = try RuleReader.isYes(word)
    case "everywhere": rule.isEverywhere = try RuleReader.isYes(word)
    case "to": rule.replacement = word.value
    case "callee": rule.callee = try RuleReader.context(word)
    case "caller": rule.caller = try RuleReader.context(word)
    default: rule.action = key == "keep" ? .keep : .drop
    }
  }

  private static func slug(_ word: RuleWord) throws(PatternError) -> String {
    let isSlug = word.value.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    guard isSlug, (1...32).contains(word.value.utf8.count) else {
      throw PatternError(word.valueColumn, "not a word of small letters, digits and '-', at most 32")
    }
    return word.value
  }

  private static func isYes(_ word: RuleWord) throws(PatternError) -> Bool {
    guard word.value == "yes" || word.value == "no" else { throw PatternError(word.valueColumn, "neither yes nor no") }
    return word.value == "yes"
  }

  private static func context(_ word: RuleWord) throws(PatternError) -> FramePattern {
    var pattern = FramePattern()
    for part in word.context ?? [] where try !read(part, into: &pattern) {
      throw PatternError(
        part.column, "unknown word '\(part.key ?? part.value)'; a context takes image, module and name")
    }
    if word.context?.isEmpty ?? true { throw PatternError(word.column, "the context matches nothing") }
    return pattern
  }

  /// What the stage demands.
  private func check() throws(PatternError) {
    switch rule.stage {
    case .system where !rule.patterns.allSatisfy(\.isForAnyName):
      throw PatternError(start, "whose an image is depends on image= alone")
    case .app where !["", Rule.appClass, Rule.frameworkClass].contains(rule.className):
      throw PatternError(start, "the class of an image of the app is app or framework")
    case .app where !rule.className.isEmpty && !rule.patterns.allSatisfy(\.isForAnyName):
      throw PatternError(start, "class= tells of an image: it depends on image= alone")
    case .carrier where rule.className.isEmpty:
      throw PatternError(start, "a carrier needs class=, for example lock")
    case .rename: try checkRename()
    case .when where rule.callee == nil && rule.caller == nil:
      throw PatternError(start, "'when' needs callee(…) or caller(…)")
    case .when where !seen.contains("drop") && !seen.contains("keep"):
      throw PatternError(start, "'when' needs drop or keep")
    case .when where seen.contains("drop") && seen.contains("keep"):
      throw PatternError(start, "drop and keep exclude each other")
    default: break
    }
  }

  private func checkRename() throws(PatternError) {
    guard rule.patterns.count == 1, let name = rule.patterns[0].name, !rule.replacement.isEmpty else {
      throw PatternError(start, "'rename' needs one name= and to=")
    }
    let groups = try name.expression().groups
    var isGroup = false
    for byte in rule.replacement.utf8 {
      if isGroup, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte), Int(byte) - 48 > groups {
        throw PatternError(start, "to= names group $\(Int(byte) - 48), the pattern has \(groups)")
      }
      isGroup = byte == UInt8(ascii: "$")
    }
  }
}

extension RuleTest {
  /// The test that `words` spell; `start` is where its line begins.
  init(id: String, line: Int, words: [RuleWord], start: Int) throws(PatternError) {
    self.init(id: id, line: line, kind: .crash, stack: [], expectations: [])
    var seen: Set<String> = []
    for word in words {
      guard let key = word.key, word.context == nil, RuleTest.words.contains(key) || key == "stack" || key == "kind"
      else {
        let known = (["stack", "kind"] + RuleTest.words).joined(separator: ", ")
        throw PatternError(word.column, "unknown word '\(word.key ?? word.value)'; 'test' takes \(known)")
      }
      guard seen.insert(key).inserted else { throw PatternError(word.column, "'\(key)' is given twice") }
      switch key {
      case "stack": stack = try RuleTest.calls(word)
      case "kind":
        guard let kind = DiagnosticKind(rawValue: word.value) else {
          let known = DiagnosticKind.allCases.map(\.rawValue).joined(separator: ", ")
          throw PatternError(word.valueColumn, "unknown kind; known are \(known)")
        }
        self.kind = kind
      default: expectations.append((key, word.value))
      }
    }
    if stack.isEmpty { throw PatternError(start, "a test needs stack=\"IMAGE!NAME;…\", innermost first") }
    if expectations.isEmpty { throw PatternError(start, "the test expects nothing") }
  }

  private static func calls(_ word: RuleWord) throws(PatternError) -> [Call] {
    var calls: [Call] = []
    for part in word.value.split(separator: ";", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false)
      var image = String(sides[0])
      // `UIKitCore*`, as reports show frames of the system without a name.
      if image.hasSuffix("*") { image.removeLast() }
      let name = sides.count > 1 ? String(sides[1]) : nil
      guard !image.isEmpty, name != "" else {
        throw PatternError(word.valueColumn, "a frame of the stack is not IMAGE!NAME or IMAGE")
      }
      calls.append(Call(image: image, name: name == "?" ? nil : name))
    }
    return calls
  }
}
