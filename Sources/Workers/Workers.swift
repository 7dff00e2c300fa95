internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs independent pieces of work on a fixed number of threads.
///
/// Results come back in the order of the pieces, whatever thread did which: the number of workers never changes a
/// byte of the output.
public struct Workers: Sendable, Hashable {
  /// How many threads.
  public let count: Int

  /// `count` threads; at least one, by default one for each core that is online.
  public init(_ count: Int = Workers.coreCount) { self.count = max(1, count) }

  /// The number of cores that are online, whether or not this process may use them all.
  public static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs `body` on each piece number in `0..<pieces` with a state that `makeState` makes once for each thread.
  ///
  /// The first error in piece order is thrown; pieces after it may or may not have run.
  public func map<State, Result: Sendable, Failure: Error>(
    _ pieces: Int, makeState: @Sendable () throws(Failure) -> State,
    _ body: @Sendable (inout State, Int) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    let shared = Mutex(Progress<Result, Failure>(pieces))
    DispatchQueue.concurrentPerform(iterations: min(count, max(1, pieces))) { _ in
      do throws(Failure) {
        var state = try makeState()
        while let piece = shared.withLock({ $0.takeNext() }) {
          do throws(Failure) {
            let result = try body(&state, piece)
            shared.withLock { $0.results[piece] = result }
          } catch {
            shared.withLock { $0.fail(error, at: piece) }
          }
        }
      } catch {
        shared.withLock { $0.fail(error, at: -1) }
      }
    }
    return try shared.withLock { progress throws(Failure) in
      if let failure = progress.failure { throw failure.error }
      return progress.results.compactMap { $0 }
    }
  }
}

private struct Progress<Result: Sendable, Failure: Error> {
  var next = 0
  var results: [Result?]
  var failure: (error: Failure, piece: Int)?

  init(_ pieces: Int) { results = Array(repeating: nil, count: pieces) }

  mutating func takeNext() -> Int? {
    guard failure == nil, next < results.count else { return nil }
    defer { next += 1 }
    return next
  }

  mutating func fail(_ error: Failure, at piece: Int) {
    if let known = failure, known.piece <= piece { return }
    failure = (error, piece)
  }
}
