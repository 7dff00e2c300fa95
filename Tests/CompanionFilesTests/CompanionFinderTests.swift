import Bytes
import CompanionFiles
import DebugInfo
import Glibc
import Identity
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

private let generated = "symbols/generated/elf/"

/// The object in the file at `path`.
private func object(_ path: String) throws -> ObjectFile {
  try #require(try Container(ByteView.mapping(path: path)).objects.first)
}

/// What is found beside the file at `path`, looking nowhere else.
private func companions(_ path: String, roots: [String] = []) throws -> FoundCompanions {
  CompanionFinder(debugRoots: roots).companions(of: try object(path), at: path)
}

extension FoundCompanions {
  /// The paths of those with this role.
  func paths(_ role: CompanionFile.Role) -> [String] { files.filter { $0.role == role }.map(\.path) }
}

/// What an index of the file at `path` holds, with its companions or alone.
private func summary(_ path: String, with found: FoundCompanions?) throws -> IndexSummary {
  let objects = [try object(path)] + (try found?.paths(.debugFile).map(object) ?? [])
  var sources = objects.map { IndexSource(object: $0, digest: ContentDigest(of: $0.bytes)) }
  sources[0].companions = try (found?.files ?? []).map {
    CompanionFile(role: $0.role, unit: $0.unit, bytes: try ByteView.mapping(path: $0.path))
  }
  return try IndexBuilder().build(sources).summary
}

/// A folder with copies of corpus files.
private func folder(_ names: [(from: String, to: String)]) throws -> TemporaryFolder {
  let folder = try #require(TemporaryFolder("companions"))
  for (from, to) in names { folder.write(try #require(contents(of: Corpus.path(generated + from))), to: to) }
  return folder
}

@Suite("Companions of a file", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct CompanionFinderTests {
  @Test(
    "are found by .gnu_debuglink beside it and in .debug, when the CRC fits",
    arguments: ["libcorpus.so.debug", ".debug/libcorpus.so.debug"])
  func debugLink(place: String) throws {
    let here = try folder([("separate/libcorpus.so", "libcorpus.so"), ("separate/.debug/libcorpus.so.debug", place)])
    let path = here.entry("libcorpus.so")
    let found = try companions(path)
    #expect(found.paths(.debugFile).count == 1)
    #expect(found.problems.isEmpty)
    #expect(try object(found.files[0].path).debugID == (try object(path)).debugID)
    #expect(try summary(path, with: nil).lineBytes == 0)
    #expect(try summary(path, with: found).lineBytes > 0)
  }

  @Test("of another CRC are named and not used")
  func wrongCRC() throws {
    let here = try folder([
      ("separate/libcorpus.so", "libcorpus.so"), ("separate/.debug/libcorpus.so.debug", "libcorpus.so.debug"),
    ])
    var bytes = try #require(contents(of: here.entry("libcorpus.so.debug")))
    bytes[bytes.count - 1] ^= 1
    here.write(bytes, to: "libcorpus.so.debug")
    let found = try companions(here.entry("libcorpus.so"))
    #expect(found.files.isEmpty)
    #expect(found.problems.count == 1)
    #expect(found.problems.first?.contains("libcorpus.so.debug: not the file that .gnu_debuglink means") == true)
    // A right one further on is still found.
    here.write(
      try #require(contents(of: Corpus.path(generated + "separate/.debug/libcorpus.so.debug"))),
      to: ".debug/libcorpus.so.debug")
    #expect(try companions(here.entry("libcorpus.so")).paths(.debugFile).count == 1)
  }

  @Test("that are absent, or no file, are told")
  func absent() throws {
    let here = try folder([("separate/libcorpus.so", "libcorpus.so")])
    let path = here.entry("libcorpus.so")
    #expect(try companions(path).problems == ["debug file libcorpus.so.debug was not found"])
    // Nothing but regular files is opened: a pipe would wait for ever.
    #expect(mkfifo(here.entry("libcorpus.so.debug"), 0o600) == 0)
    #expect(mkdir(here.entry(".debug"), 0o700) == 0)
    #expect(symlink("/dev/zero", here.entry(".debug/libcorpus.so.debug")) == 0)
    let found = try companions(path)
    #expect(found.files.isEmpty)
    #expect(!found.problems.isEmpty)
  }

  @Test("are found by build-id below a root, when it is theirs")
  func buildID() throws {
    let here = try folder([("separate/libcorpus.so", "libcorpus.so")])
    let path = here.entry("libcorpus.so")
    let root = Corpus.path(generated + "separate/buildid")
    let found = try companions(path, roots: [root])
    #expect(found.paths(.debugFile).count == 1)
    #expect(found.problems.isEmpty)
    #expect(try summary(path, with: found).lineBytes > 0)
    // Another image's file under the right name.
    let hex = try #require(try object(path).debugID?.hex)
    let other = try folder([
      ("gcc-O2-dw4/libcorpus.so", ".build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug")
    ])
    #expect(try companions(path, roots: [other.path]).paths(.debugFile).isEmpty)
    #expect(try companions(path, roots: [other.path, root]).paths(.debugFile).count == 1)
  }

  @Test("of a file that has its own debug information are not looked for")
  func notNeeded() throws {
    let found = try companions(Corpus.path(generated + "gcc-O2-dw4/libcorpus.so"))
    #expect(found.files.isEmpty)
    #expect(found.problems.isEmpty)
  }

  @Test("hold what dwz took out, when the build-id fits")
  func dwz() throws {
    let files = [("dwz-multi/one.so", "one.so"), ("dwz-multi/common.debug", "common.debug")]
    let here = try folder(files)
    let path = here.entry("one.so")
    let found = try companions(path)
    #expect(found.paths(.common) == [here.entry("common.debug")])
    #expect(found.problems.isEmpty)
    let alone = try folder([files[0]])
    let missing = try companions(alone.entry("one.so"))
    #expect(missing.files.isEmpty)
    #expect(missing.problems.first?.hasPrefix("common debug file common.debug (build-id ") == true)
    let wrong = try folder([files[0], ("gcc-O2-dw5/libcorpus.so", "common.debug")])
    #expect(try companions(wrong.entry("one.so")).files.isEmpty)
    // Without it names are lost.
    #expect(try summary(path, with: found).problems.isEmpty)
    #expect(try summary(path, with: found).functionCount >= summary(path, with: missing).functionCount)
  }

  @Test("are split units, one by one or in a package", arguments: ["split-dw4", "split-dw5"])
  func split(name: String) throws {
    let binary = ("\(name)/libcorpus.so", "libcorpus.so")
    let parts = ["plain", "second", "shapes"].map { ("\(name)/\($0).dwo", "\($0).dwo") }
    let package = ("\(name)/libcorpus.so.dwp", "libcorpus.so.dwp")
    let alone = try folder([binary])
    let nothing = try companions(alone.entry("libcorpus.so"))
    #expect(nothing.files.isEmpty)
    let bare = try summary(alone.entry("libcorpus.so"), with: nothing)
    var counts: [Int] = []
    for files in [parts, [package], parts + [package]] {
      let here = try folder([binary] + files)
      let path = here.entry("libcorpus.so")
      let found = try companions(path)
      #expect(found.paths(.package).isEmpty == !files.contains { $0.1 == package.1 })
      #expect(found.paths(.split).count == (files.count >= 3 ? 3 : 0))
      #expect(Set(found.files.compactMap(\.unit)).count == found.paths(.split).count)
      let whole = try summary(path, with: found)
      #expect(whole.problems.isEmpty)
      #expect(whole.debugInfoBytes > bare.debugInfoBytes)
      counts.append(whole.functionCount)
    }
    #expect(Set(counts).count == 1)
    // One part of the three is better than none.
    let one = try folder([binary, parts[2]])
    let some = try companions(one.entry("libcorpus.so"))
    #expect(some.paths(.split) == [one.entry("shapes.dwo")])
    let partial = try summary(one.entry("libcorpus.so"), with: some)
    let beside = Corpus.path(generated + "\(name)/libcorpus.so")
    let whole = try summary(beside, with: companions(beside))
    #expect(partial.functionCount > bare.functionCount && partial.debugInfoBytes < whole.debugInfoBytes)
  }

  @Test("of a Mach-O file are none of this kind")
  func machO() throws {
    let found = try companions(SampleSymbols.small.path)
    #expect(found.files.isEmpty && found.problems.isEmpty)
  }
}
