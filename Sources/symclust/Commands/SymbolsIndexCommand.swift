import CommandLine
import Files
import Identity
import IndexWorker
import JSON
import SymbolIndex
import SymbolStore

/// When an upload builds the indexes of the images that it retains.
enum UploadIndexing: String, CaseIterable {
  /// Before it ends: a file that cannot be used is refused.
  case now
  /// In a process that goes on after it.
  case background
  /// When names of the image are first needed.
  case lazy
}

private let images = PositionalSpec(
  "ID", .text, count: .any, help: "the debug identifiers of images; without any, all that have no index yet")

let symbolsIndexSpec = CommandSpec(
  "index", "Build the indexes that 'upload-symbols --index lazy' or 'background' left for later",
  discussion: """
    An index is also built when names of its image are first needed. An image whose files cannot be used is told with the \
    reason, and the exit code is 3. The store can be used meanwhile, by other uploads as well.
    """,
  options: [CommonOptions.store, CommonOptions.jobs, CommonOptions.json], positionals: [images],
  examples: [.init("symclust symbols index", "build what is not built, and say what cannot be")])

/// What became of the index of one image.
struct BuiltIndex {
  var record: ImageRecord
  var summary: IndexSummary?
  var problem: String?
}

func buildIndexes(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let store = try session.symbolStore()
  var damaged = 0
  var wanted = try session.records(of: store, &damaged).filter { !store.isIndexed($0) }
  let named = session.command.list(images)
  if !named.isEmpty {
    var ids: Set<DebugID> = []
    for text in named {
      guard let id = DebugID(text) else { throw CommandFailure(.usage, "'\(text)' is no debug identifier") }
      guard try storing({ () throws(StoreError) in try store.record(of: id) }) != nil else {
        throw CommandFailure(.nothingDone, "nothing of image \(id) is retained")
      }
      ids.insert(id)
    }
    wanted.removeAll { !ids.contains($0.debugID) }
  }
  var built: [BuiltIndex] = []
  for record in wanted {
    var index = BuiltIndex(record: record)
    do throws(StoreError) {
      index.summary = try store.buildIndex(of: record.debugID)
    } catch {
      guard error.code == .damaged else { throw CommandFailure(error) }
      index.problem = error.detail
    }
    if !session.command.flag(CommonOptions.json) { session.out.write(SymbolText.built(index)) }
    built.append(index)
  }
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.builtIndexes(built)
    try session.print(writer)
  } else if built.isEmpty {
    session.out.write("Nothing to do: every image has its index\n")
  }
  if damaged > 0 { return .store }
  return built.contains { $0.problem != nil } ? .gaps : .done
}

extension Session {
  /// Starts a process that builds the indexes which the store lacks, and outlives this one.
  mutating func indexInBackground(_ directory: StoreDirectory) {
    do throws(IndexError) {
      try DetachedProcess.start("/proc/self/exe", ["symbols", "index", "--store", directory.root])
      complain("indexes are built in the background; 'symclust symbols index' waits for them")
    } catch {
      complain("\(error); run 'symclust symbols index', or indexes are built when they are first needed")
    }
  }
}

extension SymbolText {
  /// One line for an index that was built, or could not be.
  static func built(_ index: BuiltIndex) -> String {
    let name = "\(index.record.debugID)  \(visible(index.record.name))"
    if let problem = index.problem { return "unusable  \(name)\n  \(visible(problem))\n" }
    return "indexed  \(name)\n"
  }
}

extension JSONWriter {
  /// The document of `symbols index`.
  mutating func builtIndexes(_ built: [BuiltIndex]) {
    beginObject()
    member("schema", "symclust.indexing/1")
    key("images")
    array(built) { writer, index in
      writer.beginObject()
      writer.member("debug_id", index.record.debugID.description)
      writer.member("name", index.record.name)
      writer.member("functions", index.summary?.functionCount)
      writer.member("problem", index.problem)
      writer.endObject()
    }
    key("summary")
    beginObject()
    member("indexed", built.count { $0.problem == nil })
    member("unusable", built.count { $0.problem != nil })
    endObject()
    endObject()
  }
}
