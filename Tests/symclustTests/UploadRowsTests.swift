import Bytes
import JSON
import TestSupport
import Testing

/// Complaints about other uploaders (requirements.md 3.1), made small: what is said to be uploaded is of use.
@Suite("upload-symbols keeps its word", .enabled(if: programIsBuilt, programAbsence))
struct UploadRowsTests {
  private let store: Store

  init() throws { store = try Store() }

  private func binary(_ uuid: UInt8?, cpu: UInt32 = 0x0100_000c, symbols: Bool = true, size: UInt64 = 0x1000) -> [UInt8]
  {
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.cpu = (cpu, 0)
    builder.uuid = uuid.map { [UInt8](repeating: $0, count: 16) }
    builder.text = (0x1000, size)
    builder.sections = [.code(at: 0x1000, size: size)]
    if symbols { builder.symbols = [.init("_main", 0x1100)] }
    return builder.build()
  }

  /// Verdicts by file name, and the code.
  private func upload(_ paths: String...) throws -> (verdicts: [String], code: Int32) {
    let outcome = symclust(["upload-symbols", "--json", "--store", store.path] + paths)
    let slices = try outcome.json()["slices"]?.array ?? []
    return (
      slices.map { slice in
        "\(slice["path"]?.string?.split(separator: "/").last ?? "") \(slice["verdict"]?.string ?? "")"
      }, outcome.code
    )
  }

  @Test("U-01 debug information that cannot be read is no upload: the verdict says so, and nothing is retained")
  func unreadable() throws {
    let broken = Sample.broken(in: store)
    #expect(try upload(broken) == (["LumenKit malformed"], 1))
    #expect(store.run("symbols", "find", Sample.kitID).code == 1)
    // And one line says why, where a good file of the same image is taken.
    #expect(try upload(Sample.kit).code == 0)
    #expect(store.run("symbols", "verify", "--binary", Sample.kitFile, "--dsym", broken).code == 0)
  }

  @Test("U-13, U-14 empty files, files without symbols and without identifier are named, and cost the others nothing")
  func useless() throws {
    store.folder.write([], to: "App.dSYM/Contents/Resources/DWARF/empty")
    store.folder.write(binary(1, symbols: false), to: "App.dSYM/Contents/Resources/DWARF/nameless")
    store.folder.write(binary(nil), to: "App.dSYM/Contents/Resources/DWARF/unidentified")
    store.folder.write(binary(2), to: "App.dSYM/Contents/Resources/DWARF/whole")
    let (verdicts, code) = try upload(store.folder.entry("App.dSYM"))
    #expect(verdicts == ["empty malformed", "nameless no_symbols", "unidentified no_debug_id", "whole stored"])
    #expect(code == 3)
  }

  @Test("U-15, U-16 thin and fat files alike: each slice is known by its own identifier")
  func slices() throws {
    let first = store.folder.write(binary(1, cpu: 0x0100_0007), to: "one")
    let second = store.folder.write(binary(2), to: "two")
    let fat = store.folder.write(fatFile([binary(1, cpu: 0x0100_0007), binary(2)]), to: "fat")
    #expect(try upload(fat) == (["fat stored", "fat stored"], 0))
    for id in ["01", "02"] {
      #expect(store.run("symbols", "find", String(repeating: id, count: 16)).code == 0)
    }
    // The same slices as files of their own are the same symbols.
    #expect(try upload(first, second) == (["one already_present", "two already_present"], 0))
  }

  @Test("U-17, U-21 what is unchanged stays as it is when another image of the bundle was built anew")
  func unchanged() throws {
    func bundle(_ changed: UInt8, size: UInt64) -> String {
      store.folder.write(binary(1), to: "App.dSYM/Contents/Resources/DWARF/kept")
      store.folder.write(binary(changed, size: size), to: "App.dSYM/Contents/Resources/DWARF/rebuilt")
      return store.folder.entry("App.dSYM")
    }
    #expect(try upload(bundle(2, size: 0x1000)).verdicts == ["kept stored", "rebuilt stored"])
    #expect(try upload(bundle(3, size: 0x2000)).verdicts == ["kept already_present", "rebuilt stored"])
    #expect(try upload(bundle(3, size: 0x2000)).verdicts == ["kept already_present", "rebuilt already_present"])
    let images = try store.run("symbols", "list", "--json").json()["images"]?.array ?? []
    #expect(images.count == 3 && images.allSatisfy { $0.count("files") == 1 })
  }

  @Test("R-07 what one store has, or made of it, another never uses, whoever is of the same identifier")
  func scope() throws {
    let other = try Store()
    #expect(try upload(Sample.kit).code == 0)
    #expect(other.run("upload-symbols", Sample.symbols + "/1.0-101").code == 0)
    #expect(other.run("symbols", "find", Sample.kitID).code == 1)
    #expect(other.run("lookup", "--image", Sample.kitID, "0x4000").code == 1)
    // The same identifier with other code is that store's own.
    var builder = MachOBuilder()
    builder.fileType = 2
    builder.uuid = [UInt8](hex: Sample.kitID.filter { $0 != "-" })
    builder.text = (0x1000, 0x1000)
    builder.sections = [.code(at: 0x1000, size: 0x1000)]
    builder.symbols = [.init("_other", 0x1100)]
    other.folder.write(builder.build(), to: "x/Impostor")
    #expect(other.run("upload-symbols", other.folder.entry("x")).code == 0)
    #expect(other.run("lookup", "--image", Sample.kitID, "0x100").text.contains("other"))
    #expect(!store.run("lookup", "--image", Sample.kitID, "0x100").text.contains("other"))
  }

  @Test("U-28 counts in a file that no file can hold are a verdict, not memory")
  func counts() throws {
    var bytes = binary(1)
    for place in [16, 20] {
      var crafted = bytes
      for index in place..<(place + 4) { crafted[index] = 0xff }
      let path = store.folder.write(crafted, to: "crafted\(place)")
      let outcome = symclust(["upload-symbols", "--json", "--store", store.path, path], memory: 2_000_000)
      #expect(outcome.ended && outcome.code == 1)
    }
    bytes = bytes.prefix(60) + []
    let cut = store.folder.write(bytes, to: "cut")
    #expect(try upload(cut) == (["cut incomplete"], 1))
  }
}
