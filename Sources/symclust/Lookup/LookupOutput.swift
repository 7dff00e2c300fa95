internal import Bytes
internal import JSON
internal import SymbolIndex

/// One answer of `symclust lookup`.
struct LookupAnswer {
  var offset: UInt64
  var answer: IndexAnswer

  /// The word for what became of the offset, the same as in diagnostics.
  var status: String {
    switch answer {
    case .frames: "resolved"
    case .hole: "no_symbol"
    case .outsideImage: "outside_image"
    case .corrupt: "index_corrupt"
    }
  }

  /// The frames, innermost first; empty unless resolved.
  var frames: [Frame] {
    if case .frames(let frames) = answer { frames } else { [] }
  }
}

extension JSONWriter {
  /// One line of `lookup --json`.
  mutating func lookupAnswer(_ answer: LookupAnswer) {
    beginObject()
    key("offset")
    string(answer.offset.hex)
    key("status")
    string(answer.status)
    key("frames")
    beginArray()
    for frame in answer.frames { self.frame(frame) }
    endArray()
    endObject()
  }

  /// A frame, with `null` for what is unknown.
  mutating func frame(_ frame: Frame) {
    beginObject()
    key("function")
    string(frame.function)
    key("mangled")
    optional(frame.mangled)
    key("file")
    optional(frame.file)
    key("line")
    optional(frame.line)
    key("column")
    optional(frame.column)
    key("inlined")
    bool(frame.isInlined)
    if frame.isApproximate {
      key("approximate")
      bool(true)
    }
    key("source")
    string(frame.source.rawValue)
    endObject()
  }

  /// A string or `null`.
  mutating func optional(_ text: String?) {
    if let text { string(text) } else { null() }
  }

  /// An integer or `null`.
  mutating func optional(_ number: (some BinaryInteger)?) {
    if let number { integer(number) } else { null() }
  }
}
