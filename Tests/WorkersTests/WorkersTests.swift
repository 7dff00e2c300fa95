import Synchronization
import Testing
import Workers

@Suite struct WorkerMaps {
  private struct Failure: Error, Equatable {
    var piece: Int
  }

  @Test(arguments: [1, 2, 3, 16], [0, 1, 2, 100, 1_000])
  func `results stand in the order of the pieces`(workers: Int, pieces: Int) {
    let results = Workers(workers).map(pieces) {
    } _: { _, piece in
      piece * piece
    }
    #expect(results == (0..<pieces).map { $0 * $0 })
  }

  @Test(arguments: [1, 2, 7]) func `the first error in piece order is thrown, whichever thread met it`(workers: Int) {
    for _ in 0..<20 {
      #expect(throws: Failure(piece: 17)) {
        try Workers(workers).map(200) { () throws(Failure) in
        } _: { (_, piece) throws(Failure) -> Int in
          if piece >= 17, piece % 2 == 1 { throw Failure(piece: piece) }
          return piece
        }
      }
    }
  }

  @Test func `an error while a state is made is thrown`() {
    #expect(throws: Failure(piece: -5)) {
      try Workers(4).map(10) { () throws(Failure) -> Int in
        throw Failure(piece: -5)
      } _: { (_, piece) throws(Failure) -> Int in
        piece
      }
    }
  }

  @Test(arguments: [1, 3]) func `each thread has one state of its own, and no more threads than asked run`(workers: Int)
  {
    let states = Atomic(0)
    let results = Workers(workers).map(100) {
      states.wrappingAdd(1, ordering: .relaxed).newValue
    } _: { (state: inout Int, piece: Int) in
      state
    }
    let made = states.load(ordering: .relaxed)
    #expect((1...workers).contains(made))
    #expect(Set(results).isSubset(of: Set(1...made)))
  }

  @Test func `every piece runs exactly once`() {
    let runs = Mutex([Int](repeating: 0, count: 500))
    _ = Workers(4).map(500) {
    } _: { _, piece in
      runs.withLock { $0[piece] += 1 }
    }
    #expect(runs.withLock { $0 } == [Int](repeating: 1, count: 500))
  }

  @Test(arguments: [-3, 0, 1]) func `there is always at least one worker`(count: Int) {
    #expect(Workers(count).count == 1)
    #expect(Workers.coreCount >= 1)
  }
}
