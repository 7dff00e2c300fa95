import Bytes
import Glibc
import Identity
import JSON
import TestSupport
import Testing

/// `symclust signatures explain`, from outside.
@Suite("signatures explain", .enabled(if: programIsBuilt, programAbsence))
struct ExplainTests {
  private static let goldens = Corpus.repository + "/Tests/symclustTests/Explanations"
  private static let isUpdating = getenv("SYMCLUST_UPDATE_GOLDENS").map { String(cString: $0) } == "1"

  /// Sample diagnostics of every kind, by what was planted in them.
  private static let samples = [
    "crash-abort": "payload-0006", "hang-compute": "payload-0096", "disk-journal": "payload-0036",
    "launch": "payload-0186", "cpu-sync": "payload-0123",
  ]

  /// The words of an explanation are for people: `SYMCLUST_UPDATE_GOLDENS=1` writes them anew, to be read in the difference.
  @Test("says of the samples what was once read and found right", arguments: samples.keys.sorted())
  func golden(name: String) throws {
    let store = try Store()
    store.uploadSamples()
    let file = try #require(Self.samples[name])
    let told = store.run("signatures", "explain", "\(Sample.diagnostics)/single/\(file).json")
    #expect(told.code == 0, "\(told.errorText)")
    let path = "\(Self.goldens)/\(name).txt"
    if Self.isUpdating {
      let handle = try #require(fopen(path, "w"))
      defer { fclose(handle) }
      #expect(fwrite(told.output, 1, told.output.count, handle) == told.output.count)
    } else {
      #expect(String(decoding: contents(of: path) ?? [], as: UTF8.self) == told.text)
    }
  }

  private func line(_ id: Int, _ names: [String]) -> String {
    let frames = names.map { #"{"function":"\#($0)"}"# }.joined(separator: ",")
    return
      #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","build":"1","reason":{"signal":11},"threads":[{"frames":[\#(frames)]}]}"#
  }

  private func write(_ lines: [String], _ store: Store) -> String {
    store.folder.write(Array(lines.joined(separator: "\n").utf8), to: "lines.jsonl")
  }

  @Test("prints in JSON the very bytes of each key: whoever hashes them gets the ids")
  func keys() throws {
    let store = try Store()
    func id(_ prefix: String, _ fields: JSONValue?) -> String {
      let fields = (fields?.array ?? []).compactMap(\.string)
      return prefix + ContentDigest(of: Array(fields.joined(separator: "\u{1f}").utf8)).hex.prefix(16)
    }
    store.uploadSamples()
    let told = try store.run("signatures", "explain", "--json", Sample.diagnostics + "/single").jsonLines()
    #expect(told.count > 20)
    for document in told {
      let keys = try #require(document["keys"])
      #expect(keys["signature"]?["id"]?.string == id("sig-", keys["signature"]?["fields"]))
      if let blame = keys["blame"], blame != .null { #expect(blame["id"]?.string == id("blm-", blame["fields"])) }
      let bytes = try #require([UInt8](hex: keys["raw_stack"]?["bytes"]?.string ?? "?"))
      #expect(keys["raw_stack"]?["id"]?.string == ContentDigest(of: bytes).hex)
    }
  }

  @Test("explains what was counted by signature, by cluster, and by payload, all with the same words")
  func recorded() throws {
    let store = try Store()
    let names = ["S.Cart.check()", "S.Screen.tapped()", "S.Router.open()", "S.Scene.start()", "S.App.run()"]
    let file = write([line(1, ["S.Cart.apply(coupon:)"] + names), line(2, ["S.Cart.apply(code:)"] + names)], store)
    let report = try store.report([file], ["--assignments", store.folder.entry("a")])
    let cluster = try #require(report["clusters"]?[0])
    #expect(cluster["signatures"]?.array?.count == 2)
    let assignments = try jsonLinesIn(contents(of: store.folder.entry("a")) ?? [])
    for assignment in assignments {
      let payload = try #require(assignment["payload"]?.string)
      let signature = try #require(assignment["signature"]?.string)
      let outcome = store.run("signatures", "explain", "--json", signature, "\(payload.prefix(8))#0", "\(payload)#0")
      let told = try outcome.jsonLines()
      #expect(outcome.code == 0 && told.count == 3, "\(outcome.errorText)")
      for document in told {
        #expect(document["keys"]?["signature"]?["id"]?.string == signature)
        #expect(document["recorded"]?["cluster"] == assignment["cluster"])
        #expect(document["judgement"]?["recorded"]?.bool == true)
        for part in ["frames", "keys", "judgement", "title"] {
          #expect(try text(document[part]) == text(told[0][part]))
        }
      }
      #expect(told.map { $0["attribution"] == .null } == [true, false, false])
    }
    let shown = store.run("signatures", "explain", file).text
    #expect(
      shown.contains("S.Cart.apply(coupon:)  ~  S.Cart.apply(code:)")
        || shown.contains("S.Cart.apply(code:)  ~  S.Cart.apply(coupon:)"))
    #expect(shown.contains("It joined a cluster"))
  }

  @Test("follows an old id to what it became and shows each step")
  func aliases() throws {
    let store = try Store()
    let before = try store.report([Sample.diagnostics])
    store.uploadSamples()
    let after = try store.report([Sample.diagnostics])
    let live = Set((after["clusters"]?.array ?? []).flatMap { $0["signatures"]?.array ?? [] }.compactMap(\.string))
    let old = (before["clusters"]?.array ?? []).flatMap { $0["signatures"]?.array ?? [] }.compactMap(\.string)
    let gone = try #require(old.first { !live.contains($0) })
    let told = try store.run("signatures", "explain", "--json", gone).jsonLines()
    #expect(!told.isEmpty)
    for document in told {
      let steps = try #require(document["aliases"]?.array)
      #expect(steps.first?["old"]?.string == gone)
      #expect(steps.last?["new"] == document["keys"]?["signature"]?["id"])
      #expect(live.contains(document["keys"]?["signature"]?["id"]?.string ?? ""))
    }
    #expect(store.run("signatures", "explain", gone).text.contains("Former ids\n  \(gone) -> sig-"))
  }

  @Test("says of every id that leads nowhere why, explains the others, and never takes an id for a file")
  func nowhere() throws {
    let store = try Store()
    let file = write([line(1, ["S.f()", "S.g()"])], store)
    #expect(store.run("signatures", "explain", "sig-0000000000000000").errorText.contains("no store"))
    _ = try store.report([file])
    for (wanted, reason) in [
      ("sig-0000000000000000", "is no signature and no cluster"), ("sig-", "is no signature and no cluster"),
      ("blm-0000000000000000", "is a blame key"), ("0000#0", "no payload of this store begins with 0000"),
      ("/absent", "/absent"), ("sig-'; DROP TABLE aliases", "is no signature"),
    ] {
      let alone = store.run("signatures", "explain", wanted)
      #expect(alone.code == 1 && alone.text.isEmpty && alone.errorText.contains(reason), "\(alone.errorText)")
      let along = store.run("signatures", "explain", wanted, file)
      #expect(along.code == 3 && !along.text.isEmpty && along.errorText.contains(reason))
    }
    let told = try store.run("signatures", "explain", "--json", file).jsonLines()
    let payload = try #require(told.first?["payload"]?.string)
    let none = store.run("signatures", "explain", payload + "#7")
    #expect(none.code == 1 && none.errorText.contains("has no diagnostic 7"))
    #expect(store.run("signatures", "explain").code == 64)
  }

  @Test("needs no store for files, makes none, and shows long stacks up to a note unless all is asked for")
  func long() throws {
    let store = try Store()
    let lines = [line(1, (0..<90).map { "S.f\($0)()" })]
    let input = Array(lines[0].utf8)
    let short = store.run("signatures", "explain", "-", input: input)
    #expect(short.code == 0 && short.text.contains("… and 50 more; see --all"))
    let all = store.run("signatures", "explain", "-", "--all", input: input)
    #expect(!all.text.contains("see --all") && all.text.contains("S.f89()"))
    #expect(!all.text.contains("\nCluster "))
    #expect(try store.run("signatures", "explain", "-", "--json", input: input).jsonLines()[0]["judgement"] == .null)
    #expect(contents(of: store.path + "/symclust.sqlite") == nil)
  }
}
