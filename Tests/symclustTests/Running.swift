import JSON
import TestSupport
import Testing

/// Whether the program was built along with the tests.
let programIsBuilt = Tool.symclust != nil

/// Why a suite is skipped without it.
let programAbsence: Comment = "the symclust program is not beside the tests"

/// Runs the built program to its end.
func symclust(
  _ arguments: [String], input: [UInt8] = [], seconds: Int = 60, memory: Int? = nil
) -> Tool.Outcome {
  Tool.run(Tool.symclust ?? "/absent", arguments, input: input, seconds: seconds, memory: memory)
}

/// Runs `script` in bash with the program as `$symclust` and `arguments` as its own.
func bash(_ script: String, _ arguments: [String] = []) -> Tool.Outcome {
  Tool.run("/bin/bash", ["-c", "symclust=$1; shift; " + script, "bash", Tool.symclust ?? "/absent"] + arguments)
}

extension Tool.Outcome {
  /// Standard output as one JSON document.
  func json() throws -> JSONValue { try JSONValue.parse(output) }

  /// Standard output as JSON documents, one a line.
  func jsonLines() throws -> [JSONValue] { try jsonLinesIn(output) }

  /// Whether the program ended by itself, in time.
  var ended: Bool { signal == 0 && !timedOut }
}

/// The JSON documents in `bytes`, one a line.
func jsonLinesIn(_ bytes: [UInt8]) throws -> [JSONValue] {
  try bytes.split(separator: 0x0a).map { try JSONValue.parse(Array($0)) }
}

/// `value` as it is written compactly; equal texts mean equal values, keys in equal order.
func text(_ value: JSONValue?) throws -> String {
  var writer = JSONWriter()
  writer.value(value ?? .null)
  return String(decoding: try writer.finish(), as: UTF8.self)
}

extension JSONValue {
  /// The object without the member `name`.
  func without(_ name: String) -> JSONValue { .object((members ?? []).filter { $0.name != name }) }

  /// The integer at `name`.
  func count(_ name: String) -> Int { Int(self[name]?.int ?? -1) }
}

/// The sample builds and the diagnostics of them.
enum Sample {
  static let diagnostics = Corpus.repository + "/fixtures/diagnostics"
  static let symbols = Corpus.repository + "/symbols"
  static let kit = symbols + "/1.2-120/LumenKit.framework.dSYM"
  static let kitFile = kit + "/Contents/Resources/DWARF/LumenKit"
  static let kitID = "4C4C442E-5555-3144-A1FD-CA30CCD8914B"

  /// The framework's dSYM with abbreviations that mean nothing, so that no unit of its debug information can be read.
  static func broken(in store: Store) -> String {
    let script = """
      import struct, sys
      data = bytearray(open(sys.argv[1], 'rb').read())
      at = data.index(b'__debug_abbrev')
      size, offset = struct.unpack_from('<QI', data, at + 40)
      data[offset:offset + size] = b'\\xff' * size
      open(sys.argv[2], 'wb').write(data)
      """
    let path = store.folder.entry("LumenKit")
    #expect(Tool.run("/usr/bin/env", ["python3", "-c", script, kitFile, path]).code == 0)
    return path
  }

  /// One sample build.
  struct Build {
    var folder: String
    var app: String
    var version: String
    var build: String
  }

  /// The builds, oldest first.
  static let builds: [Build] = {
    let table = contents(of: symbols + "/builds.tsv") ?? []
    return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: "\t").map(String.init)
      return cells.count == 4 ? Build(folder: cells[0], app: cells[1], version: cells[2], build: cells[3]) : nil
    }
  }()

  /// One line of `truth.jsonl`.
  struct Truth {
    var payload: String
    var diagnostic: Int
    var fault: String
    var kind: String
    var build: String
  }

  /// Which planted fault each diagnostic is.
  static func truth() throws -> [Truth] {
    try jsonLinesIn(contents(of: Corpus.repository + "/fixtures/truth.jsonl") ?? []).map { line in
      Truth(
        payload: try #require(line["payload"]?.string), diagnostic: line.count("diagnostic"),
        fault: try #require(line["fault"]?.string), kind: try #require(line["kind"]?.string),
        build: try #require(line["build"]?.string))
    }
  }
}

/// A store of one test, removed with its folder.
struct Store {
  let folder: TemporaryFolder
  var path: String { folder.entry("store") }

  /// A store that is not made yet.
  init() throws { folder = try #require(TemporaryFolder("e2e")) }

  /// Runs the program on this store.
  func run(_ arguments: String..., input: [UInt8] = []) -> Tool.Outcome {
    symclust(arguments + ["--store", path], input: input)
  }

  /// Retains the symbols of every sample build.
  func uploadSamples() {
    #expect(run("upload-symbols", Sample.symbols).code == 0)
  }

  /// Counts `paths` and gives back the report.
  func report(_ paths: [String], _ options: [String] = []) throws -> JSONValue {
    let outcome = symclust(["cluster", "--json", "--store", path] + options + paths)
    #expect(outcome.code == 0 || outcome.code == 3, "\(outcome.errorText)")
    return try outcome.json()
  }

  /// A copy of it, for one kind of damage.
  func copy() throws -> Store {
    let other = try Store()
    #expect(Tool.run("/bin/cp", ["-a", path, other.path]).code == 0)
    return other
  }
}
