import JSON
import TestSupport
import Testing

@Suite("PLCrashReporter's files", .enabled(if: programIsBuilt, programAbsence))
struct PLCrashFileTests {
  /// A crash in a deinitialiser of the sample app.
  private var report: PLCrashFile {
    var report = PLCrashFile()
    let id: [UInt8] = [
      0x4c, 0x4c, 0x44, 0xf8, 0x55, 0x55, 0x31, 0x44, 0xa1, 0x76, 0x26, 0x5c, 0xe8, 0xbd, 0x98, 0xe8,
    ]
    report.images = [PLCrashFile.Image(base: 0x1_0000_0000, id: id, path: "/private/var/Lumen.app/Lumen")]
    report.threads = [(true, [0x1_0000_45c0])]
    return report
  }

  @Test("are found in folders and archives, and looked up in retained symbols")
  func symbols() throws {
    let store = try Store()
    store.uploadSamples()
    store.folder.write(report.bytes, to: "in/a.plcrash")
    #expect(store.run("symbolicate", store.folder.entry("in")).text.contains("SyncEngine.deinit"))
    let archive = store.folder.entry("in.tar")
    _ = Tool.run("/bin/tar", ["-cf", archive, "-C", store.folder.path, "in"])
    let json = try store.run("symbolicate", "--json", archive).jsonLines()
    #expect(json.map { $0["format"]?.string } == ["plcrash"])
  }

  @Test("are one cluster with the same crash in other words")
  func otherForm() throws {
    let store = try Store()
    let line =
      #"{"schema":"symclust.stack/1","kind":"crash","app":"com.example.lumen","build":"1","reason":{"signal":6},"threads":[{"attributed":true,"frames":[{"debug_id":"4C4C44F8-5555-3144-A176-265CE8BD98E8","image":"Lumen","offset":"0x45c0"}]}]}"#
    let paths = [
      store.folder.write(report.bytes, to: "a.plcrash"), store.folder.write(Array(line.utf8), to: "b.json"),
    ]
    let report = try store.report(paths)
    #expect(report["run"]?.count("accepted_diagnostics") == 2)
    #expect(report["clusters"]?.array?.count == 1)
  }

  @Test("that are broken are refused by name, with the place")
  func refusal() throws {
    let store = try Store()
    let path = store.folder.write(Array(report.bytes.dropLast()), to: "a.plcrash")
    let outcome = store.run("cluster", path)
    #expect(outcome.code != 0)
    #expect(outcome.errorText.contains("a .plcrash report that cannot be used: truncated at byte"))
  }
}
