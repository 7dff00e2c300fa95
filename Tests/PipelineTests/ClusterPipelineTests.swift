import Bytes
import Compression
import Diagnostics
import Files
import Identity
import Pipeline
import SignatureStore
import Symbolication
import TestSupport
import Testing
import Workers

/// A small payload of one crash; `number` makes it, and its stack, its own.
private func payload(_ number: Int, offset: Int = 64) -> String {
  """
  {"crashDiagnostics":[{"version":"1.0.0","diagnosticMetaData":{"signal":11,"appBuildVersion":"7","deviceType":"\(number)"},\
  "callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\
  {"binaryUUID":"9156BE86-D4B6-3A81-8460-8728FA38C978","binaryName":"App","offsetIntoBinaryTextSegment":\(offset),\
  "sampleCount":1,"address":\(4_294_967_296 + offset)}]}]}}]}
  """
}

/// A pipeline without symbols into a store of its own.
private struct Run {
  let folder: TemporaryFolder
  var pipeline: ClusterPipeline<SQLiteSignatureStore>
  let store: SQLiteSignatureStore

  init(rawTier: Bool = false, limits: ReadingLimits = ReadingLimits(), jobs: Int = 2) throws {
    folder = try #require(TemporaryFolder("pipeline"))
    let directory = try StoreDirectory(root: folder.entry("store"), creating: true)
    store = try SQLiteSignatureStore(path: directory.path(SQLiteSignatureStore.fileName))
    pipeline = ClusterPipeline(
      store: store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing })), limits: limits,
      rawTier: rawTier ? directory : nil, workers: Workers(jobs))
  }
}

@Suite("The pipeline from documents to counts")
struct ClusterPipelineTests {
  // A batch holds 4096 documents.
  @Test(
    "gives the same whether equal documents fall into one batch or into two", arguments: [10, 4095, 4096, 4097, 9000])
  func batches(distance: Int) throws {
    var run = try Run()
    let bad = "{\"crash"
    var lines = [payload(-1), bad]
    for number in 0..<distance { lines.append(payload(number)) }
    lines += [payload(-1), bad]
    let path = run.folder.write(Array(lines.joined(separator: "\n").utf8), to: "day.jsonl")
    var progress: [ReadingPosition] = []
    try run.pipeline.read([path]) { progress.append($0) }
    let summary = run.pipeline.summary
    #expect(summary.acceptedPayloads == distance + 1)
    #expect(summary.acceptedDiagnostics == distance + 1)
    #expect(summary.duplicatePayloads == 1)
    #expect(summary.rejected.map(\.line) == [2, distance + 4])
    #expect(summary.rejectedByReason == ["truncated": 2])
    #expect(summary.payloads.count == distance + 1)
    #expect(Set(summary.payloads).count == distance + 1)
    let size = lines.joined(separator: "\n").utf8.count
    #expect(progress.map(\.bytes) == progress.map(\.bytes).sorted() && progress.last?.bytes == size)
    #expect(progress.allSatisfy { $0.totalBytes == size })
    #expect(try run.store.report().diagnostics == distance + 1)
  }

  @Test("counts what a second run brings beside what is known")
  func twice() throws {
    var first = try Run()
    let path = first.folder.write(Array((payload(1) + "\n" + payload(2)).utf8), to: "a.jsonl")
    try first.pipeline.read([path])
    var second = ClusterPipeline(
      store: first.store, deriver: StackDeriver(symbolicator: Symbolicator(source: { _ in .missing })))
    let more = first.folder.write(Array((payload(2) + "\n" + payload(3, offset: 128)).utf8), to: "b.jsonl")
    try second.read([more, path])
    #expect(second.summary.acceptedPayloads == 1)
    #expect(second.summary.duplicatePayloads == 3)
    // Every payload of the run that is in the store, once, in the order it came.
    #expect(second.summary.payloads.count == 3)
    #expect(second.summary.payloads.first == ContentDigest(of: Array(payload(2).utf8)))
    #expect(try first.store.report().diagnostics == 3)
  }

  @Test("keeps raw bytes only of what it accepts")
  func raw() throws {
    var run = try Run(rawTier: true)
    let path = run.folder.write(Array((payload(1) + "\n{}\n" + payload(1) + "\n" + payload(2)).utf8), to: "a.jsonl")
    try run.pipeline.read([path])
    let kept = files(below: run.folder.entry("store")).filter { $0.hasPrefix("raw/") }
    #expect(kept.count == 2)
    for text in [payload(1), payload(2)] {
      let name = RawTier.name(ContentDigest(of: Array(text.utf8)))
      #expect(kept.contains(name))
      let bytes = try ByteView.mapping(path: run.folder.entry("store/\(name)"))
      #expect(
        try Zstd.decompress(bytes, limit: OutputLimit(bytes: 1 << 20)).withBytes { Array($0) } == Array(text.utf8))
    }
  }

  @Test("tells limits that bite")
  func limits() throws {
    var limits = ReadingLimits()
    limits.depth = 6
    var run = try Run(limits: limits)
    let path = run.folder.write(Array(payload(1).utf8), to: "a.json")
    try run.pipeline.read([path])
    #expect(run.pipeline.summary.rejectedByReason == ["too_deep": 1])
    #expect(run.pipeline.summary.rejected.first?.message.contains("at line 1, column ") == true)
  }
}

@Suite("Which address of a stack is exact")
struct ExactFrameTests {
  private func stack(_ parents: [Int32], _ order: FrameOrder) -> CallStack {
    CallStack(frames: parents.map { RawFrame(parent: $0) }, order: order)
  }

  @Test("depends on the end at which the innermost call stands")
  func ends() {
    #expect(stack([-1, 0, 1], .innermostFirst).exactFrames == [true, false, false])
    #expect(stack([-1, 0, 1], .outermostFirst).exactFrames == [false, false, true])
    #expect(stack([-1, 0, 0, 2, -1], .outermostFirst).exactFrames == [false, true, false, true, true])
    #expect(stack([-1, 0, -1], .innermostFirst).exactFrames == [true, false, true])
    #expect(stack([], .outermostFirst).exactFrames == [])
    // A parent that does not exist is no reason to trap.
    #expect(stack([-1, 7], .outermostFirst).exactFrames == [true, true])
  }
}
