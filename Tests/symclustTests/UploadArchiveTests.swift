import Bytes
import Glibc
import JSON
import TestSupport
import Testing

@Suite(
  "Symbols in archives",
  .enabled(if: programIsBuilt && access("/usr/bin/env", X_OK) == 0, programAbsence))
struct UploadArchiveTests {
  private let store: Store

  init() throws {
    store = try Store()
    #expect(Tool.run("/bin/cp", ["-r", Sample.kit, store.folder.entry("Kit.dSYM")]).code == 0)
  }

  /// Runs a script in the folder, where `Kit.dSYM` and its DWARF file as `dwarf` are.
  private func python(_ script: String) {
    let start = """
      import gzip, io, os, tarfile, zipfile
      os.chdir('\(store.folder.path)')
      path = 'Kit.dSYM/Contents/Resources/DWARF/LumenKit'
      dwarf = open(path, 'rb').read()
      def pack(name, *members):
          with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as z:
              for m in members: z.write(m)

      """
    let outcome = Tool.run("/usr/bin/env", ["python3", "-c", start + script])
    #expect(outcome.code == 0, "\(outcome.errorText)")
  }

  /// Verdicts with the paths behind the folder's.
  private func verdicts(_ name: String) throws -> (lines: [String], other: Int, code: Int32) {
    let outcome = store.run("upload-symbols", "--json", store.folder.entry(name))
    let document = try outcome.json()
    let lines = (document["slices"]?.array ?? []).map { slice in
      "\(slice["verdict"]?.string ?? "") \((slice["path"]?.string ?? "").dropFirst(store.folder.path.count + 1))"
    }
    #expect(files(below: store.path + "/tmp").isEmpty)
    return (lines, document["summary"]?.count("other_files") ?? -1, outcome.code)
  }

  private let inside = "Kit.dSYM/Contents/Resources/DWARF/LumenKit"

  @Test("U-10 are found at any depth of folders, and up to three archives inside each other")
  func nested() throws {
    python(
      """
      with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
          z.write(path, 'one/two/' + path); z.writestr('one/Info.plist', '<plist/>')
      with tarfile.open('b.tar.gz', 'w:gz') as t: t.add('a.zip')
      pack('c', 'b.tar.gz')
      pack('d', 'c')
      open('k.gz', 'wb').write(gzip.compress(dwarf))
      """)
    #expect(try verdicts("a.zip") == (["stored a.zip/one/two/\(inside)"], 1, 0))
    #expect(try verdicts("b.tar.gz") == (["already_present b.tar.gz/a.zip/one/two/\(inside)"], 1, 0))
    #expect(try verdicts("c") == (["already_present c/b.tar.gz/a.zip/one/two/\(inside)"], 1, 0))
    #expect(try verdicts("d") == (["unsupported d/c/b.tar.gz/a.zip"], 0, 1))
    #expect(try verdicts("k.gz") == (["already_present k.gz"], 0, 0))
    // In a folder, too, an archive is told by its bytes.
    #expect(Tool.run("/bin/mkdir", [store.folder.entry("in")]).code == 0)
    #expect(rename(store.folder.entry("a.zip"), store.folder.entry("in/symbols.bin")) == 0)
    #expect(try verdicts("in").lines == ["already_present in/symbols.bin/one/two/\(inside)"])
  }

  @Test("U-11 the ghosts that archivers leave are counted and give no verdict")
  func ghosts() throws {
    python(
      """
      with zipfile.ZipFile('a.zip', 'w') as z:
          z.write(path); z.writestr('__MACOSX/' + path, dwarf)
          z.writestr('Kit.dSYM/Contents/Resources/DWARF/._LumenKit', b'\\0\\5\\26\\7')
      """)
    #expect(try verdicts("a.zip") == (["stored a.zip/\(inside)"], 2, 0))
  }

  @Test("U-24, Z-21, Z-22 paths and links that lead out are refused by name, and nothing is written outside")
  func traversal() throws {
    python(
      """
      names = ['../evil', '/etc/evil', 'a/../../evil', 'C:/evil', '..\\\\evil', '\\\\\\\\host\\\\evil', './../evil']
      with tarfile.open('a.tar', 'w') as t:
          def add(name, kind=tarfile.REGTYPE, link='', data=b''):
              i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.size = len(data)
              t.addfile(i, io.BytesIO(data))
          for n in names: add(n, data=dwarf)
          add('link', tarfile.SYMTYPE, '/etc/passwd')
          add('a/up', tarfile.SYMTYPE, '../../x')
          add('hard', tarfile.LNKTYPE, '../x')
          add('a/inside', tarfile.SYMTYPE, '../link')
          add('pipe', tarfile.FIFOTYPE)
          add('a/../fine', data=dwarf)
      """)
    let before = Set(files(below: store.folder.path).filter { !$0.hasPrefix("store/") })
    let (lines, other, code) = try verdicts("a.tar")
    #expect(lines.count == 11)
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("unsafe a.tar/") }, "\(lines)")
    #expect(lines.last == "stored a.tar/a/../fine")
    #expect(other == 2)
    #expect(code == 3)
    #expect(Set(files(below: store.folder.path).filter { !$0.hasPrefix("store/") }) == before)
  }

  @Test("U-29 a bad member costs itself, and its neighbours nothing")
  func badMember() throws {
    python(
      """
      with zipfile.ZipFile('a.zip', 'w') as z:
          z.writestr('bad', dwarf); z.write(path)
      data = bytearray(open('a.zip', 'rb').read())
      data[data.index(dwarf) + 100] ^= 1
      open('a.zip', 'wb').write(data)
      """)
    let (lines, _, code) = try verdicts("a.zip")
    #expect(lines == ["malformed a.zip/bad", "stored a.zip/\(inside)"])
    #expect(code == 3)
  }

  @Test("U-29 a protected member is named, and costs its neighbours nothing")
  func protectedMember() throws {
    // The flag that a member is encrypted, in its header and in the directory (APPNOTE 4.4.4); there is no password to try.
    python(
      """
      with zipfile.ZipFile('a.zip', 'w') as z:
          z.writestr('locked', dwarf); z.write(path)
      data = bytearray(open('a.zip', 'rb').read())
      data[6] |= 1
      data[data.index(b'PK\\x01\\x02') + 8] |= 1
      open('a.zip', 'wb').write(data)
      """)
    let outcome = store.run("upload-symbols", "--json", store.folder.entry("a.zip"))
    let slices = try #require(try outcome.json()["slices"]?.array)
    #expect(slices.map { $0["verdict"]?.string } == ["unsupported", "stored"])
    #expect(slices[0]["path"]?.string?.hasSuffix("a.zip/locked") == true)
    #expect(outcome.code == 3)
  }

  @Test("B.55 a map in an archive gives back the names that bitcode hid, wherever in the archive it stands")
  func symbolMaps() throws {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.uuid = [UInt8](repeating: 0xa1, count: 16)
    builder.text = (0x1000, 0x1000)
    builder.sections = [.code(at: 0x1000, size: 0x1000)]
    builder.symbols = [.init("__hidden#0_", 0x1100), .init("__hidden#1_", 0x1200)]
    store.folder.write(builder.build(), to: "App")
    let id = [UInt8](repeating: 0xa1, count: 16).hex
    python(
      """
      with tarfile.open('a.tar.gz', 'w:gz') as t:
          t.add('App', 'x/App')
          data = b'BCSymbolMap Version: 2.0\\n_first\\n-[Cart apply:]\\n'
          i = tarfile.TarInfo('x/BCSymbolMaps/\(id).bcsymbolmap'); i.size = len(data)
          t.addfile(i, io.BytesIO(data))
      """)
    #expect(try verdicts("a.tar.gz").lines == ["stored a.tar.gz/x/App"])
    let found = store.run("lookup", "--image", id, "0x100", "0x200")
    #expect(found.text.contains("first") && found.text.contains("-[Cart apply:]"), "\(found.text)")
  }

  @Test("Z-20 a bomb is refused by its ratio, and its neighbours are taken")
  func bomb() throws {
    python(
      """
      with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
          z.writestr('bomb', dwarf[:4] + b'\\0' * 60_000_000); z.write(path)
      """)
    // What it would unpack to is 1,000 times the file or more only when the file is nothing else.
    #expect(try verdicts("a.zip").lines.last == "stored a.zip/\(inside)")
    python("open('b.gz', 'wb').write(gzip.compress(gzip.compress(dwarf[:4] + b'\\0' * 400_000_000)))")
    let (lines, _, code) = try verdicts("b.gz")
    #expect(lines == ["unsupported b.gz"])
    #expect(code == 1)
  }

  @Test("an app in an archive requires its images like one in a folder")
  func requireApp() throws {
    python("pack('a.zip', path)")
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.uuid = [UInt8](hex: Sample.kitID.filter { $0 != "-" })
    store.folder.write(builder.build(), to: "Payload/Kit.app/Kit")
    python("pack('Kit.ipa', 'Payload/Kit.app/Kit')")
    let outcome = store.run(
      "upload-symbols", store.folder.entry("a.zip"), "--require-app", store.folder.entry("Kit.ipa"), "--json")
    #expect(outcome.code == 0)
    #expect(try outcome.json()["gates"]?["images"]?[0]?["status"]?.string == "met")
  }
}
