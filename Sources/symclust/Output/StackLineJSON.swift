import Bytes
import Diagnostics
import Identity
import JSON
import SignatureStore
import Signatures

extension JSONWriter {
  /// One diagnostic of the store as a line of `symclust.stack/1`, with the day it was reported and nothing finer.
  ///
  /// Read again, the line gives the same raw stack, build and system: what the store counts is all that there is in it.
  mutating func stackLine(_ diagnostic: StoredDiagnostic, in calendar: ReportingCalendar) {
    let stack = diagnostic.rawStack.stack
    beginObject()
    member("schema", "symclust.stack/1")
    member("id", "\(diagnostic.payload.hex.prefix(16))-\(diagnostic.ordinal)")
    member("kind", stack.kind.rawValue)
    known("app", diagnostic.build.app)
    known("version", diagnostic.build.version)
    known("build", diagnostic.build.build)
    if diagnostic.build.isMixed { member("spans_versions", true) }
    known("os", diagnostic.system.text)
    let day = ReportingDay(from: diagnostic.interval.begin, to: diagnostic.interval.end, in: calendar)
    known("time", day.map { "\($0.text)T12:00:00Z" })
    reason(stack.reason)
    key("threads")
    beginArray()
    if !stack.frames.isEmpty { thread(stack) }
    endArray()
    endObject()
  }

  private mutating func reason(_ reason: RawReason) {
    guard reason != RawReason() else { return }
    key("reason")
    beginObject()
    if let type = reason.exceptionType { member("exception_type", type) }
    if let resource = reason.resource { member("exception_code", (UInt64(resource) << 61).hex) }
    if let signal = reason.signal { member("signal", signal) }
    if let code = reason.terminationCode {
      member("termination", "code:\(code.hex)")
    } else if reason.exceptionType == 10, reason.signal == 9 {
      // Without any reason it would be taken for a watchdog's.
      member("termination", "without a code")
    }
    known("exception_name", reason.exceptionName)
    endObject()
  }

  private mutating func thread(_ stack: RawStack) {
    beginObject()
    member("attributed", true)
    member("order", FrameOrder.outermostFirst.rawValue)
    key("frames")
    beginArray()
    let weights = stack.inclusiveWeights
    // One chain is one sample, and need not say so.
    let isChain =
      weights.allSatisfy { $0 == 1 } && stack.frames.indices.allSatisfy { Int(stack.frames[$0].parent) == $0 - 1 }
    for (index, frame) in stack.frames.enumerated() {
      beginObject()
      let image = stack.image(of: index)
      // A frame without an image is read as the app's own; an empty one says that there is none.
      if image?.isOwn != true, let name = image?.name ?? (image == nil ? "" : nil) { member("image", name) }
      known("debug_id", image?.debugID?.description)
      known("offset", frame.offset?.hex)
      if let symbol = stack.symbol(of: index) {
        member("function", symbol.function)
        known("file", symbol.file)
        if let line = symbol.line { member("line", line) }
      }
      if Int(frame.parent) != index - 1 { member("parent", frame.parent) }
      if !isChain { member("samples", weights[index]) }
      endObject()
    }
    endArray()
    endObject()
  }

  /// A member whose value is known; nothing else.
  private mutating func known(_ name: String, _ value: String?) {
    if let value { member(name, value) }
  }
}

extension OperatingSystem {
  /// The system as MetricKit writes it: `iPhone OS 18.5 (22F76)`; `nil` when nothing is known.
  var text: String? {
    let words = [platform, version, build.map { "(\($0))" }].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
