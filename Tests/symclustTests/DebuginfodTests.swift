import Glibc
import JSON
import TestSupport
import Testing

/// The program asking servers, in the words of `DEBUGINFOD_URLS`.
private struct Asking {
  let store: Store
  /// The user's settings, such as `DEBUGINFOD_TIMEOUT=1`.
  var settings: [String] = []

  func run(_ arguments: [String], urls: [String], seconds: Int = 60) -> Tool.Outcome {
    let variables = ["DEBUGINFOD_URLS=" + urls.joined(separator: " "), "no_proxy=*"] + settings
    return Tool.run(
      "/usr/bin/env", variables + [Tool.symclust ?? "/absent"] + arguments + ["--store", store.path], seconds: seconds)
  }

  func lookup(_ sample: ELFSample, urls: [String], seconds: Int = 60) -> Tool.Outcome {
    run(["lookup", "--image", sample.id, "--debuginfod", sample.offset], urls: urls, seconds: seconds)
  }
}

private let canBeMade = programIsBuilt && ELFSample.canBeMade
private let id = "c0ffee00112233445566778899aabbccddeeff01"

/// Against Debian's own server, which scans a folder of ours.
@Suite(
  "The real debuginfod",
  .enabled(if: canBeMade, Comment(rawValue: ELFSample.absence)),
  .enabled(if: access("/usr/bin/debuginfod", X_OK) == 0, "the server is absent (apt install debuginfod)"))
struct RealDebuginfodTests {
  private let asking: Asking
  private let folder: TemporaryFolder

  init() throws {
    asking = Asking(store: try Store())
    folder = try #require(TemporaryFolder("debuginfod"))
  }

  /// A server of the files in `served`, once it has looked at `count` of them.
  private func server(holding ids: [String]) throws -> (program: BackgroundProgram, url: String) {
    let port = try #require(freePort())
    let program = try #require(
      BackgroundProgram(
        "/usr/bin/env",
        [
          "HOME=\(folder.path)", "DEBUGINFOD_URLS=", "/usr/bin/debuginfod", "-F", "-v", "-d", folder.entry("db.sqlite"),
          "-p", "\(port)", folder.entry("served"),
        ]))
    let url = "http://127.0.0.1:\(port)"
    let isReady = program.waits { _ in
      ids.allSatisfy { id in
        ["debuginfo", "executable"].contains { part in
          Tool.run("/usr/bin/env", ["python3", "-c", Self.probe, "\(url)/buildid/\(id)/\(part)"]).code == 0
        }
      }
    }
    #expect(isReady, "\(program.text)")
    return (program, url)
  }

  private static let probe = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()"

  @Test("gives debug files, and binaries where it has no more", arguments: ["debug file", "binary", "whole"])
  func kinds(form: String) throws {
    let sample = try #require(ELFSample(folder, "bin/sample", id: id))
    folder.makeFolders(above: "served/x")
    let made =
      switch form {
      case "debug file":
        Tool.run("/usr/bin/objcopy", ["--only-keep-debug", sample.path, folder.entry("served/sample")])
      case "binary": Tool.run("/usr/bin/objcopy", ["--strip-debug", sample.path, folder.entry("served/sample")])
      default: Tool.run("/bin/cp", [sample.path, folder.entry("served/sample")])
      }
    #expect(made.code == 0)
    let (server, url) = try server(holding: [id])
    let found = asking.lookup(sample, urls: [url])
    #expect(found.code == 0, "\(found.errorText)\(server.text)")
    #expect(found.text.contains(form == "binary" ? "outer" : "outer (sample.c:2"), "\(found.text)")
    let listed = try asking.store.run("symbols", "list", "--json").json()["images"]?[0]
    #expect(listed?["borrowed_from"]?.string == url && listed?["name"]?.string == "sample")
    // And nothing is left behind.
    #expect(asking.store.run("doctor").text == "all is well\n")
  }

  @Test(
    "gives what dwz moved, when an image needs it",
    .enabled(if: Tool.run("/usr/bin/dwz", ["--version"]).code == 0, "dwz is absent (apt install dwz)"))
  func dwz() throws {
    let ids = [id, "c0ffee00112233445566778899aabbccddeeff02"]
    let samples = try ids.map { try #require(ELFSample(folder, "bin/\($0.suffix(2))", id: $0, dwarf: 4)) }
    let debugFiles = try samples.map { try #require($0.debugFile(folder, "served/\($0.id).debug")) }
    let moved = Tool.run(
      "/usr/bin/dwz", ["-m", folder.entry("served/common.debug"), "-M", "/nowhere/common.debug"] + debugFiles)
    #expect(moved.code == 0, "\(moved.errorText)")
    let notes = Tool.run("/usr/bin/readelf", ["-n", folder.entry("served/common.debug")]).text
    let line = try #require(notes.split(separator: "\n").first { $0.contains("Build ID") })
    let (server, url) = try server(holding: ids + [String(try #require(line.split(separator: " ").last))])
    let found = asking.lookup(samples[1], urls: [url])
    #expect(found.code == 0 && found.text.contains("outer (sample.c:2"), "\(found.errorText)\(server.text)")
    #expect(try asking.store.run("symbols", "show", ids[1], "--json").json()["companions"]?.array?.count == 1)

    // Retained, the image and what it needs outlive the server and the index.
    let stacks = folder.write(Array(samples[1].stack().utf8), to: "stacks.jsonl")
    let batch = asking.run(["cluster", "--debuginfod", "--retain", stacks], urls: [url])
    #expect(batch.code == 0, "\(batch.errorText)")
    for name in files(below: asking.store.path) where name.hasSuffix(".scx") {
      #expect(unlink("\(asking.store.path)/\(name)") == 0)
    }
    let again = asking.store.run("lookup", "--image", ids[1], samples[1].offset)
    #expect(again.text == found.text && again.errorText.contains("rebuilt from the retained files"))
    #expect(files(below: asking.store.path).filter { $0.hasSuffix(".zst") }.count == 2)
    #expect(!files(below: asking.store.path).contains { $0.hasPrefix("symbols/borrowed") })
  }

  @Test("names the stacks of a batch, and says what it does not have")
  func batch() throws {
    let sample = try #require(ELFSample(folder, "served/sample", id: id))
    let other = try #require(ELFSample(folder, "elsewhere/other", id: "c0ffee00112233445566778899aabbccddeeff02"))
    let (server, url) = try server(holding: [id])
    let stacks = folder.write(Array((sample.stack(1) + other.stack(2)).utf8), to: "stacks.jsonl")
    let outcome = asking.run(["cluster", "--json", "--debuginfod", stacks], urls: [url])
    #expect(outcome.code == 3, "\(outcome.errorText)\(server.text)")
    let report = try outcome.json()
    #expect(try SchemaChecker(named: "cluster-report").problems(report) == [])
    #expect(report["run"]?["symbol_sources"]?[0]?["found"]?.array?.compactMap(\.string) == [id])
    #expect(report["run"]?["symbol_sources"]?[0]?["kind"]?.string == "debuginfod")
    #expect(report["missing_images"]?.array?.compactMap { $0["debug_id"]?.string } == [other.id])
    #expect(outcome.text.contains("sample.c"))
  }
}

/// Against a server that does what servers should not (operations.md T-11; rows P-11, P-12, Z-70, Z-72).
@Suite("Symbol servers", .enabled(if: canBeMade, Comment(rawValue: ELFSample.absence)))
struct SymbolServerTests {
  private var asking: Asking
  private let folder: TemporaryFolder
  private let server: ScriptedServer
  private let sample: ELFSample

  init() throws {
    asking = Asking(store: try Store())
    folder = try #require(TemporaryFolder("server"))
    server = try #require(ScriptedServer(folder.path))
    sample = try #require(ELFSample(folder, "bin/sample", id: id))
    folder.write(try #require(contents(of: sample.path)), to: "good/buildid/\(id)/debuginfo")
  }

  private var good: String { server.address + "/files/good" }

  @Test("are told nothing unless somebody says so; the variable alone is not enough")
  func consent() {
    let silent = asking.run(["lookup", "--image", id, sample.offset], urls: [good])
    #expect(silent.code == 1)
    #expect(server.requests.isEmpty)
    #expect(asking.lookup(sample, urls: [good]).text.contains("outer (sample.c:2"))
    #expect(server.requests == ["/files/good/buildid/\(id)/debuginfo"])
    // What is in the store is not asked for again.
    #expect(asking.lookup(sample, urls: [good]).code == 0)
    #expect(server.requests.count == 1)
  }

  @Test(
    "must be servers of HTTP, and there must be one",
    arguments: ["", "  ", "file:///usr/lib/debug", "ftp://127.0.0.1/", "127.0.0.1:8002", "http://", "http:///x"])
  func addresses(text: String) {
    let outcome = asking.lookup(sample, urls: [text])
    #expect(outcome.code == 64 && outcome.errorText.contains("DEBUGINFOD_URLS"))
  }

  @Test("P-12 are never asked for the UUID of an Apple image")
  func uuids() throws {
    let outcome = asking.run(["cluster", "--json", "--debuginfod", Sample.diagnostics], urls: [good])
    #expect(outcome.code == 3)
    #expect(try outcome.json()["missing_images"]?.array?.isEmpty == false)
    #expect(try outcome.json()["run"]?["symbol_sources"]?[0]?.count("asked") == 0)
    let lookup = asking.run(["lookup", "--image", Sample.kitID, "--debuginfod", "0"], urls: [good])
    #expect(lookup.code == 1 && lookup.errorText.contains("one of 16 bytes is none that is sent"))
    #expect(server.requests.isEmpty)
  }

  @Test(
    "Z-70 that lie, wander or never end cost one question each; the next server is asked, and nothing of theirs is used",
    arguments: [
      ("/page", "not used: "), ("/files/wrong", "it is of image"), ("/endless", "larger than 100000 bytes"),
      ("/drip", "too slow"), ("/silent", "too slow"), ("/status/500", "status 500"),
      ("/round", "more than 3 redirects"),
      ("/to/http:!!127.0.0.1:9", "not public"), ("/to/http:!!2130706433:9", "not public"),
      ("/to/http:!!localhost:9", "not public"), ("/to/http:!![::1]:9", "not public"),
      ("/to/http:!![::ffff:127.0.0.1]:9", "not public"), ("/to/http:!!0x7f.1:9", "not public"),
      ("/to/http:!!user@127.0.0.1:9", "not public"), ("/to/http:!!169.254.169.254", "not public"),
      ("/to/http:!!10.0.0.1", "not public"), ("/to/file:!!!etc!passwd", "other than HTTP"),
    ])
  func badServers(path: String, message: String) throws {
    let wrong = try #require(ELFSample(folder, "bin/wrong", id: "badbad00112233445566778899aabbccddeeff01"))
    folder.write(try #require(contents(of: wrong.path)), to: "wrong/buildid/\(id)/debuginfo")
    var asking = asking
    asking.settings = ["DEBUGINFOD_TIMEOUT=1", "DEBUGINFOD_MAXTIME=5", "DEBUGINFOD_MAXSIZE=100000"]
    let before = files(below: "/tmp").filter { $0.hasPrefix("symclust-\(getpid())") }
    let outcome = asking.lookup(sample, urls: [server.address + path, good])
    #expect(outcome.code == 0 && outcome.text.contains("outer (sample.c:2"), "\(outcome.errorText)")
    #expect(outcome.errorText.contains(message), "\(outcome.errorText)")
    #expect(server.requests.last == "/files/good/buildid/\(id)/debuginfo")
    #expect(files(below: "/tmp").filter { $0.hasPrefix("symclust-\(getpid())") } == before)
  }

  @Test("may lead elsewhere on the same server, a few times")
  func redirects() {
    let here = server.address.replacing("/", with: "!")
    let outcome = asking.lookup(sample, urls: ["\(server.address)/to/\(here)!files!good"])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    #expect(server.requests.count == 2)
  }

  @Test("Z-72 hear their own password only, and nobody else sees it")
  func passwords() throws {
    let secret = server.address.replacing("http://", with: "http://anna:hush@")
    let other = try #require(ScriptedServer(folder.path))
    let away = "\(secret)/to/\(other.address.replacing("/", with: "!"))!files!good"
    let outcome = asking.run(
      ["lookup", "--image", id, "--debuginfod", sample.offset], urls: [away, "\(secret)/files/good"])
    #expect(outcome.code == 0)
    #expect(server.authorizations.allSatisfy { $0.hasPrefix("Basic ") } && server.authorizations.count == 2)
    #expect(other.requests.isEmpty)
    let kept = snapshot(of: asking.store.path).values.contains { $0.firstRange(of: Array("hush".utf8)) != nil }
    #expect(!kept && !outcome.errorText.contains("hush") && !outcome.text.contains("hush"))
  }

  /// `count` stacks of as many images that nobody has.
  private func strangers(_ count: Int) -> String {
    let lines = (0..<count).map { number in
      sample.stack(number).replacing(
        id, with: "deadbeef001122334455667788990000000000" + (number < 10 ? "0\(number)" : "\(number)"))
    }
    return folder.write(Array(lines.joined().utf8), to: "strangers.jsonl")
  }

  @Test(
    "P-11 that are dead are left alone after three questions; that is said once, and the batch goes on",
    arguments: ["/status/503", "/silent", "refused", "/page"])
  func breaker(path: String) throws {
    var asking = asking
    // Only for the one that never answers; the others are slow at most because the machine is.
    if path == "/silent" { asking.settings = ["DEBUGINFOD_TIMEOUT=3"] }
    let bad = path == "refused" ? "http://127.0.0.1:\(try #require(freePort()))" : server.address + path
    let stacks = strangers(20)
    folder.write(Array((try #require(contents(of: stacks))) + Array(sample.stack(99).utf8)), to: "all.jsonl")
    let outcome = asking.run(["cluster", "--json", "--debuginfod", folder.entry("all.jsonl")], urls: [bad, good])
    #expect(outcome.code == 3)
    let said = outcome.errorText.split(separator: "\n").filter { $0.contains("left alone for the rest of the run") }
    #expect(said.count == 1)
    let report = try outcome.json()
    #expect(try SchemaChecker(named: "cluster-report").problems(report) == [])
    let sources = try #require(report["run"]?["symbol_sources"]?.array)
    #expect(sources[0]["left_alone"]?.string?.hasPrefix("3 failures in a row") == true)
    #expect(sources[1]["left_alone"]?.isNull == true && sources[1]["found"]?.array?.count == 1)
    // A busy machine may give up before the silent one has read the question.
    let questions = server.requests.count { $0.hasPrefix(path) }
    if path != "refused" { #expect(path == "/silent" ? questions <= 3 : questions == 3) }
    // The other server was asked for every image: both files of twenty, one of the last.
    #expect(server.requests.filter { $0.hasPrefix("/files/good") }.count == 41)
  }

  @Test("are not asked again for what they do not have, until symbols are uploaded")
  func absence() throws {
    let stacks = strangers(5)
    #expect(asking.run(["cluster", "--debuginfod", stacks], urls: [good]).code == 3)
    #expect(server.requests.count == 10)
    #expect(asking.run(["cluster", "--debuginfod", stacks], urls: [good]).code == 3)
    #expect(asking.run(["reprocess", "--debuginfod"], urls: [good]).code == 0)
    #expect(server.requests.count == 10)
    // Another server has not said so.
    #expect(asking.run(["reprocess", "--debuginfod"], urls: [good + "/other"]).code == 0)
    #expect(server.requests.count == 20)
    #expect(asking.store.run("upload-symbols", Sample.kit, "--dry-run").code == 0)
    #expect(asking.run(["reprocess", "--debuginfod"], urls: [good]).code == 0)
    #expect(server.requests.count == 20)
    #expect(asking.store.run("upload-symbols", Sample.kit).code == 0)
    #expect(asking.run(["reprocess", "--debuginfod"], urls: [good]).code == 0)
    #expect(server.requests.count == 30)
    #expect(asking.store.run("doctor").text == "all is well\n")
  }
}
