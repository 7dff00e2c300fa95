import Pipeline
import SignatureStore
import Signatures
import Testing

@Suite("Decisions of people in the pipeline")
struct FactsPipelineTests {
  private func clusters(_ runs: Runs) throws -> [ClusterRecord] { try runs.store.report().clusters }

  @Test("What is near to two clusters joins neither, until they are merged")
  func merged() throws {
    let runs = try Runs()
    try runs.run([variant(1, 0), variant(1, 1)], isOn: false)
    let before = try clusters(runs).map(\.id).sorted()
    try runs.run([variant(1, 2)])
    #expect(try clusters(runs).count == 3 && clusters(runs).contains { !$0.suggestedMerges.isEmpty })
    let all = try before + clusters(runs).map(\.id).filter { !before.contains($0) }
    _ = try runs.store.record(.merge(all))
    #expect(try clusters(runs).map(\.suggestedMerges) == [[]])
    #expect(try runs.run([variant(1, 3)]).joinedSignatures == 1)
    #expect(try clusters(runs).map(\.id) == [before[0]] && clusters(runs)[0].signatures.count == 4)
    #expect(try runs.store.verify() == [])
  }

  @Test("What was split is neither joined again nor suggested; what is only pinned is no suggestion to itself")
  func split() throws {
    let runs = try Runs()
    try runs.run([variant(1, 0), variant(1, 0), variant(1, 1)])
    let cluster = try #require(try clusters(runs).first)
    let stranger = try #require(cluster.signatures.first { $0 != cluster.id })
    _ = try runs.store.record(.split([stranger]))
    try runs.run([variant(1, 0), variant(1, 1), variant(1, 2), variant(1, 3)])
    let after = try clusters(runs)
    #expect(after.first { $0.signatures.contains(stranger) }?.id == stranger)
    #expect(after.first { $0.id == stranger }?.suggestedMerges.contains { $0.cluster == cluster.id } == false)
    #expect(after.first { $0.id == cluster.id }?.suggestedMerges.contains { $0.cluster == stranger } == false)
    #expect(try runs.store.verify() == [])
  }
}
