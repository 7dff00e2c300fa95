public import Diagnostics

/// One column of the counts, and why it is there. The list of all is held to the tables by a test: a new column without an
/// entry fails the build.
public struct StoredColumn: Sendable, Hashable {
  /// The table.
  public var table: String
  /// The column.
  public var name: String
  /// How near it comes to a person.
  public var privacy: FieldPolicy.Privacy
  /// How long it lives.
  public var retention: FieldPolicy.Retention
  /// What it is kept for.
  public var purpose: String

  /// Every column, by table.
  public static let all: [StoredColumn] = tables.flatMap { table in
    table.columns.map {
      StoredColumn(
        table: table.name, name: $0.name, privacy: $0.privacy, retention: table.retention, purpose: $0.purpose)
    }
  }

  private struct Table {
    var name: String
    var retention: FieldPolicy.Retention
    var columns: [(name: String, privacy: FieldPolicy.Privacy, purpose: String)]
  }

  private static let row = "number of the row, inside the store only"

  private static let tables: [Table] = [
    Table(
      name: "payloads", retention: .counts,
      columns: [
        ("id", .program, row), ("digest", .system, "a payload counts once: SHA-256 of its bytes"),
        ("generation", .program, "payloads of different generations are never added up"),
      ]),
    Table(
      name: "builds", retention: .counts,
      columns: [
        ("id", .program, row), ("app", .program, "the app, of the build of record"),
        ("version", .program, "the version, of the build of record"), ("build", .program, "the build of record"),
        ("mixed", .program, "whether it is the bucket of intervals with an update in them"),
      ]),
    Table(
      name: "cohorts", retention: .counts,
      columns: [
        ("id", .program, row), ("build", .program, row), ("platform", .system, "strata of comparisons"),
        ("os_version", .system, "strata of comparisons"), ("os_build", .system, "strata of comparisons"),
      ]),
    Table(
      name: "raw_stacks", retention: .stacks,
      columns: [
        ("id", .program, row), ("key", .program, "digest of kind, reason and frames: counts hang on it"),
        ("kind", .program, "what happened"),
        ("encoded", .program, "kind, reason as numbers, images, offsets, weights, names of a report's frames"),
      ]),
    Table(
      name: "diagnostics", retention: .counts,
      columns: [
        ("payload", .program, row), ("ordinal", .program, "its place in the payload"), ("raw_stack", .program, row),
        ("cohort", .program, row), ("basis", .program, "why this stack was chosen"),
        ("confidence", .program, "how sure that is"), ("begins", .system, "reporting day, first and last seen"),
        ("ends", .system, "reporting day, first and last seen"),
        ("zone_known", .program, "whether the time named its zone"),
      ]),
    Table(
      name: "report_days", retention: .counts,
      columns: [
        ("payload", .program, row), ("ordinal", .program, "its place in the payload"), ("cohort", .program, row),
        ("begins", .system, "reporting day"), ("ends", .system, "reporting day"),
        ("zone_known", .program, "whether the time named its zone"),
      ]),
    Table(
      name: "state_values", retention: .counts,
      columns: [
        ("id", .program, row), ("domain", .personal, "the domain of a state; empty for all others together"),
        ("label", .personal, "the value of a state; empty for all others together"),
      ]),
    Table(
      name: "states", retention: .counts,
      columns: [
        ("payload", .program, row), ("ordinal", .program, "its diagnostic's place in the payload"),
        ("state", .program, row),
      ]),
    Table(
      name: "measures", retention: .counts,
      columns: [
        ("payload", .program, row), ("ordinal", .program, "its diagnostic's place in the payload"),
        ("measure", .program, "what was measured: how long, how much"),
        ("parts", .program, "how much, in millionths of a second or in bytes"),
      ]),
    Table(
      name: "signatures", retention: .stacks,
      columns: [
        ("id", .program, "digest of what was kept of a stack"), ("algorithm", .program, "the version that made it"),
        ("automatic", .program, "the signature that founded the cluster it came to by itself"),
        ("cluster", .program, "the cluster it is shown in, by what people decided"),
      ]),
    Table(
      name: "forms", retention: .stacks,
      columns: [
        ("id", .program, row), ("content", .program, "digest of the row"), ("signature", .program, "whose form it is"),
        ("kind", .program, "what happened"), ("family", .program, "the class of the reason"),
        ("reason", .program, "the reason in detail: a class of exception, a code"),
        ("title", .program, "one line of names of functions"), ("tokens", .program, "names of functions and images"),
        ("blame", .program, "the name of one function"), ("quality", .program, "how much it tells"),
        ("provisional", .program, "whether symbols are missing"),
      ]),
    Table(
      name: "mapping", retention: .stacks,
      columns: [
        ("raw_stack", .program, row), ("algorithm", .program, "the version that made it"), ("form", .program, row),
        ("rules", .program, "digest of the rules that made it"),
        ("compilation", .program, "the image in which its innermost function stands"),
      ]),
    Table(
      name: "aliases", retention: .stacks,
      columns: [
        ("old", .program, "an id that was given once"), ("new", .program, "the id it leads to"),
        ("kind", .program, "renamed, joined or divided"), ("moved", .program, "how many diagnostics went that way"),
      ]),
    Table(
      name: "waits", retention: .stacks,
      columns: [
        ("debug_id", .program, "an image whose symbols are missing"), ("raw_stack", .program, row),
        ("name", .program, "the image's file name"), ("frames", .program, "how many frames wait for it"),
      ]),
    Table(
      name: "symbols", retention: .stacks,
      columns: [
        ("debug_id", .program, "an image whose symbols were used"), ("revision", .program, "digest of those symbols"),
      ]),
    Table(
      name: "rules", retention: .stacks,
      columns: [
        ("version", .program, "the name and version of rules"), ("digest", .program, "what stands under that version"),
      ]),
    Table(
      name: "judgements", retention: .stacks,
      columns: [
        ("signature", .program, "the signature that was compared with others"),
        ("outcome", .program, "whether it founded its cluster or joined one"), ("cluster", .program, "that cluster"),
        ("best", .program, "the nearest cluster"), ("best_exemplar", .program, "the signature of it that was nearest"),
        ("best_score", .program, "how similar that is"), ("best_average", .program, "how similar the cluster is"),
        ("runner_up", .program, "the next nearest cluster"),
        ("runner_up_exemplar", .program, "the signature of it that was nearest"),
        ("runner_up_score", .program, "how similar that is"),
        ("runner_up_average", .program, "how similar the cluster is"), ("barrier", .program, "why it may join none"),
        ("sequence", .program, "the names that were compared"),
      ]),
    Table(
      name: "suggestions", retention: .stacks,
      columns: [
        ("first", .program, "a cluster"), ("second", .program, "another that may be the same problem"),
        ("score", .program, "how similar they are"),
      ]),
    Table(
      name: "facts", retention: .stacks,
      columns: [
        ("number", .program, "the order of what people decided"),
        ("subject", .program, "a signature, a cluster, an id of elsewhere"),
        ("kind", .program, "merge, split, pin, alias or undo"), ("object", .program, "the id that it leads to"),
        ("ended_by", .program, "the fact that took it back"),
      ]),
  ]
}
