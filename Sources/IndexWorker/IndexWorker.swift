internal import Bytes
internal import CompanionFiles
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
    var builder = IndexBuilder()
    builder.workers = Workers(request.workers)
    var sources: [IndexSource] = []
    for source in request.sources { sources += try open(source) }
    if let path = request.symbolMap, !sources.isEmpty {
      let bytes = try inFile { () throws(FileError) in try ByteView.mapping(path: path) }
      sources[0].symbolMap = BCSymbolMap(bytes)
    }
    let bytes = ByteView(try builder.build(sources).bytes)
    try inFile { () throws(FileError) in try bytes.write(to: request.output) }
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

  /// The slice, and the files with more of its debug information when they are asked for.
  private static func open(_ source: WorkerRequest.Source) throws(IndexError) -> [IndexSource] {
    let object = try object(source)
    guard let path = source.companionsBeside else { return [IndexSource(object: object, digest: source.digest)] }
    let found = CompanionFinder().companions(of: object, at: path)
    var sources = [IndexSource(object: object, digest: source.digest, companions: found.companions)]
    sources[0].problems = found.problems
    for file in found.debugFiles {
      let digest = ContentDigest(of: file.bytes)
      sources.append(IndexSource(object: file, digest: digest, companions: found.companions))
    }
    return sources
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
