import Archives
import Bytes
import Glibc
import TestSupport
import Testing

/// Archives made by other programs.
private struct Maker {
  let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("archive")) }

  /// What `script` leaves in the file `out`, run by Python in a folder of its own.
  func python(_ script: String) throws -> ByteView {
    let outcome = Tool.run("/usr/bin/python3", ["-c", "import os\nos.chdir('\(folder.path)')\n" + script])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return ByteView(try #require(contents(of: folder.entry("out"))))
  }
}

private let zipScript = """
  import zipfile
  with zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED) as z:
      z.writestr('a.json', '{"a":1}')
      z.writestr('folder/ü b.json', 'x' * 100000)
      z.writestr('skip.txt', 'no')
      z.writestr('../escape.json', 'out of the folder')
  """

private let tarScript = """
  import io, tarfile
  def add(t, name, data, kind=tarfile.REGTYPE, link=''):
      info = tarfile.TarInfo(name); info.size = len(data); info.type = kind; info.linkname = link
      t.addfile(info, io.BytesIO(data))
  with tarfile.open('out', 'w', format=FORMAT) as t:
      add(t, 'a.json', b'{"a":1}')
      add(t, 'folder/' + 'n' * 90 + '.json', b'x' * 100000)
      add(t, 'skip.txt', b'no')
      add(t, 'link.json', b'', tarfile.SYMTYPE, '/etc/passwd')
      add(t, 'hard.json', b'', tarfile.LNKTYPE, 'a.json')
      add(t, 'pipe.json', b'', tarfile.FIFOTYPE)
      add(t, '../escape.json', b'out of the folder')
  """

/// The files in `view` whose names end in `.json`.
private func jsonFiles(
  _ view: ByteView, _ limits: ArchiveLimits = ArchiveLimits()
) -> (files: [(path: String, content: Result<ByteView, ArchiveError>)], error: ArchiveError?) {
  var files: [(String, Result<ByteView, ArchiveError>)] = []
  let error = Archive.files(in: view, limits: limits) {
    $0.hasSuffix(".json")
  } visit: {
    files.append(($0.path, $0.content))
  }
  return (files, error)
}

@Suite("Archives", .enabled(if: access("/usr/bin/python3", X_OK) == 0, "python3 is absent"))
struct ArchiveTests {
  private let maker: Maker

  init() throws { maker = try Maker() }

  @Test("of zip give the files that are wanted, in their order, wherever their paths lead")
  func zip() throws {
    let view = try maker.python(zipScript)
    #expect(Archive.matches(view))
    let (files, error) = jsonFiles(view)
    #expect(error == nil)
    #expect(files.map(\.path) == ["a.json", "folder/ü b.json", "../escape.json"])
    #expect(try files.map { try $0.content.get().count } == [7, 100_000, 17])
  }

  @Test(
    "of tar give the files, and neither links nor pipes",
    arguments: ["tarfile.USTAR_FORMAT", "tarfile.GNU_FORMAT", "tarfile.PAX_FORMAT"])
  func tar(format: String) throws {
    let view = try maker.python(tarScript.replacing("FORMAT)", with: "\(format))"))
    #expect(Archive.matches(view))
    let (files, error) = jsonFiles(view)
    #expect(error == nil)
    #expect(files.map(\.path.count) == [6, 102, 14])
    #expect(try files.map { try $0.content.get().count } == [7, 100_000, 17])
  }

  @Test("are told by their bytes, and nothing else is taken for one")
  func matching() throws {
    for text in ["", "{}", "PK", String(repeating: "{", count: 600), String(repeating: "\0", count: 1024)] {
      #expect(!Archive.matches(ByteView(Array(text.utf8))))
    }
    // The oldest tar has no magic: the sum of its header tells.
    var old = [UInt8](repeating: 0, count: 1024)
    old.replaceSubrange(0..<6, with: Array("a.json".utf8))
    old.replaceSubrange(124..<135, with: Array("00000000000".utf8))
    old.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
    let sum = String(old[..<512].reduce(0) { $0 + Int($1) }, radix: 8)
    old.replaceSubrange(148..<154, with: Array((String(repeating: "0", count: 6 - sum.count) + sum).utf8))
    #expect(Archive.matches(ByteView(old)))
    old[0] = 0x62
    #expect(!Archive.matches(ByteView(old)))
  }

  @Test("that unpack to more than the limits say so, and give what is within them")
  func limits() throws {
    let bomb = try maker.python(
      """
      import zipfile
      with zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED) as z:
          z.writestr('small.json', '{}')
          z.writestr('large.json', b'0' * 40_000_000)
          z.writestr('last.json', '{}')
      """)
    let (files, error) = jsonFiles(bomb, ArchiveLimits())
    #expect(error == nil)
    #expect(files.count == 3)
    var limits = ArchiveLimits()
    limits.ratio = 100
    let strict = jsonFiles(bomb, limits).files
    #expect(strict.map(\.path) == ["small.json", "large.json", "last.json"])
    #expect(strict.map { (try? $0.content.get().count) ?? -1 } == [2, -1, 2])
    #expect(throws: ArchiveError.self) { try strict[1].content.get() }
    limits.totalBytes = 1
    #expect(jsonFiles(bomb, limits).files.allSatisfy { (try? $0.content.get()) == nil })
    limits.entries = 2
    #expect(jsonFiles(bomb, limits).error?.code == .tooLarge)
  }

  @Test("with a password are told", .enabled(if: access("/usr/bin/7z", X_OK) == 0, "7z is absent"))
  func encrypted() throws {
    maker.folder.write(Array("{}".utf8), to: "a.json")
    let outcome = Tool.run(
      "/usr/bin/7z", ["a", "-tzip", "-psecret", maker.folder.entry("out.zip"), maker.folder.entry("a.json")])
    #expect(outcome.code == 0)
    let view = ByteView(try #require(contents(of: maker.folder.entry("out.zip"))))
    #expect(throws: ArchiveError.self) { try jsonFiles(view).files[0].content.get() }
  }

  @Test("cut or damaged anywhere end with an error or with files, never worse", arguments: ["zip", "tar"])
  func damaged(kind: String) throws {
    let whole = try maker.python(
      kind == "zip" ? zipScript : tarScript.replacing("FORMAT)", with: "tarfile.PAX_FORMAT)"))
    let bytes = whole.withBytes { Array($0) }
    var random = SeededGenerator(seed: 7)
    for number in 0..<400 {
      var copy = bytes
      if number % 2 == 0 { copy.removeLast(Int.random(in: 1..<copy.count, using: &random)) }
      for _ in 0..<(number % 7) {
        copy[Int.random(in: 0..<min(copy.count, 3000), using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let (files, _) = jsonFiles(ByteView(copy))
      #expect(files.count <= 8)
      for file in files { #expect(((try? file.content.get().count) ?? 0) <= 16 << 20) }
    }
  }
}
