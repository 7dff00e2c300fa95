import Bytes
import Diagnostics
import Glibc
import TestSupport
import Testing

/// The reading of every file in the corpus, each once held by eye against the file and the facts of its format.
///
/// `SYMCLUST_UPDATE_GOLDENS=1` writes what is read now; the difference in version control is then the thing to review.
@Suite("The golden readings", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct GoldenTests {
  private static let folders = ["metrickit", "reports"]
  private static let goldens = Corpus.repository + "/Tests/SignaturesTests/Goldens"
  private static let isUpdating = getenv("SYMCLUST_UPDATE_GOLDENS").map { String(cString: $0) } == "1"

  /// The corpus files by the golden file that tells of them: a bundle of Xcode's has one for all its reports.
  private static let sources: [String: [String]] = {
    let names = folders.flatMap { folder in files(below: Corpus.path(folder)).map { folder + "/" + $0 } }
    return Dictionary(grouping: names.filter { !$0.hasSuffix("/PROVENANCE.md") }) { name in
      name.split(separator: "/").prefix(2).joined(separator: "/") + ".txt"
    }
  }()

  @Test("are those of the files that are there, no more and no fewer")
  func complete() {
    guard !Self.isUpdating else { return }
    let goldens = Set(files(below: Self.goldens))
    let sources = Set(Self.sources.keys)
    #expect(sources.subtracting(goldens).sorted() == [], "corpus files without a golden")
    #expect(goldens.subtracting(sources).sorted() == [], "goldens without a corpus file")
  }

  @Test("are what is read", arguments: sources.keys.sorted())
  func reading(golden: String) throws {
    let names = Self.sources[golden, default: []].sorted()
    var lines: [String] = []
    for name in names {
      if names.count > 1 {
        lines += [lines.isEmpty ? "" : "\n", "file " + name.split(separator: "/").dropFirst(2).joined(separator: "/")]
      }
      lines += try Self.lines(of: name)
    }
    let text = lines.joined(separator: "\n") + "\n"
    let path = Self.goldens + "/" + golden
    if Self.isUpdating {
      try #require(write(text, to: path))
    } else if let bytes = contents(of: path) {
      let difference = LineDifference(from: String(decoding: bytes, as: UTF8.self), to: text)
      if !difference.isEmpty { Issue.record("\(golden) differs from what is read (+)\n\(difference)") }
    }
  }

  private static func lines(of name: String) throws -> [String] {
    let bytes = try ByteView.mapping(path: Corpus.path(name))
    do throws(PayloadRefusal) {
      return ReadingText(try PayloadReader().read(bytes)).lines
    } catch {
      return ReadingText(error).lines
    }
  }

  private func write(_ text: String, to path: String) -> Bool {
    mkdir(Self.goldens, 0o755)
    mkdir(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), 0o755)
    guard let file = fopen(path, "w") else { return false }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    return fclose(file) == 0 && written == bytes.count
  }
}

/// The lines in which two texts differ, `-` before those of the first and `+` before those of the second, each run of them
/// with two lines of context.
private struct LineDifference: CustomStringConvertible {
  let description: String
  var isEmpty: Bool { description.isEmpty }

  init(from old: String, to new: String) {
    let lines = [old, new].map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    let changes = lines[1].difference(from: lines[0])
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in changes {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var merged: [(sign: String, line: String)] = []
    var before = 0
    var after = 0
    while before < lines[0].count || after < lines[1].count {
      if removed.contains(before) {
        merged.append(("-", lines[0][before]))
        before += 1
      } else if inserted.contains(after) {
        merged.append(("+", lines[1][after]))
        after += 1
      } else {
        merged.append((" ", lines[1][after]))
        before += 1
        after += 1
      }
    }
    let shown = merged.indices.filter { index in
      merged[max(0, index - 2)..<min(merged.count, index + 3)].contains { $0.sign != " " }
    }
    var text: [String] = []
    for (position, index) in shown.enumerated() {
      if position > 0, shown[position - 1] != index - 1 { text.append("…") }
      text.append(merged[index].sign + merged[index].line)
    }
    description = text.joined(separator: "\n")
  }
}
