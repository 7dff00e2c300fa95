import Bytes
import Diagnostics
import Identity
import TestSupport
import Testing

@Suite("The sample text crash reports", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct TextCrashCorpusTests {
  private static func ios16(_ file: String) -> ExpectedReport {
    ExpectedReport(
      file: file, format: .textCrash, frames: [48, 20, 1, 21, 1, 13, 11, 14], attributed: 0,
      first: [
        ExpectedFrame("libswiftCore.dylib", 229_900, "_assertionFailure(_:_:file:line:flags:)"),
        ExpectedFrame("libswiftCore.dylib", 229_900, "_assertionFailure(_:_:file:line:flags:)"),
        ExpectedFrame("iOSCrashingTest", 25_788), ExpectedFrame("iOSCrashingTest", 25_036),
      ], exceptionType: 6, signal: 5, reason: "Namespace SIGNAL, Code 5 Trace/BPT trap: 5", version: "1.0", build: "1",
      os: "iPhone OS 16.0 (20A362)")
  }

  private static func testFlight(_ file: String) -> ExpectedReport {
    ExpectedReport(
      file: file, format: .textCrash, frames: [11, 20, 15, 6, 6, 7, 8, 0, 13, 0, 11], attributed: 0,
      first: [
        ExpectedFrame("CoreFoundation", 1_133_680, "__exceptionPreprocess"),
        ExpectedFrame("libobjc.A.dylib", 201_252, "objc_exception_throw"),
        ExpectedFrame("CoreFoundation", 1_550_584, "+[NSException raise:format:]"),
        ExpectedFrame("CarPlay", 41_376, "-[CPInterfaceController pushTemplate:animated:completion:]"),
        ExpectedFrame("App", 380_536, "CPInterfaceController.safePush(_:animated:)"),
        ExpectedFrame("App", 380_536, "CarPlaySceneDelegate.pushSearch()"),
        ExpectedFrame(
          "App", 380_536, "closure #1 in closure #2 in CarPlaySceneDelegate.attachLibraryCategoryHandlers(to:)"),
        ExpectedFrame("App", 365_137),
      ], exceptionType: 10, signal: 6, reason: "Namespace SIGNAL, Code 6 Abort trap: 6", version: "0.8.57",
      build: "202604081349", os: "iPhone OS 26.4.1 (23E254)")
  }

  private static func kscrash(_ file: String, _ first: [ExpectedFrame]) -> ExpectedReport {
    ExpectedReport(
      file: file, format: .textCrash, frames: [19, 2, 2, 7, 7, 2, 5, 6, 1, 12, 2, 1, 10], attributed: 0, first: first,
      exceptionType: 6, signal: 5, reason: nil, version: "1.0", build: "34", os: "iOS 18.0 (22A3351)")
  }

  private static let assertion = ExpectedFrame(
    "libswiftCore.dylib", 228_728, "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF")

  private static let logs =
    "axiom-sample.xccrashpoint/Filters/Filter_sample-1.0.0-com.apple.platform.iphoneos-Any/Logs/"
    + "2026-04-12_18-04-38.000_+0000-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.crash"

  static let all: [ExpectedReport] = [
    ios16("macsymbolicator-ios16-text.crash"), ios16("macsymbolicator-ios16-text-with-json-header.crash"),
    testFlight("axiom-testflight-ios26.crash"), testFlight(logs),
    kscrash(
      "aws-kscrash-apple-text.crash",
      [
        assertion, assertion, ExpectedFrame("AwsHackerNewsDemo", 83_704), ExpectedFrame("AwsHackerNewsDemo", 133_268),
        ExpectedFrame("libdispatch.dylib", 16_592),
      ]),
    kscrash(
      "aws-kscrash-apple-text.symbolicated.crash",
      [
        assertion, assertion,
        ExpectedFrame(
          "AwsHackerNewsDemo", 83_704,
          "closure #1 in closure #1 in CrashPickerView.showCrashCountdownToast(type:delay:)"),
        ExpectedFrame("AwsHackerNewsDemo", 133_268), ExpectedFrame("libdispatch.dylib", 16_592),
      ]),
    ExpectedReport(
      file: "kscrash-nsexception-apple-style.txt", format: .textCrash, frames: [23, 1, 4, 0, 7, 6, 4, 3], attributed: 0,
      first: [
        ExpectedFrame("CoreFoundation", 648_765, "__exceptionPreprocess"),
        ExpectedFrame("libobjc.A.dylib", 19_549, "objc_exception_throw"),
        ExpectedFrame("CoreFoundation", 663_999, "-[NSObject(NSObject) doesNotRecognizeSelector:]"),
        ExpectedFrame("CoreFoundation", 661_065, "___forwarding___"),
        ExpectedFrame("CoreFoundation", 98_688, "_CF_forwarding_prep_0"),
        ExpectedFrame("Crash-Tester", 30_425, "-[Crasher throwException]"),
      ], exceptionType: 10, signal: 6, reason: nil, version: "1.0", build: "1.0", os: "iPhone OS 4.3.3 (8J2)"),
    ExpectedReport(
      file: "sym-umeng-third-party.crash", format: .textCrash, frames: [26], attributed: 0,
      first: [ExpectedFrame("libcache.dylib", nil), ExpectedFrame("libcache.dylib", nil, "cache_remove_with_block")],
      exceptionType: nil, signal: 11, reason: nil, version: nil, build: nil, os: nil),
  ]

  @Test("are read whole", arguments: all)
  func golden(expected: ExpectedReport) throws { try expected.check() }

  private func report(_ name: String) throws -> Diagnostic {
    try PayloadReader().read(ByteView.mapping(path: Corpus.path("reports/" + name))).diagnostics[0]
  }

  @Test("say the same as the .ips report of the same crash")
  func agreement() throws {
    let ips = try report("macsymbolicator-ios16.ips")
    for name in ["macsymbolicator-ios16-text.crash", "macsymbolicator-ios16-text-with-json-header.crash"] {
      let text = try report(name)
      #expect(text.metadata == ips.metadata)
      #expect(text.stacks.map(\.name) == ips.stacks.map(\.name))
      #expect(text.stacks.map(\.isAttributed) == ips.stacks.map(\.isAttributed))
      for index in ips.stacks.indices {
        #expect(text.shown(index) == ips.shown(index))
        let ids = [text, ips].map { report in
          report.stacks[index].frames.map { report.image(of: $0)?.debugID }
        }
        #expect(ids[0] == ids[1])
        #expect(!ids[0].contains(nil))
        #expect(text.stacks[index].frames.map(\.address) == ips.stacks[index].frames.map(\.address))
      }
    }
  }

  @Test("tell the exception of KSCrash by its name")
  func exceptionName() throws {
    #expect(
      try report("kscrash-nsexception-apple-style.txt").metadata.exceptionReason?.name == "NSInvalidArgumentException")
    #expect(try report("axiom-testflight-ios26.crash").metadata.isTestFlightApp == true)
  }

  @Test(
    "do no harm when cut at any line or damaged",
    arguments: ["macsymbolicator-ios16-text-with-json-header.crash", "axiom-testflight-ios26.crash"])
  func truncated(name: String) throws {
    let bytes = try Array(ByteView.mapping(path: Corpus.path("reports/" + name)).text.utf8)
    for (index, byte) in bytes.enumerated() where byte == 0x0a { readHostile(Array(bytes[...index])) }
    readDamaged(bytes, count: 100, seed: 22)
  }
}
