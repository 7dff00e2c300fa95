import Glibc
import JSON
import TestSupport
import Testing

/// The schemas in `docs/schemas`.
private let names = [
  "cluster-report", "upload", "lookup", "symbolicated-diagnostic", "assignment", "config", "stack", "inventory",
  "export", "rules-diff", "signature", "signatures", "explanation", "facts", "fact",
  "reprocess", "symbols", "symbol", "verification", "missing", "indexing", "pins", "gc", "doctor",
  "builds", "build-detail", "declaration", "comparison", "alerts", "alert", "alert-rules",
]

@Suite("The schemas")
struct SchemaFileTests {
  @Test("are all there, and no other")
  func complete() {
    let found = files(below: Corpus.repository + "/docs/schemas").filter { $0.hasSuffix(".json") }
    #expect(found == names.map { $0 + ".schema.json" }.sorted())
  }

  @Test("describe every key and allow no other", arguments: names)
  func described(name: String) throws {
    _ = try SchemaChecker(named: name)
    let schema = try JSONValue.parse(contents(of: "\(Corpus.repository)/docs/schemas/\(name).schema.json") ?? [])
    #expect(schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    var pending = [("#", schema)]
    while let (place, value) = pending.popLast() {
      if let properties = value["properties"]?.members {
        #expect(value["additionalProperties"]?.bool == false, "\(place)")
        for property in properties {
          #expect(property.value["description"]?.string?.isEmpty == false, "\(place).\(property.name)")
        }
        if value["type"]?.string == "object", value["required"] == nil {
          #expect(properties.map(\.name) == ["v1", "v2", "simulated", "other"], "\(place) requires nothing")
        }
      }
      for member in value.members ?? [] { pending.append(("\(place)/\(member.name)", member.value)) }
      for element in value.array ?? [] { pending.append((place, element)) }
    }
  }
}

@Suite("Real output", .enabled(if: programIsBuilt, programAbsence))
struct SchemaTests {
  /// Everything that the program prints for programs, by schema.
  private func documents() throws -> [(schema: String, document: JSONValue)] {
    let store = try Store()
    let lines = store.folder.entry("assignments.jsonl")
    let bad = store.folder.write(Array("{\"crash".utf8), to: "bad.json")
    let bare = Corpus.isPresent ? [Corpus.path("metrickit")] : []
    var found: [(String, JSONValue)] = []
    // Without symbols: provisional clusters, null names; with bad items; later with symbols and aliases.
    found.append(
      ("cluster-report", try store.report([Sample.diagnostics, bad] + bare, ["--min-cohort", "1"])))
    found.append(("config", try symclust(["config", "--json"]).json()))
    found.append(("signatures", try store.run("signatures", "list", "--json").json()))
    for cluster in try store.run("signatures", "list", "--json").json()["clusters"]?.array?.prefix(20) ?? [] {
      found.append(("signature", try store.run("signatures", "show", cluster["id"]?.string ?? "", "--json").json()))
    }
    #expect(store.run("export", "--output", store.folder.entry("bundle")).code == 0)
    found.append(("export", try JSONValue.parse(contents(of: store.folder.entry("bundle/manifest.json")) ?? [])))
    found += try jsonLinesIn(contents(of: store.folder.entry("bundle/diagnostics.jsonl")) ?? []).map { ("stack", $0) }
    found.append(("inventory", try symclust(["inventory", "--json"]).json()))
    // What is read and not printed: the example that people copy.
    found += try OwnStacks.example().map { ("stack", $0) }
    found.append(("upload", try store.run("upload-symbols", Sample.symbols, bad, "--json").json()))
    found.append(("cluster-report", try store.report([Sample.diagnostics] + bare, ["--assignments", lines])))
    for options in [[], ["--all", "--dry-run"], ["--build", "120"], ["--all"]] {
      found.append(("reprocess", try symclust(["reprocess", "--json", "--store", store.path] + options).json()))
    }
    found += try jsonLinesIn(contents(of: lines) ?? []).map { ("assignment", $0) }
    found.append(
      (
        "upload",
        try store.run(
          "upload-symbols", Sample.symbols, "--json", "--app", "a", "--version", "1", "--build", "2", "--commit",
          "c0ffee",
          "--require", "00112233445566778899aabbccddeeff", "--require-app", bad, "--min-coverage", "0.95", "--dry-run"
        ).json()
      ))
    found += try symbolDocuments(store)
    let rules = store.folder.write(Array(lumenRules.utf8), to: "lumen.rules")
    found.append(("rules-diff", try symclust(["rules", "diff", "--json", "--store", store.path, rules]).json()))
    let clusters = found.last { $0.0 == "cluster-report" }?.1["clusters"]?.array ?? []
    let ids = clusters.flatMap { [$0["id"]?.string] + [$0["aliases"]?.array?.first?.string] }.compactMap { $0 }
    found += try symclust(
      ["signatures", "explain", "--json", "--store", store.path, Sample.diagnostics + "/single"] + bare + ids
    ).jsonLines().map { ("explanation", $0) }
    let crashes = try (store.run("signatures", "list", "--json").json()["clusters"]?.array ?? [])
      .filter { $0["kind"]?.string == "crash" }.compactMap { $0["id"]?.string }
    for _ in 0..<2 {
      found.append(("fact", try store.run("signatures", "merge", crashes[0], crashes[1], "--json").json()))
    }
    found.append(("facts", try store.run("signatures", "facts", "--json").json()))
    found += try healthDocuments(store)
    found.append(("upload", try symclust(["check", "--json", Sample.kit, "/absent"]).json()))
    found.append(("upload", try symclust(["check", "--json", store.folder.path + "/bad.json"]).json()))
    found += try symclust(["symbolicate", "--json", "--store", store.path, Sample.diagnostics + "/single"] + bare)
      .jsonLines().map { ("symbolicated-diagnostic", $0) }
    let offsets = (0..<3000).map { "0x" + String($0 * 4, radix: 16) }
    found += try symclust(["lookup", "--json", "--object", Sample.kitFile] + offsets + ["ffffffffffffffff"])
      .jsonLines().map { ("lookup", $0) }
    let app = SampleSymbols.rich.path
    found += try symclust(["lookup", "--json", "--object", app], input: Array(offsets.joined(separator: "\n").utf8))
      .jsonLines().map { ("lookup", $0) }
    return found.map { (schema: $0.0, document: $0.1) }
  }

  /// What `builds` and `alerts` print, of a build that is worse and of one of which nothing can be said.
  private func healthDocuments(_ store: Store) throws -> [(String, JSONValue)] {
    let history = try History()
    var found: [(String, JSONValue)] = []
    for (store, build) in [(history.store, "120"), (store, "112")] {
      let options = ["--store", store.path, "--app", History.app, "--json"]
      func run(_ arguments: String...) throws -> JSONValue { try symclust(arguments + options).json() }
      found.append(("builds", try run("builds", "list")))
      found.append(("build-detail", try run("builds", "show", build)))
      found.append(("comparison", try run("builds", "compare", "101", build)))
    }
    let alerts = ["alerts", "--store", history.store.path, "--build", "120"]
    found.append(("alerts", try symclust(alerts + ["--json"]).json()))
    found += try symclust(alerts + ["--format", "jsonl"]).jsonLines().map { ("alert", $0) }
    let rules = history.store.folder.write(Array(History.rules.utf8), to: "rules.json")
    found.append(("alert-rules", try JSONValue.parse(Array(History.rules.utf8)).without("storm_limit")))
    found.append(("alerts", try symclust(alerts + ["--alert-rules", rules, "--json"]).json()))
    found += try symclust(alerts + ["--alert-rules", rules, "--format", "jsonl"]).jsonLines().map { ("alert", $0) }
    found.append(
      (
        "declaration",
        try history.store.run(
          "builds", "declare", "--app", History.app, "--version", "9", "--build", "900", "--channel", "beta", "--order",
          "7", "--json"
        ).json()
      ))
    return found
  }

  /// What the commands about retained symbols print, of a store that has gaps.
  private func symbolDocuments(_ store: Store) throws -> [(String, JSONValue)] {
    let build = Sample.builds[0]
    let name = ["--app", build.app, "--version", build.version, "--build", build.build]
    let partial = try Store()
    _ = symclust(["upload-symbols", Sample.symbols + "/" + build.folder, "--store", partial.path] + name)
    _ = partial.run("cluster", Sample.diagnostics)
    let single = Sample.diagnostics + "/single"
    var found: [(String, JSONValue)] = [
      ("symbols", try partial.run("symbols", "list", "--json").json()),
      ("symbol", try store.run("symbols", "show", Sample.kitID, "--json").json()),
      ("symbol", try partial.run("symbols", "show", firstImage(partial), "--json").json()),
      ("verification", try partial.run("symbols", "verify", "--payload", single, "--json").json()),
      (
        "verification",
        try partial.run("symbols", "verify", "--binary", Sample.kitFile, "--dsym", Sample.kit, "--json").json()
      ),
      ("missing", try partial.run("symbols", "missing", "--system", "--json").json()),
      ("pins", try symclust(["symbols", "pin", "--json", "--store", partial.path, firstImage(partial)] + name).json()),
    ]
    let lazy = try Store()
    _ = lazy.run("upload-symbols", Sample.kit, "--index", "lazy")
    found.append(("indexing", try lazy.run("symbols", "index", "--json").json()))
    partial.folder.write(Array("x".utf8), to: "store/symbols/sources/ab/stray.zst")
    found.append(("doctor", try partial.run("doctor", "--json").json()))
    found.append(
      ("gc", try store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "0", "--dry-run", "--json").json()))
    found.append(("gc", try partial.run("symbols", "gc", "--json").json()))
    return found
  }

  private func firstImage(_ store: Store) throws -> String {
    try store.run("symbols", "list", "--json").json()["images"]?.array?.first?["debug_id"]?.string ?? ""
  }

  @Test("keeps its schemas, by our checker and by Python's")
  func valid() throws {
    let found = try documents()
    #expect(Set(found.map(\.schema)) == Set(names))
    for name in names {
      let checker = try SchemaChecker(named: name)
      let own = found.filter { $0.schema == name }
      for (number, (_, document)) in own.enumerated() {
        #expect(checker.problems(document).prefix(5) == [], "\(name) \(number)")
      }
      try crossCheck(name, own.map(\.document))
      if let last = own.last?.document { try breaking(last, name, checker) }
    }
  }

  /// Any key that is taken away, added, or given another type must be noticed.
  private func breaking(_ document: JSONValue, _ name: String, _ checker: SchemaChecker) throws {
    let members = try #require(document.members)
    let schema = try JSONValue.parse(contents(of: "\(Corpus.repository)/docs/schemas/\(name).schema.json") ?? [])
    let required = (schema["required"]?.array ?? []).compactMap(\.string)
    #expect(required.count > 2 || required == members.map(\.name))
    for member in members where required.contains(member.name) {
      #expect(!checker.problems(document.without(member.name)).isEmpty, "without \(member.name)")
      let replaced = members.map { $0.name == member.name ? JSONMember($0.name, .number(.real(0.5))) : $0 }
      #expect(!checker.problems(.object(replaced)).isEmpty, "\(member.name) as a number")
    }
    #expect(!checker.problems(.object(members + [JSONMember("extra", .null)])).isEmpty)
  }

  private func crossCheck(_ name: String, _ documents: [JSONValue]) throws {
    guard Tool.run("/usr/bin/python3", ["-c", "import jsonschema"]).code == 0 else { return }
    let folder = try #require(TemporaryFolder("schema"))
    let lines = try documents.map { try text($0) }.joined(separator: "\n")
    let file = folder.write(Array(lines.utf8), to: "documents.jsonl")
    let script = """
      import json, sys, jsonschema
      checker = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      for line in open(sys.argv[2]): checker.validate(json.loads(line))
      """
    let outcome = Tool.run(
      "/usr/bin/python3", ["-c", script, "\(Corpus.repository)/docs/schemas/\(name).schema.json", file])
    #expect(outcome.code == 0, "\(name): \(outcome.errorText.suffix(2000))")
  }
}
