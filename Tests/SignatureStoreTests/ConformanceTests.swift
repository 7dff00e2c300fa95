import Diagnostics
import Identity
import SignatureStore
import Signatures
import TestSupport
import Testing

/// An engine under test: makes an empty store and keeps what belongs to it alive.
struct Engine: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () throws -> (store: any SignatureStore, folder: TemporaryFolder)

  static let all = [
    Engine(testDescription: "SQLite") {
      let folder = TemporaryFolder()
      return (try SQLiteSignatureStore(path: folder.store), folder)
    }
  ]
}

@Suite("What every engine does")
struct ConformanceTests {
  private static let apply = Event(function: "Shop.Cart.apply(coupon:)")
  private static let total = Event(function: "Shop.Cart.total()")

  @Test("Counts are by build, system and generation, with payloads and diagnostics apart", arguments: Engine.all)
  func counts(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    var other = ConformanceTests.apply
    other.build = "2"
    other.system = "iPhone OS 18.6 (22G1)"
    let (apply, total) = (ConformanceTests.apply, ConformanceTests.total)
    let outcome = try store.record(
      batch(
        [payload(1, [apply, apply, apply]), payload(2, [total]), payload(3, [other]), payload(4, [apply], .v2)],
        [apply, total, other]))
    #expect(outcome.acceptedPayloads == 4 && outcome.diagnostics == 6 && outcome.duplicatePayloads.isEmpty)
    #expect(outcome.newSignatures == [apply.signature, total.signature].sorted())
    let report = try store.report()
    #expect(report.payloads == [.v1: 3, .v2: 1] && report.diagnostics == 6)
    #expect(report.clusters.map(\.id) == [apply.signature, total.signature])
    let cluster = report.clusters[0]
    #expect(cluster.signatures == [apply.signature] && cluster.kind == .crash && cluster.family == .badAccess)
    #expect(cluster.title == "crash bad-access | Shop!Cart.apply(coupon:)")
    #expect(cluster.tokens == ["Shop!Cart.apply(coupon:)"] && cluster.blame == cluster.tokens.first)
    #expect(cluster.diagnostics == 5 && cluster.payloads == [.v1: 2, .v2: 1])
    #expect(cluster.counts.map(\.build.build) == ["1", "1", "2"])
    #expect(cluster.counts.map(\.generation) == [.v1, .v2, .v1])
    #expect(cluster.counts.map(\.payloads) == [1, 1, 1] && cluster.counts.map(\.diagnostics) == [3, 1, 1])
    #expect(report.cohorts.map(\.payloads) == [2, 1, 1] && report.cohorts.map(\.diagnostics) == [4, 1, 1])
    #expect(report.cohorts[0].system == OperatingSystem(platform: "iPhone OS", version: "18.5", build: "22F76"))
    #expect(cluster.firstSeen?.text == "2026-04-19T10:30:00Z" && cluster.rawStacks.count == 2)
    #expect(Set(cluster.samples) == Set([1, 3, 4].map { payload($0, []).digest }))
    #expect(cluster.samples == cluster.samples.sorted())
    #expect(try store.verify() == [])
  }

  @Test("Report-days are by build, system and day of the calendar, and no diagnostics", arguments: Engine.all)
  func reportDays(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let system = OperatingSystem(parsing: "iPhone OS 18.5 (22F76)")
    func day(_ build: BuildOfRecord, _ begin: String?, _ end: String?) -> RecordedReportDay {
      let interval = ReportInterval(
        begin: begin.flatMap { PointInTime(parsing: $0) }, end: end.flatMap { PointInTime(parsing: $0) })
      return RecordedReportDay(build: build, system: system, interval: interval)
    }
    let one = BuildOfRecord(app: "a", version: "1", build: "1")
    let mixed = BuildOfRecord(app: "a", version: "1", build: "1", isMixed: true)
    let days = [
      day(one, "2026-05-01 06:59:00", "2026-05-02 06:59:00"), day(one, "2026-05-01 23:50:00", "2026-05-02 23:40:00"),
      day(one, "2026-05-01 08:00:00", "2026-05-01 23:59:00"), day(one, nil, nil),
      day(mixed, "2026-05-01 06:59:00", "2026-05-02 06:59:00"),
    ]
    let payloads = days.enumerated().map {
      RecordedPayload(digest: payload($0 + 1, []).digest, generation: .metrics, diagnostics: [], reportDays: [$1])
    }
    #expect(try store.record(Batch(payloads: payloads)).reportDays == 5)
    // The same again is no second day.
    #expect(try store.record(Batch(payloads: payloads)).reportDays == 0)
    let report = try store.report()
    #expect(report.payloads == [.metrics: 5] && report.diagnostics == 0 && report.clusters.isEmpty)
    #expect(report.builds.isEmpty && report.cohorts.isEmpty && report.days.isEmpty)
    #expect(report.reportDays.map(\.build) == [one, mixed] && report.reportDays.map(\.total) == [4, 1])
    #expect(report.reportDays[0].days.map(\.day?.text) == [nil, "2026-05-01", "2026-05-02"])
    #expect(report.reportDays[0].days.map(\.reportDays) == [1, 2, 1])
    let east = try store.report(calendar: #require(ReportingCalendar("+14")))
    #expect(east.reportDays[0].days.map(\.day?.text) == [nil, "2026-05-02", "2026-05-03"])
    #expect(try store.verify() == [])
  }

  @Test("The day in a report is that of the calendar, for every interval and zone", arguments: Engine.all)
  func daysAgree(engine: Engine) throws {
    var generator = SeededGenerator(seed: 7)
    for zone in ["UTC", "+14", "-11:30", "+05:45"] {
      let (store, folder) = try engine.make()
      defer { withExtendedLifetime(folder) {} }
      let calendar = try #require(ReportingCalendar(zone))
      var expected: [ReportingDay?: Int] = [:]
      var payloads: [RecordedPayload] = []
      for number in 0..<60 {
        let begin = PointInTime(seconds: Int64.random(in: 0...4_000_000_000, using: &generator), isZoneKnown: true)
        let end = PointInTime(
          seconds: begin.seconds + Int64.random(in: -10...200_000, using: &generator), isZoneKnown: true)
        let interval = ReportInterval(begin: number % 5 == 0 ? nil : begin, end: number % 7 == 0 ? nil : end)
        expected[ReportingDay(from: interval.begin, to: interval.end, in: calendar), default: 0] += 1
        let day = RecordedReportDay(
          build: BuildOfRecord(app: nil, version: nil, build: nil), system: OperatingSystem(parsing: nil),
          interval: interval)
        payloads.append(
          RecordedPayload(
            digest: payload(number + 1, []).digest, generation: .metrics, diagnostics: [], reportDays: [day]))
      }
      _ = try store.record(Batch(payloads: payloads))
      let found = try store.report(calendar: calendar).reportDays.flatMap(\.days)
      #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.day, $0.reportDays) }) == expected)
    }
  }

  @Test("States are counted for each cluster, within a bound that no order moves", arguments: Engine.all)
  func states(engine: Engine) throws {
    let apply = ConformanceTests.apply
    // 100 domains of one value each, one of 300 values, and one of two; the digests of the latter two are small.
    var said: [[DiagnosticContext.State]] = []
    for number in 0..<100 { said.append([.init(domain: "d\(number)", label: "x")]) }
    for number in 0..<300 {
      said.append([.init(domain: "queue", label: "v\(number)"), .init(domain: "view", label: "a")])
    }
    said.append([.init(domain: "view", label: "b")])
    said.append([])
    var generator = SeededGenerator(seed: 1)
    var seen: Set<[StateCount]> = []
    for run in 0..<4 {
      let (store, folder) = try engine.make()
      defer { withExtendedLifetime(folder) {} }
      var payloads = said.enumerated().map { number, states in
        var recorded = payload(number + 1, [apply])
        recorded.diagnostics[0].states = states
        return recorded
      }
      if run > 0 { payloads.shuffle(using: &generator) }
      for start in stride(from: 0, to: payloads.count, by: run < 2 ? 1000 : 37) {
        var part = batch([], [apply])
        part.payloads = Array(payloads[start..<min(start + (run < 2 ? 1000 : 37), payloads.count)])
        _ = try store.record(part)
      }
      let report = try store.report()
      seen.insert(report.clusters[0].states)
      #expect(try store.verify() == [])
      // Each diagnostic is in its state or among the others, and never in none.
      let all = report.clusters[0].states
      #expect(all.allSatisfy { $0.diagnostics <= $0.carrying })
    }
    #expect(seen.count == 1)
    let states = try #require(seen.first)
    #expect(states.count == 10)
    #expect(
      states.prefix(3) == [
        StateCount(domain: "view", label: "a", diagnostics: 300, carrying: 301),
        StateCount(domain: "queue", label: nil, diagnostics: 300 - 64, carrying: 300),
        StateCount(domain: nil, label: nil, diagnostics: 102 - 32, carrying: 102 - 32),
      ])
  }

  @Test("A payload that comes again changes nothing", arguments: Engine.all)
  func idempotence(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let events = [ConformanceTests.apply, ConformanceTests.total]
    let first = batch([payload(1, events), payload(1, events)], events)
    #expect(try store.record(first).duplicatePayloads == [payload(1, []).digest])
    let report = try store.report()
    let again = try store.record(first)
    #expect(again.acceptedPayloads == 0 && again.diagnostics == 0 && again.duplicatePayloads.count == 2)
    #expect(try store.report() == report)
    #expect(try store.known(payloads: [payload(1, []).digest, payload(9, []).digest]) == [payload(1, []).digest])
  }

  @Test("The order and the cutting of batches do not matter", arguments: Engine.all)
  func order(engine: Engine) throws {
    var random = SeededGenerator(seed: 1)
    var events: [Event] = []
    for number in 0..<12 {
      var event = Event(
        function: "Shop.f\(number % 5)()", build: "\(number % 3)", system: "iPhone OS 18.\(number % 2) (A)")
      event.time = number % 4 == 0 ? nil : "2026-04-\(10 + number) 10:30:00"
      event.isSymbolicated = number != 7
      events.append(event)
    }
    let payloads = (0..<60).map { number in
      payload(
        number, (0..<Int(random.next() % 4)).compactMap { _ in events.randomElement(using: &random) },
        number % 3 == 0 ? .v2 : .v1)
    }
    var reports: [StoreReport] = []
    for round in 0..<6 {
      let (store, folder) = try engine.make()
      defer { withExtendedLifetime(folder) {} }
      var rest = round == 0 ? payloads : payloads.shuffled(using: &random)
      while !rest.isEmpty {
        let count = min(rest.count, 1 + Int(random.next() % 30))
        _ = try store.record(batch(Array(rest.prefix(count)), events))
        rest.removeFirst(count)
      }
      reports.append(try store.report())
      #expect(try store.verify() == [])
    }
    #expect(reports[0].clusters.count > 3)
    for report in reports { #expect(report == reports[0]) }
  }

  @Test("A batch is recorded wholly or not at all", arguments: Engine.all)
  func atomicity(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let before = try store.report()
    let incomplete = batch(
      [payload(1, [ConformanceTests.apply]), payload(2, [ConformanceTests.total])], [ConformanceTests.apply])
    #expect(throws: SignatureStoreError.missingDerivation(rawStack: ConformanceTests.total.rawStack.key.hex)) {
      try store.record(incomplete)
    }
    #expect(try store.report() == before)
    #expect(try store.known(rawStacks: [ConformanceTests.apply.rawStack.key]) == [])
  }

  @Test("Late symbols move raw stacks to their signature, no count moves, aliases stay", arguments: Engine.all)
  func lateSymbols(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    var old = ConformanceTests.apply
    old.isSymbolicated = false
    var new = old
    new.build = "2"
    _ = try store.record(batch([payload(1, [old]), payload(2, [old]), payload(3, [new])], [old, new]))
    let before = try store.report()
    #expect(before.clusters.count == 2 && before.clusters.allSatisfy(\.isProvisional))
    #expect(before.missingImages.map(\.debugID) == [Event.image("1"), Event.image("2")])
    #expect(before.missingImages.map(\.diagnostics) == [2, 1] && before.missingImages[0].name == "Shop")
    let waiting = try store.rawStacks(.waitingFor(try #require(Event.image("1"))), after: nil, limit: 9)
    #expect(waiting.map(\.key) == [old.rawStack.key] && waiting.map(\.stack) == [old.rawStack])

    let provisional = (old.signature, new.signature)
    old.isSymbolicated = true
    new.isSymbolicated = true
    let outcome = try store.remap(derivations([old, new]))
    let final = old.signature
    #expect(final == new.signature)
    #expect(outcome.moved == 2)
    #expect(
      outcome.aliases
        == [
          SignatureAlias(old: provisional.0, new: final, kind: .renamed),
          SignatureAlias(old: provisional.1, new: final, kind: .joined),
        ].sorted())
    let report = try store.report()
    // The cluster keeps the id under which most of it was known.
    #expect(report.clusters.map(\.id) == [provisional.0])
    #expect(report.clusters[0].signatures == [final] && report.clusters[0].diagnostics == 3)
    #expect(report.clusters[0].aliases == [provisional.1])
    #expect(!report.clusters[0].isProvisional && report.missingImages == [])
    #expect(report.cohorts == before.cohorts && report.payloads == before.payloads)
    for id in [provisional.0, provisional.1, final] { #expect(try store.resolve(signature: id) == [final]) }
    #expect(try store.resolve(signature: "sig-0000000000000000") == [])
    #expect(try store.rawStacks(.waitingFor(try #require(Event.image("1"))), after: nil, limit: 9) == [])
    // A second time nothing is left to do.
    #expect(try store.remap(derivations([old, new])) == RemapOutcome())
    #expect(try store.verify() == [])
  }

  @Test("Late symbols that lead to a known signature join its cluster", arguments: Engine.all)
  func joining(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    var late = Event(function: ConformanceTests.apply.function, build: "2", isSymbolicated: false)
    _ = try store.record(
      batch([payload(1, [ConformanceTests.apply]), payload(2, [late])], [ConformanceTests.apply, late]))
    let provisional = late.signature
    late.isSymbolicated = true
    // The next batch brings the new answer for a raw stack that is there already.
    let outcome = try store.record(batch([payload(3, [late])], [late]))
    #expect(outcome.remap.aliases == [SignatureAlias(old: provisional, new: late.signature, kind: .joined)])
    #expect(outcome.newSignatures == [])
    let report = try store.report()
    #expect(report.clusters.map(\.id) == [ConformanceTests.apply.signature])
    #expect(report.clusters[0].diagnostics == 3 && report.clusters[0].aliases == [provisional])
  }

  @Test("A signature whose raw stacks part leaves its cluster with the larger part", arguments: Engine.all)
  func dividing(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    // Two raw stacks that first rules took for one.
    let small = Event(function: "Shop.a()", build: "1")
    let large = Event(function: "Shop.b()", build: "2")
    let one = Event(function: "Shop.one()")
    var first = derivations([small, large])
    for key in first.keys { first[key]?.signature = one.derivation.signature }
    _ = try store.record(
      Batch(payloads: [payload(1, [small]), payload(2, [large]), payload(3, [large])], derivations: first))
    let outcome = try store.remap(derivations([small, large]))
    #expect(outcome.aliases.map(\.kind) == [.divided, .divided])
    let report = try store.report()
    #expect(report.clusters.map(\.id) == [one.signature, small.signature])
    #expect(report.clusters[0].signatures == [large.signature])
    #expect(try store.resolve(signature: one.signature) == [small.signature, large.signature].sorted())
  }

  @Test("Each diagnostic can be followed to its cluster, and raw stacks can be paged through", arguments: Engine.all)
  func following(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let events = (0..<25).map { Event(function: "Shop.f\($0)()") }
    _ = try store.record(batch([payload(1, [events[3], events[4]]), payload(2, events)], events))
    let assignments = try store.assignments(of: [payload(1, []).digest])
    #expect(assignments.map(\.diagnostic) == [0, 1])
    #expect(assignments.map(\.signature) == [events[3].signature, events[4].signature])
    #expect(assignments.map(\.cluster) == assignments.map(\.signature))
    #expect(assignments.map(\.rawStack) == [events[3].rawStack.key, events[4].rawStack.key])
    #expect(assignments.allSatisfy { $0.build == "1" && $0.kind == .crash && !$0.isProvisional })
    var keys: [ContentDigest] = []
    while case let page = try store.rawStacks(.all, after: keys.last, limit: 10), !page.isEmpty {
      for stored in page { #expect(stored.stack.key == stored.key) }
      keys += page.map(\.key)
    }
    #expect(keys == events.map(\.rawStack.key).sorted())
    #expect(try store.known(rawStacks: keys) == Set(keys))
  }

  @Test("Texts from strangers are values, never parts of a command", arguments: Engine.all)
  func hostileTexts(engine: Engine) throws {
    let (store, folder) = try engine.make()
    defer { withExtendedLifetime(folder) {} }
    let text = "x'); DROP TABLE payloads; --\u{0}\u{1f}\"é"
    let event = Event(function: text, build: text, system: text, time: text)
    _ = try store.record(batch([payload(1, [event])], [event]))
    let report = try store.report()
    #expect(report.diagnostics == 1 && report.clusters.count == 1)
    #expect(report.clusters[0].firstSeen == nil)
    #expect(report.cohorts[0].build.build?.hasPrefix("x'); DROP TABLE payloads; --") == true)
    #expect(try store.verify() == [])
  }
}

@Suite("What diagnostics say about time and system")
struct ReadingTests {
  @Test(
    "Times",
    arguments: [
      ("2020-10-11 03:59:00 +0000", "2020-10-11T03:59:00Z", true),
      ("2022-10-24 08:16:00", "2022-10-24T08:16:00Z", false),
      ("2026-04-19 10:30:00.0000 +0000", "2026-04-19T10:30:00Z", true),
      ("2026-03-01T00:30:00+02:00", "2026-02-28T22:30:00Z", true),
      ("2024-02-29T23:59:60Z", "2024-03-01T00:00:00Z", true),
      ("1970-01-01 00:00:00 -0130", "1970-01-01T01:30:00Z", true),
      ("9999-12-31 23:59:59 +0000", "9999-12-31T23:59:59Z", true),
    ])
  func times(text: String, expected: String, isZoneKnown: Bool) throws {
    let time = try #require(PointInTime(parsing: text))
    #expect(time.text == expected && time.isZoneKnown == isZoneKnown)
  }

  @Test(
    "Texts that are no times",
    arguments: [
      "", "yesterday", "2020-13-11 03:59:00", "2020-10-11 03:59", "2020-10-11 25:59:00", "2020-10-11 03:59:00 PST",
      "20-10-2011 03:59:00 AM +0000",
    ])
  func noTimes(text: String) {
    #expect(PointInTime(parsing: text) == nil)
  }

  @Test(
    "Systems",
    arguments: [
      ("iPhone OS 18.5 (22F76)", "iPhone OS", "18.5", "22F76"), ("macOS 12.2 (21D49)", "macOS", "12.2", "21D49"),
      ("17.0", nil, "17.0", nil), ("iPadOS", "iPadOS", nil, nil), ("", nil, nil, nil),
    ] as [(String, String?, String?, String?)])
  func systems(text: String, platform: String?, version: String?, build: String?) {
    #expect(OperatingSystem(parsing: text) == OperatingSystem(platform: platform, version: version, build: build))
  }
}
