import JSON
import TestSupport
import Testing

@Suite("symbolicate", .enabled(if: programIsBuilt, programAbsence))
struct SymbolicateTests {
  private let crash = Sample.diagnostics + "/compact/payload-0019.json"
  private let hang = Sample.diagnostics + "/compact/payload-0223.json"

  private func store() throws -> Store {
    let store = try Store()
    store.uploadSamples()
    return store
  }

  // The planted fault (F08 of build 120) stands in engine.cpp, line 52, inlined into line 59.
  @Test("shows a crash like Apple's reports, with inlined calls on lines of their own")
  func crashText() throws {
    let outcome = try store().run("symbolicate", crash)
    let expected = """
      Diagnostic 0: crash  com.example.lumen  1.2  (120)  iPhone OS 18.5 (22F76)  iPhone15,2
      Exception type: 1
      Exception code: 0x1
      Signal: 11
      Termination: Namespace SIGNAL, Code 11 Segmentation fault: 11
      Memory region: 0 is not in any region.  Bytes before following region: 4315791360
      Time: 2026-06-21 15:07:00

      Stack 0 (attributed):
      0   Lumen                    0x00000001013e0618  lumen::Blender::mix (engine.cpp:52:18) [inlined]
          Lumen                                        lumen::Blender::blend (engine.cpp:59:48)
      1   Lumen                    0x00000001013e05e8  engine_blend (engine.cpp:149:22)
      2   Lumen                    0x00000001013e1398  EditorScreen.blendTapped(_:_:) (LumenApp.swift:73:17)
      3   UIKitCore                0x000000018fe7dbd0  UIKitCore + 18979792
      4   UIKitCore                0x000000018fe48de8  UIKitCore + 18763240
      5   UIKitCore                0x000000018f9ab9e0  UIKitCore + 13924832
      6   UIKitCore                0x00000001900278d4  UIKitCore + 20723924
      7   UIKitCore                0x00000001900dfbcc  UIKitCore + 21478348
      8   CoreFoundation           0x0000000189caf824  CoreFoundation + 194596
      9   CoreFoundation           0x0000000189e0f890  CoreFoundation + 1636496
      10  CoreFoundation           0x0000000189eca874  CoreFoundation + 2402420
      11  CoreFoundation           0x000000018a04ab94  CoreFoundation + 3976084
      12  CoreFoundation           0x0000000189ea3268  CoreFoundation + 2241128
      13  GraphicsServices         0x00000001ae0d6394  GraphicsServices + 9108
      14  UIKitCore                0x000000018ef64208  UIKitCore + 3146248
      15  UIKitCore                0x000000018ff136a8  UIKitCore + 19592872
      16  Lumen                    0x00000001013e1644  LumenApp.main() (LumenApp.swift:12:18) [inlined]
          Lumen                                        LumenApp.$main() (<compiler-generated>:9:1) [inlined]
          Lumen                                        main (LumenApp.swift)
      17  dyld                     0x00000001826adbd8  dyld + 351192

      Stack 1:
      0   libsystem_kernel.dylib   0x00000001e9775b88  libsystem_kernel.dylib + 170888
      1   libsystem_kernel.dylib   0x00000001e974c884  libsystem_kernel.dylib + 2180
      2   CoreFoundation           0x0000000189ca47c4  CoreFoundation + 149444
      3   CoreFoundation           0x000000018a04ab94  CoreFoundation + 3976084
      4   CoreFoundation           0x0000000189ea3268  CoreFoundation + 2241128
      5   UIKitCore                0x000000018f055df0  UIKitCore + 4136432
      6   Foundation               0x000000018b974794  Foundation + 9308052
      7   libsystem_pthread.dylib  0x00000001ec8c9110  libsystem_pthread.dylib + 4368
      8   libsystem_pthread.dylib  0x00000001ec8cdd9c  libsystem_pthread.dylib + 23964

      Images:
        Lumen                    4C4C447F-5555-3144-A178-F562FD01A265
        UIKitCore                0828E366-9955-3AF8-B5A7-4CA521CE6966  no symbols
        CoreFoundation           259820FC-8914-3EF6-84CC-ACC7355D8FCE  no symbols
        GraphicsServices         59E51ACF-3E65-3817-8AF2-1107127AB0B6  no symbols
        dyld                     C96F824C-0D4A-3CB6-B70B-4B78FB589A1B  no symbols
        libsystem_kernel.dylib   E6BA9ED7-5672-3337-8C79-513C18048E5D  no symbols
        Foundation               B0AE9427-3367-3FA3-A0D4-4F3F47A13353  no symbols
        libsystem_pthread.dylib  B1B25363-9845-3D38-A9AB-3D37DE574EC3  no symbols


      """
    #expect(outcome.text == expected)
    // Only the system's images have no symbols.
    #expect(outcome.code == 0)
    #expect(outcome.errorText.isEmpty)
  }

  @Test("shows a hang as the tree of its samples, outermost call first")
  func hangText() throws {
    let outcome = try store().run("symbolicate", hang)
    let lines = outcome.lines.map(String.init)
    let expected = """
      Diagnostic 0: hang  com.example.lumen  1.2  (120)  iPhone OS 15.8.1 (19H370)  iPhone14,5
      Time: 2026-06-19 02:59:00 +0000 to 2026-06-20 02:59:00 +0000
      Hang: 14 sec

      Stack 0 (attributed):
      95     dyld + 363756  (dyld)
      95      main (LumenApp.swift)  (Lumen)
              LumenApp.$main() (<compiler-generated>:9:1) [inlined]  (Lumen)
              LumenApp.main() (LumenApp.swift:12:18) [inlined]  (Lumen)
      95       UIKitCore + 22526472  (UIKitCore)
      95        GraphicsServices + 6828  (GraphicsServices)
      95         CoreFoundation + 1971796  (CoreFoundation)
      95          CoreFoundation + 2978152  (CoreFoundation)
      93           CoreFoundation + 2309764  (CoreFoundation)
      93            CoreFoundation + 197288  (CoreFoundation)
      93             CoreFoundation + 621204  (CoreFoundation)
      93              UIKitCore + 19814712  (UIKitCore)
      93               UIKitCore + 3757676  (UIKitCore)
      93                UIKitCore + 13216592  (UIKitCore)
      93                 UIKitCore + 8362236  (UIKitCore)
      93                  UIKitCore + 4530732  (UIKitCore)
      93                   UIKitCore + 10664084  (UIKitCore)
      93                    UIKitCore + 21882832  (UIKitCore)
      93                     EditorScreen.presetsShown(_:) (LumenApp.swift:102:46)  (Lumen)
      91                      PresetLoader.loadAll(_:) (Screens.swift:76:26)  (Lumen)
      33                       PresetLoader.load(_:) (Screens.swift:65:16)  (Lumen)
      33                        libsystem_kernel.dylib + 28936  (libsystem_kernel.dylib)
      50                       PresetLoader.load(_:) (Screens.swift:66:18)  (Lumen)
      50                        libsystem_kernel.dylib + 140680  (libsystem_kernel.dylib)
      """
    #expect(lines.prefix(29).joined(separator: "\n") == expected)
    #expect(lines.count == 49)
  }

  @Test("as JSON says the same, one diagnostic a line, in document order")
  func json() throws {
    let store = try store()
    let outcome = symclust(["symbolicate", "--json", "--store", store.path, Sample.diagnostics])
    let lines = try outcome.jsonLines()
    let truth = try Sample.truth()
    // Payloads that came twice are shown twice: nothing is recorded here.
    #expect(lines.count > truth.count)
    var found: [DiagnosticKey: JSONValue] = [:]
    for line in lines {
      let key = DiagnosticKey(payload: line["payload"]?.string ?? "", diagnostic: line.count("diagnostic"))
      if let known = found[key] { #expect(known == line) }
      found[key] = line
    }
    #expect(found.count == truth.count)
    for one in truth {
      let line = try #require(found[DiagnosticKey(payload: one.payload, diagnostic: one.diagnostic)])
      #expect(line["kind"]?.string == one.kind)
      #expect(line["build"]?.string == one.build)
      // Every frame of the app is named, whatever the offset field meant on that system.
      for frame in (line["stacks"]?.array ?? []).flatMap({ $0["frames"]?.array ?? [] }) {
        let image = frame["image"]?.string ?? ""
        if image.hasPrefix("Lumen") {
          #expect(frame["status"]?.string == "resolved", "\(one.payload)")
          #expect(frame["frames"]?[0]?["function"]?.string?.isEmpty == false)
        } else {
          #expect(frame["status"]?.string == "missing_image")
        }
      }
    }
    let one = symclust(["symbolicate", "--json", "--store", store.path, crash])
    #expect(try text(one.jsonLines()[0]["stacks"]?[0]?["frames"]?[0]?["frames"]?[0]?["line"]) == "52")
    for jobs in ["1", "7"] {
      let other = symclust(["symbolicate", "--json", "--store", store.path, "--jobs", jobs, Sample.diagnostics])
      #expect(other.output == outcome.output)
    }
  }

  @Test("changes nothing in the store, and needs one")
  func readsOnly() throws {
    let store = try store()
    let before = snapshot(of: store.path)
    _ = store.run("symbolicate", Sample.diagnostics)
    #expect(snapshot(of: store.path) == before)
    let none = try Store()
    let outcome = none.run("symbolicate", crash)
    #expect(outcome.code == 1)
    #expect(outcome.errorText == "symclust: \(none.path): there is no store here\n")
    #expect(files(below: none.folder.path).isEmpty)
  }

  @Test("goes on after what cannot be read, and says so")
  func bad() throws {
    let store = try store()
    let bad = store.folder.write(Array("{".utf8), to: "bad.json")
    let mixed = store.run("symbolicate", bad, crash, "/absent")
    #expect(mixed.code == 3)
    #expect(mixed.text == store.run("symbolicate", crash).text)
    #expect(mixed.errorText.contains("\(bad): truncated JSON") && mixed.errorText.contains("/absent: cannot open"))
    #expect(store.run("symbolicate", bad).code == 1)
  }
}
