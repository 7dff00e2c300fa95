import Bytes
import Diagnostics
import TestSupport

/// Reads the document in `text`.
func read(_ text: String, limits: ReadingLimits = ReadingLimits()) throws(PayloadRefusal) -> Payload {
  try PayloadReader(limits: limits).read(ByteView(Array(text.utf8)))
}

/// Why the document in `text` is refused; `nil` when it is read.
func refusal(of text: String, limits: ReadingLimits = ReadingLimits()) -> PayloadRefusal? {
  do throws(PayloadRefusal) {
    _ = try read(text, limits: limits)
    return nil
  } catch {
    return error
  }
}

/// A corpus file of MetricKit documents.
func sample(_ name: String) throws -> ByteView {
  try ByteView.mapping(path: Corpus.path("metrickit/" + name))
}

/// A document with one diagnostic that holds one stack, whose root frames are `frames`.
func diagnostic(frames: String, metadata: String = #"{"signal":11}"#) throws -> Diagnostic {
  let payload = try read(
    #"{"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":["#
      + frames + #"]}]},"diagnosticMetaData":"# + metadata + "}")
  return payload.diagnostics[0]
}

/// One frame; `sub` are its sub-frames.
func frame(
  _ name: String? = "App", uuid: String? = nil, offset: UInt64? = nil, address: UInt64? = nil, samples: Int? = nil,
  sub: String? = nil
) -> String {
  var members: [String] = []
  if let uuid { members.append(#""binaryUUID":"\#(uuid)""#) }
  if let offset { members.append(#""offsetIntoBinaryTextSegment":\#(offset)"#) }
  if let samples { members.append(#""sampleCount":\#(samples)"#) }
  if let sub { members.append(#""subFrames":[\#(sub)]"#) }
  if let name { members.append(#""binaryName":"\#(name)""#) }
  if let address { members.append(#""address":\#(address)"#) }
  return "{" + members.joined(separator: ",") + "}"
}

/// A stack of `depth` frames inside each other, as the elements of `callStackRootFrames`.
func chain(depth: Int) -> String {
  let open = #"{"binaryUUID":"\#(appUUID)","offsetIntoBinaryTextSegment":4096,"sampleCount":1,"subFrames":["#
  return String(repeating: open, count: depth)
    + String(repeating: #"],"binaryName":"App","address":4294971392}"#, count: depth)
}

let appUUID = "9156BE86-D4B6-3A81-8460-8728FA38C978"
let otherUUID = "444F912B-06E7-395E-9E6E-D947B07401AC"
