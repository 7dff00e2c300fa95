import Bytes
import Diagnostics
import Testing

@Suite("Documents of neighbouring formats")
struct NeighbourShapeTests {
  private func read(_ text: String, depth: Int? = nil) throws(PayloadRefusal) -> ReportFormat {
    var limits = ReadingLimits()
    if let depth { limits.depth = depth }
    return try PayloadReader(limits: limits).read(ByteView(Array(text.utf8))).format
  }

  private func reason(_ text: String) -> PayloadRefusal.Reason? {
    do throws(PayloadRefusal) {
      _ = try read(text)
      return nil
    } catch {
      return error.reason
    }
  }

  private let stack =
    #"{"schema":"symclust.stack/1","kind":"crash","threads":[{"frames":[{"function":"f()"}]}],"more":[[[[[[]]]]]]}"#
  private let crash = "Incident Identifier: 1\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n"
  private let sample =
    "Date/Time: 2026\nEvent: hang\nCommand: App\n\nProcess: App [1]\n  Thread 0x1\n  1 f + 1 (App) [0x1]\n"

  @Test("are recognised behind blanks, byte order marks and lines of other text")
  func beginnings() throws {
    for start in ["", "\n \t", "\u{feff}", "\u{feff}\r\n"] {
      #expect(try read(start + stack) == .stackLine)
      #expect(try read(start + crash) == .textCrash)
      #expect(try read(start + "{\"bug_type\":\"109\"}\n" + crash) == .textCrash)
      #expect(try read(start + sample) == .spindump)
    }
    for start in ["[12:00] exported\n", "(log)\n", "7 reports\n", "\"quoted\"\n"] {
      #expect(try read(start + sample) == .spindump)
    }
  }

  @Test("are recognised although MetricKit's reader gave them up at its limit")
  func depth() throws {
    #expect(try read(stack, depth: 4) == .stackLine)
  }

  @Test("that are broken JSON are refused as that, with all their words")
  func broken() {
    #expect(reason(String(stack.dropLast())) == .truncated)
    #expect(reason(stack.replacing("[[[[[[]]]]]]", with: "[}")) == .notJSON)
    let deep = String(repeating: "[", count: 100)
    #expect(reason(#"{"callStackFrames":"# + deep) == .truncated)
    #expect(reason(#"{"callStackFrames":"# + deep + String(repeating: "]", count: 100) + "}") == .tooDeep)
  }
}
