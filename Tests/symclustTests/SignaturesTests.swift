import JSON
import TestSupport
import Testing

@Suite("signatures", .enabled(if: programIsBuilt, programAbsence))
struct SignaturesTests {
  private let store: Store

  init() throws {
    store = try Store()
    store.uploadSamples()
    _ = try store.report([Sample.diagnostics])
  }

  private func list(_ options: String...) throws -> [JSONValue] {
    let outcome = symclust(["signatures", "list", "--json", "--store", store.path] + options)
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return try outcome.json()["clusters"]?.array ?? []
  }

  @Test("list gives the clusters of the report in its order, and fewer when asked")
  func list() throws {
    let report = try store.report([Sample.diagnostics])
    let ids = (report["clusters"]?.array ?? []).compactMap { $0["id"]?.string }
    #expect(ids.count == 30)
    #expect(try list().compactMap { $0["id"]?.string } == ids)
    #expect(try list("--top", "3").count == 3)
    #expect(try list("--kind", "hang").allSatisfy { $0["kind"]?.string == "hang" })
    #expect(try list("--kind", "hang").count < 30)
    #expect(try list("--build", "none").isEmpty)
    let text = store.run("signatures", "list", "--top", "2").text
    #expect(text.contains(ids[0]) && text.contains(ids[1]) && text.contains("28 more"))
  }

  @Test("show tells the same of a cluster as the report, and its paths")
  func show() throws {
    let report = try store.report([Sample.diagnostics])
    for cluster in (report["clusters"]?.array ?? []) {
      let id = try #require(cluster["id"]?.string)
      let shown = try store.run("signatures", "show", id, "--json").json()
      for member in cluster.members ?? [] where member.name != "frames" {
        #expect(try text(shown[member.name]) == text(member.value), "\(member.name) of \(id)")
      }
      let members = shown["members"]?.array ?? []
      #expect(members.reduce(0) { $0 + $1.count("diagnostics") } == cluster.count("diagnostics"))
      let isSampled = cluster["kind"]?.string != "crash"
      let paths = shown["paths"]?.array ?? []
      #expect(paths.isEmpty != isSampled && paths.count <= 5)
      let shares = paths.compactMap { $0["share"]?.double }
      #expect(shares == shares.sorted(by: >) && shares.reduce(0, +) <= 1.000_01)
    }
  }

  @Test("show writes its stacks for every viewer, with the same weight in all")
  func trees() throws {
    let id = try #require(try list("--kind", "hang").first?["id"]?.string)
    let diagnostics = try #require(try list("--kind", "hang").first?.count("diagnostics"))
    let (svg, html, folded, speedscope) = (
      store.folder.entry("f.svg"), store.folder.entry("f.html"), store.folder.entry("f.txt"),
      store.folder.entry("f.json")
    )
    let first = store.run("signatures", "show", id, "--flame", svg, "--folded", folded, "--speedscope", speedscope)
    #expect(first.code == 0, "\(first.errorText)")
    #expect(store.run("signatures", "show", id, "--flame", html).code == 0)
    let page = String(decoding: try #require(contents(of: html)), as: UTF8.self)
    let graph = String(decoding: try #require(contents(of: svg)), as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains(graph) && graph.contains("LumenApp.main()"))
    let lines = String(decoding: try #require(contents(of: folded)), as: UTF8.self).split(separator: "\n")
    let weights = lines.compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
    #expect(weights.count == lines.count)
    // Each diagnostic weighs a million, less what rounding takes.
    let total = weights.reduce(0, +)
    #expect(abs(Int(total) - diagnostics * 1_000_000) < 1_000)
    let profile = try JSONValue.parse(contents(of: speedscope) ?? [])["profiles"]?.array?.first
    #expect(profile?["endValue"]?.uint == total)
    #expect(profile?["samples"]?.array?.count == lines.count)
  }

  @Test("refuse ids that lead nowhere, and files that cannot be written")
  func refusals() throws {
    let unknown = store.run("signatures", "show", "sig-0000000000000000")
    #expect(unknown.code == 1 && unknown.errorText.contains("sig-0000000000000000 is no cluster"))
    let id = try #require(try list().first?["id"]?.string)
    let unwritable = store.run("signatures", "show", id, "--flame", store.folder.entry("no/f.svg"))
    #expect(unwritable.code == 1 && unwritable.errorText.contains("no/f.svg"))
    #expect(store.run("signatures").code == 64)
    #expect(try Store().run("signatures", "list").code == 1)
  }
}
