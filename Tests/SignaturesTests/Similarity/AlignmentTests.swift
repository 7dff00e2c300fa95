import TestSupport
import Testing

@testable import Signatures

@Suite("Two sequences are aligned so that")
struct AlignmentTests {
  private let parameters = SimilarityParameters()

  private func weighed(
    _ sequences: [AlignmentSequence], frequencies: TokenFrequencies = TokenFrequencies(judged: [])
  ) -> [WeighedSequence] {
    var weighing = Weighing(parameters, frequencies)
    return sequences.map { weighing.weigh($0) }
  }

  private func score(_ first: AlignmentSequence, _ second: AlignmentSequence) -> Double {
    let both = weighed([first, second])
    return Double(Aligner(parameters).score(both[0], both[1])) / 1e6
  }

  @Test("the score is the same from both sides, 1 for equal ones, and never beyond -1 and 1")
  func properties() {
    var maker = SequenceMaker(seed: 1)
    let sequences = maker.sequences(60)
    let aligner = Aligner(parameters)
    let weighed = weighed(sequences, frequencies: TokenFrequencies(judged: [], new: sequences))
    var different = 0
    for (i, a) in weighed.enumerated() {
      for (j, b) in weighed.enumerated() {
        let score = aligner.score(a, b)
        #expect(score == aligner.score(b, a))
        #expect((-1_000_000...1_000_000).contains(score))
        if sequences[i] == sequences[j], !a.tokens.isEmpty { #expect(score == 1_000_000 || a.holdsUnpairable) }
        if score < 1_000_000 { different += 1 }
      }
    }
    #expect(different > 1000)
  }

  @Test("pairs, gaps and their worth explain the score")
  func explanation() {
    var maker = SequenceMaker(seed: 2)
    let weighed = weighed(maker.sequences(50))
    let aligner = Aligner(parameters)
    for a in weighed {
      for b in weighed {
        let alignment = aligner.align(a, b)
        #expect(alignment.score == aligner.score(a, b))
        #expect((alignment.pairs.map(\.first) + alignment.firstGaps).sorted() == Array(a.tokens.indices))
        #expect((alignment.pairs.map(\.second) + alignment.secondGaps).sorted() == Array(b.tokens.indices))
        #expect(
          zip(alignment.pairs, alignment.pairs.dropFirst()).allSatisfy { $0.first < $1.first && $0.second < $1.second })
        let worth = alignment.pairs.reduce(0) { $0 + $1.worth }
        let cost =
          alignment.firstGaps.reduce(0) { $0 + a.tokens[$1].gap }
          + alignment.secondGaps.reduce(0) { $0 + b.tokens[$1].gap }
        if a.total + b.total > 0 { #expect(alignment.score == (worth - cost) * 1_000_000 / (a.total + b.total)) }
      }
    }
  }

  @Test("labels, accessors and members of one type earn their part, strangers nothing")
  func credits() {
    let rest = ["Shop.Checkout.pay()", "Shop.Screen.tapped()"]
    func with(_ name: String) -> AlignmentSequence {
      AlignmentSequence(([name] + rest).map { AlignmentToken(.app, $0) })
    }
    let apply = with("Shop.Cart.apply(coupon:)")
    let label = score(apply, with("Shop.Cart.apply(code:)"))
    let sibling = score(apply, with("Shop.Cart.remove(coupon:)"))
    let stranger = score(apply, with("Shop.Mail.send(to:)"))
    #expect(1 > label && label > sibling && sibling > stranger)
    #expect(label > 0.9 && stranger < 0.3)
    #expect(score(with("Shop.Cart.total"), with("Shop.Cart.total.setter")) == label)
    #expect(score(with("-[Cart apply:coupon:]"), with("-[Cart apply:code:]")) == label)
    #expect(score(with("-[Cart apply:coupon:]"), with("-[Cart remove]")) == sibling)
    #expect(score(with("shop::Cart::apply"), with("shop::Cart::remove")) == sibling)
    // Free functions of one module have no type in common.
    #expect(score(with("Shop.apply()"), with("Shop.remove()")) == stranger)
  }

  @Test("an inlined call without a partner costs less than any other, and shifts nothing")
  func inlining() {
    let with = sequence("S.A.a()", "S.B.b()", "S.C.c()", "S.D.d()", "S.E.e()", "S.F.f()", inlined: ["S.B.b()"])
    let plain = sequence("S.A.a()", "S.B.b()", "S.C.c()", "S.D.d()", "S.E.e()", "S.F.f()")
    let without = sequence("S.A.a()", "S.C.c()", "S.D.d()", "S.E.e()", "S.F.f()")
    #expect(score(with, without) > score(plain, without))
    #expect(score(with, without) > 0.85)
  }

  @Test("frames that many problems hold weigh little")
  func rarity() {
    let common = (0..<200).map { sequence("S.T\($0).x()", "S.Loop.run()") }
    let frequencies = TokenFrequencies(judged: [], new: common)
    let both = weighed(
      [sequence("S.A.a()", "S.Loop.run()"), sequence("S.B.b()", "S.Loop.run()")], frequencies: frequencies)
    let alone = weighed([sequence("S.A.a()", "S.Loop.run()"), sequence("S.B.b()", "S.Loop.run()")])
    let aligner = Aligner(parameters)
    #expect(aligner.score(both[0], both[1]) < aligner.score(alone[0], alone[1]))
    #expect(aligner.score(both[0], both[1]) < -900_000)
  }

  @Test("a problem with many variants makes its frames no boilerplate")
  func variants() {
    let judged = (0..<200).map { number in
      signature("v\(number)", sequence("S.Cart.apply()", "S.Caller\(number).x()")).judged(in: "one")
    }
    let frequencies = TokenFrequencies(judged: judged)
    #expect(frequencies.problems == 1)
    #expect(frequencies.share(of: "S.Cart.apply()", prior: 0) == 1)
    #expect(frequencies.share(of: "S.Cart.apply()", prior: 999) == 0.001)
  }

  @Test("functions without names are pairs only between equal neighbours")
  func unknown() {
    let one = sequence("S.A.a()", "Kit!?", "S.B.b()")
    let other = sequence("S.A.a()", "Kit!?", "S.C.c()")
    let aligner = Aligner(parameters)
    let both = weighed([one, one, other])
    #expect(aligner.align(both[0], both[1]).pairs.map(\.credit) == [.same, .unknown, .same])
    #expect(aligner.align(both[0], both[2]).pairs.map(\.credit) == [.same])
  }

  @Test(
    "names have these terms",
    arguments: [
      ("Shop.Cart.apply(coupon:to:)", "Shop.Cart.apply", "Shop.Cart"),
      ("closure in Shop.Cart.apply(coupon:)", "closure in Shop.Cart.apply", "Shop.Cart"),
      ("local(_:) in Shop.Cart.apply(coupon:)", "local in Shop.Cart.apply", "Shop.Cart"),
      ("Shop.Cart.total.setter", "Shop.Cart.total", "Shop.Cart"), ("Shop.work()", "Shop.work", nil),
      ("-[Cart(Money) apply:coupon:]", "-[Cart(Money) apply", "Cart"), ("+[Cart make]", "+[Cart make", "Cart"),
      ("block in -[Cart apply:]", "block in -[Cart apply", "Cart"),
      ("xlnt::detail::doc::read", "xlnt::detail::doc::read", "xlnt::detail::doc"), ("memcpy", "memcpy", nil),
      ("(anonymous namespace)::decrypt", "(anonymous namespace)::decrypt", "(anonymous namespace)"),
      ("Shop:Swift.Array.pick()", "Shop:Swift.Array.pick", "Shop:Swift.Array"), ("", "", nil), ("((", "((", nil),
      ("-[", "-[", nil), (" in ", " in ", nil), ("::f", "::f", nil),
    ] as [(String, String, String?)])
  func terms(name: String, entity: String, type: String?) {
    let terms = NameTerms(name)
    #expect(terms.type == type)
    if !["(("].contains(name) { #expect(terms.entity == entity) }
  }

  @Test("sequences can be written and read again, and nothing else is taken for one")
  func coding() {
    var maker = SequenceMaker(seed: 3)
    for sequence in maker.sequences(50) where !sequence.tokens.isEmpty {
      #expect(AlignmentSequence(decoding: sequence.encoded) == sequence)
    }
    for text in [
      "", "a", "x-name", "a?name", "a-name\u{1f}", Array(repeating: "a-n", count: 33).joined(separator: "\u{1f}"),
    ] {
      #expect(AlignmentSequence(decoding: text) == nil, "\(text)")
    }
  }
}

extension WeighedSequence {
  /// Whether pairs of its own are worth less than 1: functions without names.
  fileprivate var holdsUnpairable: Bool { tokens.contains { $0.unknown >= 0 } }
}
