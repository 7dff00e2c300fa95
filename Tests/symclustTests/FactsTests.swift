import JSON
import TestSupport
import Testing

@Suite("Decisions about clusters on the command line", .enabled(if: programIsBuilt, programAbsence))
struct FactsTests {
  private func line(_ id: Int, _ name: String) -> String {
    #"{"schema":"symclust.stack/1","id":"\#(id)","kind":"crash","build":"1","reason":{"signal":11},"threads":[{"frames":[{"function":"\#(name)"},{"function":"S.Screen\#(id).tapped()"}]}]}"#
  }

  /// A store with three clusters, and their ids, the largest first.
  private func filled() throws -> (store: Store, ids: [String]) {
    let store = try Store()
    let names = ["S.Cart.apply()", "S.Mail.send()", "S.Photo.open()"]
    let path = store.folder.write(
      Array(names.enumerated().map { line($0, $1) }.joined(separator: "\n").utf8), to: "s.jsonl")
    let clusters = try #require(try store.report([path])["clusters"]?.array)
    return (store, clusters.compactMap { $0["id"]?.string })
  }

  private func shown(_ store: Store) throws -> [String] {
    (try store.run("signatures", "list", "--json").json()["clusters"]?.array ?? []).compactMap { $0["id"]?.string }
      .sorted()
  }

  @Test("are told, listed and taken back, and every id leads to its cluster")
  func decisions() throws {
    let (store, ids) = try filled()
    try #require(ids.count == 3)
    let (first, second, third) = (ids[0], ids[1], ids[2])
    #expect(store.run("signatures", "facts").text == "No facts.\n")
    let before = try shown(store)
    #expect(store.run("signatures", "merge", first, second).text == "Fact 1: \(second) is shown as \(first).\n")
    #expect(try shown(store) == [first, third].sorted())
    #expect(try store.run("signatures", "show", second, "--json").json()["id"]?.string == first)
    let again = store.run("signatures", "merge", first, second)
    #expect(again.code == 0 && again.text == "Nothing changed: they are one cluster already: \(first).\n")
    #expect(store.run("signatures", "alias", "BUG-1204", third).code == 0)
    #expect(try store.run("signatures", "show", "BUG-1204", "--json").json()["id"]?.string == third)
    #expect(store.run("signatures", "pin", second, "BUG-1204").code == 0)
    #expect(store.run("signatures", "undo", "3").text == "Fact 4: fact 3 is taken back.\n")
    #expect(store.run("signatures", "undo", "1").code == 0)
    #expect(try shown(store) == before)
    let list = store.run("signatures", "facts").text
    #expect(list.contains("\(second) is shown as \(first); taken back by fact 5"))
    #expect(list.contains("BUG-1204 leads to \(third)"))
  }

  @Test("keep their schemas")
  func documents() throws {
    let (store, ids) = try filled()
    let single = try SchemaChecker(named: "fact")
    for arguments in [["merge", ids[0], ids[1]], ["merge", ids[0], ids[1]], ["split", ids[1]], ["undo", "1"]] {
      let outcome = symclust(["signatures"] + arguments + ["--json", "--store", store.path])
      #expect(outcome.code == 0, "\(outcome.errorText)")
      #expect(try single.problems(outcome.json()) == [])
    }
    let facts = try store.run("signatures", "facts", "--json").json()
    #expect(try SchemaChecker(named: "facts").problems(facts) == [])
    #expect(facts["facts"]?.array?.map { $0["kind"]?.string } == ["merge", "split", "undo"])
    #expect(facts["facts"]?.array?.first?["ended_by"]?.int == 3)
  }

  @Test("that cannot be are refused with code 1, the id and what to do")
  func refusals() throws {
    let (store, ids) = try filled()
    for arguments in [
      ["merge", ids[0], "sig-x"], ["split", "sig-x"], ["pin", "sig-x", ids[0]], ["pin", ids[0], "sig-x"],
      ["alias", "BUG-1", "sig-x"],
    ] {
      let outcome = symclust(["signatures"] + arguments + ["--store", store.path])
      #expect(outcome.code == 1)
      #expect(
        outcome.errorText.contains("sig-x is no cluster and no signature of this store; see 'symclust signatures list'")
      )
    }
    let alias = store.run("signatures", "alias", ids[0], ids[1])
    #expect(alias.code == 1 && alias.errorText.contains("\(ids[0]) is an id of this store"))
    let undo = store.run("signatures", "undo", "7")
    #expect(undo.code == 1 && undo.errorText.contains("there is no fact 7; see 'symclust signatures facts'"))
    #expect(store.run("signatures", "merge", ids[0]).code == 64)
    #expect(store.run("signatures", "undo", "none").code == 64)
    #expect(store.run("signatures", "facts").text == "No facts.\n")
  }
}
