import CommandLine
import Files
import Identity
import JSON
import Pipeline
import SignatureStore
import SymbolStore

let doctorCommand = Command(
  spec: CommandSpec(
    "doctor", "Check every file and every count of the store",
    discussion: """
      Retained files are held against their digests, indexes against their checksums, and everything that names something \
      against what is there, images that once named frames included; then the counts and kept payloads. Each finding is a \
      line and says what to do. Nothing is changed. Words: \
      \(StoreFinding.Severity.allCases.map(\.rawValue).joined(separator: ", ")). The exit code is 5 when anything is damaged. \
      While another command changes the store, its unfinished files may be told as left over.
      """,
    options: [CommonOptions.store, CommonOptions.json],
    examples: [.init("symclust doctor --store /srv/symclust", "after a disk was full, or before a backup is trusted")]),
  run: doctor)

private func doctor(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  var findings: [StoreFinding] = []
  let path = store.directory.path(SQLiteSignatureStore.fileName)
  var counts: SQLiteSignatureStore?
  var used: Set<DebugID> = []
  if store.directory.contains(SQLiteSignatureStore.fileName) {
    let advice = "restore it from a backup, or cluster the diagnostics into a new store"
    do throws(SignatureStoreError) {
      let opened = try SQLiteSignatureStore(path: path, createIfMissing: false)
      findings += try opened.verify().map { StoreFinding(.damage, path, $0, advice: advice) }
      used = Set(try opened.symbolRevisions().keys)
      counts = opened
    } catch {
      findings.append(StoreFinding(.damage, path, error.description, advice: advice))
    }
  }
  findings = try storing { () throws(StoreError) in try store.audit(used: used) } + findings
  findings += try rawFindings(store.directory, counts)
  let isDamaged = findings.contains { $0.severity == .damage }
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", "symclust.doctor/1")
    writer.member("damaged", isDamaged)
    writer.key("findings")
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.member("severity", finding.severity.rawValue)
      writer.member("place", finding.place)
      writer.member("problem", finding.problem)
      writer.member("advice", finding.advice)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    try session.print(writer)
  } else {
    for finding in findings {
      session.out.write(
        "\(finding.severity.rawValue)  \(visible(finding.place)): \(visible(finding.problem)); \(visible(finding.advice))\n"
      )
    }
    if findings.isEmpty { session.out.write("all is well\n") }
  }
  return isDamaged ? .store : .done
}

/// What is wrong with the payloads that `cluster --keep-raw` copied in.
private func rawFindings(
  _ directory: StoreDirectory, _ counts: SQLiteSignatureStore?
) throws(CommandFailure) -> [StoreFinding] {
  var findings: [StoreFinding] = []
  let payloads = try storing { () throws(StoreError) in
    try RawTier.payloads(in: directory) {
      findings.append(
        StoreFinding(
          .damage, $0.path, $0.detail,
          advice: "remove the file, and cluster the payload with --keep-raw into a new store if you have it still"))
    }
  }
  // Without counts that can be read, nothing says which payloads are counted.
  guard let counts else { return findings }
  let known = try counting { () throws(SignatureStoreError) in try counts.known(payloads: payloads) }
  for payload in payloads where !known.contains(payload) {
    findings.append(
      StoreFinding(
        .leftover, directory.path(RawTier.name(payload)), "no diagnostic of it is counted; an interrupted run left it",
        advice: "cluster the payload again, or remove the file"))
  }
  return findings
}
