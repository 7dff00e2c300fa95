import Bytes
import CommandLine
import Demangling
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

extension String {
  /// The name at the end of a path, of Unix or Windows.
  var baseName: String { split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? self }
}

extension Frame {
  /// The base name of the file, with line and column where they are known: `Cart.swift:12:3`.
  var place: String? {
    guard let base = file?.baseName else { return nil }
    guard let line else { return base }
    return base + ":\(line)" + (column.map { ":\($0)" } ?? "") + (isApproximate ? "~" : "")
  }

  /// The frame as one line of text.
  var text: String {
    // An inlined call without a name is still a call.
    var parts = [function.isEmpty ? "???" : visible(function)]
    if let place { parts.append("(\(visible(place)))") }
    if isInlined { parts.append("[inlined]") }
    return parts.joined(separator: " ")
  }
}

extension [Frame] {
  /// Why the code stopped itself, when an inlined marker of the Swift runtime says so: it belongs to the physical
  /// frame, whose name the marker stands in front of.
  var trapReason: String? {
    let marker = first { $0.traits.contains(.runtimeFailure) }?.function
    let prefix = "Swift runtime failure: "
    return marker.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
  }

  /// The frames as lines of text, innermost first.
  var lines: [String] {
    let reason = trapReason.map { " – \(visible($0))" } ?? ""
    return enumerated().map { $1.text + ($0 == count - 1 ? reason : "") }
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
    if let reason = answer.frames.trapReason { member("trap_reason", reason) }
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
    if !frame.aliases.isEmpty {
      key("aliases")
      beginArray()
      for name in frame.aliases { string(name) }
      endArray()
    }
    endObject()
  }
}
