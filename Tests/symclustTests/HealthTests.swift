import Bytes
import Glibc
import JSON
import TestSupport
import Testing

/// Three builds of the sample app over twelve days, of which the last is worse (scripts/make-history).
struct History {
  static let app = "com.example.lumen"
  static let plan = """
    {"seed":7,"builds":[
     {"version":"1.0","build":"101","first_day":"2026-06-01","days":4,"payloads_per_day":{"18.5":150,"17.5":60},
      "rates":{"0":0.05,"1":0.05,"2":0.05}},
     {"version":"1.1","build":"112","first_day":"2026-06-08","days":4,"payloads_per_day":{"18.5":150,"17.5":90},
      "rates":{"0":0.05,"1":0.05,"2":0.05}},
     {"version":"1.2","build":"120","first_day":"2026-06-15","days":4,"payloads_per_day":{"18.5":170,"17.5":60,"19.0":12},
      "rates":{"0":0.2,"1":0.05,"5":0.06}}]}
    """
  /// Rules by which two alerts are a storm.
  static let rules = """
    {"schema":"symclust.alert-rules/1","storm_limit":1,"rules":[
      {"name":"all","owner":"app-team","floor":0.001,"sustained_days":1,"relative_change":0.1}]}
    """
  let store: Store

  /// A store that holds them. `plan` is another history.
  init(_ plan: String = Self.plan) throws {
    store = try Store()
    for build in Sample.builds {
      let outcome = store.run(
        "upload-symbols", Sample.symbols + "/" + build.folder, "--app", build.app, "--version", build.version,
        "--build",
        build.build)
      #expect(outcome.code == 0)
    }
    try cluster(plan)
  }

  /// Adds what `plan` says.
  func cluster(_ plan: String) throws {
    let plan = store.folder.write(Array(plan.utf8), to: "plan.json")
    let lines = store.folder.entry("history.jsonl")
    let made = Tool.run("/usr/bin/env", ["python3", Corpus.repository + "/scripts/make-history", lines, plan])
    #expect(made.code == 0, "\(made.errorText)")
    let outcome = store.run("cluster", lines, "--assignments", store.folder.entry("assignments.jsonl"))
    #expect(outcome.code == 0 || outcome.code == 3, "\(outcome.errorText)")
  }

  func alerts(_ options: String...) -> Tool.Outcome {
    symclust(["alerts", "--store", store.path] + options)
  }
}

@Suite("Is this build worse?", .enabled(if: programIsBuilt, programAbsence))
struct HealthTests {
  @Test("A-45, A-54 two builds are compared like for like, and alike every time")
  func compare() throws {
    let history = try History()
    let first = history.store.run("builds", "compare", "112", "120", "--json")
    #expect(first.code == 0)
    let document = try first.json()
    #expect(document["strata"]?.array?.count == 3)
    #expect(document["strata"]?.array?.filter { $0["compared"]?.bool == true }.count == 2)
    // Twelve payloads a day on a system that the other has not: 48 in all.
    #expect(document["strata"]?.array?.last?["suppressed"]?.bool == true)
    let changes = (document["clusters"]?.array ?? []).map { $0["change"]?.string ?? "" }
    #expect(changes.filter { $0 == "grown" }.count >= 1 && changes.contains("unchanged"))
    for (cluster, change) in zip(document["clusters"]?.array ?? [], changes) where change != "not_comparable" {
      #expect(cluster["new"]?["denominator"]?.int == 920 && cluster["old"]?["denominator"]?.int == 960)
      #expect(cluster["new"]?["denominator_kind"]?.string == "accepted_diagnostic_payloads")
    }
    #expect(history.store.run("builds", "compare", "112", "120", "--json").output == first.output)
    // Below the minimum no number is told anywhere.
    let hidden = try history.store.run("builds", "compare", "112", "120", "--json", "--min-cohort", "5000").json()
    for cluster in hidden["clusters"]?.array ?? [] {
      #expect(cluster["change"]?.string == "not_comparable")
      #expect(cluster["new"]?["numerator"]?.isNull == true && cluster["ratio"]?.isNull == true)
      #expect(cluster["probability"]?.isNull == true)
    }
    #expect(hidden["strata"]?.array?.allSatisfy { $0["new_payloads"]?.isNull == true } == true)
    // Of 968 payloads 920 are compared. What part that is would tell of the 48, so only what it is at least is told.
    #expect(document["coverage"]?["share"]?.isNull == true && document["coverage"]?["at_least"]?.double == 0.821428)
    let text = history.store.run("builds", "compare", "112", "120", "--min-cohort", "5000").text
    #expect(text.contains("nothing is claimed") && !text.contains(" of "))
  }

  @Test("a build that is worse fires, with a key that stays, and ends with 4")
  func fires() throws {
    let history = try History()
    let outcome = history.alerts("--json")
    #expect(outcome.code == 4)
    let document = try outcome.json()
    #expect(document["build"]?["build"]?.string == "120" && document["baseline"]?["build"]?.string == "112")
    let alerts = try #require(document["alerts"]?.array)
    #expect(alerts.contains { $0["state"]?.string == "regressed" })
    for alert in alerts {
      #expect(alert["key"]?.string?.hasPrefix("sig-") == true)
      #expect((alert["new"]?["numerator"]?.int ?? 0) > 0 && (alert["new"]?["denominator"]?.int ?? 0) > 0)
    }
    #expect(history.alerts("--json").output == outcome.output)
    // The build before was no worse.
    #expect(history.alerts("--build", "112").code == 0)
    #expect(history.alerts("--build", "112").text.contains("no alert"))
    // A storm is one notice.
    let rules = history.store.folder.write(Array(History.rules.utf8), to: "rules.json")
    let storm = history.alerts("--alert-rules", rules, "--format", "jsonl")
    #expect(storm.code == 4)
    let lines = try storm.jsonLines()
    if alerts.count > 1 {
      #expect(lines.count { $0["storm"] != nil } == 1 && !lines.contains { $0["alert"]?["fires"]?.bool == true })
    }
  }

  @Test("the build that is held against comes before")
  func baseline() throws {
    let history = try History()
    #expect(history.alerts("--build", "112", "--baseline", "120").code == 64)
    #expect(history.alerts("--build", "112", "--baseline", "112").code == 64)
    #expect(history.alerts("--build", "112", "--baseline", "101").code == 0)
  }

  @Test("a build is shown by system and by kind, with nothing from which a small number follows")
  func detail() throws {
    let history = try History()
    let shown = try history.store.run("builds", "show", "120", "--json").json()
    #expect(shown["payloads"]?.int == 968)
    // 680, 240 and 48: the last is too small, and the next smallest would tell it.
    let systems = shown["systems"]?.array ?? []
    #expect(systems.map { $0["release"]?.string } == ["17.5", "18.5", "19.0"])
    #expect(systems.map { $0["payloads"]?.int } == [nil, 680, nil])
    let kinds =
      try history.store.run("builds", "show", "120", "--json", "--min-cohort", "1").json()["kinds"]?.array ?? []
    #expect(kinds.contains { $0["kind"]?.string == "crash" } && kinds.contains { $0["kind"]?.string == "hang" })
    // A payload with several kinds counts in each.
    #expect(kinds.reduce(0) { $0 + ($1["payloads"]?.int ?? 0) } >= 968)
    #expect(kinds.allSatisfy { ($0["payloads"]?.int ?? 0) > 0 })
  }

  @Test("what diagnostics measured is told by build, with how many say it, and not below the minimum cohort")
  func measures() throws {
    let history = try History()
    func measures(_ minimum: String) throws -> [JSONValue] {
      let report = try history.store.run(
        "cluster", history.store.folder.entry("history.jsonl"), "--json", "--min-cohort", minimum
      ).json()
      return (report["clusters"]?.array ?? []).flatMap { $0["builds"]?.array ?? [] }.flatMap {
        $0["measures"]?.array ?? []
      }
    }
    let told = try measures("50")
    let names = Set(told.compactMap { $0["measure"]?.string })
    #expect(names.isSuperset(of: ["hang_duration", "bytes_written", "cpu_time"]), "\(names)")
    var withoutValue = 0
    for measure in told {
      let (present, all) = (measure["present"]?.int ?? 0, measure["of"]?.int ?? 0)
      #expect(present > 0 && present <= all && measure["suppressed"]?.bool == false)
      #expect((measure["p50"]?.double != nil) == (present >= 10))
      #expect((measure["p90"]?.double != nil) == (present >= 50))
      withoutValue += Int(all - present)
    }
    // One in ten says "unknown".
    #expect(withoutValue > 0)
    for measure in try measures("100000") {
      #expect(
        measure["suppressed"]?.bool == true && measure["present"]?.isNull == true && measure["of"]?.isNull == true)
      #expect(measure["p50"]?.isNull == true && measure["p90"]?.isNull == true && measure["p99"]?.isNull == true)
    }
    let list = try history.store.run("signatures", "list", "--json").json()
    let hang = try #require(list["clusters"]?.array?.first { $0["kind"]?.string == "hang" }?["id"]?.string)
    #expect(history.store.run("signatures", "show", hang).text.contains("hang duration"))
  }

  @Test("builds are declared by uploads and by word; one that is only seen has no place")
  func builds() throws {
    let history = try History()
    let rows = try history.store.run("builds", "list", "--json").json()["builds"]?.array ?? []
    #expect(rows.map { $0["build"]?.string } == ["101", "112", "120"])
    #expect(rows.map { $0["place"]?.int } == [1, 2, 3])
    #expect(rows.map { $0["payloads"]?.int } == [840, 960, 968])
    let stray = History.plan.replacing("\"120\"", with: "\"130\"").replacing("\"1.2\"", with: "\"1.3\"")
    try history.cluster(stray)
    let list = try history.store.run("builds", "list", "--json").json()
    #expect(list["latest"]?["build"]?.string == "120")
    let last = try #require(list["builds"]?.array?.last)
    #expect(last["build"]?.string == "130" && last["declared"]?.bool == false && last["place"]?.isNull == true)
    // Nothing can be claimed of it until it has a place.
    #expect(history.alerts("--build", "130").code == 1)
    let name = ["--app", History.app, "--version", "1.3", "--build", "130"]
    #expect(symclust(["builds", "declare", "--store", history.store.path, "--channel", "beta"] + name).code == 0)
    #expect(try history.store.run("builds", "list", "--json").json()["latest"]?["build"]?.string == "120")
    #expect([0, 4].contains(history.alerts("--build", "130").code))
    // What was not said again stays.
    #expect(
      symclust(["builds", "declare", "--store", history.store.path, "--order", "9", "--json"] + name).text.contains(
        "beta"))
    // Declarations outlive the symbols.
    #expect(history.store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "0").code == 0)
    #expect(try history.store.run("builds", "list", "--json").json()["builds"]?.array?.count == 4)
    #expect(history.store.run("builds", "compare", "120", "120").code == 64)
    #expect(history.store.run("builds", "compare", "120", "999").code == 1)
  }
}

/// The real Alertmanager of Debian takes what `alerts` prints.
@Suite(
  "Alertmanager",
  .enabled(
    if: programIsBuilt && access("/usr/bin/prometheus-alertmanager", X_OK) == 0 && access("/usr/bin/curl", X_OK) == 0,
    "prometheus-alertmanager or curl is absent (scripts/setup installs both)"))
struct AlertmanagerTests {
  /// A server on a free port; it ends with the value.
  private final class Server {
    let folder: TemporaryFolder
    let port: Int
    private let program: BackgroundProgram

    init?() {
      guard let folder = TemporaryFolder("alertmanager") else { return nil }
      self.folder = folder
      port = freePort() ?? 0
      let config = folder.write(
        Array("route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n".utf8), to: "config.yml")
      guard
        let program = BackgroundProgram(
          "/usr/bin/prometheus-alertmanager",
          [
            "--config.file=\(config)", "--storage.path=\(folder.path)/data", "--web.listen-address=127.0.0.1:\(port)",
            "--cluster.listen-address=",
          ])
      else { return nil }
      self.program = program
      for _ in 0..<200 {
        if curl("http://127.0.0.1:\(port)/-/ready").code == 0 { return }
        usleep(50_000)
      }
      return nil
    }

    func curl(_ arguments: String..., input: [UInt8] = []) -> Tool.Outcome {
      Tool.run("/usr/bin/curl", ["-sS", "--fail", "--max-time", "20"] + arguments, input: input)
    }

    func post(_ body: [UInt8]) -> Tool.Outcome {
      curl(
        "-H", "Content-Type: application/json", "--data-binary", "@-", "http://127.0.0.1:\(port)/api/v2/alerts",
        input: body)
    }

    /// The active alerts as `state cluster`, sorted.
    func active() throws -> [String] {
      let list = try curl("http://127.0.0.1:\(port)/api/v2/alerts?active=true").json()
      return (list.array ?? []).map {
        "\($0["labels"]?["alertname"]?.string ?? "") \($0["labels"]?["cluster"]?.string ?? "")"
      }.sorted()
    }
  }

  @Test("takes alerts, knows them again, and lets them end")
  func whole() throws {
    let history = try History()
    let server = try #require(Server())
    let body = history.alerts("--format", "alertmanager")
    #expect(body.code == 4)
    #expect(server.post(body.output).code == 0)
    let first = try server.active()
    #expect(first.contains { $0.hasPrefix("symclust_regressed sig-") })
    #expect(first.count == (try body.json().array?.count))
    // The same again is the same alerts.
    #expect(server.post(history.alerts("--format", "alertmanager").output).code == 0)
    #expect(try server.active() == first)
    // Later days of the same build are fine: the share comes down far below the baseline's, and the alert ends.
    try history.cluster(
      """
      {"seed":9,"builds":[{"version":"1.2","build":"120","first_day":"2026-06-19","days":30,
        "payloads_per_day":{"18.5":170,"17.5":60},"rates":{"0":0.0005,"1":0.05}}]}
      """)
    let later = history.alerts("--format", "alertmanager")
    #expect(later.text.contains("endsAt"))
    #expect(server.post(later.output).code == 0)
    let ended = Set(first).subtracting(try server.active())
    #expect(!ended.isEmpty, "\(later.text)")
  }
}
