import Diagnostics
import Identity
import TestSupport
import Testing

private let header = """
  Date/Time:        2025-12-17 19:00:41.615 -0500
  End time:         2025-12-17 19:00:48.846 -0500
  OS Version:       macOS 12.7.6 (Build 21H1320)
  Architecture:     arm64e
  Report Version:   35.1

  Data Source:      Stackshots

  Command:          Demo App
  Path:             /Applications/Demo App.app/Contents/MacOS/Demo App
  Identifier:       com.example.demo
  Version:          1.0.14 (14)
  PID:              42

  """

private let hang =
  header + """
    Event:            hang
    Duration:         7.23s
    Hardware model:   MacBookPro12,1

    Heaviest stack for the main thread of the target process:
      9  start + 462 (dyld + 21806) [0x115b4652e]
      9  heaviest + 1 (Demo App + 4097) [0x100001001]

    Process:          Other [41]
    UUID:             \(otherUUID)

      Thread 0x1    DispatchQueue "com.apple.main-thread"(1)    9 samples (1-9)
      9  other + 1 (Other + 1) [0x1001]

    Process:          Demo App [42]
    UUID:             \(appUUID)
    Note:             1 idle work queue thread omitted

      Thread 0x2    DispatchQueue "com.apple.main-thread"(1)    9 samples (1-9)    priority 47
      <process frontmost, thread QoS user interactive>
      9  start + 462 (dyld + 21806) [0x115b4652e] 1-9
        5  a(_:) + 2 (A.swift:31,1 in Demo App + 4096) [0x100001000] 1-5
         *5  ??? (kernel + 1113914) [0xffffff800031ff3a] 1-5
        4  b<(Int) -> ()>(x:) + 9 (B.swift in Demo App + 8192) [0x100002000] (running) 6-9
          4  ??? [0x7ff900000000] 6-9

      Thread 0x3    Thread name "worker one"    9 samples (1-9)
      9  thread_start + 8 (libsystem_pthread.dylib + 8171) [0x7ff80000]

      Binary Images:
               0x100000000 -        0x10000ffff  com.example.demo 1.0.14 (14)  <\(appUUID)>  /Applications/Demo App.app/Contents/MacOS/Demo App
               0x115b41000 -                ???  dyld                          <\(otherUUID)>  /usr/lib/dyld
       *0xffffff8000210000 -                ???  kernel                        <Unknown>

    Process:          launchd [1]
      Thread 0x9    9 samples (1-9)
      9  last + 1 (launchd + 1) [0x1]
    """

private let writes = """
  {"bug_type":"145","app_version":"2.1","build_version":"77","bundleID":"com.example.afcd","os_version":"iPhone OS 16.5 (20F66)","name":"afcd","app_name":"afcd"}
  Date/Time:        2023-06-27 02:16:30.865 -0700
  OS Version:       iPhone OS 16.5 (Build 20F66)
  Report Version:   40
  Data Source:      Microstackshots
  Command:          afcd
  Version:          ??? (???)
  PID:              299
  Event:            disk writes
  Writes caused:    1074.31 MB

  Heaviest stack for the target process:
    102  ??? (libdispatch.dylib + 93404) [0x1c9191cdc]

  Powerstats for:   afcd [299]
  UUID:             \(appUUID)
  Num samples:      3 (88%)
    2  ??? (libdispatch.dylib + 93404) [0x1c9191cdc]
      2  ??? (afcd + 16) [0x10276c010]
    1  ??? (libdispatch.dylib + 93408) [0x1c9191ce0]

    Binary Images:
             0x10276c000 -                ???  afcd                    <\(appUUID)>  /usr/libexec/afcd
             0x1c917b000 -        0x1c91c1fff  libdispatch.dylib       <\(otherUUID)>  /usr/lib/system/libdispatch.dylib

  Powerstats for:   Other
    9  ??? (Other + 1) [0x1]
  """

private let sampled = """
  Analysis of sampling testDemo (pid 74) every 1 millisecond
  Process:         testDemo [74]
  Path:            /tmp/testDemo
  Identifier:      testDemo
  Version:         0
  Code Type:       ARM64
  Date/Time:       2018-10-02 19:28:33.620 -0300
  OS Version:      macOS 26.5.2 (25F84)
  Report Version:  7
  ----

  Call graph:
      2757 Thread_1166804   DispatchQueue_1: com.apple.main-thread  (serial)
      + 2757 start  (in dyld) + 1  [0x7fff6842a085]
      +   2000 main  (in testDemo) + 910,914  [0x1000017be,0x1000017c2]  main.cpp:353
      +   ! 2000 read(int (*) [2])  (in testDemo) + 162  [0x100000d22]
      +   757 ???  (in testDemo)  load address 0x100000000 + 0x20  [0x100000020]
      2757 Thread_1167037: worker
        2757 start_wqthread  (in libsystem_pthread.dylib) + 13  [0x1003d4e51]

  Total number in stack (recursive counted multiple, when >=5):
          7       read  (in testDemo) + 0  [0x100000d22]

  Sort by top of stack, same collapsed (when >= 5):
          __workq_kernreturn  (in libsystem_kernel.dylib)        2757

  Binary Images:
         0x100000000 -        0x100002fff +testDemo (0) <\(appUUID)> /tmp/testDemo
         0x7fff68000000 -  0x7fff68ffffff  dyld (625.13) <\(otherUUID)> /usr/lib/dyld
  """

@Suite("Spindumps and samples")
struct SpindumpTests {
  @Test("of a hang give the threads of the target, and of no other process")
  func hangs() throws {
    let payload = try read(hang)
    #expect(payload.format == .spindump)
    #expect(payload.diagnostics.count == 1)
    let read = payload.diagnostics[0]
    #expect(read.kind == .hang)
    #expect(read.metadata.bundleIdentifier == "com.example.demo")
    #expect(read.metadata.appVersion == "1.0.14" && read.metadata.appBuildVersion == "14")
    #expect(read.metadata.osVersion == "macOS 12.7.6 (21H1320)")
    #expect(read.metadata.hangDuration == "7.23s" && read.metadata.pid == 42)
    #expect(read.metadata.timeStampBegin == "2025-12-17 19:00:41.615 -0500")
    #expect(read.stacks.map(\.name) == ["com.apple.main-thread", "worker one"])
    #expect(read.stacks.map(\.isAttributed) == [true, false])
    #expect(read.stacks.allSatisfy { $0.order == .outermostFirst })
    #expect(
      lines(read) == [
        "dyld!start+21806", "Demo App!a(_:)+4096", "kernel!+1113914", "Demo App!b<(Int) -> ()>(x:)+8192", "-!",
      ])
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0, 1, 0, 3])
    #expect(read.stacks[0].frames.map(\.sampleCount) == [9, 5, 5, 4, 4])
    #expect(read.symbols[1] == ReportedSymbol(function: "a(_:)", file: "A.swift", line: 31))
    #expect(read.symbols[2] == ReportedSymbol(function: "b<(Int) -> ()>(x:)", file: "B.swift"))
    #expect(read.images.first { $0.name == "Demo App" }?.debugID?.description == appUUID)
    #expect(read.images.first { $0.name == "dyld" }?.debugID?.description == otherUUID)
    #expect(lines(read, stack: 1) == ["libsystem_pthread.dylib!thread_start+8171"])
    #expect(read.notes.isEmpty)
  }

  @Test("show the heaviest stack only where there is no other")
  func heaviest() throws {
    let text = hang[..<(try #require(hang.firstRange(of: "Process:          Other")).lowerBound)]
    let read = try read(String(text)).diagnostics[0]
    #expect(lines(read) == ["dyld!start+21806", "Demo App!heaviest+4097"])
    #expect(read.stacks[0].isLinear && read.stacks[0].isAttributed == true)
  }

  @Test("of disk writes and CPU usage are one stack, behind the line of JSON that an .ips file has")
  func resources() throws {
    let read = try read(writes).diagnostics[0]
    #expect(read.kind == .diskWriteException)
    #expect(read.metadata.writesCaused == "1074.31 MB")
    #expect(read.metadata.bundleIdentifier == "com.example.afcd")
    #expect(read.metadata.appVersion == "2.1" && read.metadata.appBuildVersion == "77")
    #expect(read.isPerThread == false)
    #expect(lines(read) == ["libdispatch.dylib!+93404", "afcd!+16", "libdispatch.dylib!+93408"])
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0, -1])
    #expect(read.images.map(\.debugID?.description) == [otherUUID, appUUID])
    let usage = try DiagnosticsTests.read(
      writes.replacing("disk writes", with: "cpu usage")
        .replacing("Writes caused:    1074.31 MB", with: "CPU used:         90s\nCPU duration:     150s"))
    #expect(usage.diagnostics[0].kind == .cpuException)
    #expect(usage.diagnostics[0].metadata.totalCPUTime == "90s")
    #expect(usage.diagnostics[0].metadata.totalSampledTime == "150s")
  }

  @Test("by `sample` are trees drawn with lines, and images are in a list")
  func samples() throws {
    let read = try read(sampled).diagnostics[0]
    #expect(read.kind == .unknown)
    #expect(read.metadata.osVersion == "macOS 26.5.2 (25F84)")
    #expect(read.stacks.map(\.name) == ["com.apple.main-thread", "worker"])
    #expect(
      lines(read) == [
        "dyld!start+4366469", "testDemo!main+6078", "testDemo!read(int (*) [2])+3362", "testDemo!+32",
      ])
    #expect(read.stacks[0].frames.map(\.parent) == [-1, 0, 1, 0])
    #expect(read.symbols[1] == ReportedSymbol(function: "main", file: "main.cpp", line: 353))
    #expect(lines(read, stack: 1) == ["libsystem_pthread.dylib!start_wqthread"])
    #expect(read.notes.isEmpty)
  }

  @Test("tell images of one name apart by where they lie")
  func sameNames() throws {
    let text = hang.replacing(
      "0x115b41000 -                ???  dyld ",
      with:
        "0x200000000 -        0x200001000  X  <\(otherUUID)>  /x/Demo App\n           0x115b41000 -                ???  dyld "
    )
    let read = try read(text).diagnostics[0]
    #expect(read.images.first { $0.name == "Demo App" }?.debugID?.description == appUUID)
  }

  @Test("that name no target are refused; crash reports are not taken")
  func others() throws {
    let nobody = hang.replacing("Command:          Demo App\n", with: "").replacing(
      "Heaviest stack for the main thread of the target process", with: "Heaviest stack for launchd")
    let refused = refusal(of: nobody)
    #expect(refused?.reason == .noTarget)
    #expect(refused?.description == "a spindump that names no target process")
    let crash = "Process: A [1]\nDate/Time: x\nReport Version: 12\nException Type: EXC_CRASH\nEvent: hang\n"
    #expect((try? read(crash))?.format != .spindump)
    #expect(refusal(of: "Date/Time: x\n")?.reason == .notJSON)
  }

  @Test("with lines that never end, other line ends and strange counts are read as far as they go")
  func strange() throws {
    #expect(try read(hang.replacing("\n", with: "\r\n")).diagnostics[0].stacks == read(hang).diagnostics[0].stacks)
    let long = String(repeating: " ", count: 1 << 20) + "1  f (A + 1) [0x1]"
    let cut = try read(hang.replacing("  <process frontmost", with: long + "\n  <process frontmost"))
      .diagnostics[0]
    #expect(cut.notes.map(\.code) == ["text_cut"])
    #expect(lines(cut).count == 5)
    for count in ["-5", "99999999999999999999999", "0x5", "", "5a"] {
      let odd = try read(hang.replacing("    5  a(_:)", with: "    \(count)  a(_:)")).diagnostics[0]
      #expect(lines(odd).count == 4, "\(count)")
    }
    let huge = try read(hang.replacing("Demo App + 4096)", with: "Demo App + 99999999999999999999999)")).diagnostics[0]
    #expect(lines(huge)[1] == "Demo App!a(_:)+4096")
    // Deeper frames than any indentation: a staircase in and out.
    var stairs = header + "Event: hang\n\nProcess: Demo App [42]\n  Thread 0x2  9 samples\n"
    for depth in 0..<4000 { stairs += String(repeating: " ", count: 2 + depth) + "1  f (A + \(depth)) [0x1]\n" }
    let deep = try read(stairs).diagnostics[0]
    #expect(deep.stacks[0].isLinear && deep.stacks[0].frames.count == 4000)
  }

  @Test("are cut at the limits, with notes")
  func limits() throws {
    var limits = ReadingLimits()
    limits.frames = 3
    limits.stacks = 1
    let read = try read(hang, limits: limits)
    expectSound(read, limits: limits)
    #expect(read.diagnostics[0].notes.map(\.code).contains("stacks_cut"))
    #expect(read.diagnostics[0].notes.map(\.code).contains("frames_cut"))
  }

  @Test("that are damaged anywhere are read or refused", arguments: 0..<3)
  func hostile(number: Int) throws { try survivesDamage([hang, writes, sampled][number], changes: 400) }
}

@Suite("Spindumps of the corpus", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct SpindumpCorpusTests {
  @Test("without the process give the whole heaviest stack")
  func heaviest() throws {
    let bytes = try ByteViewText.of("reports/spindump-macos12-hang-excerpt.txt")
    let text = String(bytes[..<(try #require(bytes.firstRange(of: "\nProcess:")).lowerBound)])
    let read = try read(text).diagnostics[0]
    #expect(lines(read).count == 23)
    #expect(lines(read)[17] == "kernel!hndl_alltraps+39327")
    #expect(
      lines(read)[14]
        == "SwiftUI!thunk for @escaping @callee_guaranteed (@guaranteed NSAnimationContext) -> ()+11430772")
    #expect(read.stacks[0].frames[22].address == 0xffff_ff80_003c_51cb)
  }
}
