import CommandLine
import Diagnostics
import Files
import Identity
import JSON
import Pipeline
import Signatures
import SymbolStore
import Symbolication
import Workers

private let paths = PositionalSpec("PATH", .file, count: .oneOrMore, help: "diagnostics to read; - is standard input")

let symbolicateCommand = Command(
  spec: CommandSpec(
    "symbolicate", "Print diagnostics with functions, files and lines put in",
    discussion: """
      Every stack is shown like in Apple's reports; inlined calls have lines of their own. Frames without symbols read \
      'Image + offset'. With --json each diagnostic is one line (docs/schemas/symbolicated-diagnostic.schema.json).
      """,
    options: [
      CommonOptions.rules, CommonOptions.limit, CommonOptions.symbolsFrom, CommonOptions.debuginfod,
      CommonOptions.store, CommonOptions.jobs, CommonOptions.json,
    ],
    positionals: [paths],
    examples: [.init("symclust symbolicate crash.json", "read one crash")]),
  run: symbolicate)

extension SymbolicatedDiagnostic {
  /// Whether symbols of the app are missing; those of the system are nobody's fault.
  fileprivate func missesAppSymbols(by rules: Rules) -> Bool {
    zip(diagnostic.stacks, resolutions).contains { stack, resolutions in
      zip(stack.frames, resolutions).contains { frame, resolution in
        resolution.status == .missingImage
          && diagnostic.images.indices.contains(Int(frame.image))
          && rules.isApp(diagnostic.images[Int(frame.image)])
      }
    }
  }
}

private func symbolicate(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let limits = try session.readingLimits()
  let rules = try session.rules()
  let sources = try session.symbolSources()
  // What sources give is kept in a store.
  let store = SymbolStore(try session.openStore(creating: !sources.isEmpty), builder: session.indexBuilder())
  let borrower = session.borrower(store, from: sources)
  let indexes = OpenIndexes(of: store, borrowing: borrower)
  let symbolicator = Symbolicator(source: indexes.availability, workers: session.workers)
  let asJSON = session.command.flag(CommonOptions.json)
  var rejected: [RejectedItem] = []
  var shown = 0
  var hasGaps = false
  try DiagnosticReader(limits: limits).read(session.command.list(paths), reject: { rejected.append($0) }) {
    (document, payload) throws(CommandFailure) in
    for symbolicated in symbolicator.resolve(payload.diagnostics) {
      shown += 1
      hasGaps = hasGaps || symbolicated.missesAppSymbols(by: rules)
      if asJSON {
        var writer = JSONWriter()
        writer.symbolicated(
          symbolicated, payload: ContentDigest(of: document.bytes), format: payload.format)
        try session.print(writer)
        session.out.write("\n")
      } else {
        session.out.write(StackText(symbolicated).text)
      }
    }
  }
  for item in rejected { session.complain("\(item.place): \(item.message)") }
  for text in indexes.damage { session.complain(text) }
  hasGaps = session.tell(borrower) || hasGaps
  if shown == 0 { return .nothingDone }
  if indexes.isLasting { return .store }
  return rejected.isEmpty && indexes.damage.isEmpty && !hasGaps ? .done : .gaps
}
