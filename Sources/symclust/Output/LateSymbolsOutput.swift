import CommandLine
import Diagnostics
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore

/// What an upload did for the diagnostics that were there before.
struct LateSymbols {
  /// The images that diagnostics waited for and that have symbols now.
  var satisfied: [MissingImage]
  /// Those that diagnostics wait for still.
  var missing: [MissingImage]
  /// What changed; `nil` when the store's signatures were made by other rules, and so none was derived anew.
  var result: Reprocessing?
  /// The rules at hand.
  var rules: Rules
  /// Damage that was worked around, in words.
  var damage: [String]

  /// What a program reads for a result that is missing.
  var skipped: String? { result == nil ? "other-rules" : nil }

  var text: String {
    if satisfied.isEmpty && missing.isEmpty && (result.map { $0.changes.stacks == 0 } ?? false) { return "" }
    var text =
      "Diagnostics waited for \(counted(satisfied.count, "image")) that \(satisfied.count == 1 ? "has" : "have")"
    text += " symbols now"
    let own = missing.filter(isApp)
    let system = missing.count - own.count
    text += "; \(grouped(own.count)) of the app and \(grouped(system)) of the system are still missing.\n"
    text += lines("found", satisfied) + lines("missing", own)
    guard let result else {
      return text
        + "The store holds signatures by other rules than \(visible(rules.version)), so nothing was derived anew: run "
        + "'symclust reprocess' or 'symclust cluster' with the rules of the project.\n"
    }
    return satisfied.isEmpty && result.changes.stacks == 0 ? text : text + result.changeText
  }

  private func isApp(_ image: MissingImage) -> Bool {
    rules.isApp(.init(debugID: image.debugID, name: image.name))
  }

  private func lines(_ word: String, _ images: [MissingImage]) -> String {
    var text = ""
    for image in images.prefix(Reprocessing.shownImages) {
      text += "  \(word)  \(image.debugID)  \(visible(image.name ?? "unnamed image"))"
      text += "  (\(counted(image.diagnostics, "diagnostic")))\n"
    }
    if images.count > Reprocessing.shownImages {
      text += "  … and \(grouped(images.count - Reprocessing.shownImages)) more\n"
    }
    return text
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for (name, images) in [("satisfied", satisfied), ("still_missing", missing)] {
      writer.key(name)
      writer.array(images) { writer, image in
        writer.beginObject()
        writer.member("debug_id", image.debugID.description)
        writer.member("name", image.name)
        writer.member("system", !isApp(image))
        writer.member("frames", image.frames)
        writer.member("diagnostics", image.diagnostics)
        writer.endObject()
      }
    }
    writer.member("skipped", skipped)
    writer.key("changes")
    if let result { writer.changes(result) } else { writer.null() }
    writer.endObject()
  }
}
