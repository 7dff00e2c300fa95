import Diagnostics
import Files
import Pipeline
import SignatureStore
import Signatures
import Symbolication
import TestSupport
import Testing
import Workers

/// A store with runs over lines of own stacks.
struct Runs {
  let folder: TemporaryFolder
  let store: SQLiteSignatureStore

  init() throws {
    folder = try #require(TemporaryFolder("similarity"))
    store = try SQLiteSignatureStore(
      path: try StoreDirectory(root: folder.entry("store"), creating: true).path(SQLiteSignatureStore.fileName))
  }

  /// One run over `lines`, read in `parts`, judged at its end.
  @discardableResult
  func run(_ lines: [String], parts: Int = 1, jobs: Int = 2, isOn: Bool = true) throws -> RunSummary {
    let workers = Workers(jobs)
    var pipeline = ClusterPipeline(
      store: store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing }), workers: workers),
      workers: workers)
    for part in 0..<parts {
      let own = lines.indices.filter { $0 % parts == part }.map { lines[$0] }
      let path = folder.write(Array(own.joined(separator: "\n").utf8), to: "lines-\(part).jsonl")
      try pipeline.read([path])
    }
    try pipeline.judgeNewSignatures(by: isOn ? SimilarityJudge(workers: workers) : nil)
    return pipeline.summary
  }
}

/// A crash in `names`, innermost first.
func line(_ id: String, _ names: [String]) -> String {
  let frames = names.map { #"{"function":"\#($0)"}"# }.joined(separator: ",")
  return
    #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","app":"org.example.shop","build":"1","reason":{"signal":11},"threads":[{"frames":[\#(frames)]}]}"#
}

/// Variant `variant` of problem `problem`.
func variant(_ problem: Int, _ variant: Int) -> String {
  var names = ["S.P\(problem).crash(a\(variant % 2):)"] + (0..<6).map { "S.Q\(problem).step\($0)()" }
  names += [variant / 2 % 2 == 0 ? "S.Scene.start()" : "S.Link.open()", "S.App.run()"]
  if variant >= 4 { names[3] = "S.Other.step()" }
  return line("\(problem)-\(variant)", names)
}

@Suite("Near duplicates in the pipeline")
struct SimilarityPipelineTests {
  @Test("join their cluster in the run that brings them and in every later one")
  func joining() throws {
    let runs = try Runs()
    let first = try runs.run([variant(1, 0), variant(2, 0), variant(1, 1)])
    #expect(first.newSignatures.count == 3 && first.joinedSignatures == 1)
    let clusters = try runs.store.report().clusters
    #expect(clusters.map(\.diagnostics) == [2, 1])
    let second = try runs.run([variant(1, 2), variant(1, 3), variant(2, 1)])
    #expect(second.joinedSignatures == 3)
    let after = try runs.store.report().clusters
    #expect(after.map(\.id) == clusters.map(\.id))
    #expect(after.map(\.diagnostics) == [4, 2])
    #expect(after.map(\.signatures.count) == [4, 2])
    #expect(try runs.store.unjudgedSignatures() == [])
    #expect(try runs.run([variant(1, 2)]).joinedSignatures == 0)
    #expect(try runs.store.report().clusters == after)
    #expect(try runs.store.verify() == [])
  }

  @Test("are suggested when they are only similar; the two clusters stay two")
  func suggesting() throws {
    let runs = try Runs()
    try runs.run([variant(1, 0)])
    try runs.run([variant(1, 4)])
    let clusters = try runs.store.report().clusters
    #expect(clusters.count == 2)
    #expect(clusters[0].suggestedMerges.map(\.cluster) == [clusters[1].id])
    #expect(clusters[1].suggestedMerges.map(\.cluster) == [clusters[0].id])
    #expect(clusters[0].suggestedMerges.map(\.score) == clusters[1].suggestedMerges.map(\.score))
    let judged = try runs.store.judgedSignatures().compactMap { try runs.store.judgement(of: $0.id) }
    #expect(judged.compactMap(\.barrier) == [.belowThreshold])
  }

  @Test("give the same store over 100 shuffles, in one part or in many, on one thread or two")
  func shuffles() throws {
    var random = SeededGenerator(seed: 21)
    let before = (0..<4).map { variant($0, 0) }
    let lines = (0..<7).flatMap { problem in (1..<6).map { variant(problem, $0) } }
    let wanted = try Runs()
    try wanted.run(before)
    try wanted.run(lines)
    let report = try wanted.store.report()
    #expect(Set(report.clusters.map(\.signatures.count)).count > 1)
    #expect(report.clusters.contains { !$0.suggestedMerges.isEmpty })
    let judgements = try report.clusters.flatMap(\.signatures).map { try wanted.store.judgement(of: $0) }
    for round in 0..<100 {
      let runs = try Runs()
      try runs.run(before.shuffled(using: &random), jobs: 1 + round % 2)
      try runs.run(lines.shuffled(using: &random), parts: 1 + round % 5, jobs: 1 + round / 2 % 2)
      let other = try runs.store.report()
      #expect(other == report, "round \(round)")
      #expect(try other.clusters.flatMap(\.signatures).map { try runs.store.judgement(of: $0) } == judgements)
    }
  }

  @Test("stay apart with similarity switched off, and are not taken back when it is on again")
  func off() throws {
    let runs = try Runs()
    try runs.run([variant(1, 0), variant(1, 1)], isOn: false)
    let clusters = try runs.store.report().clusters
    #expect(clusters.count == 2 && clusters.allSatisfy { $0.suggestedMerges.isEmpty })
    try runs.run([variant(1, 0)])
    #expect(try runs.store.report().clusters == clusters)
    // What comes now is near to both: it joins neither, and they are suggested.
    try runs.run([variant(1, 2)])
    let after = try runs.store.report().clusters
    #expect(after.count == 3 && Set(after.map(\.id)).isSuperset(of: clusters.map(\.id)))
    #expect(after.contains { $0.suggestedMerges.count == 2 })
  }

  @Test("of a run that was interrupted before it judged are judged by the next")
  func interrupted() throws {
    let runs = try Runs()
    try runs.run([variant(1, 0)])
    var pipeline = ClusterPipeline(
      store: runs.store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing })))
    try pipeline.read([runs.folder.write(Array(variant(1, 1).utf8), to: "a.jsonl")])
    #expect(try runs.store.report().clusters.count == 2)
    #expect(try runs.run([]).joinedSignatures == 1)
    #expect(try runs.store.report().clusters.count == 1)
  }
}
