internal import Bytes
internal import CompanionFiles
internal import DebugInfo
internal import Glibc
internal import Identity
internal import JSON
internal import ObjectFiles
internal import SymbolIndex
internal import Workers

/// The process that reads debug information: the program started again with one hidden argument.
///
/// It lowers its own limits first, then reads a request from standard input, writes the index, and exits with 0; an
/// error is told on standard output. Whatever the files do to it, the process that asked goes on.
public enum IndexWorker {
  /// The argument that makes the program this process.
  public static let argument = "--index-worker"

  /// Runs the process to its end and returns its exit code.
  public static func run() -> Int32 {
    do throws(IndexError) {
      try serve()
      return 0
    } catch {
      let text = Array("\(error.code.rawValue) \(error.detail)".utf8)
      _ = text.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      return 1
    }
  }

  private static func serve() throws(IndexError) {
    let request = try readRequest()
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_AS, request.memoryLimit)
    limit(RLIMIT_CPU, request.timeLimit)
    limit(RLIMIT_NOFILE, 64)
    let answer: [UInt8]
    if let path = request.companionsBeside {
      answer = try find(request, beside: path)
    } else {
      answer = try build(request)
    }
    try inFile { () throws(FileError) in try ByteView(answer).write(to: request.output) }
  }

  private static func build(_ request: WorkerRequest) throws(IndexError) -> [UInt8] {
    var builder = IndexBuilder()
    builder.workers = Workers(request.workers)
    var sources = try request.sources.map { source throws(IndexError) in
      IndexSource(object: try object(source), digest: source.digest)
    }
    guard !sources.isEmpty else { throw IndexError(.noSource, "no object file") }
    sources[0].companions = try request.companions.map { file throws(IndexError) in
      let bytes = try inFile { () throws(FileError) in try ByteView.mapping(path: file.path) }
      return CompanionFile(role: file.role, unit: file.unit, bytes: bytes)
    }
    if let path = request.symbolMap {
      let bytes = try inFile { () throws(FileError) in try ByteView.mapping(path: path) }
      sources[0].symbolMap = BCSymbolMap(bytes)
    }
    return try builder.build(sources).bytes
  }

  private static func find(_ request: WorkerRequest, beside path: String) throws(IndexError) -> [UInt8] {
    guard let source = request.sources.first else { throw IndexError(.system, "the request names no file") }
    let found = CompanionFinder().companions(of: try object(source), at: path)
    do throws(JSONWriterError) {
      return try found.json()
    } catch {
      throw IndexError(.tooLarge, error.description)
    }
  }

  private static func readRequest() throws(IndexError) -> WorkerRequest {
    let bytes = try inFile { () throws(FileError) in
      try ByteView.reading(descriptor: STDIN_FILENO, name: "request", limit: 1 << 24)
    }
    let value = try? bytes.withBytes { raw throws(JSONError) in try JSONValue.parse(raw) }
    guard let request = value.flatMap(WorkerRequest.init) else {
      throw IndexError(.system, "the request cannot be read")
    }
    return request
  }

  private static func limit(_ resource: __rlimit_resource, _ value: UInt64) {
    var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
    _ = setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }

  private static func object(_ source: WorkerRequest.Source) throws(IndexError) -> ObjectFile {
    let (end, overflow) = source.offset.addingReportingOverflow(source.size)
    guard !overflow else { throw IndexError(.system, "the request cannot be read") }
    let slice: ByteView
    do throws(FileError) {
      slice = try ByteView.mapping(path: source.path, part: source.offset..<end)
    } catch {
      if error.errno == ERANGE { throw IndexError(.malformed, "it has changed while it was read") }
      throw IndexError(error.errno == ENOMEM ? .tooLarge : .malformed, "cannot \(error.step) it: \(error.reason)")
    }
    do throws(ObjectFileError) {
      guard let object = try Container(slice).objects.first else {
        throw ObjectFileError(.notObjectFile, "no slice in it")
      }
      return object
    } catch {
      throw IndexError(.malformed, error.description)
    }
  }
}
