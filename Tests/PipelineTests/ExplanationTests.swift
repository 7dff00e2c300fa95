import Diagnostics
import Files
import Identity
import Pipeline
import SignatureStore
import Signatures
import Symbolication
import TestSupport
import Testing
import Workers

/// What is no full sentence about `text`; empty when it is one.
private func flaws(_ text: String) -> [String] {
  var flaws: [String] = []
  if text.first?.isUppercase != true { flaws.append("does not begin like one") }
  if !text.hasSuffix(".") { flaws.append("does not end like one") }
  if text.split(separator: " ").count < 3 { flaws.append("has no verb") }
  if text.contains("  ") || text.contains("\n") { flaws.append("has stray blanks") }
  return flaws.map { "'\(text)' \($0)" }
}

@Suite("Every word that decides anything")
struct ExplanationSentenceTests {
  @Test("has a sentence, and no two of a kind have the same one")
  func complete() {
    let raw = RawReason()
    let families = ReasonClass.Family.allCases.map { ReasonClass($0) }
    let tables: [[String]] = [
      Explanation.allCases.map(\.sentence), Attribution.Basis.allCases.map(\.sentence),
      Attribution.Confidence.allCases.map(\.sentence), FrameOrder.allCases.map(\.sentence),
      FrameOrderBasis.allCases.map(\.sentence),
      ReasonClass.Basis.allCases.map { $0.sentence(raw, ReasonClass(.abort)) },
      ExplainedReason.Refinement.allCases.map(\.sentence), QualityCause.allCases.map(\.sentence),
      SignatureAlias.Kind.allCases.map(\.sentence), Judgement.Outcome.allCases.map(\.sentence),
      Judgement.Barrier.allCases.map(\.sentence), Alignment.Credit.allCases.map(\.sentence),
      RuleStage.allCases.map { Rule(id: "X1", stage: $0, patterns: []).sentence(isKept: false) },
    ]
    for table in tables {
      #expect(table.flatMap(flaws) == [])
      #expect(Set(table).count == table.count)
    }
    for basis in ReasonClass.Basis.allCases {
      #expect(families.flatMap { flaws(basis.sentence(raw, $0)) } == [])
    }
  }

  @Test("of the table is explained with its id, its stage, its class and its line as 'rules show' prints it")
  func rules() {
    let explainer = FrameExplainer(rules: .standard)
    for rule in Rules.standard.rules {
      for isKept in [false, true] {
        let explained = explainer.explain(
          SignatureFrame(rawFrame: 0, image: nil, token: "a", isKept: isKept, rule: rule.id))
        #expect(flaws(explained.sentence) == [])
        #expect(explained.sentence.hasPrefix("Rule \(rule.id) "))
        #expect(explained.stage == rule.stage && explained.line == rule.description)
        #expect(explained.className == (rule.className.isEmpty ? nil : rule.className))
      }
    }
    let unknown = explainer.explain(SignatureFrame(rawFrame: 0, image: nil, token: "a", isKept: true, rule: "Z9"))
    #expect(flaws(unknown.sentence) == [] && unknown.stage == nil && unknown.line == nil)
  }

  @Test("of the program is no id of a rule, so that neither is taken for the other")
  func apart() {
    #expect(Set(Explanation.allCases.map(\.rawValue)).isDisjoint(with: Rules.standard.rules.map(\.id)))
  }

  @Test("about dropping and keeping by context differs")
  func contexts() {
    let rule = Rule(id: "K1", stage: .when, patterns: [])
    #expect(rule.sentence(isKept: true) != rule.sentence(isKept: false))
  }
}

/// A crash in `frames`, innermost first: `IMAGE!NAME`, or an image alone.
private func stackLine(_ id: String, _ frames: [String], signal: Int = 11) -> String {
  let frames = frames.map { text in
    let parts = text.split(separator: "!", maxSplits: 1)
    return parts.count == 2
      ? #"{"image":"\#(parts[0])","function":"\#(parts[1])"}"# : #"{"image":"\#(text)","offset":4096}"#
  }.joined(separator: ",")
  return
    #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","app":"org.example.shop","build":"1","reason":{"signal":\#(signal)},"threads":[{"attributed":true,"frames":[\#(frames)]}]}"#
}

private let near = ["Shop!S.Cart.check()", "Shop!S.Screen.tapped()", "Shop!S.Router.open()", "Shop!S.App.run()"]

/// A store, and what explains it.
private struct Scene {
  let folder: TemporaryFolder
  let store: SQLiteSignatureStore
  let deriver = StackDeriver(symbolicator: Symbolicator(source: { _ in .missing }))

  init() throws {
    folder = try #require(TemporaryFolder("explanation"))
    store = try SQLiteSignatureStore(
      path: try StoreDirectory(root: folder.entry("store"), creating: true).path(SQLiteSignatureStore.fileName))
  }

  func run(_ lines: [String]) throws {
    var pipeline = ClusterPipeline(store: store, deriver: deriver)
    try pipeline.read([write(lines)])
    try pipeline.judgeNewSignatures(by: SimilarityJudge())
  }

  func explain(_ lines: [String], isAlone: Bool = false) throws -> [StackExplanation] {
    let explainer = try Explainer(store: isAlone ? nil : store, deriver: deriver)
    var found: [StackExplanation] = []
    try DiagnosticReader().read([write(lines)], reject: { Issue.record("\($0.message)") }) { document, payload in
      found += try explainer.explain(payload.diagnostics, payload: ContentDigest(of: document.bytes))
    }
    return found
  }

  private func write(_ lines: [String]) -> String {
    folder.write(Array(lines.joined(separator: "\n").utf8), to: "lines.jsonl")
  }
}

@Suite("An explanation")
struct ExplanationTests {
  @Test("of a stack of system frames only names for each frame the rule that skipped it, in a full sentence (G-21)")
  func systemOnly() throws {
    let scene = try Scene()
    let told = try #require(
      try scene.explain(
        [stackLine("1", ["libsystem_kernel.dylib", "libsystem_c.dylib", "UIKitCore", "UIKitCore", "dyld"])],
        isAlone: true
      ).first)
    #expect(told.frames.map(\.frame.rule) == ["C54", "R51", "system.only", "repeated", "B1"])
    #expect(told.frames.map(\.stage) == [.carrier, .throwing, nil, nil, .base])
    #expect(told.frames.flatMap { flaws($0.sentence) } == [])
    #expect(told.qualityCause == .systemOnly && told.signature.blameID == nil)
    let nothing = try #require(
      try scene.explain([stackLine("2", ["libsystem_kernel.dylib", "dyld"])], isAlone: true).first)
    #expect(nothing.qualityCause == .nothing && nothing.frames.flatMap { flaws($0.sentence) } == [])
  }

  @Test("holds for each key exactly what is hashed for it")
  func keys() throws {
    let scene = try Scene()
    for told in try scene.explain(
      [
        stackLine("1", near), stackLine("2", ["UIKitCore"]), stackLine("3", ["dyld"]),
        stackLine("4", ["Shop!S.Cart.check()"]),
      ],
      isAlone: true)
    {
      func id(_ prefix: String, _ fields: [String]) -> String {
        prefix + ContentDigest(of: Array(fields.joined(separator: "\u{1f}").utf8)).hex.prefix(16)
      }
      #expect(told.signature.id == id("sig-", told.signature.keyFields))
      #expect(told.signature.blameID == (told.signature.blame == nil ? nil : id("blm-", told.signature.blameFields)))
      #expect(told.rawStack.key == ContentDigest(of: told.rawStack.keyBytes))
    }
  }

  @Test("has one blame key for all that ends in one function, whoever called it and whatever it called")
  func blame() throws {
    let scene = try Scene()
    let told = try scene.explain(
      [
        stackLine("1", near), stackLine("2", [near[0], "Shop!S.Other.way()"]),
        stackLine("3", ["libobjc.A.dylib!objc_release"] + near), stackLine("4", near, signal: 6),
        stackLine("5", Array(near.dropFirst())),
      ], isAlone: true)
    let keys = told.map(\.signature.blameID)
    #expect(Set(keys[...2]).count == 1 && Set(keys).count == 3 && !keys.contains(nil))
    #expect(Set(told[...2].map(\.signature.id)).count == 2)
  }

  @Test("of a file tells what would become of it and records nothing; once recorded it tells what became of it")
  func recording() throws {
    let scene = try Scene()
    try scene.run([stackLine("1", ["Shop!S.Cart.apply(coupon:)"] + near)])
    let other = stackLine("2", ["Shop!S.Cart.apply(code:)"] + near)
    let before = try #require(try scene.explain([other]).first)
    #expect(before.recorded == nil && before.judgement?.isRecorded == false)
    #expect(before.judgement?.judgement.outcome == .attached)
    #expect(try scene.store.report().diagnostics == 1)
    try scene.run([other])
    let after = try #require(try scene.explain([other]).first)
    #expect(after.judgement?.isRecorded == true && after.recorded?.diagnostics == 1)
    #expect(after.judgement?.judgement == before.judgement?.judgement && after.cluster == before.cluster)
  }

  @Test("shows the nearest cluster beside the stack: pairs with their credit, gaps on either side, nothing left out")
  func alignment() throws {
    let scene = try Scene()
    try scene.run([stackLine("1", ["Shop!S.Cart.apply()"] + near + ["Shop!S.Main.start(on:)", "Shop!S.Main.go()"])])
    let frames = [
      "Shop!S.Cart.apply()", near[0], "Shop!S.Link.follow()", near[2], near[3], "Shop!S.Main.start(at:)",
      "Shop!S.Main.go()",
    ]
    let told = try #require(try scene.explain([stackLine("2", frames)]).first)
    let neighbour = try #require(told.judgement?.neighbours.first)
    #expect(told.judgement?.judgement.barrier == .belowThreshold)
    #expect(
      neighbour.rows.map { [$0.own?.name ?? "", $0.other?.name ?? "", $0.credit?.rawValue ?? ""] } == [
        ["S.Cart.apply()", "S.Cart.apply()", "same"], ["S.Cart.check()", "S.Cart.check()", "same"],
        ["S.Link.follow()", "", ""], ["", "S.Screen.tapped()", ""], ["S.Router.open()", "S.Router.open()", "same"],
        ["S.App.run()", "S.App.run()", "same"], ["S.Main.start(at:)", "S.Main.start(on:)", "entity"],
        ["S.Main.go()", "S.Main.go()", "same"],
      ])
    #expect(neighbour.scoreToday == neighbour.neighbour.score)
    #expect(neighbour.title?.contains("S.Cart.apply()") == true)
  }

  @Test("of an id is that of its commonest stack, and of an id that leads nowhere there is none")
  func ids() throws {
    let scene = try Scene()
    try scene.run([stackLine("1", near), stackLine("2", near), stackLine("3", Array(near.dropLast()))])
    let explainer = try Explainer(store: scene.store, deriver: scene.deriver)
    let cluster = try #require(try scene.store.report().clusters.first)
    let told = try explainer.explain(signature: cluster.id)
    #expect(told.map(\.signature.id) == [cluster.id] && told.first?.recorded?.diagnostics == 2)
    #expect(told.first?.attribution == nil && told.first?.orientation == nil && told.first?.aliases == [])
    for id in ["sig-0000000000000000", "sig-", "", "sig-' OR 1=1"] {
      #expect(try explainer.explain(signature: id).isEmpty, "\(id)")
    }
    let payload = try #require(cluster.samples.first)
    #expect(try explainer.explain(diagnostic: 0, of: payload)?.attribution?.basis == .attributed)
    #expect(try explainer.explain(diagnostic: 1, of: payload) == nil)
    #expect(try explainer.explain(diagnostic: 0, of: ContentDigest(of: [])) == nil)
  }

  /// A hang whose samples ended in the functions of `branches`, all called by one function.
  private func hang(_ branches: [(name: String, samples: Int)]) -> String {
    let all = branches.reduce(0) { $0 + $1.samples }
    let inner = branches.map { #"{"function":"\#($0.name)","image":"Shop","parent":0,"samples":\#($0.samples)}"# }
    let frames = [#"{"function":"UIApplicationMain","image":"UIKitCore","samples":\#(all)}"#] + inner
    return
      #"{"schema":"symclust.stack/1","id":"1","kind":"hang","build":"1","threads":[{"order":"outermost_first","frames":[\#(frames.joined(separator: ","))]}]}"#
  }

  @Test("tells who holds the samples of a tree, or that causes are mixed")
  func samples() throws {
    let scene = try Scene()
    let told = try scene.explain(
      [
        hang([("S.Index.rebuild()", 7), ("S.Cart.total()", 3)]), hang([("a", 3), ("b", 4), ("c", 3)]),
        stackLine("1", near),
      ],
      isAlone: true)
    #expect(told[0].signature.dominance == 0.7 && told[0].threshold == 0.5 && told[0].qualityCause == .informative)
    #expect(told[0].samplesSentence?.hasPrefix("Shop!S.Index.rebuild() is ") == true)
    #expect(told[0].signature.paths.map(\.share) == [0.7, 0.3])
    #expect(told[1].signature.dominance == nil && told[1].qualityCause == .mixed && told[1].signature.paths.count == 3)
    #expect(told[1].frames.contains { $0.frame.rule == Explanation.noDominance.rawValue })
    #expect(told[2].samplesSentence == nil)
    #expect(told[...1].flatMap { flaws($0.samplesSentence ?? "") } == [])
  }

  @Test("tells where each reason came from")
  func reasons() throws {
    let scene = try Scene()
    func told(_ reason: String, _ frames: String = #"{"function":"S.f()"}"#) throws -> ExplainedReason? {
      try scene.explain(
        [
          #"{"schema":"symclust.stack/1","id":"1","kind":"crash","build":"1","reason":{\#(reason)},"threads":[{"frames":[\#(frames)]}]}"#
        ], isAlone: true
      ).first?.reason
    }
    #expect(try told(#""exception_name":"NSRangeException""#)?.basis == .exceptionName)
    #expect(try told(#""termination":"Code 0x8badf00d""#)?.basis == .terminationCode)
    #expect(try told(#""exception_type":1,"signal":11"#)?.basis == .machException)
    #expect(try told(#""exception_type":10,"signal":6"#)?.basis == .signal)
    let silent = try told("", #"{"function":"abort","image":"libsystem_c.dylib"},{"function":"S.f()"}"#)
    #expect(silent?.basis == .nothing && silent?.refinement == .throwChain && silent?.sentences.count == 2)
  }
}
