import JSON
import TestSupport
import Testing

/// The example in the README.
enum OwnStacks {
  /// Its lines, as they stand there.
  static func text() throws -> String {
    let readme = String(decoding: contents(of: Corpus.repository + "/README.md") ?? [], as: UTF8.self)
    let lines = readme.split(separator: "\n").filter { $0.hasPrefix(#"{"schema":"symclust.stack/1""#) }
    try #require(lines.count == 3)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Its lines as documents.
  static func example() throws -> [JSONValue] { try jsonLinesIn(Array(text().utf8)) }
}

@Suite("Stacks of one's own", .enabled(if: programIsBuilt, programAbsence))
struct OwnStacksTests {
  @Test("are grouped and counted as the README shows")
  func example() throws {
    let store = try Store()
    let path = store.folder.write(Array(try OwnStacks.text().utf8), to: "stacks.jsonl")
    let report = try store.report([path])
    #expect(report["run"]?.count("accepted_payloads") == 3)
    let clusters = try #require(report["clusters"]?.array)
    #expect(clusters.map { $0["kind"]?.string } == ["crash", "hang"])
    let readme = String(decoding: contents(of: Corpus.repository + "/README.md") ?? [], as: UTF8.self)
    let shown = store.run("cluster", path).text
    let first = try #require(shown.firstRange(of: "1.  crash bad-access  2 diagnostics"))
    let end = try #require(shown[first.lowerBound...].firstRange(of: "\n\n"))
    #expect(readme.contains(shown[first.lowerBound..<end.lowerBound]))
  }

  @Test("name and counts do not depend on lines, ids or spaces between keys")
  func equality() throws {
    let store = try Store()
    let one =
      #"{"schema":"symclust.stack/1","kind":"crash","threads":[{"frames":[{"function":"f()"},{"function":"g()"}]}]}"#
    let two = one.replacing(#""kind""#, with: #""id": "x", "kind""#).replacing(#""f()""#, with: #""f()", "line": 7"#)
    let path = store.folder.write(Array("\(one)\n\(two)\n\(one)\n".utf8), to: "s.jsonl")
    let report = try store.report([path])
    #expect(report["clusters"]?.array?.count == 1)
    // The same line again is the same payload, whatever its id; a line with an id is another.
    #expect(report["run"]?.count("accepted_payloads") == 2)
    #expect(report["run"]?.count("duplicate_payloads") == 1)
  }

  @Test("with offsets are looked up in retained symbols")
  func offsets() throws {
    let store = try Store()
    store.uploadSamples()
    let line =
      #"{"schema":"symclust.stack/1","kind":"crash","app":"com.example.lumen","threads":[{"frames":[{"debug_id":"4C4C44F8-5555-3144-A176-265CE8BD98E8","offset":"0x45c0","function":"wrong"}]}]}"#
    let path = store.folder.write(Array(line.utf8), to: "s.jsonl")
    let text = store.run("symbolicate", path).text
    #expect(text.contains("SyncEngine.deinit"))
    #expect(!text.contains("wrong"))
  }

  @Test(
    "leave personal data where it is",
    arguments: ["ada.lovelace@example.com", "/Users/lovelace/Secrets/App", "lovelace's phone"])
  func leaks(secret: String) throws {
    // A plain word may be anybody's version; a path or an address is not.
    let isWord = secret.hasPrefix("lovelace")
    let labels = ["app", "version", "build", "os"].filter { _ in !isWord }.map { #""\#($0)":"\#(secret)""# }
    let line =
      #"{"schema":"symclust.stack/1","kind":"crash",\#(labels.map { $0 + "," }.joined())"id":"\#(secret)","device":"\#(secret)","time":"\#(secret)","#
      + #""\#(secret)":"\#(secret)","reason":{"termination":"\#(secret)","exception_name":"\#(secret)","message":"\#(secret)"},"#
      + #""threads":[{"name":"\#(secret)","frames":[{"function":"f()","image":"\#(isWord ? "A" : secret)","file":"\#(isWord ? "a" : secret)"}]}]}"#
    let store = try Store()
    let path = store.folder.write(Array(line.utf8), to: "in/s.jsonl")
    let json = store.run("cluster", "--json", path)
    #expect(try json.json()["run"]?.count("accepted_diagnostics") == 1, "\(json.errorText)")
    var said = [("json", json.output), ("errors", json.errors), ("text", store.run("cluster", path).output)]
    for name in files(below: store.path) { said.append((name, contents(of: "\(store.path)/\(name)") ?? [])) }
    for word in ["lovelace", "Secrets"] {
      for (place, bytes) in said { #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) in \(place)") }
    }
  }
}

@Suite(
  "Reports beside MetricKit's",
  .enabled(if: programIsBuilt && Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct NeighbourReportTests {
  private static let files = [
    "appstoreconnect-diagnosticlogs-excerpt.json", "bugsnag-kscrash-macos.json", "kscrash-nsexception.json",
    "otel-stacktrace-format.json", "spindump-macos12-hang-excerpt.txt",
  ]

  @Test("of the corpus are counted and named, and from a folder as well")
  func corpus() throws {
    let store = try Store()
    let report = try store.report(Self.files.map { Corpus.path("reports/" + $0) })
    #expect(report["run"]?.count("accepted_payloads") == 5)
    #expect(report["clusters"]?.array?.count == 5)
    let text = store.run("cluster", Corpus.path("reports/" + Self.files[0])).text
    for name in [
      "+[TaskHandler updateNames]", "-[OverwriteLinkRegisterScenario run]", "-[Crasher throwException]", "DemoApp_main",
    ] {
      #expect(text.contains(name), "\(name)")
    }
    let other = try Store()
    other.folder.write(contents(of: Corpus.path("reports/" + Self.files[4])) ?? [], to: "in/a.spin")
    other.folder.write(contents(of: Corpus.path("reports/" + Self.files[3])) ?? [], to: "in/b.json")
    #expect(try other.report([other.folder.entry("in")])["run"]?.count("accepted_payloads") == 2)
  }

  @Test("that tell one crash as JSON and as text are one cluster")
  func twoForms() throws {
    let report = try Store().report(
      ["kscrash-nsexception.json", "kscrash-nsexception-apple-style.txt"].map { Corpus.path("reports/" + $0) })
    #expect(report["run"]?.count("accepted_diagnostics") == 2)
    #expect(report["clusters"]?.array?.count == 1)
  }
}
