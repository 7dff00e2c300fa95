import JSON
import TestSupport
import Testing

@Suite("Symbols that come late", .enabled(if: programIsBuilt, programAbsence))
struct LateSymbolsTests {
  private func assignments(_ store: Store) throws -> (report: JSONValue, lines: [JSONValue]) {
    let file = store.folder.entry("assignments.jsonl")
    let report = try store.report([Sample.diagnostics], ["--assignments", file])
    return (report, try jsonLinesIn(contents(of: file) ?? []))
  }

  /// What a cluster is, but for its id and the ids that lead to it.
  private func content(_ report: JSONValue) throws -> [String] {
    try (report["clusters"]?.array ?? []).map { try text($0.without("id").without("aliases")) }.sorted()
  }

  @Test("give the same clusters as symbols that were there first; no count is lost")
  func late() throws {
    let early = try Store()
    early.uploadSamples()
    let wanted = try assignments(early)

    let late = try Store()
    let before = try assignments(late)
    #expect(before.lines.count == wanted.lines.count)
    let clustersBefore = before.report["clusters"]?.array ?? []
    #expect(clustersBefore.map { $0.count("diagnostics") }.reduce(0, +) == wanted.lines.count)
    // Whatever has a frame of the app waits for it.
    let images = Set((before.report["missing_images"]?.array ?? []).compactMap { $0["name"]?.string })
    #expect(images.isSuperset(of: ["Lumen", "LumenKit", "AdKit"] as Set))
    for cluster in clustersBefore {
      let tokens = (cluster["tokens"]?.array ?? []).compactMap(\.string)
      let isOfApp = tokens.contains { $0.hasPrefix("Lumen") }
      if isOfApp { #expect(cluster["provisional"]?.bool == true, "\(tokens)") }
    }
    #expect(clustersBefore.count > (wanted.report["clusters"]?.array?.count ?? .max))

    // Left to the next run; at once is what `ReprocessTests` look at.
    #expect(late.run("upload-symbols", Sample.symbols, "--no-reprocess").code == 0)
    let after = try assignments(late)
    #expect(Partition(assignments: after.lines).groups == Partition(assignments: wanted.lines).groups)
    #expect(after.lines.map { $0["signature"] } == wanted.lines.map { $0["signature"] })
    #expect(try content(after.report) == content(wanted.report))
    #expect(try text(after.report["denominators"]) == text(wanted.report["denominators"]))
    #expect(try text(after.report["missing_images"]) == text(wanted.report["missing_images"]))
    #expect(after.report["run"]?.count("accepted_payloads") == 0)
    #expect(after.report["run"]?.count("moved_stacks") ?? 0 > 0)

    // An id once told stays good: it is a cluster's, or leads to one.
    var known: Set<String> = []
    for cluster in after.report["clusters"]?.array ?? [] {
      let ids = ([cluster["id"]] + (cluster["aliases"]?.array ?? []) + (cluster["signatures"]?.array ?? []))
        .compactMap { $0?.string }
      for id in Set(ids) { #expect(known.insert(id).inserted, "\(id) leads to two clusters") }
    }
    let told = Set(before.lines.compactMap { $0["cluster"]?.string })
    #expect(told.subtracting(known).isEmpty)
    let current = Set(after.lines.compactMap { $0["cluster"]?.string })
    #expect(current.subtracting(known).isEmpty)

    // The next run finds nothing left to move.
    let again = try assignments(late)
    #expect(again.report["run"]?.count("moved_stacks") == 0)
    #expect(try text(again.report.without("run")) == text(after.report.without("run")))
  }

  @Test("of one build after the other end in the same clusters, too")
  func inParts() throws {
    let early = try Store()
    early.uploadSamples()
    let wanted = try assignments(early)
    let late = try Store()
    _ = try assignments(late)
    for build in Sample.builds.reversed() {
      #expect(late.run("upload-symbols", "\(Sample.symbols)/\(build.folder)").code == 0)
      let report = try assignments(late).report
      let clusters = report["clusters"]?.array ?? []
      #expect(clusters.map { $0.count("diagnostics") }.reduce(0, +) == wanted.lines.count)
    }
    let after = try assignments(late)
    #expect(Partition(assignments: after.lines).groups == Partition(assignments: wanted.lines).groups)
    #expect(try content(after.report) == content(wanted.report))
  }

  @Test("and are better than those that were there are used")
  func richer() throws {
    let early = try Store()
    early.uploadSamples()
    let wanted = try assignments(early)
    // The same images with their debug information out of reach: names only.
    let late = try Store()
    for file in SampleSymbols.all {
      var bytes = try #require(contents(of: file.path))
      for name in ["__debug_info", "__debug_line"] {
        let range = try #require(bytes.firstRange(of: Array(name.utf8)))
        bytes[range.lowerBound + 2] = UInt8(ascii: "x")
      }
      let bare = late.folder.write(bytes, to: "bare/\(file.name)")
      let outcome = late.run("upload-symbols", bare, "--json")
      #expect(try outcome.json()["slices"]?[0]?["level"]?.string == "names", "\(outcome.text)")
    }
    _ = try assignments(late)
    late.uploadSamples()
    let after = try assignments(late)
    #expect(after.lines.count == wanted.lines.count)
    let isSame = Partition(assignments: after.lines).groups == Partition(assignments: wanted.lines).groups
    #expect(isSame)
  }
}
