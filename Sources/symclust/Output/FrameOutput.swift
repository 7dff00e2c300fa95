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
    field("offset", answer.offset.hex)
    field("status", answer.status)
    key("frames")
    beginArray()
    for frame in answer.frames { self.frame(frame) }
    endArray()
    endObject()
  }

  /// A frame, with `null` for what is unknown.
  mutating func frame(_ frame: Frame) {
    beginObject()
    field("function", frame.function)
    field("mangled", frame.mangled)
    field("file", frame.file)
    field("line", frame.line)
    field("column", frame.column)
    key("inlined")
    bool(frame.isInlined)
    if frame.isApproximate {
      key("approximate")
      bool(true)
    }
    field("source", frame.source.rawValue)
    endObject()
  }

  /// A member that is a string or `null`.
  mutating func field(_ name: String, _ text: String?) {
    key(name)
    if let text { string(text) } else { null() }
  }

  /// A member that is an integer or `null`.
  mutating func field(_ name: String, _ number: (some BinaryInteger)?) {
    key(name)
    if let number { integer(number) } else { null() }
  }
}
