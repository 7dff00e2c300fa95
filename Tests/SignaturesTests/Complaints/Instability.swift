import Diagnostics
import Identity
import Pipeline
import SignatureStore
import Symbolication
import TestSupport
import Testing

@testable import Signatures

/// D.34 to D.38: names that change, or that nobody can make again.
@Suite struct Instability {
  private static let (cart, mail) = (
    line("a", "S.Cart.pay()", "S.Screen.tap()"), line("b", "S.Mail.sort()", "S.Inbox.load()")
  )

  @Test func `D.34 ids are made of content, whatever else is in the store and whatever came first`() throws {
    let ids = try Shelf().run([Instability.cart, Instability.mail]).map(\.id)
    let used = try Shelf()
    try used.run((0..<9).map { line("other-\($0)", "S.Other\($0).run()", "S.Main.run()") })
    try used.run([Instability.mail])
    let later = try used.run([Instability.cart]).map(\.id)
    #expect(Set(ids).count == 2)
    #expect(Set(later).isSuperset(of: ids) && later.count == 11)
  }

  @Test func `D.35 a signature is a function of the stack and the rules, and says which rules`() throws {
    let plain = Scene(way + mainThreadBase)
    var elsewhere = plain
    elsewhere.metadata.osVersion = "iPhone OS 19.0 (23A100)"
    elsewhere.metadata.deviceType = "iPad16,3"
    elsewhere.metadata.regionFormat = "TR"
    elsewhere.metadata.bundleIdentifier = "org.example.other"
    elsewhere.metadata.appBuildVersion = "999"
    #expect(areEqual(plain, elsewhere))
    let others = try rules("transp T1 name=Nobody.*")
    let signature = plain.signature(by: others)
    #expect(signature.id == plain.signature.id && signature.rulesDigest == others.digest)
    #expect(signature.rulesDigest != plain.signature.rulesDigest)
    #expect(try plain.signature(by: rules("transp T1 name=Checkout.*")).id != plain.signature.id)
  }

  @Test func `D.36 better rules move what is known, ids that were told stay good, and a diff says so before`() throws {
    let better = try rules("transp T1 name=S.Log.*")
    let logged = [
      line("a", "S.Log.write()", "S.Cart.pay()", "S.Screen.tap()"),
      line("b", "S.Log.write()", "S.Mail.sort()", "S.Inbox.load()"),
    ]
    let shelf = try Shelf()
    let before = try shelf.run(logged)
    func deriver(_ rules: Rules) -> StackDeriver {
      StackDeriver(symbolicator: Symbolicator(source: { _ in .missing }), builder: SignatureBuilder(rules: rules))
    }
    let churn = try RulesChurn(store: shelf.store, old: deriver(.standard), new: deriver(better))
    #expect(churn.changes.map(\.kind) == [.renamed, .renamed] && churn.moved == 0)
    let after = try shelf.run([], by: better)
    #expect(before.count == 2 && Set(after.map(\.id)) == Set(before.map(\.id)))
    #expect(after.allSatisfy { !$0.tokens.contains { $0.contains("Log.write") } })
    // A report without the helper is found where the old ones are.
    let joined = try shelf.run([line("c", "S.Cart.pay()", "S.Screen.tap()"), Instability.mail], by: better)
    #expect(joined.map(\.diagnostics) == [2, 2] && Set(joined.map(\.id)) == Set(before.map(\.id)))
  }

  @Test func `D.37 rules that changed under their old version are found out`() throws {
    let first = try rules("transp T1 name=S.Log.*")
    let changed = try rules("transp T1 name=S.Log.* | name=S.Trace.*")
    let same = try rules("# a comment\ntransp T1 name=S.Log.*")
    #expect(first.version == changed.version && first.digest != changed.digest && same.digest == first.digest)
    let shelf = try Shelf()
    try shelf.run([Instability.cart], by: first)
    #expect(try shelf.store.rules(version: first.version) == first.digest)
    // All records say by which rules they were made.
    #expect(try shelf.store.rawStacks(.notDerivedBy(first.digest), after: nil, limit: 9).isEmpty)
    #expect(try shelf.store.rawStacks(.notDerivedBy(changed.digest), after: nil, limit: 9).count == 1)
  }

  @Test func `D.38 without a marked thread the first with code of the app is taken, and is called a guess`() {
    func scene(_ name: String, marked: Bool) -> (attribution: Attribution, signature: Signature) {
      var scene = Scene([.system("libsystem_kernel.dylib"), .app(name)] + way)
      scene.others = (0..<18).map { _ in [.system("libsystem_kernel.dylib"), .system("libsystem_pthread.dylib")] }
      scene.attributedFirst = false
      var (diagnostic, resolutions) = scene.make()
      #expect(diagnostic.stacks.count == 19)
      if !marked { for index in diagnostic.stacks.indices { diagnostic.stacks[index].isAttributed = nil } }
      let attribution = Attribution(diagnostic)
      let reading = RawStack.reading(diagnostic, stack: attribution.stack)
      let answers = reading.sources.map { resolutions[$0] }
      return (attribution, SignatureBuilder().signature(of: reading.stack, resolutions: answers))
    }
    let (guess, known) = (scene("Shop.Cart.pay()", marked: false), scene("Shop.Cart.pay()", marked: true))
    #expect(guess.attribution == Attribution(stack: 18, basis: .firstWithApp, confidence: .guess))
    #expect(known.attribution == Attribution(stack: 18, basis: .attributed, confidence: .certain))
    #expect(guess.signature.id == known.signature.id)
    #expect(guess.signature.id != scene("Shop.Mail.sort()", marked: false).signature.id)
  }

  @Test func `G-01 a diagnostic counts for the build that it names`() throws {
    let clusters = try Shelf().run([
      line("a", "S.Cart.pay()", "S.Screen.tap()", build: "7"), line("b", "S.Cart.pay()", "S.Screen.tap()", build: "8"),
      line("c", "S.Cart.pay()", "S.Screen.tap()", build: "8"),
    ])
    #expect(clusters.count == 1)
    #expect(clusters[0].builds.map(\.diagnostics).sorted() == [1, 2])
  }
}
