public import JSON

/// The file that speedscope reads (`Evented and sampled profiles`, its file format schema), with one sampled profile.
public enum Speedscope {
  /// Writes `tree` as a document called `name`.
  public static func write(_ tree: CallTree, named name: String, to writer: inout JSONWriter) {
    let tree = tree.sorted
    var numbers: [CallTreeFrame: Int] = [:]
    var frames: [CallTreeFrame] = []
    for node in tree.nodes where numbers[node.frame] == nil {
      numbers[node.frame] = frames.count
      frames.append(node.frame)
    }
    let ends = tree.nodes.indices.filter { tree.nodes[$0].own > 0 }
    writer.beginObject()
    writer.member("$schema", "https://www.speedscope.app/file-format-schema.json")
    writer.member("name", name)
    writer.member("exporter", "symclust")
    writer.key("shared")
    writer.beginObject()
    writer.key("frames")
    writer.beginArray()
    for frame in frames {
      writer.beginObject()
      writer.member("name", frame.name)
      if let image = frame.image { writer.member("file", image) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.key("profiles")
    writer.beginArray()
    writer.beginObject()
    writer.member("type", "sampled")
    writer.member("name", name)
    writer.member("unit", "none")
    writer.member("startValue", 0)
    writer.member("endValue", tree.total)
    writer.key("samples")
    writer.beginArray()
    for end in ends {
      writer.beginArray()
      for frame in tree.path(to: end) { writer.integer(numbers[frame] ?? 0) }
      writer.endArray()
    }
    writer.endArray()
    writer.key("weights")
    writer.beginArray()
    for end in ends { writer.integer(tree.nodes[end].own) }
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
  }
}
