import Bytes
import Glibc
import JSON
import TestSupport
import Testing

/// Whatever a bundle is called, it is uploaded; what is large is, too.
@Suite("Files to upload", .enabled(if: programIsBuilt, programAbsence))
struct UploadNamesTests {
  private let store: Store

  init() throws { store = try Store() }

  @Test("U-12 may have any bytes in their names: given, listed, and found in folders")
  func names() throws {
    let names: [[UInt8]] = [
      Array("Ñandú (352.0) β.app.dSYM".utf8), Array("N\u{303}andu\u{301} (352.0) β.app.dSYM".utf8),
      Array("a'b\"c $(x) `y`.dSYM".utf8), [0xd1] + Array("and".utf8) + [0xfa] + Array(".dSYM".utf8),
      Array("two\nlines.dSYM".utf8), Array("\u{10ffff}.dSYM".utf8),
    ]
    let kit = try #require(contents(of: Sample.kitFile))
    for (number, name) in names.enumerated() {
      let bundle = store.folder.entry("in\(number)/") + PathName.text(name)
      store.folder.makeFolders(above: "in\(number)/x")
      for folder in [
        bundle, bundle + "/Contents", bundle + "/Contents/Resources", bundle + "/Contents/Resources/DWARF",
      ] {
        #expect(PathName.makeFolder(folder) == 0)
      }
      let file = bundle + "/Contents/Resources/DWARF/LumenKit"
      try ByteView(kit).write(to: file)
      let bytes = PathName.with(file) { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
      let found = store.run("upload-symbols", "--json", store.folder.entry("in\(number)"))
      let listed = symclust(["upload-symbols", "--json", "-", "--store", store.path], input: bytes + [0])
      let given = bash(
        "\"$symclust\" upload-symbols --json \"$2\"/in$3/* --store \"$1\"",
        [store.path, store.folder.path, "\(number)"])
      for outcome in [found, listed, given] {
        #expect(outcome.code == 0, "\(name): \(outcome.errorText)")
        let slices = try #require(try outcome.json()["slices"]?.array)
        #expect(slices.count == 1)
        // The name can be had back from JSON.
        #expect(slices[0]["path"]?.string.map { Array($0.utf8) } == Array(file.utf8))
      }
      let shown = store.run("upload-symbols", store.folder.entry("in\(number)")).text
      #expect(!shown.contains("\u{10ff}") && shown.split(separator: "\n").count <= 3)
      if number == 3 { #expect(shown.contains("\\xd1and\\xfa.dSYM")) }
    }
    #expect(files(below: store.path + "/symbols/sources").count == 1)
  }

  @Test("U-12 may go into a store whose name is no text, and so may everything that is done with it")
  func storeName() throws {
    let outcome = bash(
      """
      store=$(printf '%s/st\\xff' "$1")
      "$symclust" upload-symbols "$2" --store "$store" --index background --app com.example.lumen --version 1 --build 2 || exit 1
      "$symclust" symbols index --store "$store" || exit 2
      "$symclust" cluster "$3" --store "$store" > "$1/report"; [ $? = 3 ] || exit 3
      SYMCLUST_STORE="$store" "$symclust" builds list | grep -c '1 (2)' || exit 4
      ls -A "$1"
      """, [store.folder.path, Sample.kit, Sample.diagnostics + "/single"])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    // One folder of that name, and none of another spelling.
    #expect(
      outcome.output.split(separator: 0x0a).suffix(2).map { Array($0) } == [
        Array("report".utf8), Array("st".utf8) + [0xff],
      ])
  }

  /// An ELF file with its debug sections and section table moved behind 4 GiB, most of it a hole.
  private func large() throws -> String {
    let source = store.folder.write(
      Array("int far(int a) { return a * 7; }\nint main(void) { return far(3); }\n".utf8), to: "far.c")
    let small = store.folder.entry("small")
    let outcome = Tool.run("/usr/bin/cc", ["-g", "-O0", "-Wl,--build-id", "-o", small, source])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    let script = """
      import os, struct, sys
      data = bytearray(open(sys.argv[1], 'rb').read())
      shift = (4 << 30) + (256 << 20)
      table, = struct.unpack_from('<Q', data, 0x28)
      size, count, names = struct.unpack_from('<HHH', data, 0x3a)
      name_at, = struct.unpack_from('<Q', data, table + names * size + 24)
      parts = []
      for i in range(count):
          at = table + i * size
          name, = struct.unpack_from('<I', data, at)
          text = data[name_at + name:data.index(0, name_at + name)]
          offset, length = struct.unpack_from('<QQ', data, at + 24)
          if text.startswith(b'.debug'):
              parts.append((offset + shift, bytes(data[offset:offset + length])))
              struct.pack_into('<Q', data, at + 24, offset + shift)
      parts.append((table + shift, bytes(data[table:table + size * count])))
      struct.pack_into('<Q', data, 0x28, table + shift)
      with open(sys.argv[2], 'wb') as f:
          f.write(data)
          for offset, part in parts:
              f.seek(offset); f.write(part)
      """
    let path = store.folder.entry("large")
    #expect(Tool.run("/usr/bin/env", ["python3", "-c", script, small, path]).code == 0)
    return path
  }

  @Test(
    "U-06, U-07 may be larger than 4 GiB: they are retained, with little memory",
    .enabled(if: access("/usr/bin/cc", X_OK) == 0, "no C compiler"))
  func size() throws {
    let path = try large()
    #expect((PathName.status(path)?.st_size ?? 0) > 4 << 30)
    let outcome = symclust(["upload-symbols", "--json", path, "--store", store.path], seconds: 300)
    #expect(outcome.code == 0, "\(outcome.errorText)\(outcome.text)")
    let slice = try #require(try outcome.json()["slices"]?[0])
    #expect(slice["verdict"]?.string == "stored" && slice["level"]?.string == "lines")
    #expect(slice.count("bytes") > 4 << 30)
    // The file is mapped, so its pages count while they are looked at; a copy of it in memory would not fit here.
    let bounded = symclust(["upload-symbols", path, "--store", store.path], seconds: 300, memory: 7 << 20)
    #expect(bounded.code == 0 && bounded.text.hasPrefix("already_present"), "\(bounded.errorText)\(bounded.text)")
    let address = try #require(
      Tool.run("/usr/bin/nm", [store.folder.entry("small")]).lines.first { $0.hasSuffix(" T far") }?.prefix(16))
    let id = try #require(slice["debug_id"]?.string)
    let found = store.run("lookup", "--image", id, String(address))
    #expect(found.text.contains("far") && found.text.contains("far.c:1"), "\(found.text)")
  }

  @Test("U-07 that are larger than memory are named with the reason, and cost the others nothing")
  func memory() throws {
    let large = store.folder.write(Array(try #require(contents(of: Sample.kitFile)).prefix(16_384)), to: "in/large")
    #expect(truncate(large, 3 << 30) == 0)
    let outcome = symclust(
      ["upload-symbols", "--json", store.folder.entry("in"), Sample.kit, "--store", store.path], seconds: 300,
      memory: 1 << 20)
    #expect(outcome.code == 3)
    let slices = try #require(try outcome.json()["slices"]?.array)
    #expect(slices.map { $0["verdict"]?.string } == ["too_large", "stored"])
    #expect(slices[0]["reasons"]?[0]?.string?.contains("Cannot allocate memory") == true)
    #expect(files(below: store.path + "/tmp").isEmpty)
  }

  @Test("U-26 may come from the folder of another symbol store: all of it is imported by naming it")
  func importFolder() throws {
    let hex = Sample.kitID.filter { $0 != "-" }.lowercased()
    let kit = try #require(contents(of: Sample.kitFile))
    // The layouts of hosted services and of debuggers.
    for name in [
      "unified/\(hex.prefix(2))/\(hex.dropFirst(2))/debuginfo",
      "lldb/\(hex.prefix(4))/\(hex.dropFirst(4).prefix(4))/\(hex.dropFirst(8))",
      "old/\(hex.uppercased()).dSYM/Contents/Resources/DWARF/LumenKit",
    ] {
      let other = try Store()
      other.folder.write(kit, to: name)
      let outcome = other.run("upload-symbols", "--json", other.folder.path)
      #expect(outcome.code == 0, "\(name)")
      #expect(try outcome.json()["slices"]?.array?.map { $0["verdict"]?.string } == ["stored"])
      #expect(other.run("symbols", "find", Sample.kitID).code == 0)
    }
  }
}
