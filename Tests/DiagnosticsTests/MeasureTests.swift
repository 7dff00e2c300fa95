import Diagnostics
import Testing

@Suite("What a diagnostic measured")
struct MeasureTests {
  @Test("is read from its metadata, in whole parts of the unit")
  func values() {
    var metadata = DiagnosticMetadata()
    metadata.hangDuration = "1,5 s"
    metadata.totalCPUTime = "20 secs."
    metadata.totalSampledTime = "0.000001 s"
    metadata.writesCaused = "1073.76 MB"
    metadata.launchDuration = "2500 ms"
    #expect(
      metadata.measuredValues == [
        MeasuredValue(.hangDuration, parts: 1_500_000), MeasuredValue(.cpuTime, parts: 20_000_000),
        MeasuredValue(.sampledTime, parts: 1), MeasuredValue(.bytesWritten, parts: 1_073_760_000),
        MeasuredValue(.launchDuration, parts: 2_500_000),
      ])
    #expect(metadata.measuredValues.map(\.measure) == Measure.allCases)
  }

  @Test(
    "is missing, and not 0, where the text is not clearly a value of that measure",
    arguments: [nil, "", "long", "20", "20 MB", "-1 s", "9999999999999 h", "1e3 s"])
  func missing(text: String?) {
    var metadata = DiagnosticMetadata()
    metadata.hangDuration = text
    #expect(metadata.measuredValues.isEmpty)
  }

  @Test("can be nothing at all")
  func zero() {
    var metadata = DiagnosticMetadata()
    metadata.hangDuration = "0 s"
    #expect(metadata.measuredValues == [MeasuredValue(.hangDuration, parts: 0)])
  }

  @Test("is kept for the store, and a text that is no value is not")
  func kept() {
    var diagnostic = Diagnostic(kind: .hang)
    diagnostic.metadata.hangDuration = "20 sec"
    diagnostic.metadata.launchDuration = "Ada's 20 sec"
    #expect(diagnostic.kept.metadata.measuredValues == diagnostic.metadata.measuredValues)
    #expect(diagnostic.kept.metadata.launchDuration == nil)
  }
}
