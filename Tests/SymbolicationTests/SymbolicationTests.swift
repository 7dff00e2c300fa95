import Bytes
import Identity
import ObjectFiles
import SymbolIndex
import Symbolication
import Synchronization
import TestSupport
import Testing
import Workers

/// Places in images and what becomes of them.
@Suite struct Symbolicating {
  private let indexes: [DebugID: SymbolIndex]
  private let first: DebugID
  private let second: DebugID
  private let missing: DebugID
  private let broken: DebugID

  init() throws {
    var indexes: [DebugID: SymbolIndex] = [:]
    for file in SampleSymbols.all {
      let object = try #require(Container(ByteView.mapping(path: file.path)).objects.first)
      let source = IndexSource(object: object, digest: ContentDigest(of: object.bytes))
      let id = try #require(object.debugID)
      indexes[id] = try SymbolIndex(ByteView(IndexBuilder().build([source]).bytes))
    }
    self.indexes = indexes
    let ids = indexes.keys.sorted()
    (first, second) = (ids[0], ids[1])
    missing = try #require(DebugID(bytes: [1, 2, 3]))
    broken = try #require(DebugID(bytes: [4, 5, 6]))
  }

  private func symbolicator(workers: Int = 2) -> Symbolicator {
    let (indexes, broken) = (indexes, broken)
    return Symbolicator(
      source: { id in
        if id == broken { return .unusable("damaged") }
        return indexes[id].map { .available($0) } ?? .missing
      }, workers: Workers(workers))
  }

  /// Some places of every kind, with repetitions.
  private var places: [CodeLocation] {
    var places: [CodeLocation] = []
    for id in indexes.keys.sorted() + [missing, broken] {
      for offset in stride(from: UInt64(0x3f00), to: 0x6000, by: 92) {
        places.append(CodeLocation(image: id, offset: offset, isReturnAddress: offset % 8 == 0))
      }
    }
    places += [
      CodeLocation(image: nil, offset: 4, isReturnAddress: false),
      CodeLocation(image: first, offset: nil, isReturnAddress: true),
      CodeLocation(image: first, offset: .max, isReturnAddress: false),
    ]
    return places + places.prefix(50)
  }

  @Test func `each place has the status that its image and offset give it`() throws {
    func status(_ image: DebugID?, _ offset: UInt64?) -> FrameStatus {
      symbolicator().resolve([CodeLocation(image: image, offset: offset, isReturnAddress: false)])[0].status
    }
    let index = try #require(indexes[first])
    let known = try #require(
      stride(from: UInt64(0), to: index.imageSize, by: 4).first { offset in
        if case .frames = index.lookup(offset) { return true }
        return false
      })
    #expect(status(first, known) == .resolved)
    #expect(status(first, 0) == .noSymbol)
    #expect(status(first, index.imageSize) == .outsideImage)
    #expect(status(first, .max) == .outsideImage)
    #expect(status(missing, known) == .missingImage)
    #expect(status(broken, known) == .indexCorrupt)
    #expect(status(nil, known) == .unknownImage)
    #expect(status(first, nil) == .unknownImage)
  }

  @Test func `frames are there exactly when the place is resolved`() {
    let answers = symbolicator().resolve(places)
    #expect(answers.allSatisfy { ($0.status == .resolved) == !$0.frames.isEmpty })
    // What a report itself says is put in by others.
    #expect(Set(answers.map(\.status)) == Set(FrameStatus.allCases).subtracting([.reported]))
  }

  @Test func `each answer is that of its place alone`() {
    let batch = symbolicator().resolve(places)
    #expect(batch.count == places.count)
    for (place, answer) in zip(places, batch) { #expect(symbolicator().resolve([place]) == [answer]) }
  }

  @Test(arguments: [1, 2, 7]) func `neither the order of the places nor the number of workers matters`(workers: Int) {
    let wanted = symbolicator(workers: 1).resolve(places)
    var order = Array(places.indices)
    var state: UInt64 = 5
    for index in order.indices.reversed() {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      order.swapAt(index, Int(state >> 33) % (index + 1))
    }
    let shuffled = symbolicator(workers: workers).resolve(order.map { places[$0] })
    #expect(order.map { wanted[$0] } == shuffled)
  }

  @Test func `a place as return address is another place than as instruction`() throws {
    let index = try #require(indexes[first])
    // The first byte of a function: before it something else stands.
    let entry = try #require(
      stride(from: UInt64(4), to: index.imageSize, by: 4).first { offset in
        if case .frames(let here) = index.lookup(offset), case .frames(let before) = index.lookup(offset - 1) {
          return here.last?.function != before.last?.function
        }
        return false
      })
    let answers = symbolicator().resolve([
      CodeLocation(image: first, offset: entry, isReturnAddress: false),
      CodeLocation(image: first, offset: entry, isReturnAddress: true),
    ])
    #expect(answers[0] != answers[1])
  }

  @Test func `each image is asked for once a batch, and only when a place is in it`() {
    let asked = Mutex<[DebugID]>([])
    let (first, second) = (first, second)
    let symbolicator = Symbolicator(
      source: { id in
        asked.withLock { $0.append(id) }
        return .missing
      }, workers: Workers(4))
    _ = symbolicator.resolve(
      (0..<100).map { CodeLocation(image: $0 % 2 == 0 ? first : second, offset: $0, isReturnAddress: false) })
    #expect(asked.withLock { $0 }.sorted() == [first, second].sorted())
    _ = symbolicator.resolve([CodeLocation(image: nil, offset: 1, isReturnAddress: false)])
    #expect(asked.withLock { $0 }.count == 2)
  }

  @Test func `no places have no answers`() {
    #expect(symbolicator().resolve([]) == [])
  }
}
