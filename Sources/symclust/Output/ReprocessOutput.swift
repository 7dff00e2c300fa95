import CommandLine
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore

/// What `reprocess` prints.
struct ReprocessOutput {
  private let result: Reprocessing
  private let scope: AskedScope
  private let rules: Rules
  private let isDryRun: Bool
  private let damage: [String]
  private let sources: [SourceReport]

  init(
    _ result: Reprocessing, scope: AskedScope, rules: Rules, isDryRun: Bool, damage: [String], sources: [SourceReport]
  ) {
    self.result = result
    self.scope = scope
    self.rules = rules
    self.isDryRun = isDryRun
    self.damage = damage
    self.sources = sources
  }

  var text: String {
    var text = "Derived \(counted(result.derived, "stack")) by \(visible(rules.version)).\n" + result.changeText
    if !result.lost.isEmpty {
      text +=
        "\(counted(result.lost.count, "image")) that named frames before \(result.lost.count == 1 ? "has" : "have") "
      text += "no symbols any more; their frames lost their names:\n"
      for id in result.lost.prefix(Reprocessing.shownImages) { text += "  \(id)\n" }
      if result.lost.count > Reprocessing.shownImages {
        text += "  … and \(result.lost.count - Reprocessing.shownImages) more\n"
      }
    }
    return text + (isDryRun ? "A dry run: nothing was kept.\n" : "")
  }

  func json() -> JSONWriter {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", "symclust.reprocess/1")
    writer.member("dry_run", isDryRun)
    writer.key("scope")
    writer.scope(scope)
    writer.member("rules", rules.version)
    writer.member("rules_digest", rules.digest.hex)
    writer.member("derived_stacks", result.derived)
    writer.key("changes")
    writer.changes(result)
    writer.key("lost_images")
    writer.array(result.lost) { writer, id in writer.string(id.description) }
    writer.key("damage")
    writer.array(damage) { writer, text in writer.string(text) }
    writer.symbolSources(sources)
    writer.endObject()
    return writer
  }
}

/// `number` with its noun, in the plural unless it is one.
func counted(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }

extension Reprocessing {
  /// How many images a text names.
  static let shownImages = 10

  /// What changed, for people.
  var changeText: String {
    let changes = changes
    if changes.stacks == 0 { return "Nothing changed.\n" }
    var text = "Changed: \(counted(changes.diagnostics, "diagnostic")) of \(counted(changes.stacks, "stack"))"
    text += "; \(grouped(changes.settled)) had waited for symbols of the app and do not any more.\n"
    let kinds = SignatureAlias.Kind.allCases.map { "\(grouped(changes.signatures($0))) \($0.rawValue)" }
    text += "Signatures: \(kinds.joined(separator: ", ")); \(grouped(joined)) joined a cluster by similarity"
    if changes.reclustered > 0 { text += "; \(counted(changes.reclustered, "diagnostic")) under another cluster's id" }
    text += ".\n"
    for change in changes.builds {
      let name = [change.build.app, change.build.version].compactMap(\.self).joined(separator: " ")
      let build = change.build.build.map { "build \($0)" } ?? (change.build.isMixed ? "mixed builds" : "unknown build")
      text += "  \(visible(build))\(name.isEmpty ? "" : " (\(visible(name)))"): "
      text += "\(counted(change.diagnostics, "diagnostic")) of \(counted(change.stacks, "stack"))\n"
    }
    if limited > 0 { text += "\(counted(limited, "signature")) had too many neighbours to compare with all.\n" }
    return text
  }
}

extension JSONWriter {
  fileprivate mutating func scope(_ scope: AskedScope) {
    let (kind, id): (String, String?) =
      switch scope {
      case .due: ("due", nil)
      case .all: ("all", nil)
      case .build(let build): ("build", build)
      case .image(let image): ("image", image.description)
      case .signature(let id): ("signature", id)
      }
    beginObject()
    member("kind", kind)
    member("id", id)
    endObject()
  }

  /// What changed, for programs.
  mutating func changes(_ result: Reprocessing) {
    let changes = result.changes
    beginObject()
    member("stacks", changes.stacks)
    member("diagnostics", changes.diagnostics)
    member("moved_diagnostics", changes.moved)
    member("settled_diagnostics", changes.settled)
    member("reclustered_diagnostics", changes.reclustered)
    key("signatures")
    beginObject()
    for kind in SignatureAlias.Kind.allCases { member(kind.rawValue, changes.signatures(kind)) }
    endObject()
    member("joined_by_similarity", result.joined)
    member("similarity_limited", result.limited)
    key("builds")
    array(changes.builds) { writer, change in
      writer.beginObject()
      writer.build(change.build)
      writer.member("stacks", change.stacks)
      writer.member("diagnostics", change.diagnostics)
      writer.member("moved_diagnostics", change.moved)
      writer.member("settled_diagnostics", change.settled)
      writer.endObject()
    }
    key("aliases")
    array(changes.aliases) { writer, alias in
      writer.beginObject()
      writer.member("old", alias.old)
      writer.member("new", alias.new)
      writer.member("kind", alias.kind.rawValue)
      writer.endObject()
    }
    endObject()
  }
}
