import Bytes
import CommandLine
import Diagnostics
import Files
import Glibc
import Identity
import JSON
import SignatureStore

private let output = OptionSpec.value(
  "output", short: "o", "DIR", .directory, isRequired: true, help: "the folder to make; it must not be there yet")
private let builds = OptionSpec.value(
  "build", "B", isRepeatable: true, help: "only diagnostics of this build (default: of all)")

let exportCommand = Command(
  spec: CommandSpec(
    "export", "Write a stripped bundle of the diagnostics in the store, to hand to somebody else",
    discussion: """
      The bundle holds diagnostics.jsonl, one line for each diagnostic: kind, reason as numbers, build, system, day, and the \
      chosen stack as images and offsets, with names only where the report brought them. It holds no document, no address, no \
      time of day, no device, no path and no text from the device. manifest.json says what is inside, with digests. \
      'symclust cluster' reads the bundle like any diagnostics and gives the same signatures and counts.
      """,
    options: [output, builds, CommonOptions.calendar, CommonOptions.store],
    positionals: [],
    examples: [.init("symclust export --build 812 --output bundle", "what is known of one build")]),
  run: export)

private func export(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let calendar = try session.calendar()
  let directory = try session.openStore(creating: false)
  let store = try counts(in: directory)
  let target = session.command.text(output) ?? ""
  var bundle = try Bundle.begin(at: target)
  let wanted = session.command.list(builds)
  var last: ContentDigest?
  while true {
    let page = try counting { () throws(SignatureStoreError) in try store.diagnostics(after: last, limit: 1024) }
    guard let end = page.last else { break }
    last = end.payload
    for diagnostic in page where wanted.isEmpty || wanted.contains(diagnostic.build.build ?? "") {
      try bundle.add(diagnostic, in: calendar)
    }
  }
  guard bundle.count > 0 else {
    throw CommandFailure(.nothingDone, "there is no diagnostic to export; no bundle was made")
  }
  let count = bundle.count
  try bundle.finish(builds: wanted, calendar: calendar)
  session.out.write(
    "\(grouped(count)) diagnostics in \(target)/diagnostics.jsonl, described by \(target)/manifest.json\n")
  return .done
}

/// A bundle on its way: a hidden folder beside its place, which it takes when it is whole.
private struct Bundle: ~Copyable {
  private static let linesName = "diagnostics.jsonl"
  private static let manifestName = "manifest.json"

  private let target: String
  private let folder: String
  private var lines: Output
  private let descriptor: Int32
  private(set) var count = 0
  private var counts: [BuildOfRecord: Int] = [:]

  private init(target: String, folder: String, descriptor: Int32) {
    (self.target, self.folder, self.descriptor) = (target, folder, descriptor)
    lines = Output(descriptor: descriptor, capacity: 1 << 16)
  }

  /// A bundle that will lie at `path`, where nothing may be yet.
  static func begin(at path: String) throws(CommandFailure) -> Bundle {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    let target = String(trimmed)
    guard PathName.status(target, followingLinks: false) == nil else {
      throw CommandFailure(.nothingDone, "\(target) is there already; name a new folder")
    }
    let folder = target + ".partial-\(getpid())"
    guard PathName.makeFolder(folder) == 0 else {
      throw CommandFailure(.nothingDone, FileError(path: folder, step: "create").description)
    }
    let name = folder + "/" + linesName
    let descriptor = PathName.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let error = FileError(path: name, step: "create")
      PathName.removeFolder(folder)
      throw CommandFailure(.nothingDone, error.description)
    }
    return Bundle(target: target, folder: folder, descriptor: descriptor)
  }

  // Whatever happened: what has not taken its place goes.
  deinit {
    close(descriptor)
    PathName.unlink(folder + "/" + Self.linesName)
    PathName.unlink(folder + "/" + Self.manifestName)
    PathName.removeFolder(folder)
  }

  mutating func add(_ diagnostic: StoredDiagnostic, in calendar: ReportingCalendar) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.stackLine(diagnostic, in: calendar)
    lines.write(bytes: try finished(writer))
    lines.write("\n")
    count += 1
    counts[diagnostic.build, default: 0] += 1
  }

  /// Writes the manifest and puts the bundle in its place.
  mutating func finish(builds: [String], calendar: ReportingCalendar) throws(CommandFailure) {
    lines.flush()
    let linesPath = folder + "/" + Self.linesName
    do {
      if case .failed(let number) = lines.failure { throw FileError(path: linesPath, step: "write", errno: number) }
      guard fsync(descriptor) == 0 else { throw FileError(path: linesPath, step: "write") }
      let content = try ByteView.mapping(path: linesPath)
      var writer = JSONWriter(.pretty)
      writer.manifest(
        builds: builds, calendar: calendar, counts: counts, lines: count, bytes: content.count,
        digest: ContentDigest(of: content), name: Self.linesName)
      let manifestPath = folder + "/" + Self.manifestName
      let file = PathName.open(manifestPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw FileError(path: manifestPath, step: "create") }
      defer { close(file) }
      var manifest = Output(descriptor: file, capacity: 0)
      manifest.write(bytes: try writer.finish())
      if case .failed(let number) = manifest.failure {
        throw FileError(path: manifestPath, step: "write", errno: number)
      }
      guard fsync(file) == 0, PathName.rename(folder, target) == 0 else {
        throw FileError(path: target, step: "create")
      }
    } catch {
      throw CommandFailure(.nothingDone, "\(error)")
    }
  }

  private func finished(_ writer: consuming JSONWriter) throws(CommandFailure) -> [UInt8] {
    do throws(JSONWriterError) {
      return try writer.finish()
    } catch {
      throw CommandFailure(.nothingDone, "\(error)")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func manifest(
    builds: [String], calendar: ReportingCalendar, counts: [BuildOfRecord: Int], lines: Int, bytes: Int,
    digest: ContentDigest, name: String
  ) {
    beginObject()
    member("schema", "symclust.export/1")
    member("program", programVersion)
    key("selected_builds")
    beginArray()
    for build in builds.sorted() { string(build) }
    endArray()
    member("days_in", calendar.description)
    key("builds")
    beginArray()
    for (build, count) in counts.sorted(by: { $0.key < $1.key }) {
      beginObject()
      self.build(build)
      member("diagnostics", count)
      endObject()
    }
    endArray()
    key("files")
    beginArray()
    beginObject()
    member("name", name)
    member("schema", "symclust.stack/1")
    member("sha256", digest.hex)
    member("bytes", bytes)
    member("lines", lines)
    endObject()
    endArray()
    // What a line may hold is what the store keeps of a diagnostic, less the time of day.
    key("inside")
    fields { $0.keeping != .rawOnly }
    key("left_out")
    fields { $0.keeping == .rawOnly }
    endObject()
  }

  private mutating func fields(_ isWanted: (FieldPolicy) -> Bool) {
    beginArray()
    for field in FieldPolicy.metadata + FieldPolicy.parts where isWanted(field) && field.field != "notes" {
      beginObject()
      member("field", field.field)
      member("privacy", field.privacy.rawValue)
      member("kept", field.keeping.rawValue)
      endObject()
    }
    endArray()
  }
}
