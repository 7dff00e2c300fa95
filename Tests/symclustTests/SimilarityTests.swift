import JSON
import TestSupport
import Testing

@Suite("Near duplicates in the report", .enabled(if: programIsBuilt, programAbsence))
struct SimilarityTests {
  private func line(_ id: Int, _ names: [String]) -> String {
    let frames = names.map { #"{"function":"\#($0)"}"# }.joined(separator: ",")
    return
      #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","build":"1","reason":{"signal":11},"threads":[{"frames":[\#(frames)]}]}"#
  }

  private func names(_ first: String, _ third: String = "S.Screen.tapped()") -> [String] {
    [first, "S.Cart.check()", third, "S.Router.open()", "S.Scene.start()", "S.App.run()"]
  }

  /// Two near duplicates, the first of them twice, a similar stack, and a stranger.
  private var lines: [String] {
    [
      line(1, names("S.Cart.apply(coupon:)")), line(2, names("S.Cart.apply(code:)")),
      line(3, names("S.Cart.apply(coupon:)", "S.Link.follow()")), line(4, ["S.Mail.send()", "S.Outbox.flush()"]),
      line(5, names("S.Cart.apply(coupon:)")),
    ]
  }

  @Test("are one cluster with several signatures; what is only similar is suggested on both sides")
  func report() throws {
    let store = try Store()
    let path = store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "s.jsonl")
    let report = try store.report([path])
    #expect(try SchemaChecker(named: "cluster-report").problems(report) == [])
    #expect(report["run"]?.count("joined_signatures") == 1)
    let clusters = try #require(report["clusters"]?.array)
    #expect(clusters.map { $0.count("diagnostics") } == [3, 1, 1])
    #expect(clusters.map { $0["signatures"]?.array?.count } == [2, 1, 1])
    // The name and the frames are those of the most frequent signature.
    #expect(clusters[0]["tokens"] == .array((clusters[0]["frames"]?.array ?? []).compactMap { $0["token"] }))
    #expect(clusters[0]["tokens"]?.array?.first?.string?.hasSuffix("S.Cart.apply(coupon:)") == true)
    let suggested = clusters.map { $0["suggested_merges"]?.array ?? [] }
    #expect(suggested.map(\.count).sorted() == [0, 1, 1])
    #expect(
      suggested[0].first?["cluster"]
        == clusters.first { $0["id"] != clusters[0]["id"] && $0["suggested_merges"]?.array?.isEmpty == false }?["id"])
    let text = store.run("cluster", path).text
    #expect(text.contains("2 signatures\n"))
    #expect(text.contains("maybe one with sig-"))
  }

  @Test("give the same bytes in any order and on any number of threads, and none with --similarity off")
  func bytes() throws {
    var random = SeededGenerator(seed: 8)
    var outputs: Set<String> = []
    for round in 0..<8 {
      let store = try Store()
      let shuffled = lines.shuffled(using: &random)
      let path = store.folder.write(Array(shuffled.joined(separator: "\n").utf8), to: "s.jsonl")
      outputs.insert(store.run("cluster", "--json", "--jobs", "\(1 + round % 2)", path).text)
    }
    #expect(outputs.count == 1)
    let store = try Store()
    let path = store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "s.jsonl")
    let report = try store.report([path], ["--similarity", "off"])
    #expect(report["clusters"]?.array?.count == 4)
    #expect(report["clusters"]?.array?.allSatisfy { $0["suggested_merges"]?.array?.isEmpty == true } == true)
  }
}
