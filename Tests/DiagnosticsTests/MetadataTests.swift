import Diagnostics
import Testing

private func metadata(_ members: String, beside: String = "") throws -> Diagnostic {
  try read(#"{\#(beside)"diagnosticMetaData":{\#(members)}}"#).diagnostics[0]
}

@Suite("Metadata")
struct MetadataTests {
  @Test("is kept as it came")
  func texts() throws {
    let read = try metadata(
      #""bundleIdentifier":"com.example","appVersion":"2.1","appBuildVersion":"812","osVersion":"iPhone OS 18.5 (22F76)","#
        + #""deviceType":"iPhone14,6","platformArchitecture":"arm64e","regionFormat":"DE","isTestFlightApp":true,"#
        + #""lowPowerModeEnabled":false,"pid":-1,"signal":11,"exceptionType":1,"exceptionCode":18446744073709551615,"#
        + #""terminationReason":"Namespace SIGNAL\nCode 0xb","virtualMemoryRegionInfo":"","new":{"unknown":[1]}"#
    ).metadata
    #expect(read.bundleIdentifier == "com.example")
    #expect(read.appVersion == "2.1")
    #expect(read.appBuildVersion == "812")
    #expect(read.osVersion == "iPhone OS 18.5 (22F76)")
    #expect(read.deviceType == "iPhone14,6")
    #expect(read.platformArchitecture == "arm64e")
    #expect(read.regionFormat == "DE")
    #expect(read.isTestFlightApp == true)
    #expect(read.lowPowerModeEnabled == false)
    #expect(read.pid == -1)
    #expect(read.signal == 11)
    #expect(read.exceptionType == 1)
    #expect(read.exceptionCode == .max)
    #expect(read.terminationReason == "Namespace SIGNAL\nCode 0xb")
    #expect(read.virtualMemoryRegionInfo == "")
    #expect(read.hangDuration == nil)
  }

  @Test("accepts numbers for texts, texts for numbers, and measurements")
  func otherTypes() throws {
    let read = try metadata(
      #""exceptionType":"1","exceptionCode":-1,"signal":"0xB","pid":7.0,"isTestFlightApp":1,"lowPowerModeEnabled":"false","#
        + #""appBuildVersion":812,"hangDuration":{"value":1500,"unit":"ms"},"totalCPUTime":{"unit":{"symbol":"s","converter":{"c":[1]}},"value":2.5},"#
        + #""writesCaused":{"value":7},"launchDuration":20000"#)
    #expect(read.metadata.exceptionType == 1)
    #expect(read.metadata.exceptionCode == .max)
    #expect(read.metadata.signal == 11)
    #expect(read.metadata.pid == 7)
    #expect(read.metadata.isTestFlightApp == true)
    #expect(read.metadata.lowPowerModeEnabled == false)
    #expect(read.metadata.appBuildVersion == "812")
    #expect(read.metadata.hangDuration == "1500 ms")
    #expect(read.metadata.totalCPUTime == "2.5 s")
    #expect(read.metadata.writesCaused == "7")
    #expect(read.metadata.launchDuration == "20000")
    #expect(read.notes.map(\.code) == ["kind_ambiguous", "no_stack"])
  }

  @Test("notes what it cannot read, and reads the rest")
  func unreadable() throws {
    let read = try metadata(
      #""signal":"SIGSEGV","exceptionType":9223372036854775808,"exceptionCode":1.5,"pid":[1],"appVersion":[{}],"osVersion":{"a":[]},"regionFormat":"DE""#
    )
    #expect(read.metadata.regionFormat == "DE")
    #expect(read.metadata.signal == nil)
    #expect(read.metadata.appVersion == nil)
    #expect(
      read.notes.map(\.code)
        == Array(repeating: "bad_number", count: 4) + ["metadata_unreadable", "metadata_unreadable", "no_stack"])
  }

  @Test(
    "holds the exception under either name, at either level",
    arguments: ["exceptionReason", "objectiveCexceptionReason"])
  func exceptionReason(key: String) throws {
    let object =
      #""\#(key)":{"composedMessage":"m","formatString":"f %@","arguments":["a"],"exceptionType":"t","className":"c","exceptionName":"n"}"#
    for read in [try metadata(object), try metadata(#""signal":6"#, beside: object + ",")] {
      let reason = try #require(read.metadata.exceptionReason)
      #expect(reason.name == "n")
      #expect(reason.type == "t")
      #expect(reason.className == "c")
      #expect(reason.formatString == "f %@")
      #expect(reason.composedMessage == "m")
      #expect(read.kind == .crash)
    }
    #expect(try metadata(#""\#(key)":"text""#).metadata.exceptionReason?.composedMessage == "text")
    #expect(try metadata(#""\#(key)":null"#).metadata.exceptionReason == nil)
  }

  @Test("inside wins over the same beside")
  func levels() throws {
    let read = try metadata(
      #""appVersion":"in","signal":6"#, beside: #""appVersion":"out","hangType":"Main Runloop Hang","#)
    #expect(read.metadata.appVersion == "in")
    #expect(read.metadata.hangType == "Main Runloop Hang")
  }

  @Test("is missing when it is no object")
  func noObject() throws {
    let read = try read(#"{"crashDiagnostics":[{"diagnosticMetaData":[1],"appVersion":"x"}]}"#).diagnostics[0]
    #expect(read.metadata.appVersion == "x")
    #expect(read.notes.map(\.code) == ["metadata_unreadable", "no_stack"])
  }
}

@Suite("Display texts")
struct DisplayTextTests {
  @Test(
    "with a clear number and a known unit have a value",
    arguments: [
      ("20 secs.", 20, .duration), ("20 sec", 20, .duration), ("7 sec", 7, .duration), ("3.2 s", 3.2, .duration),
      ("20000 ms", 20, .duration), ("2 min", 120, .duration), ("1,5 s", 1.5, .duration), ("1 hr", 3600, .duration),
      ("7,338 sec", 7338, .duration), ("2,000 byte", 2000, .size), ("2000 byte", 2000, .size),
      ("2.000 byte", 2000, .size), ("1073.76 MB", 1_073_760_000, .size), ("1.073,76 MB", 1_073_760_000, .size),
      ("1,073.76 MB", 1_073_760_000, .size), ("132 kB", 132_000, .size), ("1 KiB", 1024, .size),
      ("2\u{a0}000 bytes", 2000, .size), ("2\u{202f}000\u{a0}B", 2000, .size), ("1,234,567 byte", 1_234_567, .size),
      ("1.234.567 byte", 1_234_567, .size), ("0,125 s", 0.125, .duration), ("0.5 GB", 5e8, .size),
      ("1.234 sec", 1.234, .duration),
    ] as [(String, Double, Quantity.Dimension)])
  func values(text: String, value: Double, dimension: Quantity.Dimension) throws {
    let quantity = try #require(Quantity(text))
    #expect(abs(quantity.value - value) <= 1e-9 * value)
    #expect(quantity.dimension == dimension)
  }

  @Test(
    "of any other form have none",
    arguments: [
      "", "20", "sec", "20 Sek.", "-5 s", "1.2.3 s", "1,2,3 s", "1,23.45.6 s", ",5 s", "5, s", "1e3 s", "20 sec sec",
      "٢٠ sec", "4 bars", "1,23,456 byte", "12 34x byte", "1,2345,678 byte",
      String(repeating: "1", count: 100) + " s",
    ])
  func noValues(text: String) {
    #expect(Quantity(text) == nil)
  }

  @Test(
    "of systems fall into platform, version and build",
    arguments: [
      ("iPhone OS 18.5 (22F76)", "iPhone OS", "18.5", "22F76", "18.5"),
      ("macOS 13.0 (22A5358e)", "macOS", "13.0", "22A5358e", "13.0"),
      ("iPhone OS 17.5.1", "iPhone OS", "17.5.1", nil, "17.5"), ("17.0", nil, "17.0", nil, "17.0"),
      ("18", nil, "18", nil, "18.0"), ("iPadOS  16.1   (20B79)", "iPadOS", "16.1", "20B79", "16.1"),
      ("iPhone OS 16.4.1 (a) (20E772520a)", "", "", "", ""), ("iPhone OS", "", "", "", ""), ("", "", "", "", ""),
      ("18.5 beta", "", "", "", ""), ("iPhone OS 18.5 ()", "", "", "", ""), ("(22F76)", "", "", "", ""),
    ] as [(String, String?, String, String?, String)])
  func osVersions(text: String, platform: String?, version: String, build: String?, majorMinor: String) {
    let read = OSVersion(text)
    guard !version.isEmpty else {
      #expect(read == nil)
      return
    }
    #expect(read?.platform == platform)
    #expect(read?.version == version)
    #expect(read?.build == build)
    #expect(read?.majorMinor == majorMinor)
  }
}
