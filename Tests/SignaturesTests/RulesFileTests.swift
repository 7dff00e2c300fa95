import Diagnostics
import Identity
import TestSupport
import Testing

@testable import Signatures

/// The rules of a project in front of the default ones.
func rules(_ lines: String, extends base: String? = "apple-default@2") throws -> Rules {
  let header = "symclust-rules 1 name=acme version=1" + (base.map { " extends=" + $0 } ?? "") + "\n"
  return try Rules(parsing: Array((header + lines).utf8), file: "acme.rules")
}

/// What is wrong with a file, as `line:column: reason`.
func problems(_ text: String) -> [String] {
  do throws(RulesRefusal) {
    _ = try Rules(parsing: Array(text.utf8), file: "f")
    return []
  } catch {
    return error.errors.map { String($0.description.dropFirst(2)) }
  }
}

@Suite("The default rules")
struct DefaultRulesTests {
  @Test("are a file without a fault, whose tests hold")
  func valid() throws {
    let parsed = try Rules(parsing: Array(Rules.standardText.utf8), file: "apple-default", extending: [])
    #expect(parsed.version == "apple-default@2")
    #expect(parsed.digest == Rules.standard.digest)
    #expect(parsed.tests.count >= 14 && parsed.rules.count > 200)
  }

  @Test("have another version when anything in them is changed: give them one, and then this digest")
  func version() {
    #expect(Rules.standard.version == "apple-default@2")
    #expect(Rules.standard.digest.hex.prefix(16) == "bf13b0568cbce243")
  }

  @Test("see a name with and without the image's module, and its module")
  func names() {
    let name = CodeName("closure in Shop.Cart.total()", image: "Shop")
    #expect(name.short == "closure in Cart.total()" && name.module == "Shop")
    #expect(name.shown(image: "Shop") == "Shop!closure in Cart.total()")
    #expect(CodeName("Shop:Swift.Array.pick()", image: "Shop").short == "Swift.Array.pick()")
    #expect(CodeName("closure in Swift.Sequence.map(_:)", image: "Shop").module == "Swift")
    #expect(CodeName("main", image: "main").short == nil && CodeName("main", image: "Shop").module == "")
    // A type of the app that is called like a module is no module.
    let scene = Scene([.app("Shop.Observation.record()"), .app("Shop.Swift.run()")] + mainThreadBase)
    #expect(scene.signature.tokens == ["Shop!Observation.record()", "Shop!Swift.run()"])
    // Nor does the app's own code on a class of the system count as the system's.
    let category = Scene([.app("Shop.f()"), .app("-[UIGestureRecognizer(Shop) track]")] + mainThreadBase)
    #expect(category.signature.tokens.count == 2)
  }
}

@Suite("A rules file")
struct RulesFileTests {
  @Test("names the line, the column and the reason of everything that is wrong with it")
  func errors() {
    let text = """
      # A comment, then the header.
      symclust-rules 1 name=acme version=3 extends=apple-default

      transp T1 image=AcmeLog  # a good one
      transp T1 name=x
      skip T2 name=x
      transp T3 nmae=x
      transp T4 name=re:a(b
      transp T5
      transp T6 name="not closed
      carrier C1 name=lock
      rename M1 name=Old* to=New$2
      system S1 path=/usr/lib/**
      when K1 name=x drop
      limit tokens=99
      test E1 stack="Acme!f" blame=Acme!g
      wait W1 name=x expected=maybe
      transp T!! name=x
      transp T9 name=^Log
      """
    #expect(
      problems(text).map { $0.split(separator: ":").prefix(2).joined(separator: ":") } == [
        "5:8", "6:1", "7:11", "8:20", "9:1", "10:16", "11:1", "12:1", "13:11", "14:1", "15:14", "17:25", "18:8",
        "19:16",
      ])
    #expect(problems(text)[0] == "5:8: the id T1 is taken in line 4")
    #expect(problems(text)[3] == "8:20: '(' is not closed")
  }

  @Test(
    "is refused for its header",
    arguments: [
      "", "# nothing", "transp T1 name=x", "symclust-rules 2 name=a version=1",
      "symclust-rules 1 name=a", "symclust-rules 1 name=a version=1 extends=apple-default@1",
      "symclust-rules 1 name=apple-default version=9 extends=apple-default@2",
      "symclust-rules 1 name=a version=1 name=b",
    ])
  func header(text: String) { #expect(problems(text).count == 1) }

  @Test("is refused for a rule that is never reached, with the one that covers it")
  func unreachable() throws {
    let head = "symclust-rules 1 name=acme version=1 extends=apple-default@2\n"
    #expect(
      problems(head + "transp T1 name=Log.error*\ntransp T2 name=Log.*") == [
        "2:1: rule T1 is never reached: T2 in line 3 comes later and covers it"
      ])
    #expect(problems(head + "system S1 image=Acme\napp A1 image=Acme*").count == 1)
    #expect(problems(head + "transp T1 name=Log.*\ntransp T2 name=Log.error*") == [])
    #expect(problems(head + "transp T1 image=A name=x\ntransp T2 image=B name=x") == [])
    // To take the place of a rule of the extended file is what a file is for.
    #expect(problems(head + "transp T1 image=Sentry*") == [])
  }

  @Test("is refused when its tests fail, with what was found")
  func tests() {
    let head = "symclust-rules 1 name=acme version=1 extends=apple-default@2\ntransp T1 name=Log.*\n"
    #expect(
      problems(head + "test E1 stack=\"Acme!Log.x();Acme!Cart.y()\" blame=Acme!Log.x()") == [
        "3:1: test E1 fails: blame is 'Acme!Cart.y()', not 'Acme!Log.x()'"
      ])
    #expect(problems(head + "test E1 stack=\"Acme!Log.x();Acme!Cart.y()\" tokens=Acme!Cart.y()") == [])
  }

  @Test("tells a bounded number of errors and reads a bounded file")
  func bounds() {
    let head = "symclust-rules 1 name=acme version=1\n"
    let many = head + String(repeating: "nothing\n", count: 300)
    #expect {
      try Rules(parsing: Array(many.utf8), file: "f")
    } throws: { error in
      (error as? RulesRefusal).map { $0.errors.count == 50 && $0.omitted == 250 } ?? false
    }
    #expect(problems(head + String(repeating: "#", count: 1 << 20))[0].contains("larger"))
    #expect(problems(head + "transp T1 name=" + String(repeating: "a", count: 5000))[0].contains("longer"))
    #expect(problems(head + "transp T1 name=a\u{0}b")[0] == "2:17: a control character")
    #expect(throws: RulesRefusal.self) { try Rules(parsing: [0xff, 0xfe], file: "f") }
  }

  @Test("is never worse than refused, whatever is changed in it")
  func hostile() throws {
    var random = SeededGenerator(seed: 5)
    let good = Array(
      """
      symclust-rules 1 name=acme version=1
      app A1 image=Acme* class=framework
      transp T1 name="a b" | image=re:^x(y|z)+$ module=M everywhere=yes
      rename M1 name=re:^Old(.*)$ to=New$1
      when K1 callee(name="f(x)") caller(image=Acme) name=g keep
      limit tokens=12 hang.dominating=0.6
      test E1 stack="Acme!h;UIKitCore*" blame=Acme!h
      """.utf8)
    _ = try Rules(parsing: good, file: "f")
    for _ in 0..<1500 {
      var bytes = good
      for _ in 0...(random.next() % 3) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(Array("\"(|)=# *$".utf8).randomElement(using: &random)!, at: place)
        }
      }
      _ = try? Rules(parsing: bytes, file: "f")
    }
    for length in good.indices { _ = try? Rules(parsing: Array(good[..<length]), file: "f") }
  }

  @Test("has one canonical spelling: comments, blanks and quotes do not change the digest, anything else does")
  func digest() throws {
    let plain = try rules("transp T1 name=Log.*\nthrow R1 name=\"a b\" reason=abort")
    let other = try rules(
      "\n  transp  T1   name=\"Log.*\" # why\n\nthrow R1 name=\"a b\" reason=abort\ntest E1 stack=A!f blame=A!f")
    #expect(plain.digest == other.digest)
    #expect(try rules("transp T1 name=Log.*").digest != plain.digest)
    #expect(try rules("transp T1 name=Log.*\nlimit tokens=12").digest != rules("transp T1 name=Log.*").digest)
    #expect(try rules("transp T1 name=Log.*", extends: nil).digest != rules("transp T1 name=Log.*").digest)
    // What is printed is read again as the same.
    let lines = Rules.standard.rules.map(\.description).joined(separator: "\n")
    let again = try Rules(
      parsing: Array("symclust-rules 1 name=apple-default version=2\n\(lines)".utf8), file: "f", extending: [])
    #expect(again.digest == Rules.standard.digest)
  }
}
