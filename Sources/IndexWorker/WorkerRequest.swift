internal import Bytes
internal import Identity
internal import JSON

/// What the process that reads debug information is asked to do; JSON on its standard input.
struct WorkerRequest: Sendable, Hashable {
  /// A slice: a part of a file.
  struct Source: Sendable, Hashable {
    var path: String
    var offset: UInt64
    var size: UInt64
    var digest: ContentDigest
  }

  var sources: [Source]
  /// Where the index goes.
  var output: String
  var workers: Int
  /// Bytes of address space.
  var memoryLimit: UInt64
  /// Seconds of processor time.
  var timeLimit: UInt64

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("sources")
    writer.beginArray()
    for source in sources {
      writer.beginObject()
      writer.key("path")
      writer.string(source.path)
      writer.key("offset")
      writer.integer(source.offset)
      writer.key("size")
      writer.integer(source.size)
      writer.key("sha256")
      writer.string(source.digest.hex)
      writer.endObject()
    }
    writer.endArray()
    writer.key("output")
    writer.string(output)
    writer.key("workers")
    writer.integer(workers)
    writer.key("memory_limit")
    writer.integer(memoryLimit)
    writer.key("time_limit")
    writer.integer(timeLimit)
    writer.endObject()
    return try writer.finish()
  }

  init?(_ value: JSONValue) {
    guard let output = value["output"]?.string, let workers = value["workers"]?.uint,
      let memoryLimit = value["memory_limit"]?.uint, let timeLimit = value["time_limit"]?.uint,
      let sources = value["sources"]?.array
    else { return nil }
    self.init(
      sources: [], output: output, workers: Int(clamping: workers), memoryLimit: memoryLimit, timeLimit: timeLimit)
    for source in sources {
      guard let path = source["path"]?.string, let offset = source["offset"]?.uint, let size = source["size"]?.uint,
        let digest = source["sha256"]?.string.flatMap({ ContentDigest(hex: $0) })
      else { return nil }
      self.sources.append(Source(path: path, offset: offset, size: size, digest: digest))
    }
  }

  init(sources: [Source], output: String, workers: Int, memoryLimit: UInt64, timeLimit: UInt64) {
    self.sources = sources
    self.output = output
    self.workers = workers
    self.memoryLimit = memoryLimit
    self.timeLimit = timeLimit
  }
}
