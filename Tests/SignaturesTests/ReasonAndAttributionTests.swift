import Diagnostics
import Signatures
import SymbolIndex
import Testing

@Suite("Reasons are classes, never texts")
struct ReasonTests {
  struct Case: Sendable {
    var type: Int64?
    var signal: Int64?
    var code: UInt64?
    var termination: String?
    var category: String?
    var reason: String
    var family: ReasonClass.Family
  }

  @Test(
    "From metadata",
    arguments: [
      Case(type: 1, signal: 11, reason: "bad-access", family: .badAccess),
      Case(type: 6, signal: 5, reason: "trap", family: .trap), Case(type: 2, signal: 4, reason: "trap", family: .trap),
      Case(type: 10, signal: 6, termination: "Namespace SIGNAL, Code 6 Abort trap: 6", reason: "abort", family: .abort),
      Case(
        type: 10, signal: 9,
        termination:
          "FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update pid:77>",
        reason: "watchdog(0x8badf00d)", family: .watchdog),
      Case(
        type: 10, signal: 9, termination: "Namespace SPRINGBOARD, Code 0x8badf00d", reason: "watchdog(0x8badf00d)",
        family: .watchdog),
      Case(type: 10, signal: 9, code: 0, reason: "watchdog(0x8badf00d)", family: .watchdog),
      Case(
        type: 10, signal: 9, termination: "Failed to terminate gracefully after 5.0s", category: "watchdog",
        reason: "watchdog(0x8badf00d)", family: .watchdog),
      Case(type: 10, signal: 9, code: 0, category: "fileLock", reason: "killed", family: .killed),
      Case(
        type: 10, signal: 9, termination: "Namespace RUNNINGBOARD, Code 0xdead10cc", reason: "killed(0xdead10cc)",
        family: .killed),
      Case(type: 11, signal: nil, code: 3 << 61, reason: "resource(memory)", family: .resource),
      Case(type: 3, signal: 8, reason: "arithmetic", family: .arithmetic),
      Case(type: nil, signal: 11, reason: "bad-access", family: .badAccess),
      Case(signal: nil, termination: "Namespace SIGNAL, Code 0xb", reason: "bad-access", family: .badAccess),
      Case(signal: nil, termination: "Namespace SIGNAL, Code 6 Abort trap: 6", reason: "abort", family: .abort),
      Case(signal: nil, termination: "Namespace TCC, Code 6", reason: "unknown", family: .unknown),
      Case(type: nil, signal: nil, reason: "unknown", family: .unknown),
    ])
  func metadata(_ example: Case) {
    var metadata = DiagnosticMetadata()
    metadata.exceptionType = example.type
    metadata.signal = example.signal
    metadata.exceptionCode = example.code
    metadata.terminationReason = example.termination
    metadata.terminationCategory = example.category
    let reason = ReasonClass(kind: .crash, raw: RawReason(metadata))
    #expect(reason.description == example.reason)
    #expect(reason.family == example.family)
  }

  @Test("What only newer systems or debug information tell refines the reason and leaves the signature's id")
  func refinement() {
    let frames: [SceneFrame] =
      [.app("Swift runtime failure: Index out of range", "Swift.Array.subscript(_:)", "Shop.Cart.total()")]
      + mainThreadBase
    let named = Scene(frames).signature
    let bare = Scene([.app("Shop.Cart.total()")] + mainThreadBase).signature
    #expect(named.reason.description == "swift-runtime(index-out-of-range)")
    #expect(named.tokens == ["Shop!Cart.total()"])
    #expect(named.id == bare.id)

    var exception = Scene([.app("-[Cart total]")] + mainThreadBase, exceptionType: 10, signal: 6)
    let plain = exception.signature
    exception.metadata.exceptionReason = ExceptionReason()
    exception.metadata.exceptionReason?.name = "NSRangeException"
    exception.metadata.exceptionReason?.composedMessage = "user data"
    #expect(exception.signature.reason.description == "objc-exception(NSRangeException)")
    #expect(exception.signature.id == plain.id)
  }

  @Test(
    "A name that may hold user data is no exception name",
    arguments: ["user name@example.org", "", "a b", String(repeating: "x", count: 65)])
  func exceptionNames(name: String) {
    var metadata = DiagnosticMetadata()
    metadata.exceptionReason = ExceptionReason()
    metadata.exceptionReason?.name = name
    #expect(RawReason(metadata).exceptionName == nil)
  }
}

@Suite("The stack that is the event")
struct AttributionTests {
  private static let app = [RawFrame(parent: -1, image: 0, offset: 1)]
  private static let system = [RawFrame(parent: -1, image: 1, offset: 1)]

  private func diagnostic(_ stacks: [(Bool?, [RawFrame])], kind: DiagnosticKind = .crash, hangType: String? = nil)
    -> Diagnostic
  {
    var metadata = DiagnosticMetadata()
    metadata.hangType = hangType
    return Diagnostic(
      kind: kind, metadata: metadata,
      images: [ImageReference(debugID: nil, name: "Shop"), ImageReference(debugID: nil, name: "UIKitCore")],
      stacks: stacks.map { CallStack(isAttributed: $0.0, frames: $0.1) })
  }

  @Test("The marked one, or the best that can be said")
  func choice() {
    let (app, system) = (AttributionTests.app, AttributionTests.system)
    #expect(
      Attribution(diagnostic([(false, system), (true, app)]))
        == Attribution(stack: 1, basis: .attributed, confidence: .certain))
    #expect(
      Attribution(diagnostic([(true, []), (false, []), (false, app)]))
        == Attribution(stack: 2, basis: .attributedEmpty, confidence: .guess))
    #expect(
      Attribution(diagnostic([(true, system), (true, app)]))
        == Attribution(stack: 1, basis: .severalAttributed, confidence: .likely))
    #expect(
      Attribution(diagnostic([(nil, system), (nil, app)]))
        == Attribution(stack: 1, basis: .firstWithApp, confidence: .guess))
    #expect(
      Attribution(diagnostic([(nil, system), (nil, system)]))
        == Attribution(stack: 0, basis: .firstNonEmpty, confidence: .guess))
    #expect(
      Attribution(diagnostic([(nil, app)], kind: .cpuException))
        == Attribution(stack: 0, basis: .onlyStack, confidence: .certain))
    #expect(
      Attribution(diagnostic([(nil, app), (true, system)], kind: .hang, hangType: "Main Runloop Hang"))
        == Attribution(stack: 0, basis: .mainRunLoop, confidence: .likely))
    #expect(Attribution(diagnostic([])) == Attribution(stack: nil, basis: .noFrames, confidence: .guess))
    #expect(Attribution(diagnostic([(true, [])])) == Attribution(stack: nil, basis: .noFrames, confidence: .guess))
  }
}
