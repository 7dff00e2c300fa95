import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

@Suite("The sample files", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct CorpusTests {
  /// What each of them is read as, the golden readings in `SignaturesTests` say.
  @Test("hold together, whatever they are read as", arguments: ["metrickit", "reports"])
  func consistent(folder: String) throws {
    for name in files(below: Corpus.path(folder)) {
      guard let payload = try? PayloadReader().read(ByteView.mapping(path: Corpus.path("\(folder)/\(name)"))) else {
        continue
      }
      #expect(payload.diagnostics.map(\.ordinal) == Array(payload.diagnostics.indices))
      for diagnostic in payload.diagnostics { diagnostic.checkConsistency() }
    }
  }

  @Test(
    "that a device recorded give page-aligned load addresses for every frame",
    arguments: [
      ("meter-ios14-crash-two-launches.json", OffsetBasis.loadAddress),
      ("bitdrift-ios18-crash-diagnostic.json", .offset),
      ("sentry-bare-tree-real-crash.json", .offset),
    ])
  func offsets(file: String, basis: OffsetBasis) throws {
    for diagnostic in try PayloadReader().read(sample(file)).diagnostics {
      var bases: [Int32: Set<UInt64>] = [:]
      for frame in diagnostic.stacks.flatMap(\.frames) {
        #expect(frame.offsetBasis == basis)
        let address = try #require(frame.address)
        let offset = try #require(frame.offset)
        #expect(offset < 1 << 32)
        bases[frame.image, default: []].insert(address - offset)
      }
      for base in bases.values {
        #expect(base.count == 1)
        #expect(base.allSatisfy { $0 % 4096 == 0 })
      }
    }
  }

  @Test("with two launches keep their load addresses apart")
  func twoLaunches() throws {
    let payload = try PayloadReader().read(sample("meter-ios14-crash-two-launches.json"))
    let bases = payload.diagnostics.map { diagnostic in
      let image = diagnostic.images.firstIndex { $0.debugID?.description == otherUUID } ?? -1
      return Set(
        diagnostic.stacks.flatMap(\.frames).filter { $0.image == image }.map { ($0.address ?? 0) - ($0.offset ?? 0) })
    }
    #expect(bases[0].count == 1)
    #expect(bases[1].count == 1)
    #expect(bases[0] != bases[1])
  }

  @Test("cut at any byte are refused at the cut, or read when only white space was lost")
  func truncation() throws {
    let bytes = try sample("meter-simulated-macos13.json")
    for length in stride(from: 1, to: bytes.count, by: 7) {
      let part = try #require(bytes.slice(at: 0, count: UInt64(length)))
      let error = #expect(throws: PayloadRefusal.self) { try PayloadReader().read(part) }
      #expect(error?.reason == .truncated)
      #expect(error?.place?.offset == length)
    }
  }

  @Test("are read the same, pretty-printed, compact, and as a line among lines")
  func layouts() throws {
    let names = files(below: Corpus.path("metrickit")).filter { $0 != "bitdrift-ios18-crash-diagnostic.json" }
    var compared = 0
    for name in names {
      let bytes = try sample(name)
      guard let pretty = try? PayloadReader().read(bytes) else { continue }
      guard let tree = try? bytes.withBytes({ (raw) throws(JSONError) in try JSONValue.parse(raw) }) else { continue }
      compared += 1
      var writer = JSONWriter()
      writer.value(tree)
      let line = try writer.finish()
      let lines = Array(DocumentStream(ByteView(line + [0x0a] + line + [0x0a])))
      #expect(lines.map(\.line) == [1, 2])
      for document in lines {
        let compact = try PayloadReader().read(document.bytes)
        #expect(compact.diagnostics.map(\.stacks) == pretty.diagnostics.map(\.stacks))
        #expect(compact.diagnostics.map(\.metadata) == pretty.diagnostics.map(\.metadata))
        #expect(compact.diagnostics.map(\.images) == pretty.diagnostics.map(\.images))
      }
    }
    #expect(compared > 15)
  }
}
