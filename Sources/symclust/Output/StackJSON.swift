import Bytes
import Diagnostics
import Identity
import JSON
import Pipeline
import SymbolIndex
import Symbolication

extension JSONWriter {
  /// One line of `symbolicate --json`: a diagnostic with the frames of every stack, in document order.
  mutating func symbolicated(_ symbolicated: SymbolicatedDiagnostic, payload: ContentDigest) {
    let diagnostic = symbolicated.diagnostic
    let metadata = diagnostic.metadata
    beginObject()
    member("schema", "symclust.symbolicated-diagnostic/1")
    member("payload", payload.hex)
    member("diagnostic", diagnostic.ordinal)
    member("kind", diagnostic.kind.rawValue)
    member("app", metadata.bundleIdentifier)
    member("version", metadata.appVersion)
    member("build", metadata.appBuildVersion)
    member("os", metadata.osVersion)
    member("device", metadata.deviceType)
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

  private mutating func rawFrame(_ frame: RawFrame, _ resolution: Resolution, in diagnostic: Diagnostic) {
    let index = Int(frame.image)
    let image = diagnostic.images.indices.contains(index) ? diagnostic.images[index] : nil
    beginObject()
    member("parent", frame.parent < 0 ? nil : frame.parent)
    member("image", image?.name)
    member("debug_id", image?.debugID?.description)
    member("address", frame.address?.hex)
    member("offset", frame.offset?.hex)
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
