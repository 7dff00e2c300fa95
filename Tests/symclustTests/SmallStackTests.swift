import JSON
import TestSupport
import Testing

/// Recursion crashes are the ones with the deepest stacks; no reader may need as much stack as they had.
@Suite("On a stack of 128 KiB", .enabled(if: programIsBuilt, programAbsence))
struct SmallStackTests {
  private let store: Store

  init() throws { store = try Store() }

  /// Runs the program with this little stack, for its threads as well.
  private func run(_ arguments: String...) -> Tool.Outcome {
    bash(
      "ulimit -s 128; exec \"$symclust\" \"$@\"", arguments + ["--store", store.path])
  }

  private func frames(_ count: Int) -> String {
    let open =
      #"{"binaryName":"App","binaryUUID":"11111111-1111-1111-1111-111111111111","offsetIntoBinaryTextSegment":4096,"address":4294971392,"sampleCount":1,"subFrames":["#
    return String(repeating: open, count: count) + String(repeating: "]}", count: count)
  }

  @Test("a stack of five and of thirty thousand frames is read, shown and counted", arguments: [5_000, 30_000])
  func deepStack(count: Int) throws {
    let text =
      #"{"crashDiagnostics":[{"diagnosticMetaData":{"signal":11},"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":["#
      + frames(count) + "]}]}}]}"
    let path = store.folder.write(Array(text.utf8), to: "deep.json")
    let counted = run("cluster", "--json", path)
    #expect(counted.signal == 0 && counted.code == 3, "\(counted.code) \(counted.errorText.prefix(200))")
    #expect(try counted.json()["run"]?.count("accepted_diagnostics") == 1)
    let shown = run("symbolicate", path)
    #expect(shown.signal == 0 && [0, 3].contains(shown.code))
    #expect(shown.lines.count { $0.contains("App + 4096") } == count)
  }

  @Test(
    "a million arrays or objects inside each other are refused, with the place",
    arguments: ["[", #"{"a":"#, #"{"callStacks":[{"callStackRootFrames":["#])
  func nested(opening: String) throws {
    let path = store.folder.write(Array(String(repeating: opening, count: 1_000_000).utf8), to: "nested.json")
    let outcome = run("cluster", "--json", path)
    #expect(outcome.signal == 0 && outcome.code == 1, "\(outcome.code) \(outcome.errorText.prefix(200))")
    #expect(outcome.errorText.contains("nested.json: "))
  }
}
