import Bytes
import CommandLine
import JSON
import SymbolIndex

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

extension Frame {
  /// The base name of the file, with line and column where they are known: `Cart.swift:12:3`.
  var place: String? {
    guard let file else { return nil }
    let base = file.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? file
    guard let line else { return base }
    return base + ":\(line)" + (column.map { ":\($0)" } ?? "") + (isApproximate ? "~" : "")
  }

  /// The frame as one line of text.
  var text: String {
    var parts = [visible(function)]
    if let place { parts.append("(\(visible(place)))") }
    if isInlined { parts.append("[inlined]") }
    return parts.joined(separator: " ")
  }
}

extension JSONWriter {
  /// One line of `lookup --json`.
  mutating func lookupAnswer(_ answer: LookupAnswer) {
    beginObject()
    member("offset", answer.offset.hex)
    member("status", answer.status)
    key("frames")
    beginArray()
    for frame in answer.frames { self.frame(frame) }
    endArray()
    endObject()
  }

  /// A frame, with `null` for what is unknown.
  mutating func frame(_ frame: Frame) {
    beginObject()
    member("function", frame.function)
    member("mangled", frame.mangled)
    member("file", frame.file)
    member("line", frame.line)
    member("column", frame.column)
    member("inlined", frame.isInlined)
    if frame.isApproximate {
      member("approximate", true)
    }
    member("source", frame.source.rawValue)
    endObject()
  }
}
