import Diagnostics
import Testing

@Suite("A metric payload")
struct MetricPayloadTests {
  private let payload = #"""
    {"locationActivityMetrics":{"cumulativeBestAccuracyTime":"20 sec"},"appVersion":"2.1","timeStampBegin":"2026-05-01 06:59:00 +0000",\#
    "metaData":{"appBuildVersion":"812","osVersion":"iPhone OS 18.5 (22F76)","regionFormat":"US","deviceType":"iPhone14,6"},\#
    "timeStampEnd":"2026-05-02 06:59:00 +0000"}
    """#

  @Test("gives its build, system and interval, and no diagnostic")
  func read() throws {
    let read = try DiagnosticsTests.read(payload)
    #expect(read.format == .metricPayload && read.diagnostics.isEmpty && read.notes.isEmpty)
    let metadata = try #require(read.metrics.first?.kept.metadata)
    var wanted = DiagnosticMetadata()
    wanted.appVersion = "2.1"
    wanted.appBuildVersion = "812"
    wanted.osVersion = "iPhone OS 18.5 (22F76)"
    wanted.timeStampBegin = "2026-05-01 06:59:00 +0000"
    wanted.timeStampEnd = "2026-05-02 06:59:00 +0000"
    #expect(metadata == wanted)
  }

  @Test("may be damaged inside, or lack its metadata, and still is one")
  func damaged() throws {
    for text in [
      #"{"cellularConditionMetrics":{"cellConditionTime":{"histogramValue":[null,7,"x"]}},"timeStampEnd":"2026-05-02 06:59:00"}"#,
      #"{"cpuMetrics":null,"metaData":{}}"#, #"{"payload":{"cpuMetrics":{},"appVersion":"1"}}"#,
      #"[{"cpuMetrics":{},"appVersion":"1"}]"#,
    ] {
      #expect(try DiagnosticsTests.read(text).metrics.count == 1)
    }
  }

  @Test("tells whether the app was updated within its interval")
  func updated() throws {
    let flag = #"{"includesMultipleApplicationVersions":true,"cpuMetrics":{},"appVersion":"1"}"#
    #expect(try DiagnosticsTests.read(flag).metrics.map(\.metadata.spansVersions) == [true])
    let diagnostics =
      #"{"includesMultipleApplicationVersions":true,"crashDiagnostics":[{"diagnosticMetaData":{"signal":6}}]}"#
    #expect(try DiagnosticsTests.read(diagnostics).diagnostics.map(\.metadata.spansVersions) == [true])
  }
}

@Suite("The reporting day")
struct ReportingDayTests {
  private func day(_ begin: String?, _ end: String?, in zone: String = "UTC") throws -> String? {
    let calendar = try #require(ReportingCalendar(zone))
    return ReportingDay(
      from: begin.flatMap { PointInTime(parsing: $0) }, to: end.flatMap { PointInTime(parsing: $0) }, in: calendar)?
      .text
  }

  @Test("of an interval is the one that holds its middle")
  func middle() throws {
    #expect(try day("2026-05-01 00:00:00", "2026-05-02 00:00:00") == "2026-05-01")
    #expect(try day("2026-05-01 06:59:00", "2026-05-02 06:59:00") == "2026-05-01")
    #expect(try day("2026-05-01 23:50:00", "2026-05-02 23:40:00") == "2026-05-02")
    #expect(try day("2026-05-01 23:00:00", "2026-05-01 23:30:00") == "2026-05-01")
    #expect(try day("2026-05-02T10:00:00Z", nil) == "2026-05-02")
    #expect(try day(nil, "2026-05-02T10:00:00Z") == "2026-05-02")
    #expect(try day(nil, nil) == nil)
    #expect(try day("1970-01-01 00:00:00", "1970-01-01 00:00:00", in: "-01:00") == "1969-12-31")
  }

  @Test("depends on the zone of the calendar alone")
  func zones() throws {
    #expect(try day("2026-05-01 20:00:00", "2026-05-01 22:00:00", in: "+2") == "2026-05-01")
    #expect(try day("2026-05-01 20:00:00", "2026-05-01 22:00:00", in: "+03:30") == "2026-05-02")
    #expect(try day("2026-05-01 20:00:00", "2026-05-01 22:00:00", in: "-14") == "2026-05-01")
    #expect(ReportingCalendar("-03:30")?.description == "UTC-03:30" && ReportingCalendar.utc.description == "UTC+00:00")
    for text in ["", "2", "+", "+15", "+2:60", "+2:", "+:30", "CET", "+1:2:3", "+-1", "+14:01"] {
      #expect(ReportingCalendar(text) == nil, "\(text)")
    }
  }
}
