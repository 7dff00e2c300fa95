internal import Bytes
internal import CompanionFiles
internal import DebugInfo
internal import Files
internal import Glibc
internal import Identity
internal import JSON
internal import ObjectFiles
public import SymbolIndex
public import Workers

/// Builds indexes in a process of its own for each image, within limits of memory, time and open files.
///
/// Files of symbols come from outside and libdw is not hardened: a file that makes it fail costs its own verdict and
/// nothing else. The index that comes back is checked like any file from outside.
public struct IsolatedIndexBuilder: IndexBuilding {
  /// The memory allowed beside a multiple of the files' size, in bytes.
  public var memoryBase: UInt64 = 2 << 30
  /// The multiple of the files' size allowed beside the base: the files are mapped, and flattened.
  public var memoryFactor: UInt64 = 4
  /// The memory allowed besides when companions are looked for, whose size nobody knows, in bytes.
  public var companionMemory: UInt64 = 8 << 30
  /// The processor time allowed for any image, in seconds.
  public var timeBase: UInt64 = 60
  /// The size of files that allows ten seconds more, in bytes.
  public var bytesPerTenSeconds: UInt64 = 100_000_000

  private let program: String
  private let temporaryFolder: String
  private let workers: Workers

  /// A builder that runs `program` (this executable) and keeps its files in `temporaryFolder`.
  public init(program: String = "/proc/self/exe", temporaryFolder: String, workers: Workers = Workers()) {
    self.program = program
    self.temporaryFolder = temporaryFolder
    self.workers = workers
  }

  /// Builds the index of `sources` in a process of its own.
  ///
  /// Throws `workLimit` when its time was up, `malformed` when it failed or its memory was up (the two look alike from
  /// outside), `tooLarge` when the files cannot even be mapped, `system` when it could not be run. Cost: a process, and a copy of sources that are in memory only.
  public func build(_ sources: [IndexSource]) throws(IndexError) -> IndexBuilder.Product {
    var request = newRequest()
    var copies: [String] = []
    defer { for path in copies + [request.output] { PathName.unlink(path) } }
    var size: UInt64 = 0
    // What is in memory only is written down for the process.
    func file(_ bytes: ByteView, at path: String?) throws(IndexError) -> String {
      size += UInt64(bytes.count)
      if let path { return path }
      let copy = "\(request.output)-\(copies.count)"
      copies.append(copy)
      try inFile { () throws(FileError) in try bytes.write(to: copy) }
      return copy
    }
    for source in sources {
      let bytes = source.object.bytes
      request.sources.append(
        WorkerRequest.Source(
          path: try file(bytes, at: source.path), offset: source.path == nil ? 0 : source.object.offsetInFile,
          size: UInt64(bytes.count), digest: source.digest))
      for companion in source.companions {
        request.companions.append(
          .init(role: companion.role, path: try file(companion.bytes, at: companion.path), unit: companion.unit))
      }
    }
    if let map = sources.lazy.compactMap(\.symbolMap).first { request.symbolMap = try file(map.bytes, at: nil) }
    request.memoryLimit = memoryBase + memoryFactor * size
    request.timeLimit = timeLimit(forBytes: size)
    try run(request)
    return try product(at: request.output)
  }

  /// A request whose answer goes to a file of its own.
  func newRequest() -> WorkerRequest {
    let number = UInt64.random(in: 0 ... .max).hex
    let output = "\(temporaryFolder)/\(StoreDirectory.temporaryPrefix)worker-\(getpid())-\(number)"
    return WorkerRequest(output: output, workers: workers.count)
  }

  /// The processor time allowed for files of this size, in seconds.
  func timeLimit(forBytes size: UInt64) -> UInt64 { timeBase + 10 * (size / bytesPerTenSeconds) }

  func run(_ request: WorkerRequest) throws(IndexError) {
    let input: [UInt8]
    do throws(JSONWriterError) {
      input = try request.json()
    } catch {
      throw IndexError(.system, error.description)
    }
    let result = try ChildProcess.run(
      program, [IndexWorker.argument], input: input, seconds: Int(request.timeLimit) * 4 + 60)
    if result.status == .exited(0) { return }
    switch result.status {
    case .exited:
      let text = String(decoding: result.output, as: UTF8.self)
      let word = text.prefix { $0 != " " }
      throw IndexError(IndexError.Code(rawValue: String(word)) ?? .malformed, String(text.dropFirst(word.count + 1)))
    case .timedOut:
      throw IndexError(.workLimit, "reading it took more than \(request.timeLimit * 4 + 60) s and was stopped")
    case .killed(SIGXCPU):
      throw IndexError(.workLimit, "reading it took more than \(request.timeLimit) s of processor time and was stopped")
    case .killed(SIGKILL):
      throw IndexError(
        .workLimit, "reading it was stopped from outside, or took more than \(request.timeLimit) s of processor time")
    case .killed(SIGABRT), .killed(SIGTRAP), .killed(SIGILL):
      // Out of memory ends a Swift process with a trap and a C library with an abort.
      throw IndexError(
        .malformed, "the process that read it failed; it is damaged, or needs more than \(request.memoryLimit) bytes")
    case .killed(let signal):
      throw IndexError(.malformed, "the process that read it failed with signal \(signal); it is damaged")
    }
  }

  /// The index that the process left, checked like any file from outside.
  private func product(at path: String) throws(IndexError) -> IndexBuilder.Product {
    let bytes = try inFile { () throws(FileError) in try ByteView.mapping(path: path) }
    return IndexBuilder.Product(bytes: bytes.withBytes { Array($0) }, summary: try SymbolIndex(bytes).summary())
  }
}

/// Runs `body`, turning a failed system call into an error of the worker.
func inFile<R>(_ body: () throws(FileError) -> R) throws(IndexError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw IndexError(.system, error.description)
  }
}
