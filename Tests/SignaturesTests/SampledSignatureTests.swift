import Diagnostics
import Signatures
import TestSupport
import Testing

@Suite("Hangs and other samples are told by the function that half of them passed through")
struct SampledSignatureTests {
  private static let base: [SceneFrame] = mainThreadBase.reversed()
  private static let root = base + [.app("closure in Shop.ListView.body"), .app("Shop.Store.reload()")]

  /// A hang in `Store.reload()` by way of two kinds of work.
  private static func samples(_ first: UInt64, _ second: UInt64, _ idle: UInt64) -> [(
    path: [SceneFrame], count: UInt64
  )] {
    [
      (root + [.app("Shop.Parser.parse(_:)", offset: 0x100), .system("Foundation")], first),
      (root + [.app("Shop.Disk.read()"), .system("libsystem_kernel.dylib")], second),
      (base + [.system("libsystem_kernel.dylib")], idle),
    ].filter { $0.count > 0 }
  }

  @Test("The deepest function with half of the samples, and its callers")
  func dominating() throws {
    let signature = Scene(kind: .hang, samples: SampledSignatureTests.samples(60, 30, 10)).signature
    #expect(signature.tokens == ["Shop!Parser.parse(_:)", "Shop!Store.reload()", "Shop!closure in ListView.body"])
    #expect(signature.title == "hang | Shop!Parser.parse(_:) < Shop!Store.reload() < Shop!closure in ListView.body")
    #expect(try #require(signature.dominance) == 0.6)
    let split = Scene(kind: .hang, samples: SampledSignatureTests.samples(45, 45, 10)).signature
    #expect(split.tokens == ["Shop!Store.reload()", "Shop!closure in ListView.body"])
    #expect(split.paths.map(\.tokens.first) == ["Shop!Disk.read()", "Shop!Parser.parse(_:)"])
    #expect(split.paths.map(\.share) == [0.45, 0.45])
    #expect(split.keptFrames.map(\.function).contains("Shop.Store.reload()"))
  }

  @Test("Neither the order of samples, nor their number, nor whether equal branches came merged matters")
  func order() {
    var random = SeededGenerator(seed: 4)
    let plain = Scene(kind: .hang, samples: SampledSignatureTests.samples(6, 3, 1))
    for factor in 1...30 {
      var parts: [(path: [SceneFrame], count: UInt64)] = []
      for (path, count) in SampledSignatureTests.samples(6, 3, 1) {
        // Each branch comes in as many pieces as it has samples.
        parts += (0..<count).map { _ in (path, UInt64(factor)) }
      }
      parts.shuffle(using: &random)
      let scene = Scene(kind: .hang, samples: parts)
      #expect(scene.rawStack == plain.rawStack)
      #expect(scene.signature == plain.signature)
    }
  }

  @Test("Different places in one function are one function")
  func offsets() {
    var samples = SampledSignatureTests.samples(30, 20, 0)
    samples.append(
      (SampledSignatureTests.root + [.app("Shop.Parser.parse(_:)", offset: 0x180), .system("Foundation")], 30))
    #expect(Scene(kind: .hang, samples: samples).signature.tokens[0] == "Shop!Parser.parse(_:)")
  }

  @Test("Redrawn samples of one hang keep their signature")
  func resampling() {
    var random = SeededGenerator(seed: 5)
    let plain = Scene(kind: .hang, samples: SampledSignatureTests.samples(70, 20, 10)).signature.id
    var equal = 0
    for _ in 0..<200 {
      var counts: [UInt64] = [0, 0, 0]
      for _ in 0..<60 {
        let draw = random.next() % 100
        counts[draw < 70 ? 0 : draw < 90 ? 1 : 2] += 1
      }
      equal +=
        Scene(kind: .hang, samples: SampledSignatureTests.samples(counts[0], counts[1], counts[2])).signature.id
          == plain ? 1 : 0
    }
    #expect(equal >= 195)
  }

  @Test("System frames, inlining and recursion do not matter in samples either")
  func noise() {
    let path = SampledSignatureTests.base + [.app("Shop.a()"), .app("Shop.b()"), .system("Foundation")]
    let plain = Scene(kind: .cpuException, samples: [(path, 10)]).signature
    let inlined =
      SampledSignatureTests.base + [.app("Shop.b()", "Swift.Sequence.map(_:)", "Shop.a()"), .system("Foundation", 7)]
    #expect(Scene(kind: .cpuException, samples: [(inlined, 8), (path, 2)]).signature.id == plain.id)
    let noisy =
      SampledSignatureTests.base + [.system("SwiftUI"), .app("Shop.a()"), .system("UIKitCore"), .app("Shop.b()")]
    #expect(Scene(kind: .cpuException, samples: [(noisy, 3)]).signature.id == plain.id)
    let closure =
      SampledSignatureTests.base + [
        .app("Shop.a()"), .app("Shop.b()"), .system("Foundation"), .app("closure in Shop.b()"),
      ]
    #expect(Scene(kind: .cpuException, samples: [(closure, 3)]).signature.id == plain.id)
    for depth in [2, 3, 50] {
      let rounds = (0..<depth).flatMap { _ in [SceneFrame.app("Shop.a()"), .app("Shop.b()")] }
      #expect(Scene(kind: .cpuException, samples: [(SampledSignatureTests.base + rounds, 1)]).signature.id == plain.id)
    }
  }

  @Test("Several causes in one event are mixed and join nothing")
  func mixed() {
    let samples = (0..<5).map {
      (SampledSignatureTests.base + [SceneFrame.app("Shop.f\($0)()"), .system("Foundation")], UInt64(10))
    }
    let signature = Scene(kind: .cpuException, samples: samples).signature
    #expect(signature.quality == .none && signature.title == "cpu_exception | mixed")
    #expect(signature.paths.count == 5)
    #expect(signature.id != Scene(kind: .cpuException, samples: Array(samples.dropLast())).signature.id)
  }

  @Test("An idle run loop is told by the system's images, with low quality")
  func idle() {
    let signature = Scene(
      kind: .hang, samples: [(SampledSignatureTests.base + [.system("libsystem_kernel.dylib")], 10)]
    ).signature
    #expect(signature.quality == .low && signature.blame == nil)
    #expect(signature.tokens.first == "libsystem_kernel.dylib*")
    #expect(signature.carrier == "kernel")
  }

  @Test("A run loop that waits is idle; one that works, or the kernel under anything else, is not")
  func idleMark() {
    func title(_ inner: [[String]], kind: DiagnosticKind = .hang) -> String {
      let loop: [SceneFrame] = ["dyld", "UIKitCore", "GraphicsServices", "CoreFoundation"].map { .system($0) }
      return Scene(kind: kind, samples: inner.map { (loop + $0.map { .system($0) }, 1) }).signature.title
    }
    let waiting = ["CoreFoundation", "libsystem_kernel.dylib", "libsystem_kernel.dylib"]
    #expect(title([waiting]) == "hang idle | libsystem_kernel.dylib* < CoreFoundation* < GraphicsServices*")
    #expect(title([waiting, ["UIKitCore"]]).hasPrefix("hang idle |"))
    #expect(!title([waiting, ["UIKitCore"], ["QuartzCore"]]).contains("idle"))
    #expect(!title([["UIKitCore", "libsystem_kernel.dylib"]]).contains("idle"))
    #expect(!title([waiting], kind: .cpuException).contains("idle"))
  }

  @Test("Missing and contradictory counts do no harm")
  func counts() {
    var (diagnostic, _) = Scene(kind: .hang, samples: SampledSignatureTests.samples(6, 3, 1)).make()
    for index in diagnostic.stacks[0].frames.indices { diagnostic.stacks[0].frames[index].sampleCount = nil }
    let missing = RawStack.reading(diagnostic, stack: 0).stack
    #expect(missing.inclusiveWeights.max() == 3)
    for index in diagnostic.stacks[0].frames.indices {
      diagnostic.stacks[0].frames[index].sampleCount = .max - UInt64(index)
    }
    let huge = RawStack.reading(diagnostic, stack: 0).stack
    #expect(!SignatureBuilder().signature(of: huge, resolutions: []).id.isEmpty)
    for index in diagnostic.stacks[0].frames.indices { diagnostic.stacks[0].frames[index].sampleCount = 0 }
    #expect(RawStack.reading(diagnostic, stack: 0).stack.inclusiveWeights.max() == 3)
  }
}
