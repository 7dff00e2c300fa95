import Glibc
import JSON
import TestSupport
import Testing

/// Indexes that are built later, and files that are not looked at again.
@Suite("Uploads", .enabled(if: programIsBuilt, programAbsence))
struct UploadIndexingTests {
  private let store: Store
  private let offsets = (0..<100).map { String(0x4000 + $0 * 16, radix: 16) }

  init() throws { store = try Store() }

  private func lookup() -> String {
    symclust(["lookup", "--json", "--image", Sample.kitID, "--store", store.path] + offsets).text
  }

  private var indexes: [String] { files(below: store.path + "/symbols/index") }

  @Test("with --index lazy retain at once, and the first lookup builds what is missing, for good")
  func lazy() throws {
    let other = try Store()
    #expect(other.run("upload-symbols", Sample.kit).code == 0)
    let outcome = store.run("upload-symbols", Sample.kit, "--index", "lazy", "--json")
    #expect(outcome.code == 0)
    let slice = try outcome.json()["slices"]?[0]
    #expect(slice?["verdict"]?.string == "stored")
    #expect(slice?["reasons"]?[0]?.string?.hasPrefix("not indexed yet") == true)
    #expect(indexes.isEmpty)
    // Not a damage, and nothing to do a second time.
    #expect(store.run("doctor").text == "all is well\n")
    #expect(store.run("upload-symbols", Sample.kit, "--index", "lazy").text.hasPrefix("already_present"))
    #expect(indexes.isEmpty)
    let answers = lookup()
    #expect(answers == symclust(["lookup", "--json", "--image", Sample.kitID, "--store", other.path] + offsets).text)
    #expect(indexes.count == 1)
    #expect(snapshot(of: store.path + "/symbols/index") == snapshot(of: other.path + "/symbols/index"))
  }

  @Test("with --index lazy of another file of an image leave no index that knows nothing of it")
  func variant() throws {
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    // The same image without debug information, with one name more.
    let script = """
      import sys
      data = bytearray(open(sys.argv[1], 'rb').read())
      at = data.index(b'__debug_info')
      data[at:at + 12] = b'__debug_xxxx'
      open(sys.argv[2], 'wb').write(data)
      """
    let poorer = store.folder.entry("LumenKit")
    #expect(Tool.run("/usr/bin/env", ["python3", "-c", script, Sample.kitFile, poorer]).code == 0)
    #expect(indexes.count == 1)
    #expect(store.run("upload-symbols", poorer, "--index", "lazy").code != 1)
    #expect(indexes.isEmpty)
    _ = lookup()
    #expect(indexes.count == 1)
    #expect(store.run("doctor").text == "all is well\n")
  }

  @Test("with --index now build what an earlier one left for later")
  func nowAfterLazy() throws {
    #expect(store.run("upload-symbols", Sample.kit, "--index", "lazy").code == 0)
    #expect(store.run("upload-symbols", Sample.kit).text.hasPrefix("stored"))
    #expect(indexes.count == 1)
    #expect(store.run("upload-symbols", Sample.kit).text.hasPrefix("already_present"))
  }

  @Test("with --index background end at once, and 'symbols index' waits for the rest")
  func background() throws {
    let outcome = store.run("upload-symbols", Sample.symbols, "--index", "background")
    #expect(outcome.code == 0)
    #expect(outcome.errorText.contains("indexes are built in the background"))
    #expect(store.run("symbols", "index").code == 0)
    #expect(indexes.count == 6)
    // Whoever was first: the other one finds nothing to do, and all is well.
    for _ in 0..<200 where store.run("doctor").text != "all is well\n" { usleep(50_000) }
    #expect(store.run("doctor").text == "all is well\n")
    #expect(store.run("symbols", "index").text == "Nothing to do: every image has its index\n")
  }

  @Test("of files that cannot be used say so when the index is built")
  func unusable() throws {
    let broken = Sample.broken(in: store)
    #expect(store.run("upload-symbols", broken, "--index", "lazy").code == 0)
    let outcome = store.run("symbols", "index", "--json")
    let summary = try outcome.json()["summary"]
    // As with --index now, which refuses it, nothing of it can be used.
    #expect(outcome.code == 3, "\(outcome.text)")
    #expect(summary?.count("unusable") == 1)
  }

  @Test("with gates build their indexes now, and say so when told otherwise")
  func gates() throws {
    let outcome = store.run("upload-symbols", Sample.kit, "--index", "lazy", "--require", Sample.kitID)
    #expect(outcome.code == 64)
    #expect(outcome.errorText.contains("--index now"))
    #expect(files(below: store.folder.path).isEmpty)
  }

  @Test("may require the identifiers of a list, which is read line by line")
  func requireList() throws {
    let list = store.folder.write(
      Array("# the release\n\(Sample.kitID)  # the kit\n\n  4c4c447f55553144a178f562fd01a265\n".utf8), to: "ids")
    let outcome = store.run("upload-symbols", Sample.symbols, "--require", "@" + list, "--json")
    #expect(outcome.code == 0, "\(outcome.errorText)")
    #expect(try outcome.json()["gates"]?["images"]?.array?.count == 2)
    store.folder.write(Array("\(Sample.kitID)\nnonsense\n".utf8), to: "ids")
    let bad = store.run("upload-symbols", Sample.symbols, "--require", "@" + list)
    #expect(bad.code == 64)
    #expect(bad.errorText.contains("ids:2: expected a UUID"))
    #expect(store.run("upload-symbols", Sample.symbols, "--require", "@/absent").code == 64)
  }

  @Test("of what is there change no file, not even for a while", .enabled(if: Faults.library != nil, "no C compiler"))
  func withoutCopy() throws {
    let arguments = ["upload-symbols", Sample.kit, "--store", store.path]
    #expect(symclust(arguments).code == 0)
    // The first change of any file would fail.
    let fault = Faults("enospc", at: 1)
    let again = Tool.run("/usr/bin/env", fault.settings + [Tool.symclust ?? ""] + arguments)
    #expect(again.code == 0, "\(again.errorText)")
    #expect(again.text.hasPrefix("already_present"))
    // The other way of telling it, by a copy, says the same.
    let first = try symclust(arguments + ["--json"]).json()
    let fat = store.folder.entry("copy.gz")
    #expect(bash("gzip -c \"$1\" > \"$2\"", [Sample.kitFile, fat]).code == 0)
    let second = try store.run("upload-symbols", "--json", fat).json()
    let (a, b) = (first["slices"]?[0]?.without("path"), second["slices"]?[0]?.without("path"))
    #expect(try text(a) == text(b))
  }

  @Test("of a folder pass over the store in it")
  func dot() throws {
    #expect(Tool.run("/bin/cp", ["-r", Sample.kit, store.folder.entry("Kit.dSYM")]).code == 0)
    for verdict in ["stored", "already_present"] {
      let outcome = store.run("upload-symbols", store.folder.path, "--json")
      #expect(outcome.code == 0)
      #expect(try outcome.json()["slices"]?.array?.map { $0["verdict"]?.string } == [verdict])
    }
    // Files of the store are no diagnostics either.
    let report = store.run("cluster", store.folder.path, "--json")
    #expect(try report.json()["run"]?["rejected"]?.array?.isEmpty ?? true)
  }

  @Test("that are only rehearsed leave nothing behind, also after one was killed", .enabled(if: Faults.library != nil))
  func killedRehearsal() throws {
    let temporary = store.folder.entry("t")
    #expect(mkdir(temporary, 0o700) == 0)
    let command = [Tool.symclust ?? "", "upload-symbols", "--dry-run", Sample.kit, "--store", store.path]
    let place = ["TMPDIR=" + temporary]
    let killed = Tool.run("/usr/bin/env", Faults("kill", at: 12).settings + place + command)
    #expect(killed.signal == 9 || killed.code == 137)
    #expect(!files(below: temporary).isEmpty)
    #expect(Tool.run("/usr/bin/env", place + command).code == 0)
    #expect(bash("ls -A \"$1\"", [temporary]).text == "")
  }
}
