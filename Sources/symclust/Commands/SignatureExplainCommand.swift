import CommandLine
import Diagnostics
import Files
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures
import SymbolStore
import Symbolication

private let subjects = PositionalSpec(
  "ID|PATH", .file, count: .oneOrMore,
  help:
    "a signature or cluster, also by an old id; PAYLOAD#N, a recorded diagnostic; or diagnostics to read, - is standard input"
)
private let all = OptionSpec.flag("all", help: "show every frame of long stacks")

let signatureExplainSpec = CommandSpec(
  "explain", "Say in plain sentences why a stack has its signature and its cluster",
  discussion: """
    Tells which thread was taken and why, what became of each frame and by which rule, the bytes of every key, and how the \
    signature was judged beside those that it is near to. Files are explained without recording anything; the store lends \
    symbols and neighbours when it is there. PAYLOAD is the digest of a payload or its beginning, N counts from 0, as in \
    'cluster --assignments'. A file whose name looks like an id is read as ./NAME. With --json each stack is one line \
    (docs/schemas/explanation.schema.json).
    """,
  options: [
    all, CommonOptions.rules, CommonOptions.limit, CommonOptions.store, CommonOptions.jobs, CommonOptions.json,
  ],
  positionals: [subjects],
  examples: [
    .init("symclust signatures explain sig-0e1030768992bc9e", "why these stacks are one problem"),
    .init("symclust signatures explain crash.json", "what a diagnostic would be counted as, and why"),
    .init("symclust signatures explain 3fa94c#0", "one diagnostic that was counted"),
  ])

/// What somebody wants explained.
enum ExplanationSubject: Hashable {
  /// A signature or cluster.
  case signature(String)
  /// A diagnostic of the payload whose digest begins so.
  case diagnostic(prefix: String, ordinal: Int)
  /// Documents.
  case path(String)

  /// What `text` asks for; whatever is neither an id nor a digest is a path.
  init(_ text: String) {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    if ["sig-", "blm-"].contains(where: text.hasPrefix), !text.utf8.contains(UInt8(ascii: ".")) {
      self = .signature(text)
    } else if parts.count == 2, (4...64).contains(parts[0].utf8.count), let ordinal = Int(parts[1]), ordinal >= 0,
      parts[0].utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    {
      self = .diagnostic(prefix: parts[0].lowercased(), ordinal: ordinal)
    } else {
      self = .path(text)
    }
  }

  /// Whether only a store knows it.
  var isRecorded: Bool {
    if case .path = self { false } else { true }
  }
}

func explainSignatures(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let wanted = session.command.list(subjects).map(ExplanationSubject.init)
  let limits = try session.readingLimits()
  let rules = try session.rules()
  let directory =
    wanted.contains(where: \.isRecorded) ? try session.openStore(creating: false) : try session.existingStore()
  let indexes = directory.map { OpenIndexes(of: SymbolStore($0, builder: session.indexBuilder())) }
  let store: SQLiteSignatureStore? =
    if let directory, directory.contains(SQLiteSignatureStore.fileName) { try counts(in: directory) } else { nil }
  let deriver = StackDeriver(
    symbolicator: Symbolicator(source: { indexes?.availability(of: $0) ?? .missing }, workers: session.workers),
    builder: SignatureBuilder(rules: rules), workers: session.workers)
  let explainer = try counting { () throws(SignatureStoreError) in try Explainer(store: store, deriver: deriver) }
  var shown = 0
  var complaints: [String] = []
  for subject in wanted {
    switch subject {
    case .signature(let id):
      let found = try counting { () throws(SignatureStoreError) in try explainer.explain(signature: id) }
      if found.isEmpty { complaints.append(absence(of: id)) }
      for explanation in found { try session.print(explanation, rules, place: id, first: shown == 0, &shown) }
    case .diagnostic(let prefix, let ordinal):
      switch try find(prefix, ordinal, store, explainer) {
      case .success(let explanation):
        try session.print(explanation, rules, place: "\(prefix)#\(ordinal)", first: shown == 0, &shown)
      case .failure(let absence): complaints.append(absence.message)
      }
    case .path(let path):
      try DiagnosticReader(limits: limits).read(
        [path], reject: { complaints.append("\($0.place): \($0.message)") }
      ) { document, payload throws(CommandFailure) in
        let found = try counting { () throws(SignatureStoreError) in
          try explainer.explain(payload.diagnostics, payload: ContentDigest(of: document.bytes))
        }
        let place = document.line.map { "\(document.path):\($0)" } ?? document.path
        for explanation in found { try session.print(explanation, rules, place: place, first: shown == 0, &shown) }
      }
    }
  }
  complaints += indexes?.damage ?? []
  for text in complaints { session.complain(text) }
  if shown == 0 { return .nothingDone }
  return indexes?.isLasting == true ? .store : complaints.isEmpty ? .done : .gaps
}

private func absence(of id: String) -> String {
  id.hasPrefix("blm-")
    ? "\(id) is a blame key: it groups signatures for people, and none can be found by it"
    : "\(id) is no signature and no cluster of this store, and no alias leads on from it; see 'symclust signatures list'"
}

/// Why a diagnostic cannot be explained.
private struct Absence: Error {
  var message: String
}

private func find(
  _ prefix: String, _ ordinal: Int, _ store: SQLiteSignatureStore?, _ explainer: Explainer<SQLiteSignatureStore>
) throws(CommandFailure) -> Result<StackExplanation, Absence> {
  let payloads = try counting { () throws(SignatureStoreError) in
    try store?.payloads(beginningWith: prefix, limit: 2) ?? []
  }
  guard let payload = payloads.first else {
    return .failure(Absence(message: "no payload of this store begins with \(prefix)"))
  }
  guard payloads.count == 1 else {
    return .failure(Absence(message: "several payloads of this store begin with \(prefix): more digits are needed"))
  }
  let found = try counting { () throws(SignatureStoreError) in try explainer.explain(diagnostic: ordinal, of: payload) }
  guard let found else { return .failure(Absence(message: "payload \(payload.hex) has no diagnostic \(ordinal)")) }
  return .success(found)
}

extension Session {
  /// The store that the command names; `nil` when there is none.
  func existingStore() throws(CommandFailure) -> StoreDirectory? {
    do throws(StoreError) {
      return try StoreDirectory(root: command.text(CommonOptions.store) ?? "", creating: false)
    } catch {
      if error.code == .absent { return nil }
      throw CommandFailure(error)
    }
  }

  /// Prints one explanation: a line of JSON, or text behind an empty line unless it is the `first`.
  fileprivate mutating func print(
    _ explanation: StackExplanation, _ rules: Rules, place: String, first: Bool, _ shown: inout Int
  ) throws(CommandFailure) {
    shown += 1
    if command.flag(CommonOptions.json) {
      var writer = JSONWriter()
      writer.explanation(explanation, rules: rules, place: place)
      try print(writer)
      out.write("\n")
    } else {
      let text = ExplanationText(explanation, rules: rules, terminal: terminal, showsAll: command.flag(all))
      out.write((first ? "" : "\n") + text.text)
    }
  }
}
