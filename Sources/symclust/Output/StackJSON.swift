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
    field("schema", "symclust.symbolicated-diagnostic/1")
    field("payload", payload.hex)
    field("diagnostic", diagnostic.ordinal)
    field("kind", diagnostic.kind.rawValue)
    field("app", metadata.bundleIdentifier)
    field("version", metadata.appVersion)
    field("build", metadata.appBuildVersion)
    field("os", metadata.osVersion)
    field("device", metadata.deviceType)
    key("stacks")
    beginArray()
    for (stack, resolutions) in zip(diagnostic.stacks, symbolicated.resolutions) {
      beginObject()
      key("attributed")
      if let isAttributed = stack.isAttributed { bool(isAttributed) } else { null() }
      field("order", stack.order.rawValue)
      field("order_basis", stack.orderBasis.rawValue)
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
    field("parent", frame.parent < 0 ? nil : frame.parent)
    field("image", image?.name)
    field("debug_id", image?.debugID?.description)
    field("address", frame.address?.hex)
    field("offset", frame.offset?.hex)
    field("samples", frame.sampleCount)
    field("status", resolution.status.rawValue)
    key("frames")
    beginArray()
    for resolved in resolution.frames { self.frame(resolved) }
    endArray()
    endObject()
  }
}
