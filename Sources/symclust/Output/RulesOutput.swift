import Bytes
import CommandLine
import Diagnostics
import Identity
import JSON
import SignatureStore
import Signatures

extension Session {
  /// The rules that the command names, else the built-in ones.
  mutating func rules() throws(CommandFailure) -> Rules {
    guard let path = command.text(CommonOptions.rules) else { return .standard }
    return try rules(at: path)
  }

  /// The rules in the file at `path`. All that is wrong with it is told.
  mutating func rules(at path: String) throws(CommandFailure) -> Rules {
    let bytes: ByteView
    do throws(FileError) {
      bytes = try ByteView.reading(path: path, limit: Rules.fileSizeLimit)
    } catch {
      throw CommandFailure(.nothingDone, error.description)
    }
    do throws(RulesRefusal) {
      return try Rules(parsing: bytes.withBytes { Array($0) }, file: path)
    } catch {
      for problem in error.errors { complain(problem.description) }
      let count = error.errors.count + error.omitted
      throw CommandFailure(.nothingDone, "\(path): \(count) \(count == 1 ? "error" : "errors"), no rules were taken")
    }
  }

  /// Throws when the store knows other rules under the name and version of `rules`: signatures on record could not be
  /// made again.
  func check(_ rules: Rules, against counts: SQLiteSignatureStore) throws(CommandFailure) {
    let known: ContentDigest?
    do throws(SignatureStoreError) {
      known = try counts.rules(version: rules.version)
    } catch {
      throw CommandFailure(.store, error.description)
    }
    guard let known, known != rules.digest else { return }
    throw CommandFailure(
      .nothingDone,
      "the store knows other rules as \(rules.version) (\(known.hex.prefix(16))…, not \(rules.digest.hex.prefix(16))…): "
        + "give the changed rules another version")
  }
}

extension Rules {
  /// One line for each thing that `rules check` counts.
  var summary: String {
    let stages = RuleStage.allCases.compactMap { stage in
      let count = rules.count { $0.stage == stage }
      return count == 0 ? nil : "\(stage.rawValue) \(count)"
    }
    return """
      \(version): \(rules.count) rules, \(tests.count) of \(tests.count) tests hold
      \(stages.joined(separator: ", "))
      digest \(digest.hex)

      """
  }

  /// The table as text: the built-in one as the file it is, another one resolved, rules of an extended file first.
  var text: String {
    if version == Rules.standard.version, digest == Rules.standard.digest { return Rules.standardText + "\n" }
    var text = "# \(version), resolved\n# digest \(digest.hex)\n"
    var origin: Int?
    for rule in rules {
      if rule.origin != origin { text += "\n" }
      origin = rule.origin
      text += visible(rule.description) + "\n"
    }
    return text + "\n" + limits.description + "\n"
  }
}

/// What `rules diff` says.
struct RulesDiff {
  var old: Rules
  var new: Rules
  var churn: RulesChurn
  /// The largest churn that is accepted.
  var maximum: Double?
  /// How many changes are shown.
  var shown: Int

  var isWithinMaximum: Bool { (churn.share ?? 0) <= maximum ?? 1 }

  var text: String {
    var text = """
      \(old.version) (\(old.digest.hex.prefix(16))…) → \(new.version) (\(new.digest.hex.prefix(16))…)
      \(churn.moved) of \(churn.diagnostics) diagnostics (\(percent)) would be shown in another cluster, \
      \(churn.renamed) in the same under a new id.

      """
    for change in churn.changes.prefix(shown) {
      text += "\n\(change.kind.rawValue)  \(change.diagnostics) diagnostics\n"
      text += "    \(change.old.id)  \(visible(change.old.title))\n"
      text += "  → \(change.new.id)  \(visible(change.new.title))\n"
    }
    if churn.changes.count > shown { text += "\n… and \(churn.changes.count - shown) more changes\n" }
    if !isWithinMaximum, let maximum {
      text += "\nMore than the \(decimal(maximum * 100, places: 1)) % of --max-churn.\n"
    }
    return text
  }

  private var percent: String { churn.share.map { decimal($0 * 100, places: 1) + " %" } ?? "none" }
}

extension JSONWriter {
  mutating func rulesDiff(_ diff: RulesDiff) {
    beginObject()
    member("schema", "symclust.rules-diff/1")
    for (name, rules) in [("old", diff.old), ("new", diff.new)] {
      key(name)
      beginObject()
      member("version", rules.version)
      member("digest", rules.digest.hex)
      endObject()
    }
    key("churn")
    beginObject()
    member("numerator", diff.churn.moved)
    member("denominator", diff.churn.diagnostics)
    member("denominator_kind", "diagnostics")
    member("value", diff.churn.share.map { ($0 * 1e6).rounded() / 1e6 })
    member("max", diff.maximum)
    member("within_max", diff.isWithinMaximum)
    endObject()
    member("raw_stacks", diff.churn.rawStacks)
    member("renamed_diagnostics", diff.churn.renamed)
    member("changes_total", diff.churn.changes.count)
    key("changes")
    beginArray()
    for change in diff.churn.changes.prefix(diff.shown) {
      beginObject()
      member("kind", change.kind.rawValue)
      member("diagnostics", change.diagnostics)
      for (name, signature) in [("old", change.old), ("new", change.new)] {
        key(name)
        beginObject()
        member("id", signature.id)
        member("title", signature.title)
        endObject()
      }
      endObject()
    }
    endArray()
    endObject()
  }
}
