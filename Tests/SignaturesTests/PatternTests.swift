import TestSupport
import Testing

@testable import Signatures

@Suite("Patterns")
struct PatternTests {
  @Test(
    "A regular expression is found where it should be",
    arguments: [
      ("^Cart\\.", "Cart.apply()", true), ("^Cart\\.", "OldCart.apply()", false), ("Cart", "OldCart.apply()", true),
      ("^a*b$", "aaab", true), ("^a*b$", "b", true), ("^a+b$", "b", false), ("^ab?c$", "ac", true),
      ("^(foo|bar)+$", "foobarfoo", true), ("^(foo|bar)+$", "foobaz", false), ("^(?:a|b|)c$", "c", true),
      ("^[a-c_]+$", "cab_", true), ("^[^a-c]+$", "xyz", true), ("^[^a-c]+$", "xaz", false),
      ("^\\d\\w\\s$", "7x ", true),
      ("^.$", "é", false), ("^é+$", "ééé", true), ("^é+$", "éé\u{a9}", false), ("a|^b", "xb", false), ("^$", "", true),
      ("(a*)*b", "aaaaaac", false), ("(a|aa)+$", "aaaaab", false), ("\\(coupon:\\)$", "Cart.apply(coupon:)", true),
      ("[\\]]", "a]", true), ("x*", "", true), ("^(a(b)?)+$", "aabab", true),
    ])
  func found(pattern: String, name: String, isFound: Bool) throws {
    #expect(try Pattern(parsing: "re:" + pattern).matches(name) == isFound)
  }

  @Test("Groups are those of the leftmost match, greedy parts first")
  func groups() throws {
    let name = "OldCart.apply(coupon:)"
    let expression = try RegularExpression("^Old(\\w+)\\.(.*)$")
    #expect(expression.groups(in: name.utf8Span.span) == [0, 22, 3, 7, 8, 22])
    let two = try RegularExpression("(a*)(a*)(b)?")
    #expect(two.groups(in: "aaa".utf8Span.span) == [0, 3, 0, 3, 3, 3, -1, -1])
    #expect(try RegularExpression("b+").groups(in: "abbb".utf8Span.span) == [1, 4])
  }

  @Test("Takes the same steps whatever it is given: what would take others for ever ends")
  func linear() throws {
    let name = String(repeating: "a", count: 600)
    for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)x"] {
      #expect(!(try Pattern(parsing: "re:" + pattern).matches(name)))
    }
    let long = String(repeating: "a", count: RegularExpression.nameLimit + 1)
    #expect(!(try Pattern(parsing: "re:a").matches(long)))
    let nested = String(repeating: "(?:", count: 63) + "a" + String(repeating: ")*", count: 33)
    #expect(throws: PatternError.self) { try Pattern(parsing: "re:" + nested) }
    let program = try RegularExpression(
      String(repeating: "(?:a|", count: 30) + "b" + String(repeating: ")*", count: 30))
    #expect(program.steps.count < 256)
  }

  @Test("Agrees with an independent engine on random expressions and names")
  func peer() throws {
    var random = SeededGenerator(seed: 11)
    let pieces = ["a", "b", "c", ".", "[ab]", "[^a]", "(a|b)", "(?:ab|c)", "a*", "b+", "c?", "(ab)*", "^", "$", "|"]
    var compared = 0
    for _ in 0..<400 {
      let pattern = (0..<Int(1 + random.next() % 5)).map { _ in pieces.randomElement(using: &random)! }.joined()
      guard let ours = try? RegularExpression(pattern), let theirs = try? Regex<AnyRegexOutput>(pattern) else {
        continue
      }
      let name = String((0..<Int(random.next() % 7)).map { _ in "abc".randomElement(using: &random)! })
      #expect(ours.matches(name.utf8Span.span) == (name.firstMatch(of: theirs) != nil), "\(pattern) in \(name)")
      compared += 1
    }
    #expect(compared > 300)
  }

  @Test(
    "What is none is refused with the place and the reason",
    arguments: [
      ("re:", 3, "empty"), ("re:a(b", 4, "not closed"), ("re:a)b", 4, "closes no group"),
      ("re:*a", 3, "repeats nothing"),
      ("re:a**", 5, "repeats nothing"), ("re:a{2}", 4, "counted repetition"), ("re:[a", 3, "not closed"),
      ("re:[]", 3, "empty"), ("re:[z-a]", 4, "range"), ("re:a\\", 4, "nothing follows"),
      ("re:\\y", 3, "unknown escape"),
      ("re:(?=a)", 3, "only '(?:'"), ("re:[é]", 4, "ASCII"), ("", 0, "empty"),
      (String(repeating: "a", count: 256), 0, "longer"), (String(repeating: "a", count: 63) + "*b", 0, "longer"),
      ("re:" + String(repeating: "a", count: 257), 259, "longer"), ("re:()()()()()()()()()()", 21, "more than 9"),
    ])
  func refused(pattern: String, offset: Int, reason: String) {
    #expect {
      try Pattern(parsing: pattern)
    } throws: { error in
      let error = error as? PatternError
      return error?.offset == offset && error?.reason.contains(reason) == true
    }
  }

  @Test("Covering is told only where it is so")
  func covering() throws {
    let texts = ["a", "ab", "*", "a*", "*b", "a*b", "*a*", "re:^a", "re:.", "abc*", "*c*b"]
    let names = ["", "a", "b", "ab", "abb", "ba", "acb", "abcd", "c"]
    for outer in texts {
      for inner in texts {
        let (wide, narrow) = (try Pattern(parsing: outer), try Pattern(parsing: inner))
        guard wide.covers(narrow) else { continue }
        for name in names where narrow.matches(name) {
          #expect(wide.matches(name), "\(outer) covers \(inner): \(name)")
        }
      }
    }
    #expect(try Pattern(parsing: "a*").covers(Pattern(parsing: "ab*")))
    #expect(try Pattern(parsing: "*a*").covers(Pattern(parsing: "xa")))
    #expect(try !Pattern(parsing: "ab").covers(Pattern(parsing: "a*")))
  }
}
