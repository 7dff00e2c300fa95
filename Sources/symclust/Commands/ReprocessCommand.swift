import CommandLine
import Files
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore
import Symbolication

private let build = OptionSpec.value("build", "B", help: "only stacks of diagnostics of this build")
private let image = OptionSpec.value("image", "ID", help: "only stacks with frames in this image, by its identifier")
private let signature = OptionSpec.value("signature", "ID", help: "only stacks of this signature, also by an old id")
private let all = OptionSpec.flag("all", help: "all stacks, and all clusters as if everything had come at once")
private let dryRun = OptionSpec.flag("dry-run", help: "say what would change, and keep nothing of it")

let reprocessCommand = Command(
  spec: CommandSpec(
    "reprocess", "Derive signatures anew after late symbols or new rules",
    discussion: """
      It needs the stacks in the store and no diagnostics files. Counts never move; ids that change lead to the new ones for good. \
      Without an option it derives what is due: stacks that other rules made, that wait for symbols which are there now, or whose \
      symbols are others now. 'upload-symbols' and 'cluster' do that by themselves.

      --all derives everything and founds the clusters anew: the result is that of an empty store which got all symbols and all \
      diagnostics at once, whatever the order was. Decisions of people go on. An id of a cluster may become another; the old \
      one leads to where its signature is.

      All of it happens or nothing. The store cannot be written by others meanwhile, also with --dry-run.
      """,
    options: [
      build, image, signature, all, dryRun, CommonOptions.similarity, CommonOptions.rules, CommonOptions.symbolsFrom,
      CommonOptions.debuginfod, CommonOptions.retain,
      CommonOptions.store, CommonOptions.jobs, CommonOptions.json,
    ],
    examples: [
      .init("symclust reprocess", "whatever waits for symbols or rules that are there now"),
      .init("symclust reprocess --rules acme.rules", "by the rules of a project's file from now on"),
      .init("symclust reprocess --all --dry-run", "what a fresh start would change"),
    ]),
  run: reprocess)

private func reprocess(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let rules = try session.rules()
  let asked = try scope(session.command)
  let sources = try session.symbolSources()
  let directory = try session.openStore(creating: false)
  let lock = try storing { () throws(StoreError) in try StoreLock(directory) }
  let store = try counts(in: directory)
  try session.check(rules, against: store)
  let symbols = SymbolStore(directory, builder: session.indexBuilder(), isLocked: true)
  let borrower = session.borrower(symbols, from: sources)
  let indexes = OpenIndexes(of: symbols, borrowing: borrower)
  let reprocessor = session.reprocessor(of: store, indexes, rules)
  let scope = try resolved(asked, in: store)
  switch scope {
  case .build, .image, .signatures:
    if try counting({ () throws(SignatureStoreError) in try reprocessor.meetsOtherRules }) {
      throw CommandFailure(
        .nothingDone,
        "the store holds signatures by other rules than \(rules.version): name those with --rules, or derive all without "
          + "--build, --image and --signature")
    }
  case .due, .arrived, .all: break
  }
  let result = try counting { () throws(SignatureStoreError) in
    try reprocessor.run(scope, isDryRun: session.command.flag(dryRun))
  }
  _ = consume lock
  let sourceGaps = session.tell(borrower)
  if result.derived == 0, let what = asked.description {
    throw CommandFailure(.nothingDone, "the store has no stacks \(what)")
  }
  for text in indexes.damage { session.complain(text) }
  let output = ReprocessOutput(
    result, scope: asked, rules: rules, isDryRun: session.command.flag(dryRun), damage: indexes.damage,
    sources: indexes.sourceReports)
  if session.command.flag(CommonOptions.json) {
    try session.print(output.json())
  } else {
    session.out.write(output.text)
  }
  if indexes.isLasting { return .store }
  return result.lost.isEmpty && indexes.damage.isEmpty && !sourceGaps ? .done : .gaps
}

/// What was asked for.
enum AskedScope {
  case due, all
  case build(String)
  case image(DebugID)
  case signature(String)

  /// Of which stacks; `nil` when it may well be none.
  var description: String? {
    switch self {
    case .due, .all: nil
    case .build(let build): "of build \(build)"
    case .image(let image): "with frames in image \(image)"
    case .signature(let id): "of signature \(id)"
    }
  }
}

private func scope(_ command: ParsedCommand) throws(CommandFailure) -> AskedScope {
  var asked: [AskedScope] = []
  if let build = command.text(build) { asked.append(.build(build)) }
  if let text = command.text(image) {
    guard let id = DebugID(text) else {
      throw CommandFailure(.usage, "--image \(text): expected a UUID, or a build-id in hex")
    }
    asked.append(.image(id))
  }
  if let id = command.text(signature) { asked.append(.signature(id)) }
  if command.flag(all) { asked.append(.all) }
  guard asked.count < 2 else {
    throw CommandFailure(.usage, "--build, --image, --signature and --all cannot go together")
  }
  return asked.first ?? .due
}

private func resolved(
  _ asked: AskedScope, in store: SQLiteSignatureStore
) throws(CommandFailure) -> ReprocessingScope {
  switch asked {
  case .due: return .due
  case .all: return .all
  case .build(let build): return .build(build)
  case .image(let image): return .image(image)
  case .signature(let id):
    let live = try counting { () throws(SignatureStoreError) in try store.resolve(signature: id) }
    guard !live.isEmpty else {
      throw CommandFailure(.nothingDone, "\(id) is no signature of this store; see 'symclust signatures list'")
    }
    return .signatures(live)
  }
}

extension Session {
  /// What derives the stacks of `store` anew, as the command's options say.
  func reprocessor(
    of store: SQLiteSignatureStore, _ indexes: OpenIndexes, _ rules: Rules
  ) -> Reprocessor<SQLiteSignatureStore> {
    let deriver = StackDeriver(
      symbolicator: Symbolicator(source: indexes.availability, workers: workers),
      builder: SignatureBuilder(rules: rules), workers: workers)
    return Reprocessor(store: store, deriver: deriver, judge: judge(rules), symbolRevision: indexes.revision)
  }

  /// The judge of new signatures; `nil` when similarity is off.
  func judge(_ rules: Rules) -> SimilarityJudge? {
    command.text(CommonOptions.similarity) == "off"
      ? nil : SimilarityJudge(SimilarityParameters(rules), workers: workers)
  }
}
