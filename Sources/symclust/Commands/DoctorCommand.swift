import CommandLine
import Files
import JSON
import SignatureStore
import SymbolStore

let doctorCommand = Command(
  spec: CommandSpec(
    "doctor", "Check every file and every count of the store",
    discussion: """
      Retained files are held against their digests, indexes against their checksums, and everything that names something \
      against what is there; then the counts. Nothing is changed. Words: \
      \(StoreFinding.Severity.allCases.map(\.rawValue).joined(separator: ", ")). The exit code is 5 when anything is damaged.
      """,
    options: [CommonOptions.store, CommonOptions.json],
    examples: [.init("symclust doctor --store /srv/symclust", "after a disk was full, or before a backup is trusted")]),
  run: doctor)

private func doctor(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  var findings = try storing { () throws(StoreError) in try store.audit() }
  let path = store.directory.path(SQLiteSignatureStore.fileName)
  if store.directory.contains(SQLiteSignatureStore.fileName) {
    do throws(SignatureStoreError) {
      let counts = try SQLiteSignatureStore(path: path, createIfMissing: false)
      findings += try counts.verify().map {
        StoreFinding(
          .damage, path, $0, advice: "restore it from a backup, or cluster the diagnostics into a new store")
      }
    } catch {
      findings.append(
        StoreFinding(
          .damage, path, error.description,
          advice: "restore it from a backup, or cluster the diagnostics into a new store"))
    }
  }
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
      session.out.write("\(finding.severity.rawValue)  \(visible(finding.place)): \(visible(finding.problem))\n")
      session.out.write("        \(visible(finding.advice))\n")
    }
    if findings.isEmpty { session.out.write("all is well\n") }
  }
  return isDamaged ? .store : .done
}
