import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

/// What a sample file holds, as counted by an independent script: diagnostics by kind, stacks and frames of each.
struct Expectation: Sendable, CustomTestStringConvertible {
  let file: String
  let diagnostics: [(kind: DiagnosticKind, stacks: Int, frames: Int)]
  var testDescription: String { file }

  init(_ file: String, _ diagnostics: [(DiagnosticKind, Int, Int)]) {
    self.file = file
    self.diagnostics = diagnostics.map { ($0.0, $0.1, $0.2) }
  }

  static let all: [Expectation] = [
    Expectation("aws-frames-address-only.json", [(.unknown, 2, 7)]),
    Expectation("axiom-crash-frame-without-address.json", [(.crash, 1, 1)]),
    Expectation("axiom-crash-swift-unwrap.json", [(.crash, 1, 2)]),
    Expectation("bitdrift-frame-without-any-field.json", [(.crash, 1, 3)]),
    Expectation("bitdrift-hang-with-hangtype.json", [(.hang, 2, 3)]),
    Expectation("bitdrift-ios18-crash-diagnostic.json", [(.crash, 20, 245)]),
    Expectation("meter-ios14-crash-two-launches.json", [(.crash, 10, 51), (.crash, 9, 49)]),
    Expectation(
      "meter-simulated-ios14.json",
      [(.crash, 1, 1), (.hang, 1, 1), (.cpuException, 1, 1), (.diskWriteException, 1, 1)]),
    Expectation(
      "meter-simulated-macos12.json",
      [(.crash, 1, 1), (.hang, 1, 1), (.cpuException, 1, 1), (.diskWriteException, 1, 1)]),
    Expectation(
      "meter-simulated-macos13.json",
      [(.diskWriteException, 1, 1), (.hang, 1, 1), (.crash, 1, 1), (.cpuException, 1, 1), (.appLaunch, 1, 1)]),
    Expectation("otel-wrapped-tree-multiple-roots.json", [(.unknown, 1, 3)]),
    Expectation("otel-wrapped-tree-nested.json", [(.unknown, 1, 3)]),
    Expectation("rn-metrickit-vendor-wrapper.json", [(.crash, 1, 2), (.hang, 0, 0)]),
    Expectation("sentry-bare-tree-real-crash.json", [(.unknown, 16, 92)]),
    Expectation("sentry-per-thread-branching.json", [(.unknown, 1, 4)]),
    Expectation("sentry-per-thread.json", [(.unknown, 2, 6)]),
    Expectation("sentry-sampled-not-per-thread.json", [(.unknown, 1, 14)]),
    Expectation("sentry-unknown-field.json", [(.unknown, 1, 3)]),
  ]
}

@Suite("The sample files", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct CorpusTests {
  @Test("of v1 are read whole", arguments: Expectation.all)
  func accepted(expected: Expectation) throws {
    let payload = try PayloadReader().read(sample(expected.file))
    #expect(payload.diagnostics.map(\.kind) == expected.diagnostics.map(\.kind))
    #expect(payload.diagnostics.map(\.stacks.count) == expected.diagnostics.map(\.stacks))
    #expect(
      payload.diagnostics.map { $0.stacks.map(\.frames.count).reduce(0, +) } == expected.diagnostics.map(\.frames))
    #expect(payload.diagnostics.map(\.ordinal) == Array(0..<expected.diagnostics.count))
    #expect(payload.notes.isEmpty)
    for diagnostic in payload.diagnostics {
      #expect(diagnostic.notes.map(\.code) == (diagnostic.stacks.isEmpty ? ["no_stack"] : []))
      for stack in diagnostic.stacks {
        for (index, frame) in stack.frames.enumerated() {
          #expect(Int(frame.parent) < index)
          #expect(Int(frame.image) < diagnostic.images.count)
        }
      }
    }
  }

  @Test(
    "of other kinds are refused by name",
    arguments: [
      ("ios27-environment-literal.json", PayloadRefusal.Reason.v2WithoutDiagnostic),
      ("npk-ios14-simulated-nsdictionary-description.txt", .propertyListDescription),
      ("npk-metric-payload-nsdictionary-description.txt", .propertyListDescription),
      ("sentry-truncated-garbage.json", .truncated),
    ])
  func refused(file: String, reason: PayloadRefusal.Reason) throws {
    let bytes = try sample(file)
    let error = #expect(throws: PayloadRefusal.self) { try PayloadReader().read(bytes) }
    #expect(error?.reason == reason)
    if file.contains("metric-payload") { #expect(error?.detail == "of an MXMetricPayload") }
    if reason == .truncated {
      #expect(error?.place == JSONPlace(of: 624, in: bytes.withBytes { $0 }))
      #expect(error?.place?.line == 24)
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

  @Test("of crashes show in their data that they start at the innermost call")
  func order() throws {
    for file in [
      "meter-ios14-crash-two-launches.json", "bitdrift-ios18-crash-diagnostic.json", "sentry-bare-tree-real-crash.json",
    ] {
      for diagnostic in try PayloadReader().read(sample(file)).diagnostics {
        #expect(diagnostic.stacks.allSatisfy { $0.order == .innermostFirst && $0.isLinear })
        #expect(
          diagnostic.stacks.first { $0.isAttributed == true }?.orderBasis
            == (diagnostic.kind == .unknown ? .data : .confirmed))
        #expect(diagnostic.stacks.filter { $0.isAttributed == true }.count == 1)
      }
    }
  }

  @Test("keep what the device said")
  func metadata() throws {
    let ios18 = try PayloadReader().read(sample("bitdrift-ios18-crash-diagnostic.json")).diagnostics[0]
    #expect(ios18.metadata.osVersion == "iPhone OS 18.5 (22F76)")
    #expect(ios18.metadata.isTestFlightApp != nil)
    #expect(ios18.metadata.pid != nil)
    #expect(ios18.isPerThread == true)
    #expect(!ios18.isSimulated)

    let simulated = try PayloadReader().read(sample("meter-simulated-macos13.json"))
    #expect(simulated.timeStampBegin == "2022-09-28 10:59:30")
    #expect(simulated.diagnostics.allSatisfy { $0.metadata.timeStampEnd == "2022-09-28 10:59:30" && $0.isSimulated })
    #expect(simulated.diagnostics.map(\.metadata.launchDuration) == [nil, nil, nil, nil, "20000 ms"])
    #expect(simulated.diagnostics[0].metadata.writesCaused == "2000 byte")
    #expect(simulated.diagnostics[0].metadata.appBuildVersion == "")

    let hang = try PayloadReader().read(sample("bitdrift-hang-with-hangtype.json")).diagnostics[0]
    #expect(hang.metadata.hangType == "Main Runloop Hang")
    #expect(hang.metadata.hangDuration == "1.7")

    let crash = try PayloadReader().read(sample("axiom-crash-swift-unwrap.json")).diagnostics[0]
    #expect(crash.metadata.timeStampBegin == "2026-04-19 10:28:00.0000 +0000")
    #expect(crash.metadata.virtualMemoryRegionInfo == "")

    let vendor = try PayloadReader().read(sample("rn-metrickit-vendor-wrapper.json")).diagnostics
    #expect(vendor[0].metadata.appVersion == "1.2.0")
    #expect(vendor[0].metadata.terminationReason == "Namespace SIGNAL, Code 0xb")
    #expect(vendor[1].metadata.hangDuration == "3.2 s")
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
    for expected in Expectation.all where expected.file != "bitdrift-ios18-crash-diagnostic.json" {
      let bytes = try sample(expected.file)
      let pretty = try PayloadReader().read(bytes)
      guard let tree = try? bytes.withBytes({ (raw) throws(JSONError) in try JSONValue.parse(raw) }) else { continue }
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
  }
}
