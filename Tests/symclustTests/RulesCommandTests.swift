import JSON
import TestSupport
import Testing

/// Rules for the sample app.
let lumenRules = """
  symclust-rules 1 name=lumen version=1 extends=apple-default@2
  app A1 image=Lumen* | image=AdKit
  rename M1 name=PhotoImporter.* to=Importer.$1
  stop P1 name=EditorScreen.*
  test E1 stack="Lumen!PhotoImporter.importAll(_:);Lumen!EditorScreen.importTapped(_:);Lumen!main" tokens="Lumen!Importer.importAll(_:);Lumen!EditorScreen.importTapped(_:)"
  """

@Suite("Rules of a project", .enabled(if: programIsBuilt, programAbsence))
struct RulesCommandTests {
  private func write(_ text: String, _ store: Store, _ name: String = "lumen.rules") -> String {
    store.folder.write(Array(text.utf8), to: name)
  }

  @Test("check tells counts and digest, or every error with its place")
  func check() throws {
    let store = try Store()
    let good = store.run("rules", "check", write(lumenRules, store))
    #expect(
      good.code == 0 && good.text.hasPrefix("lumen@1: ") && good.text.contains("1 of 1 tests hold"), "\(good.errorText)"
    )
    let printed = store.run("rules", "check", "--print", write(lumenRules, store))
    #expect(printed.text.contains("stop lumen:P1 name=EditorScreen.*\n"))
    let bad = lumenRules + "\ntransp T1 nam=x\nstop P1 name=y\ntest E2 stack=\"Lumen!f()\" blame=none\n"
    let refused = store.run("rules", "check", write(bad, store))
    #expect(refused.code == 1 && refused.text.isEmpty)
    #expect(refused.errorText.contains("lumen.rules:6:11: unknown word 'nam'"))
    #expect(refused.errorText.contains("lumen.rules:7:6: the id P1 is taken in line 4"))
    #expect(store.run("rules", "check", "/absent").code == 1)
    #expect(store.run("rules", "check").code == 0)
    // Nothing was made by looking.
    #expect(store.run("rules", "diff", write(lumenRules, store)).code == 1)
  }

  @Test("show prints the built-in rules as a file that is read again")
  func show() throws {
    let store = try Store()
    let text = symclust(["rules", "show"]).text
    #expect(text.hasPrefix("symclust-rules 1 name=apple-default version=2"))
    let copy = text.replacing("apple-default", with: "copy")
    #expect(store.run("rules", "check", write(copy, store)).code == 0)
    let resolved = symclust(["rules", "show", "--rules", write(lumenRules, store)]).text
    #expect(resolved.contains("base B50 name=main everywhere=yes\n") && resolved.contains("rename lumen:M1"))
  }

  @Test("cluster with other rules names every stack anew, moves no count, and leaves aliases; diff told so before")
  func recluster() throws {
    let fresh = try Store()
    fresh.uploadSamples()
    let rules = write(lumenRules, fresh)
    let wanted = try fresh.report([Sample.diagnostics], ["--rules", rules])

    let store = try Store()
    store.uploadSamples()
    let before = try store.report([Sample.diagnostics])
    let diff = try store.run("rules", "diff", rules, "--json", "--top", "1000").json()
    #expect(diff["churn"]?.count("denominator") == 424)
    let changed = (diff["changes"]?.array ?? []).reduce(0) { $0 + $1.count("diagnostics") }
    #expect(changed > 0 && changed == diff.count("renamed_diagnostics") + (diff["churn"]?.count("numerator") ?? 0))
    #expect(try store.report([Sample.diagnostics])["clusters"]?.array?.count == before["clusters"]?.array?.count)

    let after = try store.report([Sample.diagnostics], ["--rules", rules])
    #expect(after["run"]?.count("moved_stacks") ?? 0 > 0)
    #expect(after["algorithm"]?["rules"]?.string == "lumen@1")
    func content(_ report: JSONValue) throws -> [String] {
      try (report["clusters"]?.array ?? []).map { try text($0.without("id").without("aliases")) }.sorted()
    }
    #expect(try content(after) == content(wanted))
    // An id that was told leads on.
    var known: Set<String> = []
    for cluster in after["clusters"]?.array ?? [] {
      known.formUnion(
        ([cluster["id"]] + (cluster["aliases"]?.array ?? []) + (cluster["signatures"]?.array ?? []))
          .compactMap { $0?.string })
    }
    let told = Set((before["clusters"]?.array ?? []).compactMap { $0["id"]?.string })
    #expect(told.subtracting(known).isEmpty)
    #expect(try store.report([Sample.diagnostics], ["--rules", rules])["run"]?.count("moved_stacks") == 0)
    // And back: the first rules give the first signatures.
    let back = try store.report([Sample.diagnostics])
    func signatures(_ report: JSONValue) -> [String] {
      (report["clusters"]?.array ?? []).flatMap { ($0["signatures"]?.array ?? []).compactMap(\.string) }.sorted()
    }
    #expect(signatures(back) == signatures(before))
  }

  @Test("diff ends with code 3 above the limit that is set")
  func limit() throws {
    let store = try Store()
    store.uploadSamples()
    _ = try store.report([Sample.diagnostics])
    let joining = write(
      "symclust-rules 1 name=lumen version=2 extends=apple-default\nlimit tokens=1 spine=1\nlibrary L1 module=* name=*(*",
      store)
    #expect(store.run("rules", "diff", joining).code == 0)
    let above = store.run("rules", "diff", joining, "--max-churn", "0.01")
    #expect(above.code == 3 && above.text.contains("--max-churn"), "\(above.text)")
    let same = store.run("rules", "diff", joining, joining, "--max-churn", "0")
    #expect(same.code == 0 && same.text.contains("0 of 424 diagnostics (0.0 %)"))
    #expect(store.run("rules", "diff", joining, joining, joining).code == 64)
  }

  @Test("The same version with other rules is refused, and nothing is counted by it")
  func version() throws {
    let store = try Store()
    let single = Sample.diagnostics + "/single"
    _ = try store.report([single], ["--rules", write(lumenRules, store)])
    let changed = write(lumenRules.replacing("stop P1 name=EditorScreen.*", with: "stop P1 name=EditorS*"), store)
    let outcome = store.run("cluster", single, "--rules", changed)
    #expect(outcome.code == 1 && outcome.errorText.contains("knows other rules as lumen@1"))
    #expect(store.run("rules", "check", changed).code == 1)
    let next = write(lumenRules.replacing("version=1", with: "version=2"), store)
    #expect(try store.report([single], ["--rules", next])["run"]?.count("moved_stacks") == 0)
  }
}
