import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

private let heading = """
  Incident Identifier: 356753AC-2172-45DC-977A-11F2328980D0
  Hardware Model:      iPhone14,2
  Process:             My App [455]
  Identifier:          com.example.app
  Version:             1.0 (34)
  Code Type:           ARM-64 (Native)
  Beta:                YES

  Date/Time:           2022-09-18 15:28:37.3451 +0900
  OS Version:          iPhone OS 16.0 (20A362)

  Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
  Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000010
  VM Region Info: 0x10 is not in any region.
  Termination Reason: SIGNAL 11 Segmentation fault: 11

  Triggered by Thread:  1


  """

private let images = """

  Thread 1 crashed with ARM Thread State (64-bit):
      x0: 0x8000000102236830   x1: 0x0000000281d76520

  Binary Images:
         0x102230000 -        0x102237fff My App arm64  <82d13d98219e3040b62a07a297007a7c> /var/containers/My App.app/My App
         0x192c2e000 -        0x1943f4fff UIKitCore arm64e  <7b942fa4cb7633759972f58c14492fb4> /System/UIKitCore
       0x1943f5000 - 0x1943fffff +NoID dylib arm64  <(null)> /usr/lib/NoID dylib
  0x1aee30000 - 0x1aeefffff dyld arm64e
  0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???

  EOF
  """

private let threads = """
  Thread 0 name:   Dispatch queue: com.apple.main-thread
  Thread 0:
  0   libsystem_kernel.dylib        \t0x1cd18c680 __ulock_wait + 8

  Thread 1 name:  worker  Dispatch queue: a.b
  Thread 1 Crashed:
  0   My App                        \t       0x1022364bc 0x102230000 + 25788
  1   UIKitCore                     \t       0x192fb1330 -[UIViewController view] + 24 (UIViewController.m:12)

  """

private func read(_ text: String) throws -> Diagnostic {
  let payload = try PayloadReader().read(ByteView(Array(text.utf8)))
  #expect(payload.format == .textCrash)
  return try #require(payload.diagnostics.first)
}

/// The frame that a line gives in a report with `images`.
private func frame(_ line: String) throws -> (ExpectedFrame, Diagnostic) {
  let crash = try read(heading + "Thread 0 Crashed:\n" + line + "\n" + images)
  return (try #require(crash.shown(0).first), crash)
}

@Suite("Text crash reports")
struct TextCrashTests {
  @Test("have threads, images, offsets and names")
  func whole() throws {
    let crash = try read(heading + threads + images)
    #expect(crash.notes.isEmpty)
    #expect(crash.stacks.map(\.name) == ["com.apple.main-thread", "worker"])
    #expect(crash.stacks.map(\.isAttributed) == [false, true])
    #expect(crash.shown(0) == [ExpectedFrame("libsystem_kernel.dylib", nil, "__ulock_wait")])
    #expect(
      crash.shown(1) == [
        ExpectedFrame("My App", 25_788), ExpectedFrame("UIKitCore", 3_683_120, "-[UIViewController view]"),
      ])
    #expect(
      crash.symbols.last == ReportedSymbol(function: "-[UIViewController view]", file: "UIViewController.m", line: 12))
    #expect(crash.image(of: crash.stacks[1].frames[0])?.debugID == DebugID("82d13d98219e3040b62a07a297007a7c"))
  }

  @Test("have the metadata of MetricKit in its spelling")
  func metadata() throws {
    let metadata = try read(heading + threads + images).metadata
    #expect(metadata.bundleIdentifier == "com.example.app")
    #expect(metadata.appVersion == "1.0")
    #expect(metadata.appBuildVersion == "34")
    #expect(metadata.osVersion == "iPhone OS 16.0 (20A362)")
    #expect(metadata.deviceType == "iPhone14,2")
    #expect(metadata.platformArchitecture == "arm64")
    #expect(metadata.isTestFlightApp == true)
    #expect(metadata.pid == 455)
    #expect(metadata.exceptionType == 1)
    #expect(metadata.exceptionCode == 1)
    #expect(metadata.signal == 11)
    #expect(metadata.terminationReason == "Namespace SIGNAL, Code 11 Segmentation fault: 11")
    #expect(metadata.virtualMemoryRegionInfo == "0x10 is not in any region.")
    #expect(metadata.timeStampBegin == "2022-09-18 15:28:37.3451 +0900")
  }

  @Test(
    "have frames of many writers",
    arguments: [
      ("0  My App\t0x1022364bc 0x102230000 + 25788", ExpectedFrame("My App", 25_788)),
      ("12  My App   0x1022364bc 0x102230000 + 25788 (-[A b] + 97)", ExpectedFrame("My App", 25_788, "-[A b]")),
      ("0  My App   0x1022364bc foo(int, char) + 24", ExpectedFrame("My App", 25_788, "foo(int, char)")),
      (
        "0  My App\t0x1022364bc f() (in My App) (/<compiler-generated>:0) 0x102230000 + 25788",
        .init("My App", 25_788, "f()")
      ),
      ("0  My App\t0x1022364bc <deduplicated_symbol> (in My App) + 28 0x102230000 + 25788", .init("My App", 25_788)),
      ("0  My App\t0x1022364bc main (in My App) (Main.swift:7) main + 116", .init("My App", 25_788, "main")),
      ("0  My App\t0x1022364bc $s1aF ($s1aF ---> a.f() -> ()) + 264", .init("My App", 25_788, "$s1aF")),
      (
        "0  My App\t0x1022364bc closure #1 in f() + 16 [inlined] (A.swift:3)",
        .init("My App", 25_788, "closure #1 in f()")
      ),
      ("0  My App\t0x1022364bc My App + 25788", .init("My App", 25_788)),
      ("0  My App\t0x1022364bc main + 383392", .init("My App", 25_788)),
      ("0  My App\t0x1022364bc <redacted> + 8", .init("My App", 25_788)),
      ("0  My App\t0x1022364bc", .init("My App", 25_788)),
      ("0  com.example.app 0x1022364bc 0x102230000 + 25788", .init("My App", 25_788)),
      ("0  ???  0x1022364bc ???", .init("My App", 25_788)),
      ("0  NoID dylib\t0x1943f5010 f + 1", .init("NoID dylib", 16, "f")),
      ("0  dyld 0x1aee30010 start + 4", .init("dyld", 16, "start")), ("0  (null)\t0x0 0x0 + 0", .init(nil, nil)),
      ("0  (null)\t0x00000001a868bd34 0x0 + 7120403764", .init(nil, nil)), ("0  ??? 0x5 0 + 5", .init(nil, nil)),
      ("0  Other\t0x500 0x400 + 256", .init("Other", 256)), ("0  Other\t0x300 0x400 + 256", .init("Other", nil)),
      ("0  Other\t0xffffffffffffffff 0x1 + 99999999999999999999999", .init("Other", nil)),
      ("0  \u{1F980} app\t0x1022364bc f\u{00e9} + 1", .init("My App", 25_788, "f\u{00e9}")),
    ] as [(String, ExpectedFrame)])
  func frames(line: String, expected: ExpectedFrame) throws {
    #expect(try frame(line).0 == expected)
  }

  @Test(
    "have files and lines where they are known",
    arguments: [
      ("f + 16 (A.swift:3)", "A.swift", 3), ("f + 16 (:-1)", nil, nil), ("f + 16 (A.m:0)", "A.m", nil),
      ("f (in My App) (a/b.c:9)", "a/b.c", 9), ("f (in My App) (/<compiler-generated>:9)", nil, nil),
      ("f + 16 (A.swift:99999999999999)", "A.swift", nil),
    ] as [(String, String?, UInt32?)])
  func files(place: String, file: String?, line: UInt32?) throws {
    let crash = try frame("0  My App\t0x1022364bc " + place).1
    #expect(crash.symbols == [ReportedSymbol(function: "f", file: file, line: line)])
  }

  @Test("with an exception that nobody caught are about its backtrace, looked up or not")
  func exceptionBacktrace() throws {
    let abort = heading.replacing("EXC_BAD_ACCESS (SIGSEGV)", with: "EXC_CRASH (SIGABRT)")
    let said =
      "Application Specific Information:\nabort() called\n*** Terminating app due to uncaught exception "
      + "'NSRangeException', reason: 'x'\n\n"
    let compact = "Last Exception Backtrace:\n(0x192fb1330 0x1022364bc\n0x5)\n\n"
    let listed =
      "Last Exception Backtrace:\n0   UIKitCore  0x192fb1330 f + 24\n1   My App\t0x1022364bc 0x102230000 + 25788\n\n"
    let first = try read(abort + said + compact + threads + images)
    #expect(first.stacks.map(\.name) == ["Last exception backtrace", "com.apple.main-thread", "worker"])
    #expect(first.attributed == [0])
    #expect(
      first.shown(0) == [ExpectedFrame("UIKitCore", 3_683_120), ExpectedFrame("My App", 25_788), .init(nil, nil)])
    #expect(first.metadata.exceptionReason?.name == "NSRangeException")
    #expect(first.metadata.exceptionReason?.composedMessage == "x")
    #expect(first.shown(2).count == 2)
    let second = try read(
      abort + listed + listed.replacing("Last Exception", with: "Other Exception") + threads + images)
    #expect(second.attributed == [0])
    #expect(second.shown(0) == [ExpectedFrame("UIKitCore", 3_683_120, "f"), ExpectedFrame("My App", 25_788)])
    #expect(try read(heading + listed + threads + images).attributed == [2])
  }

  @Test("of macOS have bundle identifiers among the images, and the names of threads in their headings")
  func macOS() throws {
    let text = """
      -------------------------------------
      Translated Report (Full Report Below)
      -------------------------------------

      Process:               Sketcher [812]
      Path:                  /Applications/Sketcher.app/Contents/MacOS/Sketcher
      Version:               ???
      Code Type:             X86-64 (Native)
      OS Version:            macOS 12.6 (21G115)

      Crashed Thread:        2  Dispatch queue: com.example.work

      Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)
      Exception Codes:       0x0000000000000001, 0x0000000000000000
      Termination Reason:    Namespace SIGNAL, Code 4 Illegal instruction: 4

      Thread 0:: Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib        \t    0x7ff80f3e095a mach_msg_trap + 10

      Thread 2 Crashed:: Painter Dispatch queue: com.example.work
      0   com.example.Sketcher          \t       0x10849b2f4 0x108490000 + 45812
      1   ???                           \t       0x000000000 ???

      Thread 2 crashed with X86 Thread State (64-bit):
        rax: 0x0000000000000000

      Binary Images:
             0x108490000 -        0x1084d3ff7 +com.example.Sketcher (1.0 - 7) <82D13D98-219E-3040-B62A-07A297007A7C> /Applications/Sketcher.app/Contents/MacOS/Sketcher
          0x7ff80f3df000 -     0x7ff80f415fff libsystem_kernel.dylib (*) <7B942FA4-CB76-3375-9972-F58C14492FB4> /usr/lib/system/libsystem_kernel.dylib
                     0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???

      -----------
      Full Report
      -----------

      {"app_name":"Sketcher","bug_type":"309"}
      {
        "threads" : []
      }
      """
    let bytes = ByteView(Array(text.utf8))
    #expect(DocumentStream(bytes).form == .whole)
    let crash = try read(text)
    #expect(crash.stacks.map(\.name) == ["com.apple.main-thread", "Painter"])
    #expect(crash.attributed == [1])
    #expect(crash.shown(0) == [ExpectedFrame("libsystem_kernel.dylib", 6_490, "mach_msg_trap")])
    #expect(crash.shown(1) == [ExpectedFrame("Sketcher", 45_812), ExpectedFrame(nil, nil)])
    #expect(crash.metadata.appVersion == nil)
    #expect(crash.metadata.platformArchitecture == "x86_64")
    #expect(crash.metadata.terminationReason == "Namespace SIGNAL, Code 4 Illegal instruction: 4")
    #expect(crash.metadata.osVersion == "macOS 12.6 (21G115)")
  }

  @Test("may have a line of JSON in front, any line ends, a mark, and no marked thread")
  func forms() throws {
    let text = heading + threads + images
    let whole = try read(text)
    let line = #"{"bug_type":"109","bundleID":"x.y","os_version":"z"}"# + "\n"
    for form in [line + text, line + "\n" + text, "\u{feff}\n" + text, text.replacing("\n", with: "\r\n")] {
      #expect(try read(form) == whole)
      #expect(DocumentStream(ByteView(Array(form.utf8))).form == .whole)
    }
    #expect(try read(text.replacing("Thread 1 Crashed:", with: "Thread 1:")) == whole)
    let bare = text.replacing("Identifier:          com.example.app\n", with: "")
    #expect(try read(line + bare).metadata.bundleIdentifier == "x.y")
    // An app's last words may look like JSON.
    let words =
      "Incident Identifier: 1\nException Type: EXC_CRASH\nApplication Specific Information:\n{\"a\":1}\n[1]\n\n"
    #expect(DocumentStream(ByteView(Array((words + threads).utf8))).form == .whole)
    #expect(try read(words + threads).stacks.count == 2)
  }

  @Test("of PLCrashReporter have a signal for a type, and mark the app's image with a plus")
  func plCrashReporter() throws {
    let crash = try read(
      """
      Incident Identifier: [TODO]
      CrashReporter Key:   [TODO]
      Hardware Model:      iPhone12,1
      Process:         App [321]
      Identifier:      com.example.app
      Version:         2.0 (7)
      Code Type:       ARM-64
      OS Version:      iPhone OS 15.4 (19E241)

      Exception Type:  SIGABRT
      Exception Codes: #0 at 0x1b0a1c9c4
      Crashed Thread:  0

      Application Specific Information:
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'x'

      Last Exception Backtrace:
      0   CoreFoundation                      0x0000000180a4ed8c 0x180a00000 + 322956
      1   App                                 0x0000000104c3b2f4 -[A b] + 24

      Thread 0 Crashed:
      0   libsystem_kernel.dylib              0x00000001b0a1c9c4 0x1b0a00000 + 117188

      Binary Images:
             0x104c30000 -        0x104c4bfff +App arm64  <82d13d98219e3040b62a07a297007a7c> /var/containers/App.app/App
             0x180a00000 -        0x180dfffff  CoreFoundation arm64e  <7b942fa4cb7633759972f58c14492fb4> /System/CoreFoundation
      """)
    #expect(crash.metadata.signal == 6)
    #expect(crash.metadata.exceptionType == nil)
    #expect(crash.metadata.exceptionCode == nil)
    #expect(crash.metadata.exceptionReason?.name == "NSRangeException")
    #expect(crash.attributed == [0])
    #expect(crash.shown(0) == [ExpectedFrame("CoreFoundation", 322_956), ExpectedFrame("App", 45_812, "-[A b]")])
    #expect(crash.shown(1) == [ExpectedFrame("libsystem_kernel.dylib", 117_188)])
    #expect(crash.notes.isEmpty)
  }

  @Test("of a system before iOS 9 have a kill's reason in the codes")
  func oldKill() throws {
    let text =
      "Incident Identifier: 1\nException Type:  00000020\nException Codes: 0x000000008badf00d\nHighlighted Thread:  0\n\n"
    let crash = try read(text + "Thread 0:\n0  My App\t0x1022364bc f + 1\n" + images)
    #expect(crash.metadata.terminationReason == "Code 0x8badf00d")
    #expect(crash.attributed == [0])
  }

  @Test("without anything about a crash are refused, and other texts are not taken")
  func refused() {
    #expect(refusal(of: "Incident Identifier: 1\nHardware Model: x")?.reason == .textCrashReport)
    #expect(refusal(of: "{\"bug_type\":\"109\"}\nProcess: x")?.reason == .textCrashReport)
    #expect(refusal(of: "Process: x [1]\nPath: y\n\nCall graph:\n  1 Thread_1")?.reason == .notJSON)
    let two = refusal(of: heading + threads + images + "\n" + heading + threads)
    #expect(two?.reason == .severalDocuments)
    #expect(two?.place?.offset == (heading + threads + images).utf8.count + 1)
    #expect(refusal(of: "Thread 0 Crashed:\n0  A 0x1 f")?.reason == .notJSON)
  }

  @Test("of Umeng have one image that can be looked up")
  func umeng() throws {
    let crash = try read(
      """
      Application received signal SIGSEGV
      (null)
      ((
        0  CoreFoundation   0x00000001823b0f60 <redacted> + 148
        1  DemoApp          0x100b32844        UmengSignalHandler (in DemoApp) + 128
        2  libsystem_platform.dylib  0x000000019827d93c _sigtramp + 52
        3  CoreFoundation   0x00000001823f3ddc <redacted> + 124
        4  DemoApp          0x100100ea0        main (in DemoApp) (main.m:14)
      )

      dSYM UUID: E5B0A378-6816-3D90-86FD-2AEF15894A85
      CPU Type: arm64
      Binary Image: DemoApp
      Base Address: 0x00000001000e4000
      """)
    #expect(crash.shown(0) == [ExpectedFrame("CoreFoundation", nil), ExpectedFrame("DemoApp", 118_432, "main")])
    #expect(crash.metadata.signal == 11)
    #expect(crash.image(of: crash.stacks[0].frames[1])?.debugID == DebugID("E5B0A378-6816-3D90-86FD-2AEF15894A85"))
  }

  @Test("do no harm when they are cut, damaged or huge")
  func hostile() throws {
    let bytes = Array((heading + threads + images).utf8)
    for end in 0..<bytes.count { readHostile(Array(bytes[..<end])) }
    readDamaged(bytes, count: 3000, seed: 21)
    let numbers = [
      "Thread 99999999999999999999999:", "Thread 0 Crashed:", "99999999999999999999 A 0x1 f",
      "0 A 0xffffffffffffffffff f", "0 A 0x", "0", "0 0x1",
      "0 A 0xffffffffffffffff 0xffffffffffffffff + 18446744073709551615",
      "Binary Images:", "0xffffffffffffffff - 0x0 A arm64 <> /", "0x1 - 0x1", "0x1 -", "0x2 - 0x3 <",
      "0x1 - 0x2 A <zz> /a/",
      "\u{0}\u{0}", "(((((", "))))",
    ]
    readHostile(Array((heading + numbers.joined(separator: "\n")).utf8))
    let long = String(repeating: "x", count: 1 << 20)
    let cut = try read(heading + "Thread 0 Crashed:\n0  My App\t0x1022364bc \(long) + 5\n" + images)
    #expect(cut.notes.map(\.code) == ["text_cut"])
    #expect(cut.symbols[0].function.utf8.count < 16_384)
    readHostile(Array((heading + "Thread 0 Crashed:\n0 " + String(repeating: " (", count: 1 << 19)).utf8))
    readHostile(Array((heading + "Thread 0 Crashed:\n0 A 0x1 " + String(repeating: " 0x1 + ", count: 1 << 18)).utf8))
    readHostile(Array((heading + "Binary Images:\n0x1 - 0x2 " + String(repeating: "<", count: 1 << 20)).utf8))
    readHostile(Array((heading + "Last Exception Backtrace:\n(" + String(repeating: "0x1 ", count: 1 << 18)).utf8))
  }

  @Test("are cut at the limits")
  func limits() throws {
    var limits = ReadingLimits()
    limits.frames = 3
    let lines = Array(repeating: "0  My App\t0x1022364bc f + 1\n", count: 5).joined()
    let text = heading + "Thread 0 Crashed:\n" + lines + "\nThread 1:\n" + lines + images
    let crash = try PayloadReader(limits: limits).read(ByteView(Array(text.utf8))).diagnostics[0]
    #expect(crash.stacks.map(\.frames.count) == [3, 0])
    #expect(crash.notes.map { "\($0.code) \($0.place)" } == ["frames_cut 7 more"])
    limits.stacks = 1
    let fewer = try PayloadReader(limits: limits).read(ByteView(Array(text.utf8))).diagnostics[0]
    #expect(fewer.stacks.count == 1)
    #expect(fewer.notes.map(\.code) == ["frames_cut", "stacks_cut"])
  }
}
