import Diagnostics
import Files
import Pipeline
import SignatureStore
import Symbolication
import TestSupport

@testable import Signatures

// What the suites share: whether stacks are one signature, one cluster, or strangers.

/// The clusters of scenes, judged together as new signatures; `before` were judged in an earlier run.
func clusters(_ scenes: [Scene], before: [Scene] = []) -> (clusters: [String], verdict: Verdict) {
  let reader = AlignmentReader(rules: .standard)
  func new(_ scenes: [Scene]) -> [NewSignature] {
    var places: [String: Int] = [:]
    var found: [NewSignature] = []
    for signature in scenes.map(\.signature) {
      let one = NewSignature(signature, cluster: signature.id, diagnostics: 1, reader: reader)
      if let place = places[signature.id] {
        found[place].compilations.formUnion(one.compilations)
      } else {
        places[signature.id] = found.count
        found.append(one)
      }
    }
    return found
  }
  let judge = SimilarityJudge()
  let first = judge.judge(new(before), judged: [])
  let judged = zip(new(before).sorted { $0.id < $1.id }, first.judgements).filter { $0.1.sequence != nil }
    .map { $0.0.judged(in: $0.1.cluster) }
  let verdict = judge.judge(new(scenes).filter { one in !judged.contains { $0.id == one.id } }, judged: judged)
  return (
    scenes.map { scene in
      let id = scene.signature.id
      return verdict[id]?.cluster ?? judged.first { $0.id == id }?.cluster ?? id
    }, verdict
  )
}

/// Whether all scenes have one signature.
func areEqual(_ scenes: Scene...) -> Bool { Set(scenes.map(\.signature.id)).count == 1 }

/// Whether all scenes end in one cluster, although not with one signature.
func areAlike(_ scenes: Scene...) -> Bool {
  !areEqual(scenes[0], scenes[1]) && Set(clusters(scenes).clusters).count == 1
}

/// Whether no two scenes end in one cluster.
func areApart(_ scenes: Scene...) -> Bool { Set(clusters(scenes).clusters).count == scenes.count }

/// Five calls from a tap to something else.
let way: [SceneFrame] = [
  .app("Shop.Checkout.submit()"), .app("Shop.Checkout.confirm()"), .app("Shop.Screen.tapped()"),
  .app("Shop.Router.open()"), .system("UIKitCore"),
]

/// What an exception leaves between its raise and the kernel.
let raise: [SceneFrame] = [
  .system("libsystem_kernel.dylib"), .system("libsystem_pthread.dylib"), .system("libsystem_c.dylib"),
  .system("libc++abi.dylib"), .system("libobjc.A.dylib"), .system("CoreFoundation"),
]

/// The scene of an exception with this name and message.
func exception(_ frames: [SceneFrame], name: String? = nil, message: String? = nil) -> Scene {
  var scene = Scene(frames, exceptionType: 10, signal: 6)
  scene.metadata.exceptionReason = ExceptionReason()
  scene.metadata.exceptionReason?.name = name
  scene.metadata.exceptionReason?.composedMessage = message
  return scene
}

/// A hang that stood in `frames`, outermost first, with ten samples.
func hang(_ frames: [SceneFrame]) -> Scene {
  Scene(kind: .hang, samples: [(mainThreadBase.reversed() + frames, 10)])
}

/// A signature store and the runs into it.
struct Shelf {
  let folder: TemporaryFolder
  let store: SQLiteSignatureStore

  init() throws {
    guard let folder = TemporaryFolder("complaints") else { throw Absent() }
    self.folder = folder
    store = try SQLiteSignatureStore(
      path: try StoreDirectory(root: folder.entry("store"), creating: true).path(SQLiteSignatureStore.fileName))
  }

  struct Absent: Error {}

  /// One run over `lines` by `rules`; afterwards the clusters.
  @discardableResult
  func run(_ lines: [String], by rules: Rules = .standard) throws -> [ClusterRecord] {
    var pipeline = ClusterPipeline(
      store: store,
      deriver: StackDeriver(
        symbolicator: Symbolicator(source: { _ in .missing }), builder: SignatureBuilder(rules: rules)))
    try pipeline.applyChanges()
    try pipeline.read([folder.write(Array(lines.joined(separator: "\n").utf8), to: "lines.jsonl")])
    try pipeline.judgeNewSignatures(by: SimilarityJudge())
    return try store.report().clusters
  }
}

/// A crash of `build` in `functions`, innermost first, as one line of own stacks.
func line(_ id: String, _ functions: String..., build: String = "1") -> String {
  let frames = functions.map { #"{"function":"\#($0)"}"# }.joined(separator: ",")
  return
    #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","app":"org.example.shop","build":"\#(build)","#
    + #""reason":{"signal":11},"threads":[{"frames":[\#(frames)]}]}"#
}
