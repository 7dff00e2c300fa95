import Bytes
import Identity
import ObjectFiles
import SymbolIndex
import TestSupport
import Workers

/// An index source of one slice.
func source(_ object: ObjectFile) -> IndexSource {
  IndexSource(object: object, digest: ContentDigest(of: object.bytes))
}

/// The slices of a file as index sources.
func sources(_ bytes: [UInt8]) throws -> [IndexSource] { try Container(ByteView(bytes)).objects.map(source) }

/// The slices of a file as index sources.
func sources(path: String) throws -> [IndexSource] {
  try Container(ByteView.mapping(path: path)).objects.map(source)
}

/// The index of some sources.
func product(_ sources: [IndexSource], workers: Int = 2) throws(IndexError) -> IndexBuilder.Product {
  var builder = IndexBuilder()
  builder.workers = Workers(workers)
  return try builder.build(sources)
}

/// The opened index of a made-up file.
func index(_ file: DebugFileBuilder) throws -> SymbolIndex {
  try SymbolIndex(ByteView(product(sources(file.build())).bytes))
}

extension IndexAnswer {
  /// The frames as `function file:line:column` with marks, or what there is instead.
  var lines: [String] {
    switch self {
    case .frames(let frames):
      frames.map { frame in
        "\(frame.mangled ?? frame.function) \(frame.file ?? "?"):\(frame.line ?? 0)"
          + (frame.column.map { ":\($0)" } ?? "") + (frame.isInlined ? " inlined" : "")
          + (frame.isApproximate ? " approximate" : "")
      }
    case .hole: ["hole"]
    case .outsideImage: ["outside"]
    case .corrupt: ["corrupt"]
    }
  }

  /// The frames, innermost first; none when there are none.
  var frames: [Frame] {
    if case .frames(let frames) = self { return frames }
    return []
  }
}
