internal import Bytes
internal import CompanionFiles
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

  var sources: [Source] = []
  /// The files with parts of the sources' debug information.
  var companions: [FoundCompanions.File] = []
  /// The file beside which companions of the first source are looked for, instead of building an index.
  var companionsBeside: String?
  /// The file of a BCSymbolMap, if any.
  var symbolMap: String?
  /// Where the answer goes: the index, or what was found.
  var output: String
  var workers: Int
  /// Bytes of address space.
  var memoryLimit: UInt64 = 0
  /// Seconds of processor time.
  var timeLimit: UInt64 = 0

  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("sources")
    writer.beginArray()
    for source in sources {
      writer.beginObject()
      writer.member("path", source.path)
      writer.member("offset", source.offset)
      writer.member("size", source.size)
      writer.member("sha256", source.digest.hex)
      writer.endObject()
    }
    writer.endArray()
    writer.key("companions")
    writer.beginArray()
    for file in companions { writer.companion(file) }
    writer.endArray()
    writer.member("companions_beside", companionsBeside)
    writer.member("symbol_map", symbolMap)
    writer.member("output", output)
    writer.member("workers", workers)
    writer.member("memory_limit", memoryLimit)
    writer.member("time_limit", timeLimit)
    writer.endObject()
    return try writer.finish()
  }

  /// The request that `value` says; `nil` when something is missing.
  init?(_ value: JSONValue) {
    guard let output = value["output"]?.string, let workers = value["workers"]?.uint,
      let memoryLimit = value["memory_limit"]?.uint, let timeLimit = value["time_limit"]?.uint,
      let sources = value["sources"]?.array,
      let companions = value["companions"]?.array.flatMap({ FoundCompanions.files($0) })
    else { return nil }
    self.init(output: output, workers: Int(clamping: workers))
    self.memoryLimit = memoryLimit
    self.timeLimit = timeLimit
    self.companions = companions
    companionsBeside = value["companions_beside"]?.string
    symbolMap = value["symbol_map"]?.string
    for source in sources {
      guard let path = source["path"]?.string, let offset = source["offset"]?.uint, let size = source["size"]?.uint,
        let digest = source["sha256"]?.string.flatMap({ ContentDigest(hex: $0) })
      else { return nil }
      self.sources.append(Source(path: path, offset: offset, size: size, digest: digest))
    }
  }

  init(output: String, workers: Int) {
    self.output = output
    self.workers = workers
  }
}
