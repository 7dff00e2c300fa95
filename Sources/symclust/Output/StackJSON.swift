import Bytes
import Diagnostics
import Identity
import JSON
import Pipeline
import SymbolIndex
import Symbolication

extension JSONWriter {
  /// One line of `symbolicate --json`: a diagnostic with the frames of every stack, in document order.
  mutating func symbolicated(
    _ symbolicated: SymbolicatedDiagnostic, payload: ContentDigest, format: ReportFormat
  ) {
    let diagnostic = symbolicated.diagnostic
    let metadata = diagnostic.metadata
    beginObject()
    member("schema", "symclust.symbolicated-diagnostic/1")
    member("payload", payload.hex)
    member("format", format.rawValue)
    member("diagnostic", diagnostic.ordinal)
    member("kind", diagnostic.kind.rawValue)
    member("app", metadata.bundleIdentifier)
    member("version", metadata.appVersion)
    member("build", metadata.appBuildVersion)
    member("os", metadata.osVersion)
    member("device", metadata.deviceType)
    member("begin", metadata.timeStampBegin)
    member("end", metadata.timeStampEnd)
    key("reason")
    reason(metadata)
    key("context")
    context(diagnostic.context)
    key("stacks")
    beginArray()
    for (stack, resolutions) in zip(diagnostic.stacks, symbolicated.resolutions) {
      beginObject()
      member("name", stack.name)
      member("attributed", stack.isAttributed)
      member("order", stack.order.rawValue)
      member("order_basis", stack.orderBasis.rawValue)
      key("frames")
      beginArray()
      for (frame, resolution) in zip(stack.frames, resolutions) { rawFrame(frame, resolution, in: diagnostic) }
      endArray()
      endObject()
    }
    endArray()
    endObject()
  }

  /// What the diagnostic says of why it came, as it says it.
  private mutating func reason(_ metadata: DiagnosticMetadata) {
    beginObject()
    member("exception_type", metadata.exceptionType)
    member("exception_code", metadata.exceptionCode.map { $0.hex })
    member("signal", metadata.signal)
    member("termination", metadata.terminationReason)
    member("termination_category", metadata.terminationCategory)
    member("exception_name", metadata.exceptionReason.flatMap { $0.name ?? $0.className ?? $0.type })
    member("exception_message", metadata.exceptionReason.flatMap { $0.composedMessage ?? $0.formatString })
    member("memory_region", metadata.virtualMemoryRegionInfo)
    member("hang_type", metadata.hangType)
    member("hang_duration", metadata.hangDuration)
    member("cpu_time", metadata.totalCPUTime)
    member("sampled_time", metadata.totalSampledTime)
    member("bytes_written", metadata.writesCaused)
    member("launch_duration", metadata.launchDuration)
    endObject()
  }

  private mutating func context(_ context: DiagnosticContext) {
    beginObject()
    key("states")
    beginArray()
    for state in context.states {
      beginObject()
      member("domain", state.domain)
      member("label", state.label)
      endObject()
    }
    endArray()
    key("signposts")
    beginArray()
    for name in context.signposts { string(name) }
    endArray()
    member("left_out", context.droppedCount)
    endObject()
  }

  private mutating func rawFrame(_ frame: RawFrame, _ resolution: Resolution, in diagnostic: Diagnostic) {
    let index = Int(frame.image)
    let image = diagnostic.images.indices.contains(index) ? diagnostic.images[index] : nil
    beginObject()
    member("parent", frame.parent < 0 ? nil : frame.parent)
    member("image", image?.name)
    member("debug_id", image?.debugID?.description)
    member("address", frame.address?.hex)
    member("offset", frame.offset?.hex)
    member("offset_basis", frame.offsetBasis.word)
    member("samples", frame.sampleCount)
    member("status", resolution.status.rawValue)
    key("frames")
    beginArray()
    for resolved in resolution.frames { self.frame(resolved) }
    endArray()
    if let reason = resolution.frames.trapReason { member("trap_reason", reason) }
    endObject()
  }
}
