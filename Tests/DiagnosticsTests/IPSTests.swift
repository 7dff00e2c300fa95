import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

private let header = #"{"app_name":"App","bug_type":"309","os_version":"iPhone OS 17.5 (21F79)","app_version":"2.1"}"#

/// A report of the usual two parts; `members` are further ones of the body.
private func report(
  frames: String = #"{"imageIndex":0,"imageOffset":100}"#, thread: String = "", members: String = ""
) -> String {
  header + "\n" + body(frames: frames, thread: thread, members: members)
}

private func body(frames: String, thread: String = "", members: String = "") -> String {
  """
  {
    "pid" : 7, "captureTime" : "2026-01-02 03:04:05.0000 +0100", "modelCode" : "iPhone14,2", "cpuType" : "ARM-64",
    "exception" : {"codes":"0x0000000000000001, 0x0000000000000010","rawCodes":[1,16],"type":"EXC_BAD_ACCESS","signal":"SIGSEGV"},
    "threads" : [{"triggered":true,"queue":"com.apple.main-thread"\(thread),"frames":[\(frames)]},{"frames":[]}],
    "usedImages" : [
      {"source":"P","arch":"arm64","base":4294967296,"size":65536,"uuid":"aabbccdd-eeff-0011-2233-445566778899","name":"App"},
      {"source":"A","base":0,"size":0,"uuid":"00000000-0000-0000-0000-000000000000"},
      {"source":"P","base":18446744073709551615,"uuid":"11223344-5566-7788-99aa-bbccddeeff00","path":"/usr/lib/libz.dylib"}
    ]\(members)
  }
  """
}

private func read(_ text: String) throws -> Diagnostic {
  let payload = try PayloadReader().read(ByteView(Array(text.utf8)))
  #expect(payload.format == .ips)
  return try #require(payload.diagnostics.first)
}

@Suite("Reports of .ips")
struct IPSTests {
  @Test("have images, addresses, names, and a main thread that is marked")
  func frames() throws {
    let frames = [
      #"{"imageIndex":0,"imageOffset":100,"symbol":"f","symbolLocation":4,"sourceFile":"A.swift","sourceLine":12}"#,
      #"{"imageIndex":2,"imageOffset":16,"symbol":"<redacted>"}"#, #"{"imageIndex":1,"imageOffset":4096}"#,
      #"{"imageIndex":0,"imageOffset":300,"symbol":"main","symbolLocation":383392}"#,
    ]
    let crash = try read(report(frames: frames.joined(separator: ",")))
    #expect(
      crash.shown(0) == [
        ExpectedFrame("App", 100, "f"), ExpectedFrame("libz.dylib", 16), ExpectedFrame(nil, nil),
        // What is so far behind `main` is another function.
        ExpectedFrame("App", 300),
      ])
    #expect(crash.stacks[0].frames.map(\.address) == [0x1_0000_0064, nil, 4096, 0x1_0000_012c])
    #expect(crash.symbols == [ReportedSymbol(function: "f", file: "A.swift", line: 12)])
    #expect(
      crash.images.map(\.debugID?.hex) == ["aabbccddeeff00112233445566778899", "112233445566778899aabbccddeeff00"])
    #expect(crash.stacks.map(\.name) == ["com.apple.main-thread", nil])
    #expect(crash.stacks.map(\.isAttributed) == [true, false])
    #expect(crash.isPerThread == true)
    #expect(crash.notes.isEmpty)
  }

  @Test("have the metadata of MetricKit in its spelling, from the body first")
  func metadata() throws {
    let crash = try read(
      report(
        members: #","osVersion":{"train":"iPhone OS 17.6","build":"21G80"},"vmRegionInfo":"0x10 is not in any region"#
          + #"","bundleInfo":{"CFBundleShortVersionString":"2.2","CFBundleVersion":"812","CFBundleIdentifier":"a.b"},"#
          + #""storeInfo":{"entitledBeta":true}"#))
    let metadata = crash.metadata
    #expect(metadata.osVersion == "iPhone OS 17.6 (21G80)")
    #expect(metadata.appVersion == "2.2")
    #expect(metadata.appBuildVersion == "812")
    #expect(metadata.bundleIdentifier == "a.b")
    #expect(metadata.deviceType == "iPhone14,2")
    #expect(metadata.platformArchitecture == "arm64")
    #expect(metadata.pid == 7)
    #expect(metadata.exceptionType == 1)
    #expect(metadata.exceptionCode == 1)
    #expect(metadata.signal == 11)
    #expect(metadata.virtualMemoryRegionInfo == "0x10 is not in any region")
    #expect(metadata.isTestFlightApp == true)
    #expect(metadata.timeStampBegin == "2026-01-02 03:04:05.0000 +0100")
    let bare = try read(report())
    #expect(bare.metadata.appVersion == "2.1")
    #expect(bare.metadata.osVersion == "iPhone OS 17.5 (21F79)")
  }

  @Test(
    "say why they ended as MetricKit says it",
    arguments: [
      (
        #"{"namespace":"SIGNAL","code":5,"indicator":"Trace/BPT trap: 5"}"#,
        "Namespace SIGNAL, Code 5 Trace/BPT trap: 5"
      ),
      (
        #"{"namespace":"SPRINGBOARD","code":2343432205,"details":["a","b"]}"#,
        "Namespace SPRINGBOARD, Code 0x8badf00d a b"
      ),
      (#"{"namespace":"FRONTBOARD","code":"0xDEADFA11"}"#, "Namespace FRONTBOARD, Code 0xdeadfa11"),
      (#"{"namespace":"X","code":"later"}"#, "Namespace X, Code later"), (#"{"namespace":"X"}"#, "Namespace X"),
      (#"{"code":5}"#, nil), ("null", nil), ("7", nil), (#"{"namespace":"X","code":-1}"#, "Namespace X, Code -1"),
    ] as [(String, String?)])
  func termination(text: String, reason: String?) throws {
    #expect(try read(report(members: #","termination":"# + text)).metadata.terminationReason == reason)
  }

  @Test("with an exception that nobody caught are about its backtrace")
  func exceptionBacktrace() throws {
    let backtrace = #","lastExceptionBacktrace":[{"imageIndex":0,"imageOffset":200,"symbol":"thrower"}]"#
    let abort = #","exception":{"type":"EXC_CRASH","signal":"SIGABRT"}"#
    let crash = try read(report(members: backtrace + abort))
    #expect(crash.stacks.map(\.name) == ["Last exception backtrace", "com.apple.main-thread", nil])
    #expect(crash.attributed == [0])
    #expect(crash.shown(0) == [ExpectedFrame("App", 200, "thrower")])
    // A bad access after an exception is about itself.
    #expect(try read(report(members: backtrace)).attributed == [1])
    let kill = #","exception":{"type":"EXC_CRASH","signal":"SIGKILL"}"#
    #expect(try read(report(members: backtrace + kill)).attributed == [1])
  }

  @Test("name the exception, in a member of its own or in what CoreFoundation left")
  func exceptionReason() throws {
    let stated = try read(
      report(
        members: #","exceptionReason":{"name":"NSRangeException","format_string":"%@ beyond","type":"objc-exception","#
          + #""composed_message":"5 beyond","class":"NSException"}"#)
    ).metadata.exceptionReason
    #expect(stated?.name == "NSRangeException")
    #expect(stated?.formatString == "%@ beyond")
    #expect(stated?.composedMessage == "5 beyond")
    #expect(stated?.className == "NSException")
    let left = try read(
      report(
        members: #","asi":{"libsystem_c.dylib":["abort() called"],"CoreFoundation":["*** Terminating app due to "#
          + #"uncaught exception 'NSGenericException', reason: 'it isn't 'so''"]}"#)
    ).metadata.exceptionReason
    #expect(left?.name == "NSGenericException")
    #expect(left?.composedMessage == "it isn't 'so'")
  }

  @Test("may be one object, compact or not, one a line, and without a header")
  func forms() throws {
    let whole = try read(report())
    let lines = body(frames: #"{"imageIndex":0,"imageOffset":100}"#)
    let flat = String(lines.filter { $0 != "\n" })
    let merged = header.dropLast() + "," + flat.dropFirst()
    for text in [
      header + "\n" + flat, "\u{feff}" + header + "\r\n\r\n" + lines + "\n\n", String(merged), header + lines,
    ] {
      #expect(try read(text) == whole)
      #expect(DocumentStream(ByteView(Array(text.utf8))).form == .whole)
    }
    #expect(try read(lines).stacks == whole.stacks)
    let stream = DocumentStream(ByteView(Array("\(merged)\n\(merged)\n".utf8)))
    #expect(stream.form == .lines)
    #expect(Array(stream).count == 2)
  }

  @Test("mark the thread by its number when none is triggered")
  func faultingThread() throws {
    let text = report(members: #","faultingThread":1"#)
    #expect(try read(text).attributed == [0])
    #expect(try read(text.replacing(#""triggered":true,"#, with: "")).attributed == [1])
    #expect(try read(report().replacing(#""triggered":true,"#, with: "")).attributed == [])
  }

  @Test(
    "of another type are refused by name",
    arguments: [
      ("\"298\"", "bug_type 298, a Jetsam event: it has no call stacks"), ("\"288\"", "bug_type 288, a stackshot"),
      ("\"210\"", "bug_type 210, a kernel panic"), ("211", "bug_type 211, analytics data"),
      ("\"385\"", "bug_type 385, not a crash report"), ("[]", "not a crash report"),
      ("\"309\"", "bug_type 309, a crash report without threads and without a reason"),
    ])
  func otherTypes(type: String, detail: String) {
    for text in [#"{"bug_type":\#(type)}"# + "\n{}", #"{"bug_type":\#(type),"date":"x"}"#] {
      let error = refusal(of: text)
      #expect(error?.reason == .ipsReport)
      #expect(error?.detail?.hasPrefix(detail) == true)
    }
  }

  @Test("with wrong numbers are noted and read on")
  func wrongNumbers() throws {
    let frames = [
      #"{"imageIndex":9,"imageOffset":1}"#, #"{"imageIndex":-1,"imageOffset":2}"#, #"{"imageOffset":3}"#,
      #"{"imageIndex":18446744073709551615,"imageOffset":4}"#, #"{"imageIndex":0}"#, "7", "[]",
      #"{"imageIndex":0,"imageOffset":18446744073709551615,"symbol":7,"sourceLine":-1}"#,
      #"{"imageIndex":0,"imageOffset":1e300}"#, #"{"imageIndex":0.5,"imageOffset":"1"}"#,
      #"{"imageIndex":0,"imageOffset":5,"symbol":"g","sourceFile":"","sourceLine":99999999999}"#,
    ]
    let crash = try read(report(frames: frames.joined(separator: ",")))
    crash.checkConsistency()
    #expect(crash.stacks[0].frames.count == 9)
    #expect(crash.shown(0).last == ExpectedFrame("App", 5, "g"))
    #expect(Set(crash.notes.map(\.code)) == ["bad_number", "frame_unreadable"])
    #expect(crash.symbols == [ReportedSymbol(function: "g")])
    let odd = try read(report(members: #","usedImages":[5,{"uuid":"zz","name":"B"}],"faultingThread":-3,"asi":[1]"#))
    odd.checkConsistency()
  }

  @Test("that end too early or hold too much say so")
  func broken() throws {
    let text = report()
    let start = header.utf8.count + 2
    for end in stride(from: start, to: text.utf8.count - 2, by: 7) {
      let error = refusal(of: String(decoding: Array(text.utf8)[..<end], as: UTF8.self))
      #expect(error?.reason == .truncated)
      #expect(error?.place?.offset == end)
    }
    for end in 0..<start { readHostile(Array(Array(text.utf8)[..<end])) }
    #expect(refusal(of: text + text)?.reason == .severalDocuments)
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(refusal(of: report(members: ",\"x\":" + deep))?.reason == .tooDeep)
    #expect(refusal(of: report(members: ",\"x\":\u{0}"))?.reason == .notJSON)
    #expect(refusal(of: header + "\nhello, this is no crash report")?.reason == .ipsReport)
    let long = String(repeating: "x", count: 1 << 20)
    let crash = try read(report(frames: #"{"imageIndex":0,"imageOffset":1,"symbol":"\#(long)"}"#))
    #expect(crash.symbols[0].function.utf8.count == ReadingLimits().textBytes)
    #expect(crash.notes.map(\.code) == ["text_cut"])
  }

  @Test("are cut at the limits")
  func limits() throws {
    var limits = ReadingLimits()
    limits.frames = 3
    limits.stacks = 1
    let frames = Array(repeating: #"{"imageIndex":0,"imageOffset":1}"#, count: 5).joined(separator: ",")
    let payload = try PayloadReader(limits: limits).read(ByteView(Array(report(frames: frames).utf8)))
    #expect(payload.diagnostics[0].stacks.map(\.frames.count) == [3])
    #expect(payload.diagnostics[0].notes.map(\.code) == ["stacks_cut", "frames_cut"])
  }

  @Test("do no harm when damaged")
  func damaged() {
    readDamaged(Array(report().utf8), count: 3000, seed: 11)
  }
}

@Suite("The sample .ips reports", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct IPSCorpusTests {
  @Test("are refused or read when cut at any line", arguments: ["macsymbolicator-ios16.ips", "sym-ios15.ips"])
  func truncated(name: String) throws {
    let bytes = try Array(ByteView.mapping(path: Corpus.path("reports/" + name)).text.utf8)
    for (index, byte) in bytes.enumerated() where byte == 0x0a && index < bytes.count - 3 {
      let error = refusal(of: String(decoding: bytes[...index], as: UTF8.self))
      #expect(error?.reason == .truncated || error?.reason == .ipsReport)
    }
  }

  @Test("do no harm when damaged")
  func damaged() throws {
    readDamaged(
      try Array(ByteView.mapping(path: Corpus.path("reports/sym-ios15.ips")).text.utf8), count: 100, seed: 12)
  }
}
