import CommandLine
import Files
import Identity
import Pipeline
import SignatureStore
import Signatures
import SymbolStore

extension Session {
  /// Derives the stacks anew that waited for `images`, whose symbols came just now; `nil` when the store has no diagnostics.
  ///
  /// Other stacks are left alone, whatever they wait for. The caller holds the store's lock.
  mutating func resolveWaiting(
    for images: Set<DebugID>, in symbols: SymbolStore, by rules: Rules
  ) throws(CommandFailure) -> LateSymbols? {
    guard symbols.directory.contains(SQLiteSignatureStore.fileName) else { return nil }
    let store = try counts(in: symbols.directory)
    guard try !counting({ () throws(SignatureStoreError) in try store.rawStacks(.all, after: nil, limit: 1) }).isEmpty
    else { return nil }
    try check(rules, against: store)
    let indexes = OpenIndexes(of: symbols)
    let reprocessor = reprocessor(of: store, indexes, rules)
    let before = try counting { () throws(SignatureStoreError) in try store.missingImages() }
    var result: Reprocessing?
    if try !counting({ () throws(SignatureStoreError) in try reprocessor.meetsOtherRules }) {
      result = try counting { () throws(SignatureStoreError) in try reprocessor.run(.arrived(images)) }
    }
    let after = try counting { () throws(SignatureStoreError) in try store.missingImages() }
    let waiting = Set(after.map(\.debugID)).subtracting(result == nil ? images : [])
    return LateSymbols(
      satisfied: before.filter { !waiting.contains($0.debugID) && images.contains($0.debugID) },
      missing: after.filter { waiting.contains($0.debugID) }, result: result, rules: rules, damage: indexes.damage)
  }
}
