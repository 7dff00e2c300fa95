import Bytes
import Glibc
import Identity
import JSON
import ObjectFiles
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

@testable import IndexWorker

/// A small program that stands in for the worker.
struct StandIn {
  let folder: TemporaryFolder
  /// The folder that the builder keeps its files in.
  var scratch: String { folder.entry("scratch") }
  var path: String { folder.entry("worker") }

  /// A shell script that has the request in `$request`, and where the index goes in `$output`.
  init(_ script: String) throws {
    folder = try #require(TemporaryFolder("worker"))
    let head = """
      #!/bin/sh
      request=$(/bin/cat)
      output=${request#*\\"output\\":\\"}
      output=${output%%\\"*}

      """
    folder.write(Array((head + script + "\n").utf8), to: "worker")
    #expect(chmod(path, 0o700) == 0)
    #expect(mkdir(scratch, 0o700) == 0)
    // A worker that is gone before it has read its request is no reason to die.
    signal(SIGPIPE, SIG_IGN)
  }

  var builder: IsolatedIndexBuilder { IsolatedIndexBuilder(program: path, temporaryFolder: scratch) }
}

/// The sample framework as a source with a file, or in memory only.
func source(inMemory: Bool = false) throws -> IndexSource {
  let bytes = try ByteView.mapping(path: SampleSymbols.small.path)
  let object = try #require(try Container(bytes).objects.first)
  return IndexSource(
    object: object, digest: ContentDigest(of: object.bytes), path: inMemory ? nil : SampleSymbols.small.path)
}

/// What `body` fails with.
func failure(_ body: () throws(IndexError) -> IndexBuilder.Product) -> IndexError? {
  do throws(IndexError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

@Suite("A worker process")
struct IsolatedIndexBuilderTests {
  @Test(
    "that fails gives its own verdict",
    arguments: [
      ("printf 'too_large it would need 9 GB'; exit 1", IndexError.Code.tooLarge, "it would need 9 GB"),
      ("printf 'work_limit too slow'; exit 1", .workLimit, "too slow"),
      ("printf 'malformed bad unit'; exit 1", .malformed, "bad unit"),
      ("exit 1", .malformed, ""),
      ("exit 77", .malformed, ""),
      ("printf 'nonsense \\377\\000'; exit 3", .malformed, ""),
      ("kill -SEGV $$", .malformed, "signal 11"),
      ("kill -BUS $$", .malformed, "signal 7"),
      ("kill -ABRT $$", .malformed, "needs more than"),
      ("kill -TRAP $$", .malformed, "needs more than"),
      ("kill -ILL $$", .malformed, "needs more than"),
      ("kill -KILL $$", .workLimit, "processor time"),
      ("kill -XCPU $$", .workLimit, "processor time"),
      ("ulimit -t 1; while :; do :; done", .workLimit, "processor time"),
      ("exit 0", .system, "cannot open"),
      (": > \"$output\"", .corrupt, ""),
      ("printf 'no index at all' > \"$output\"", .corrupt, ""),
      ("/usr/bin/head -c 5000 /dev/urandom > \"$output\"", .corrupt, ""),
      ("/usr/bin/yes | /usr/bin/head -c 1000000; exit 1", .malformed, ""),
    ])
  func verdicts(script: String, code: IndexError.Code, words: String) throws {
    let standIn = try StandIn("ulimit -c 0; " + script)
    let sources = [try source(), try source(inMemory: true)]
    let error = failure { () throws(IndexError) in try standIn.builder.build(sources) }
    #expect(error?.code == code, "\(error?.detail ?? "no error")")
    #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "no error")")
    // What the builder or the worker left is gone.
    #expect(files(below: standIn.scratch).isEmpty)
  }

  @Test("that cannot be started is an error of the system", arguments: ["/absent/program", "/etc/passwd", "/"])
  func notStarted(program: String) throws {
    let folder = try #require(TemporaryFolder("worker"))
    let builder = IsolatedIndexBuilder(program: program, temporaryFolder: folder.path)
    let sources = [try source()]
    let error = failure { () throws(IndexError) in try builder.build(sources) }
    #expect(error?.code == .system)
    #expect(error?.detail.contains(program) == true)
  }

  @Test(
    "that says nothing is stopped when its time is up",
    arguments: ["exec /bin/sleep 30", "exec >&-; exec /bin/sleep 30", "trap '' TERM; /bin/sleep 30"])
  func silent(script: String) throws {
    let standIn = try StandIn(script)
    let start = ContinuousClock.now
    let result = try ChildProcess.run(standIn.path, [], input: [], seconds: 1)
    #expect(result.status == .timedOut)
    // Far below the time it would have slept, far above any delay of a busy machine.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test("is given its arguments and its request, and its output is kept up to a limit")
  func plumbing() throws {
    let standIn = try StandIn("printf '%s|%s' \"$1\" \"$request\"; echo noise >&2")
    let result = try ChildProcess.run(standIn.path, ["--word"], input: Array("the request".utf8), seconds: 20)
    #expect(result.status == .exited(0))
    #expect(String(decoding: result.output, as: UTF8.self) == "--word|the request")
    let loud = try StandIn("/usr/bin/yes | /usr/bin/head -c 3000000")
    let output = try ChildProcess.run(loud.path, [], input: [], seconds: 20).output
    #expect(output.count >= 1 << 16 && output.count < 1 << 17)
  }

  @Test("asks for what stands in the request, and nothing else is read from it")
  func request() throws {
    var request = WorkerRequest(output: "/o", workers: 3)
    request.sources = [
      .init(path: "/a \"b\"\n", offset: 7, size: .max, digest: ContentDigest(of: Array("a".utf8))),
      .init(path: "", offset: 0, size: 0, digest: ContentDigest(of: [UInt8]())),
    ]
    request.symbolMap = "/map"
    request.memoryLimit = 1 << 40
    request.timeLimit = 61
    let value = try JSONValue.parse(request.json())
    #expect(WorkerRequest(value) == request)
    for name in ["sources", "output", "workers", "memory_limit", "time_limit"] {
      let without = JSONValue.object((value.members ?? []).filter { $0.name != name })
      #expect(WorkerRequest(without) == nil, "without \(name)")
    }
  }
}

@Suite("The real worker", .enabled(if: Tool.symclust != nil, "the symclust program is not beside the tests"))
struct RealWorkerTests {
  private func builder(_ folder: TemporaryFolder) -> IsolatedIndexBuilder {
    IsolatedIndexBuilder(program: Tool.symclust ?? "", temporaryFolder: folder.path)
  }

  @Test("makes the same bytes as the builder in this process, from a file and from memory", arguments: [false, true])
  func same(inMemory: Bool) throws {
    let folder = try #require(TemporaryFolder("worker"))
    let sources = [try source(inMemory: inMemory)]
    let product = try builder(folder).build(sources)
    let wanted = try IndexBuilder().build(sources)
    #expect(product.bytes == wanted.bytes)
    #expect(product.summary == wanted.summary)
    #expect(files(below: folder.path).isEmpty)
  }

  @Test("keeps to its memory, and says that it was too little")
  func memory() throws {
    let folder = try #require(TemporaryFolder("worker"))
    var builder = builder(folder)
    builder.memoryBase = 8 << 20
    builder.memoryFactor = 0
    let sources = [try source()]
    let error = failure { () throws(IndexError) in try builder.build(sources) }
    #expect(error != nil && error?.code != .noSource, "\(String(describing: error))")
    #expect(files(below: folder.path).isEmpty)
  }

  @Test("says when a file changed while it was read")
  func changed() throws {
    let folder = try #require(TemporaryFolder("worker"))
    let bytes = try #require(contents(of: SampleSymbols.small.path))
    let path = folder.write(bytes, to: "Kit")
    let object = try #require(try Container(ByteView(bytes)).objects.first)
    folder.write(Array(bytes[..<100]), to: "Kit")
    let source = IndexSource(object: object, digest: ContentDigest(of: bytes), path: path)
    let error = failure { () throws(IndexError) in try builder(folder).build([source]) }
    #expect(error?.code == .malformed)
    #expect(error?.detail.contains("changed") == true)
    #expect(files(below: folder.path) == ["Kit"])
  }

  @Test(
    "that dies of one file leaves the others theirs",
    arguments: [
      ("kill -SEGV $$", Verdict.malformed), ("kill -KILL $$", .workLimit), ("printf 'too_large x'; exit 1", .tooLarge),
    ])
  func neighbours(death: String, verdict: Verdict) throws {
    // Another file than its neighbours by one byte behind its end.
    let kit = try #require(contents(of: SampleSymbols.small.path)) + [0]
    let standIn = try StandIn(
      """
      ulimit -c 0
      case "$request" in
        *\(ContentDigest(of: kit).hex)*) \(death) ;;
        *) printf %s "$request" | "\(Tool.symclust ?? "")" --index-worker ;;
      esac
      """)
    standIn.folder.write(kit, to: "in/1-DOOMED")
    #expect(Tool.run("/bin/cp", [SampleSymbols.all[0].path, standIn.folder.entry("in/2-Lumen")]).code == 0)
    standIn.folder.write(kit, to: "in/3-DOOMED")
    #expect(Tool.run("/bin/cp", [SampleSymbols.all[1].path, standIn.folder.entry("in/4-Kit")]).code == 0)
    var intake = SymbolIntake(checkingWith: standIn.builder)
    try intake.take([standIn.folder.entry("in")])
    #expect(intake.reports.map(\.verdict) == [verdict, .stored, verdict, .stored])
    for report in intake.reports where !report.verdict.isRetained { #expect(!report.reasons.isEmpty) }
  }

  @Test("refuses anything that is no request", arguments: ["", "{}", "[]", "{\"sources\":[],", "\u{0}"])
  func noRequest(text: String) {
    let outcome = Tool.run(Tool.symclust ?? "", ["--index-worker"], input: Array(text.utf8))
    #expect(outcome.code == 1)
    #expect(outcome.text == "system the request cannot be read")
  }
}
