import CommandLine
import JSON
import SignatureStore

private let clusters = PositionalSpec(
  "CLUSTER", .text, count: .oneOrMore, help: "the clusters; the first one's id stays")
private let signatures = PositionalSpec(
  "SIGNATURE", .text, count: .oneOrMore, help: "the signatures; the first one's id is that of the new cluster")
private let pinned = PositionalSpec("SIGNATURE", .text, help: "the signature")
private let target = PositionalSpec("CLUSTER", .text, help: "the cluster where it belongs")
private let old = PositionalSpec("OLD", .text, help: "an id that this store does not know")
private let new = PositionalSpec("NEW", .text, help: "the id of a cluster or signature that it stands for")
private let number = PositionalSpec(
  "FACT", .integer(1...Int(Int32.max)), help: "the number of the fact, as 'signatures facts' lists it")

private let options = [CommonOptions.store, CommonOptions.json]

/// What people decide about clusters, as commands below `signatures`.
let signatureFactCommands = [
  CommandSpec(
    "merge", "Show clusters as one from now on",
    discussion: """
      The id that stays is the first one named; the others become aliases of it. What joins any of them later is shown there, \
      too. 'signatures undo' takes it back.
      """,
    options: options, positionals: [clusters],
    examples: [
      .init("symclust signatures merge sig-0e1030768992bc9e sig-5f3a9c0b1d2e4f60", "two clusters of one problem")
    ]),
  CommandSpec(
    "split", "Take signatures out of their cluster, as one of their own",
    discussion: """
      Similarity does not take them back, and does not suggest to. New signatures may join the one or the other. \
      'signatures show' lists the signatures of a cluster.
      """,
    options: options, positionals: [signatures],
    examples: [.init("symclust signatures split sig-5f3a9c0b1d2e4f60", "a stranger in a cluster")]),
  CommandSpec(
    "pin", "Say to which cluster a signature belongs, whatever similarity says", options: options,
    positionals: [pinned, target],
    examples: [.init("symclust signatures pin sig-5f3a9c0b1d2e4f60 sig-0e1030768992bc9e", "it belongs there and stays")]
  ),
  CommandSpec(
    "alias", "Let an id of elsewhere lead to one of this store", options: options, positionals: [old, new],
    examples: [.init("symclust signatures alias BUG-1204 sig-0e1030768992bc9e", "an id of another tool")]),
  CommandSpec(
    "facts", "List what people decided, in order",
    discussion: """
      Facts hold for good: when late symbols or new rules change the id of a signature, what was said of it goes on with what \
      it became; with the larger part when it was divided, which is told here.
      """,
    options: options,
    examples: [.init("symclust signatures facts", "merges, splits, pins and aliases with their numbers")]),
  CommandSpec(
    "undo", "Take a fact back", discussion: "Facts are never deleted; that this one ended is a fact as well.",
    options: options, positionals: [number],
    examples: [.init("symclust signatures undo 3", "the clusters are as if fact 3 had not been said")]),
]

/// Runs the command of `signatureFactCommands` that was named.
func runSignatureFacts(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let command = session.command
  switch command.path.last {
  case "merge":
    guard command.list(clusters).count > 1 else {
      throw CommandFailure(.usage, "'signatures merge' takes two clusters or more")
    }
    return try record(.merge(command.list(clusters)), &session)
  case "split": return try record(.split(command.list(signatures)), &session)
  case "pin":
    return try record(.pin(signature: command.text(pinned) ?? "", cluster: command.text(target) ?? ""), &session)
  case "alias": return try record(.alias(old: command.text(old) ?? "", new: command.text(new) ?? ""), &session)
  case "undo": return try record(.undo(command.text(number).flatMap { Int($0) } ?? 0), &session)
  default: return try list(&session)
  }
}

private func record(_ decision: Decision, _ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try counts(in: session.openStore(creating: false))
  let outcome = try counting { () throws(SignatureStoreError) in try store.record(decision) }
  if case .refused(let refusal) = outcome { throw CommandFailure(.nothingDone, refusal.description) }
  try session.show(as: { _ in FactText.outcome(outcome) }, or: { $0.factOutcome(outcome) })
  return .done
}

private func list(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try counts(in: session.openStore(creating: false))
  let facts = try counting { () throws(SignatureStoreError) in try store.facts() }
  try session.show(as: { FactText.list(facts, on: $0) }, or: { $0.facts(facts) })
  return .done
}
