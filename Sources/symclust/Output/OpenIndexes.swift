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
  private let state = Mutex(State())

  init(of store: SymbolStore) { self.store = store }

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
      let index = try store.index(of: id) { damage = "\($0); it was rebuilt from the retained files" }
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
}
