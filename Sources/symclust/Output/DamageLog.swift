import Files
import Identity
import SymbolStore
import Symbolication
import Synchronization

/// What was found damaged in a store while other work went on; threads add to it.
final class DamageLog: Sendable {
  private let found = Mutex<(texts: Set<String>, isLasting: Bool)>(([], false))

  /// The findings, sorted, each once.
  var texts: [String] { found.withLock { $0.texts.sorted() } }

  /// Whether something could not be worked around.
  var isLasting: Bool { found.withLock(\.isLasting) }

  func add(_ text: String, isLasting: Bool = false) {
    found.withLock {
      $0.texts.insert(text)
      $0.isLasting = $0.isLasting || isLasting
    }
  }
}

extension SymbolStore {
  /// What the store has for an image; damage goes to `log`, and the image counts as unusable when it cannot be mended.
  func availability(of id: DebugID, _ log: DamageLog) -> IndexAvailability {
    do throws(StoreError) {
      let index = try index(of: id) { log.add("\($0); it was rebuilt from the retained files") }
      return index.map(IndexAvailability.available) ?? .missing
    } catch {
      log.add(error.description, isLasting: true)
      return .unusable(error.description)
    }
  }
}
