import JSON
import TestSupport
import Testing

/// R-03's other half: the store is a function of what came, and not of the order in which it came.
@Suite("All orders of upload and cluster", .enabled(if: programIsBuilt, programAbsence))
struct ReprocessOrderTests {
  /// One step of a store's life.
  private struct Step {
    var name: String
    var arguments: [String]
  }

  /// Two builds' symbols and two parts of the diagnostics of all three, each with crashes and hangs of each build.
  private func steps(_ folder: TemporaryFolder) throws -> [Step] {
    let names = files(below: Sample.diagnostics + "/single")
    let parts = (0..<2).map { part in
      names.indices.filter { $0 % 2 == part && $0 % 5 < 3 }.map { "\(Sample.diagnostics)/single/\(names[$0])" }
    }
    return Sample.builds.suffix(2).map { build in
      Step(name: "upload \(build.folder)", arguments: ["upload-symbols", "\(Sample.symbols)/\(build.folder)"])
    }
      + parts.enumerated().map { number, files in
        Step(name: "cluster \(number)", arguments: ["cluster", "--top", "0"] + files)
      }
  }

  @Test(
    "give one mapping; with reprocess --all one store, byte for byte; and each id that was told leads to what it became"
  )
  func orders() throws {
    let folder = try #require(TemporaryFolder("orders"))
    let steps = try steps(folder)
    var contents: Set<String> = []
    var mappings: Set<String> = []
    var leaves = 0
    // Each way begins where a shorter one ended.
    var pending: [(store: Store, done: [Int], told: Set<String>)] = [(try Store(), [], [])]
    while let (store, done, told) = pending.popLast() {
      if done.count == steps.count {
        leaves += 1
        mappings.insert(try mapping(store))
        let outcome = store.run("reprocess", "--all")
        #expect(outcome.code == 0, "\(outcome.errorText)")
        contents.insert(try store.dump())
        let lost = try told.subtracting(known(store, steps[steps.count - 1].arguments[3]))
        #expect(lost.isEmpty, "after \(done.map { steps[$0].name })")
        continue
      }
      for next in steps.indices where !done.contains(next) {
        let copy = done.isEmpty ? try Store() : try store.copy()
        let outcome = symclust(steps[next].arguments + ["--store", copy.path])
        #expect(outcome.code == 0 || outcome.code == 3, "\(outcome.errorText)")
        pending.append((copy, done + [next], told.union(try self.told(copy))))
      }
    }
    #expect(leaves == 24)
    #expect(mappings.count == 1)
    #expect(contents.count == 1)
    // And an empty store that gets everything at once needs no reprocessing at all.
    let fresh = try Store()
    for step in steps.prefix(2) { _ = symclust(step.arguments + ["--store", fresh.path]) }
    let all = steps.suffix(2).flatMap { $0.arguments.dropFirst(3) }
    _ = symclust(["cluster", "--top", "0", "--store", fresh.path] + all)
    #expect(contents == [try fresh.dump()])
  }

  /// What raw stacks mean, and who waits for what: this needs no `--all` to be the same.
  private func mapping(_ store: Store) throws -> String {
    try store.dump().split(separator: "\n").filter {
      $0.hasPrefix("mapping ") || $0.hasPrefix("waits ") || $0.hasPrefix("symbols ") || $0.hasPrefix("diagnostics ")
    }.joined(separator: "\n")
  }

  /// The ids that the store shows now: signatures and clusters.
  private func told(_ store: Store) throws -> Set<String> {
    guard files(below: store.path).contains("symclust.sqlite") else { return [] }
    let lines = try store.dump().split(separator: "\n").filter { $0.hasPrefix("signatures ") }
    return Set(lines.flatMap { $0.split(separator: "'").filter { $0.hasPrefix("sig-") } }.map(String.init))
  }

  /// The ids that the report shows, and those that lead to them.
  private func known(_ store: Store, _ file: String) throws -> Set<String> {
    var known: Set<String> = []
    for cluster in try store.report([file])["clusters"]?.array ?? [] {
      let others = (cluster["signatures"]?.array ?? []) + (cluster["aliases"]?.array ?? [])
      known.formUnion(([cluster["id"] ?? .null] + others).compactMap(\.string))
    }
    return known
  }
}
