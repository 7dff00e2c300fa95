import Bytes
import Files
import Identity
import TestSupport
import Testing

@testable import SymbolStore

/// What is removed from a store, what stays, and what is left when removing dies.
@Suite struct Garbage {
  private static let old = BuildName(app: "a", version: "1", build: "1")
  private static let middle = BuildName(app: "a", version: "1", build: "2")
  private static let new = BuildName(app: "a", version: "1", build: "3")

  private let test: TestStore

  init() throws { test = try Self.filled() }

  /// Images 1 and 2 in the old build, 2 and 3 in the middle one, 3 and 4 in the new one, and 5 in none.
  private static func filled() throws -> TestStore {
    let test = try TestStore()
    for (build, images) in [(old, [1, 2]), (middle, [2, 3]), (new, [3, 4]), (nil, [5])] as [(BuildName?, [UInt8])] {
      for image in images { try test.upload(Sample.dsym(uuid: image), as: "App\(image)", build: build) }
    }
    return test
  }

  private func id(_ number: UInt8) throws -> DebugID {
    try #require(DebugID(bytes: [UInt8](repeating: number, count: 16)))
  }

  private func rules(newest: Int = 0, shipped: Set<ShippedBuild> = []) -> GarbageRules {
    GarbageRules(newestBuilds: newest, since: .max, shipped: shipped)
  }

  private func kept(_ rules: GarbageRules) throws -> [DebugID] {
    try test.store().garbage(rules).kept.map(\.record.debugID)
  }

  @Test func `A-56 an image stays as long as one build needs it`() throws {
    let store = try test.store()
    var pins = SymbolPins()
    pins.builds = [Self.middle]
    try store.set(pins)
    let plan = try store.garbage(rules())
    #expect(try plan.kept.map(\.record.debugID) == [id(2), id(3)])
    #expect(try plan.removed.map(\.record.debugID) == [id(1), id(4), id(5)])
    #expect(plan.builds == [])
    try store.remove(plan)
    #expect(try store.index(of: id(2)) != nil)
    #expect(try store.index(of: id(1)) == nil)
    #expect(try store.audit() == [])
    // What the other builds lost is told to be gone on purpose.
    let gone = try store.verification(of: id(1), name: "App1", isApp: true, among: [:])
    #expect(gone.status == .missing && gone.reason?.contains("symbols gc") == true)
  }

  @Test func `a build of which nothing stays goes with its manifest`() throws {
    let store = try test.store()
    let plan = try store.garbage(rules(newest: 1))
    #expect(plan.builds == [Self.old])
    try store.remove(plan)
    #expect(try store.manifests().map(\.build) == [Self.middle, Self.new])
  }

  @Test func `a build that is out stays, also when diagnostics do not say all of its name`() throws {
    func shipped(_ app: String?, _ version: String?, _ build: String?) throws -> [DebugID] {
      try kept(rules(shipped: [ShippedBuild(app: app, version: version, build: build)]))
    }
    #expect(try shipped("a", "1", "2") == [id(2), id(3)])
    #expect(try shipped(nil, nil, "2") == [id(2), id(3)])
    #expect(try shipped("a", "1", nil) == [id(1), id(2), id(3), id(4)])
    #expect(try shipped("b", "1", "2") == [])
    #expect(try shipped("a", nil, nil) == [])
  }

  @Test func `images that came again are removed images no longer`() throws {
    let store = try test.store()
    try store.remove(store.garbage(rules()))
    #expect(try store.removedImages().images.count == 5)
    try test.upload(Sample.dsym(uuid: 5), as: "App5", build: Self.new)
    #expect(try store.verification(of: id(5), name: nil, isApp: true, among: [:]).status == .found)
    try store.remove(store.garbage(rules(newest: 1)))
    try test.upload(Sample.dsym(uuid: 6), as: "App6")
    try store.remove(store.garbage(rules(newest: 1)))
    #expect(try store.removedImages().images.keys.sorted() == [id(1), id(2), id(3), id(4), id(6)])
  }

  @Test func `whatever dies when, each image is there or not, and another removal ends the same`() throws {
    let whole = test
    let plan = try whole.store().garbage(rules(newest: 1))
    let count = try whole.store().steps(of: plan).count
    try whole.store().remove(plan)
    #expect(count > 10)
    for died in 0..<count {
      let test = try Self.filled()
      let store = try test.store()
      let steps = try store.steps(of: store.garbage(rules(newest: 1)))
      for step in steps.prefix(died) { try store.perform(step) }
      let listed = Set(try store.records().map(\.debugID))
      for number in UInt8(1)...5 {
        #expect(try (store.index(of: id(number)) != nil) == listed.contains(id(number)), "after \(died) steps")
        #expect(try (store.detail(of: id(number)) != nil) == listed.contains(id(number)))
      }
      // An index is removed before its record: the one thing that may be missing, and it is rebuilt.
      let damage = try store.audit().filter { $0.severity == .damage }
      #expect(damage.allSatisfy { $0.problem == "the index is missing" } && damage.count <= 1)
      try store.remove(store.garbage(rules(newest: 1)))
      #expect(test.files == whole.files, "after \(died) steps")
    }
  }

  @Test func `a store with a damaged record or manifest is not touched`() throws {
    for ending in ["images", "builds"] {
      let test = try Self.filled()
      let name = try #require(TestSupport.files(below: test.root + "/symbols/" + ending).first)
      test.folder.write(Array("{}".utf8), to: "store/symbols/\(ending)/\(name)")
      let before = test.files
      #expect(throws: StoreError.self) { try test.store().garbage(rules()) }
      #expect(test.files == before)
    }
  }
}
