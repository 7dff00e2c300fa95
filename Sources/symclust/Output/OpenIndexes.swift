import Files
import Identity
import SymbolIndex
import SymbolStore
import Symbolication
import Synchronization

/// The indexes that a run has asked for: each is opened and checked once, a damaged one is built anew once.
///
/// Threads share it. The store may gain symbols meanwhile; the run goes on with what it saw first, so that all of its
/// answers fit together. Cost of each first question: the checksums of the whole index.
final class OpenIndexes: Sendable {
  private struct State {
    var indexes: [DebugID: IndexAvailability] = [:]
    var damage: Set<String> = []
    var isLasting = false
  }

  private let store: SymbolStore
  private let borrower: SymbolBorrower?
  private let state = Mutex(State())

  /// The indexes of `store`; with `borrower` also of images that it does not retain.
  init(of store: SymbolStore, borrowing borrower: SymbolBorrower? = nil) {
    self.store = store
    self.borrower = borrower
  }

  /// What was found damaged while other work went on, sorted, each once.
  var damage: [String] { state.withLock { $0.damage.sorted() } }

  /// Whether some of it could not be worked around.
  var isLasting: Bool { state.withLock(\.isLasting) }

  /// What the store has for an image; it counts as unusable when it is damaged and cannot be built anew.
  func availability(of id: DebugID) -> IndexAvailability {
    if let known = state.withLock({ $0.indexes[id] }) { return known }
    // Not under the lock: building anew takes its time, and other images need not wait for it.
    var found: IndexAvailability
    var damage: String?
    var isLasting = false
    do throws(StoreError) {
      let index: SymbolIndex?
      func heard(_ error: StoreError) { damage = "\(error); it was rebuilt from the retained files" }
      if let borrower {
        index = try borrower.index(of: id, onDamage: heard)
      } else {
        index = try store.index(of: id, onDamage: heard)
      }
      found = index.map(IndexAvailability.available) ?? .missing
    } catch {
      damage = error.description
      isLasting = true
      found = .unusable(error.description)
    }
    return state.withLock { state in
      if let damage { state.damage.insert(damage) }
      state.isLasting = state.isLasting || isLasting
      if let first = state.indexes[id] { found = first } else { state.indexes[id] = found }
      return found
    }
  }

  /// What tells one state of an image's symbols from another; `nil` when there are none, in the store and beyond it.
  func revision(of id: DebugID) -> ContentDigest? {
    // Whoever asks wants to know whether frames would get names now: so it is looked up as they are.
    if borrower != nil { _ = availability(of: id) }
    return store.revision(of: id)
  }

  /// What each source beyond the store did.
  var sourceReports: [SourceReport] { borrower?.reports ?? [] }
}
