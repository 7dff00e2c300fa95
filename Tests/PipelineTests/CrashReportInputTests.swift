import Diagnostics
import SignatureStore
import SymbolIndex
import Symbolication
import TestSupport
import Testing

@testable import Pipeline

private func crash(_ number: Int) -> [UInt8] {
  Array(
    """
    Incident Identifier: \(number)
    Exception Type:  EXC_CRASH (SIGABRT)

    Thread 0 Crashed:
    0   App   0x1022364bc 0x102230000 + 25788

    """.utf8)
}

@Suite("Crash reports on their way in")
struct CrashReportInputTests {
  private func read(_ paths: [String]) -> (read: [String], other: Int) {
    var read: [String] = []
    var other = 0
    InputSource(limits: ReadingLimits()).documents(paths, other: &other) { _ in
    } visit: {
      read.append($0.path)
    }
    return (read, other)
  }

  @Test("in an .xccrashpoint count once, with the copies that Xcode has symbolicated, and without its notes")
  func organizer() throws {
    let folder = try #require(TemporaryFolder("organizer"))
    let root = "a.xccrashpoint/Filters/Filter_App-1.0-Any/"
    for name in ["Logs/1.crash", "Logs/LocallySymbolicated/1.crash", "Logs/LocallySymbolicated/2.crash"] {
      folder.write(crash(1), to: root + name)
    }
    for name in ["DistributionInfo.json", "PointInfo.json"] { folder.write(Array("{}".utf8), to: root + name) }
    let found = read([folder.entry("a.xccrashpoint")])
    #expect(
      found.read
        == ["Logs/1.crash", "Logs/LocallySymbolicated/2.crash"].map { folder.entry(root + $0) })
    #expect(found.other == 3)
    // What a user names is read.
    let copy = folder.entry(root + "Logs/LocallySymbolicated/1.crash")
    #expect(read([copy]).read == [copy])
  }

  @Test("in an archive of an .xccrashpoint count once as well")
  func packedOrganizer() throws {
    let folder = try #require(TemporaryFolder("packed"))
    let root = "a.xccrashpoint/Filters/Filter_App-1.0-Any/"
    for name in ["Logs/1.crash", "Logs/LocallySymbolicated/1.crash"] { folder.write(crash(1), to: root + name) }
    folder.write(Array("{}".utf8), to: root + "PointInfo.json")
    let archive = folder.entry("a.tar")
    _ = Tool.run("/bin/tar", ["-cf", archive, "-C", folder.path, "a.xccrashpoint"])
    let found = read([archive])
    #expect(found.read == ["\(archive)/\(root)Logs/1.crash"])
    #expect(found.other == 2)
  }

  @Test("are read from folders by their names")
  func names() throws {
    let folder = try #require(TemporaryFolder("names"))
    for name in ["a.ips", "b.crash", "c.txt", "e.plcrash", "Logs/LocallySymbolicated/d.crash"] {
      folder.write(crash(1), to: name)
    }
    let found = read([folder.entry("")])
    #expect(found.read.count == 4)
    #expect(found.other == 1)
  }
}

@Suite("Lines of a report for inlined calls")
struct ReportedPlaceTests {
  private func frame(_ name: String) -> Frame {
    Frame(function: name, source: .report)
  }

  private func shared(_ names: [[String]], _ places: [(offset: UInt64?, symbol: Int32)]) -> [[String]] {
    names.map { Resolution(status: $0.isEmpty ? .missingImage : .resolved, frames: $0.map(frame)) }
      .shared(among: places.map { ReportedPlace(image: 0, offset: $0.offset, symbol: $0.symbol) })
      .map { $0.frames.compactMap(\.function) }
  }

  @Test("share what retained symbols know of their place, the outermost first")
  func sharing() {
    let all = ["a", "b", "c"]
    // As many lines as calls.
    #expect(shared([all, all, all], [(1, 0), (1, 1), (1, 2)]) == [["a"], ["b"], ["c"]])
    // Fewer lines: the innermost takes the rest.
    #expect(shared([["x"], all, all], [(9, 3), (1, 0), (1, 1)]) == [["x"], ["a", "b"], ["c"]])
    // More lines: the innermost keep the report's names.
    #expect(shared([["x"], ["c"], ["c"], ["y"]], [(9, 3), (1, 0), (1, 1), (2, 4)]) == [["x"], [], ["c"], ["y"]])
  }

  @Test("are no recursion, no places without a name, and nothing without symbols")
  func otherRepeats() {
    let all = ["a", "b"]
    #expect(shared([all, all], [(1, 0), (1, 0)]) == [all, all])
    #expect(shared([all, all], [(1, -1), (1, -1)]) == [all, all])
    #expect(shared([all, all], [(1, 0), (2, 1)]) == [all, all])
    #expect(shared([[], []], [(1, 0), (1, 1)]) == [[], []])
    #expect(shared([all, all], [(nil, 0), (nil, 1)]) == [all, all])
    #expect(shared([], []) == [])
  }
}
