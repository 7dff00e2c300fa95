import Glibc
import JSON
import TestSupport
import Testing

/// Debug information in files of its own joins the binary it belongs to, and stays with it in the store.
@Suite(
  "Split debug information in a store",
  .enabled(if: programIsBuilt && Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct CompanionUploadTests {
  private static let generated = Corpus.path("symbols/generated/elf/")
  /// The inlined call that `split-dw4` and `split-dw5` tell only with their `.dwo` files.
  private let offsets = ["0x3110", "0x39d0", "0x3a2c", "0x30f0", "0x31e0"]

  private func folder(_ files: [String], as names: [String]? = nil) throws -> TemporaryFolder {
    let folder = try #require(TemporaryFolder("companions"))
    for (number, file) in files.enumerated() {
      let name = names?[number] ?? String(file.split(separator: "/").last ?? "")
      folder.write(try #require(contents(of: Self.generated + file)), to: "in/" + name)
    }
    return folder
  }

  private func upload(_ store: Store, _ path: String) throws -> [String: String] {
    let slices = try #require(try store.run("upload-symbols", "--json", path).json()["slices"]?.array)
    return Dictionary(
      uniqueKeysWithValues: slices.map { slice in
        (String((slice["path"]?.string ?? "").split(separator: "/").last ?? ""), slice["verdict"]?.string ?? "")
      })
  }

  /// The answers for `offsets`, from the store and from the file with its companions beside it.
  private func answers(_ store: Store, image: String) -> [String] {
    store.run("lookup", "--json", "--image", image, offsets[0], offsets[1], offsets[2], offsets[3], offsets[4]).lines
      .map(String.init)
  }

  private func answers(object: String) -> [String] {
    symclust(["lookup", "--json", "--object", object] + offsets).lines.map(String.init)
  }

  private func image(_ path: String) throws -> String {
    let slices = try symclust(["check", "--json", path]).json()["slices"]?.array
    return try #require(slices?.lazy.compactMap { $0["debug_id"]?.string }.first)
  }

  /// Removes every index, so that it must be built from what is retained.
  private func forgetIndexes(_ store: Store) throws {
    for name in files(below: store.path) where name.hasSuffix(".scx") { #expect(unlink("\(store.path)/\(name)") == 0) }
  }

  @Test(
    "comes from .dwo files or a package beside the binary",
    arguments: [
      ("split-dw4", ["plain.dwo", "second.dwo", "shapes.dwo"]),
      ("split-dw5", ["plain.dwo", "second.dwo", "shapes.dwo"]),
      ("split-dw4", ["libcorpus.so.dwp"]), ("split-dw5", ["libcorpus.so.dwp"]),
    ])
  func split(name: String, parts: [String]) throws {
    let here = try folder((["libcorpus.so"] + parts).map { "\(name)/\($0)" })
    let binary = here.entry("in/libcorpus.so")
    let expected = answers(object: binary)
    let store = try Store()
    let verdicts = try upload(store, here.entry("in"))
    #expect(verdicts == ["libcorpus.so": "stored"].merging(parts.map { ($0, "companion") }) { $1 })
    let id = try image(binary)
    #expect(answers(store, image: id) == expected, "before")
    #expect(expected.contains { $0.contains(#""inlined":true"#) })
    // The same from the retained files alone, wherever the originals are.
    #expect(rename(here.entry("in"), here.entry("away")) == 0)
    try forgetIndexes(store)
    #expect(answers(store, image: id) == expected)
    #expect(rename(here.entry("away"), here.entry("in")) == 0)
    // A second time changes nothing, once the index is there again.
    _ = try upload(store, here.entry("in"))
    let before = snapshot(of: store.path)
    let again = try upload(store, here.entry("in"))
    #expect(again["libcorpus.so"] == "already_present")
    #expect(snapshot(of: store.path) == before)
  }

  @Test("comes out of an archive like out of a folder, wherever in it", arguments: ["zip", "tar.gz", "zip.gz"])
  func archived(kind: String) throws {
    let here = try folder(
      ["libcorpus.so", "plain.dwo", "second.dwo", "shapes.dwo"].map { "split-dw5/\($0)" }
        + ["one.so", "two.so", "common.debug"].map { "dwz-multi/\($0)" })
    let script = """
      import gzip, os, sys, tarfile, zipfile
      os.chdir(sys.argv[1])
      names = sorted(os.listdir('in'), key=lambda n: (n.endswith('.dwo') or n.endswith('.debug'), n))
      if sys.argv[2].startswith('zip'):
          with zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED) as z:
              for n in names: z.write('in/' + n)
      else:
          with tarfile.open('out', 'w:gz') as t:
              for n in names: t.add('in/' + n)
      if sys.argv[2] == 'zip.gz':
          data = gzip.compress(open('out', 'rb').read()); open('out', 'wb').write(data)
      """
    #expect(Tool.run("/usr/bin/env", ["python3", "-c", script, here.path, kind]).code == 0)
    let (folder, archive) = (try Store(), try Store())
    #expect(try upload(archive, here.entry("out")) == upload(folder, here.entry("in")))
    #expect(files(below: archive.path + "/tmp").isEmpty)
    #expect(snapshot(of: archive.path + "/symbols") == snapshot(of: folder.path + "/symbols"))
  }

  @Test("that comes after the binary joins it", arguments: ["split-dw4", "split-dw5"])
  func late(name: String) throws {
    let here = try folder(["\(name)/libcorpus.so"])
    let store = try Store()
    let first = store.run("upload-symbols", "--json", here.entry("in"))
    let reasons = try first.json()["slices"]?.array?.first?["reasons"]?.array?.compactMap(\.string) ?? []
    #expect(reasons.contains { $0.contains("plain.dwo was not found") }, "\(reasons)")
    for part in ["plain.dwo", "second.dwo", "shapes.dwo"] {
      here.write(try #require(contents(of: Self.generated + "\(name)/\(part)")), to: "in/\(part)")
    }
    #expect(try upload(store, here.entry("in"))["libcorpus.so"] == "stored")
    let binary = here.entry("in/libcorpus.so")
    #expect(answers(store, image: try image(binary)) == answers(object: binary))
    // A part of the three is worth having, and does not push the others out.
    #expect(unlink(here.entry("in/plain.dwo")) == 0)
    _ = try upload(store, here.entry("in"))
    here.write(try #require(contents(of: Self.generated + "\(name)/plain.dwo")), to: "in/plain.dwo")
    #expect(answers(store, image: try image(binary)) == answers(object: binary))
  }

  @Test("alone is refused with the reason")
  func alone() throws {
    let here = try folder(["split-dw5/plain.dwo", "dwz-multi/common.debug"])
    let store = try Store()
    let outcome = store.run("upload-symbols", here.entry("in"))
    #expect(outcome.code == 1)
    #expect(outcome.text.contains("no_debug_id"))
    #expect(outcome.text.contains("give it together with the file that refers to it"), "\(outcome.text)")
  }

  @Test("that dwz moved out is retained with each file that refers to it")
  func dwz() throws {
    let names = ["one.so", "two.so", "common.debug"]
    let here = try folder(names.map { "dwz-multi/\($0)" })
    let store = try Store()
    #expect(
      try upload(store, here.entry("in")) == ["one.so": "stored", "two.so": "stored", "common.debug": "companion"])
    let retained = files(below: store.path).filter { $0.hasSuffix(".zst") }
    #expect(retained.count == 3)
    for name in names.dropLast() {
      let path = here.entry("in/" + name)
      let expected = answers(object: path)
      try forgetIndexes(store)
      #expect(answers(store, image: try image(path)) == expected)
    }
  }

  @Test("that .gnu_debuglink names is a file of the image like any other")
  func debugLink() throws {
    let here = try folder(
      ["separate/libcorpus.so", "separate/.debug/libcorpus.so.debug"],
      as: ["libcorpus.so", ".debug/libcorpus.so.debug"])
    let binary = here.entry("in/libcorpus.so")
    let expected = answers(object: binary)
    // Named alone, the binary brings its debug file along.
    let store = try Store()
    #expect(try upload(store, binary) == ["libcorpus.so": "stored"])
    #expect(answers(store, image: try image(binary)) == expected)
    // Both in any order are the same store.
    let other = try Store()
    let verdicts = try upload(other, here.entry("in"))
    #expect(verdicts.keys.sorted() == ["libcorpus.so", "libcorpus.so.debug"])
    #expect(Set(verdicts.values) == ["stored", "poorer_variant"], "\(verdicts)")
    #expect(snapshot(of: other.path) == snapshot(of: store.path))
  }

  @Test("and damaged in the store is told, and mended by the next upload")
  func damaged() throws {
    let here = try folder(["libcorpus.so", "libcorpus.so.dwp"].map { "split-dw5/\($0)" })
    let binary = here.entry("in/libcorpus.so")
    let expected = answers(object: binary)
    let store = try Store()
    _ = try upload(store, here.entry("in"))
    let whole = snapshot(of: store.path)
    for name in files(below: store.path) where name.hasSuffix(".zst") {
      let path = "\(store.path)/\(name)"
      let bytes = try #require(contents(of: path))
      try forgetIndexes(store)
      store.folder.write(Array(bytes.dropLast(9)), to: String(path.dropFirst(store.folder.path.count + 1)))
      let outcome = store.run("lookup", "--image", try image(binary), offsets[0])
      #expect(outcome.code != 0 && outcome.errorText.contains("cannot be") || outcome.errorText.contains(".zst"))
      _ = try upload(store, here.entry("in"))
      #expect(answers(store, image: try image(binary)) == expected)
    }
    #expect(snapshot(of: store.path) == whole)
  }
}
