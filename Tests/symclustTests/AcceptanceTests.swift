import JSON
import TestSupport
import Testing

@Suite("The measure of groups")
struct PartitionTests {
  private func partition(_ labels: [String]) -> Partition {
    var result = Partition(assignments: [])
    for (index, label) in labels.enumerated() {
      result.labels[DiagnosticKey(payload: "p", diagnostic: index)] = label
    }
    return result
  }

  // The second row is worked out by hand: 2 of 3 and 1 of 3 in the first group, 1 of 1 in the second.
  @Test(
    "falls with lumping and with splitting",
    arguments: [
      (["a", "a", "b"], ["x", "x", "y"], 1.0, 1.0),
      (["a", "a", "a", "b"], ["x", "x", "y", "x"], (2.0 / 3 * 2 + 1.0 / 3 + 1) / 4, (2.0 / 3 * 2 + 1 + 1.0 / 3) / 4),
      (["a", "b", "c"], ["x", "x", "x"], 1.0, 1.0 / 3),
      (["a", "a", "a"], ["x", "y", "z"], 1.0 / 3, 1.0),
    ])
  func bCubed(found: [String], truth: [String], precision: Double, recall: Double) {
    let result = partition(found).bCubed(against: partition(truth))
    #expect(abs(result.precision - precision) < 1e-12)
    #expect(abs(result.recall - recall) < 1e-12)
  }
}

@Suite("The sample app", .enabled(if: programIsBuilt, programAbsence))
struct AcceptanceTests {
  /// A store with every sample build's symbols, retained under its name.
  private func retained() throws -> Store {
    let store = try Store()
    #expect(Sample.builds.count == 3)
    for build in Sample.builds {
      let outcome = store.run(
        "upload-symbols", "\(Sample.symbols)/\(build.folder)", "--app", build.app, "--version", build.version,
        "--build", build.build)
      #expect(outcome.code == 0, "\(outcome.errorText)")
    }
    return store
  }

  @Test("gets one cluster for each planted fault, counted right in every build; again changes nothing")
  func faults() throws {
    let store = try retained()
    let lines = store.folder.entry("assignments.jsonl")
    let first = symclust(
      ["cluster", Sample.diagnostics, "--json", "--store", store.path, "--assignments", lines])
    let truth = try Sample.truth()
    // An advertising kit has no symbols anywhere, which is a gap.
    #expect(first.code == 3)
    #expect(first.errorText.isEmpty)
    let report = try first.json()
    let assignments = try jsonLinesIn(contents(of: lines) ?? [])
    try checkGroups(assignments, truth)
    try checkCounts(report, assignments, truth)
    try checkFrames(report)

    let second = symclust(
      ["cluster", Sample.diagnostics, "--json", "--store", store.path, "--assignments", lines])
    #expect(second.code == 3)
    let again = try second.json()
    #expect(try text(again.without("run")) == text(report.without("run")))
    let run = try #require(again["run"])
    let before = try #require(report["run"])
    #expect(run.count("accepted_payloads") == 0)
    #expect(run.count("accepted_diagnostics") == 0)
    #expect(
      run.count("duplicate_payloads") == before.count("accepted_payloads") + before.count("duplicate_payloads"))
    #expect(run["new_signatures"]?.array?.isEmpty == true)
    #expect(run.count("moved_stacks") == 0)
    #expect(try jsonLinesIn(contents(of: lines) ?? []) == assignments)
  }

  private func checkGroups(_ assignments: [JSONValue], _ truth: [Sample.Truth]) throws {
    let found = Partition(assignments: assignments)
    let wanted = Partition(truth)
    #expect(Set(found.labels.keys) == Set(wanted.labels.keys))
    #expect(assignments.count == truth.count)
    let all = found.bCubed(against: wanted)
    #expect(all.precision == 1)
    #expect(all.recall == 1)
    #expect(found.groups == wanted.groups)
    for kind in Set(truth.map(\.kind)) {
      let keys = Set(
        truth.filter { $0.kind == kind }.map { DiagnosticKey(payload: $0.payload, diagnostic: $0.diagnostic) })
      let part = found.only(keys).bCubed(against: wanted.only(keys))
      #expect(part.precision == 1, "\(kind)")
      #expect(part.recall == 1, "\(kind)")
    }
  }

  /// The counts as they follow from the truth and the assignments alone.
  private func checkCounts(_ report: JSONValue, _ assignments: [JSONValue], _ truth: [Sample.Truth]) throws {
    let run = try #require(report["run"])
    #expect(run.count("accepted_diagnostics") == truth.count)
    #expect(run.count("accepted_payloads") == Set(truth.map(\.payload)).count)
    #expect(run.count("duplicate_payloads") > 0)
    #expect(run.count("rejected") == 0)

    let buildOf = Dictionary(uniqueKeysWithValues: truth.map { ([$0.payload, String($0.diagnostic)], $0) })
    var diagnostics: [[String]: Int] = [:]
    var payloads: [[String]: Set<String>] = [:]
    for line in assignments {
      let key = [line["payload"]?.string ?? "", String(line.count("diagnostic"))]
      let one = try #require(buildOf[key])
      #expect(line["build"]?.string == one.build)
      #expect(line["kind"]?.string == one.kind)
      let cluster = line["cluster"]?.string ?? ""
      for name in [[cluster, one.build, one.kind], ["", one.build]] {
        diagnostics[name, default: 0] += 1
        payloads[name, default: []].insert(key[0])
      }
    }
    // Clusters: diagnostics, payloads and their share, for each build.
    var clusterRows = 0
    for cluster in try #require(report["clusters"]?.array) {
      let id = cluster["id"]?.string ?? ""
      let kind = cluster["kind"]?.string ?? ""
      var sum = 0
      for build in try #require(cluster["builds"]?.array) {
        let name = build["build"]?.string ?? ""
        clusterRows += 1
        sum += build.count("diagnostics")
        #expect(build["app"]?.string == "com.example.lumen")
        #expect(build.count("diagnostics") == diagnostics[[id, name, kind]])
        #expect(build["share"]?.count("numerator") == payloads[[id, name, kind]]?.count)
        #expect(build["share"]?.count("denominator") == payloads[["", name]]?.count)
        let systems = build["systems"]?.array ?? []
        #expect(systems.map { $0.count("diagnostics") }.reduce(0, +) == build.count("diagnostics"))
      }
      #expect(cluster.count("diagnostics") == sum)
    }
    #expect(clusterRows == diagnostics.keys.filter { $0.count == 3 }.count)
    // Denominators: cohorts add up to the builds.
    for build in Sample.builds {
      let cohorts = (report["denominators"]?.array ?? []).filter { $0["build"]?.string == build.build }
      #expect(cohorts.map { $0.count("diagnostics") }.reduce(0, +) == diagnostics[["", build.build]])
      #expect(cohorts.map { $0.count("payloads") }.reduce(0, +) >= payloads[["", build.build]]?.count ?? .max)
    }
  }

  /// Each cluster says where to look: image, function, file and line of a frame of the app, wherever there is one.
  private func checkFrames(_ report: JSONValue) throws {
    var withPlace = 0
    for cluster in try #require(report["clusters"]?.array) {
      let frames = try #require(cluster["frames"]?.array)
      #expect(frames.map { $0["token"]?.string } == cluster["tokens"]?.array?.map(\.string))
      for list in ["samples", "raw_stacks"] { #expect(cluster[list]?.array?.isEmpty == false) }
      #expect(cluster["first_seen"]?.string ?? "9" <= cluster["last_seen"]?.string ?? "")
      if let frame = frames.first(where: { $0["image"]?.string?.hasPrefix("Lumen") == true }) {
        #expect(frame["function"]?.string != nil)
        if frame["file"]?.string != nil, frame["line"]?.uint ?? 0 > 0 { withPlace += 1 }
      }
    }
    #expect(withPlace >= 25)
  }
}
